// Runs the real `vintage` and looks at what it says, for the tests.
#pragma once

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

#include "tests/golden/base/texts.h"

namespace vintage::tests::command {

struct Finished {
  int status = -1;  // 128 + signal where it was killed.
  std::string out, err;
};

class Sandbox {
 public:
  Sandbox() {
    std::string pattern = (std::filesystem::temp_directory_path() / "vintage_XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
  }
  ~Sandbox() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  Sandbox(const Sandbox&) = delete;

  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  std::string write(const std::string& name, const std::string& content) const {
    std::ofstream(folder_ / name, std::ios::binary) << content;
    return path(name);
  }

  static std::string read(const std::string& path) { return fileText(path); }

  // Arguments are quoted for the shell, which only redirects.
  Finished run(const std::vector<std::string>& arguments) const {
    std::string line = "'" VINTAGE_BINARY "/bin/vintage'";
    for (const std::string& argument : arguments) {
      line += " '";
      for (const char one : argument) line += one == '\'' ? "'\\''" : std::string(1, one);
      line += "'";
    }
    line += " >'" + path("stdout") + "' 2>'" + path("stderr") + "'";
    const int status = std::system(line.c_str());
    Finished finished;
    finished.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    finished.out = read(path("stdout"));
    finished.err = read(path("stderr"));
    return finished;
  }

 private:
  std::filesystem::path folder_;
};

}  // namespace vintage::tests::command
