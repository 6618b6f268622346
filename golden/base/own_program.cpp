#include "golden/base/own_program.h"

#include <cstdlib>

#include <unistd.h>

#include "golden/base/failures.h"

namespace vintage {

namespace fs = std::filesystem;

Result<fs::path> programBeside(std::string_view name) {
  std::error_code problem;
  const fs::path self = fs::read_symlink("/proc/self/exe", problem);
  fs::path program = self.parent_path() / name;
  if (!problem && fs::exists(program, problem)) return program;
  return ioError("{}: the program is missing; it is built and installed beside {}",
                 program.string(), self.filename().string());
}

Result<std::string> findProgram(const std::string& program) {
  const auto absolute = [](const fs::path& path) -> std::optional<std::string> {
    std::error_code problem;
    if (!fs::is_regular_file(path, problem) || ::access(path.c_str(), X_OK) != 0)
      return std::nullopt;
    return fs::absolute(path, problem).string();
  };
  if (program.find('/') != std::string::npos) {
    if (auto path = absolute(program)) return *path;
    return notFound("{}: there is no such program", program);
  }
  const char* path = std::getenv("PATH");
  std::string_view rest = path ? path : "";
  while (!rest.empty()) {
    const size_t colon = std::min(rest.find(':'), rest.size());
    if (auto found = absolute(fs::path(rest.substr(0, colon)) / program)) return *found;
    rest.remove_prefix(std::min(colon + 1, rest.size()));
  }
  return notFound("{}: no folder of PATH has a program of this name", program);
}

std::string vintageVersion() { return VINTAGE_VERSION; }
std::string llvmVersion() { return VINTAGE_LLVM_VERSION; }

}  // namespace vintage
