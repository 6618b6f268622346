// How the Python programs are started and heard; a shell stands in for them.

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <unistd.h>

#include "harness/runtimes/builds/python_programs.h"

namespace vintage::tests::consumers::python {
using namespace harness;

namespace {

using testing::ElementsAre;
using testing::HasSubstr;

namespace fs = std::filesystem;

class PythonPrograms : public testing::Test {
 protected:
  PythonPrograms() {
    std::string pattern = (fs::temp_directory_path() / "vintage_XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
    path_ = std::getenv("PATH");
  }
  ~PythonPrograms() override {
    ::setenv("PATH", path_.c_str(), 1);
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  // A program that prints `version`, as an interpreter would when it is asked.
  void interpreter(const std::string& name, const std::string& version) const {
    std::ofstream(folder_ / name) << "#!/bin/sh\necho " << version << "\n";
    fs::permissions(folder_ / name, fs::perms::owner_all);
  }
  void searchOnlyHere() const { ::setenv("PATH", folder_.c_str(), 1); }

  Result<PythonAnswer> ask(const std::string& script) {
    return askPython(
        {"/bin/sh", "-c", script}, "real JAX", *host_,
        {[&](const std::string& text) { heard_.push_back(text); },
         [&](const std::string& what, size_t done, size_t total) {
           heard_.push_back(what + " " + std::to_string(done) + "/" + std::to_string(total));
         }});
  }

  fs::path folder_;
  std::string path_;
  std::unique_ptr<ProcessHost> host_ = makePosixProcessHost();
  std::vector<std::string> heard_;
};

TEST_F(PythonPrograms, NotesStepsAndTheResultAreHeard) {
  auto answer = ask(R"(echo '{"note": "fetching"}'; echo 'a library prints'
echo '{"progress": {"part": "1/2", "what": "default", "done": 2, "total": 5}}'
echo '{"progress": {"part": "2/2", "what": "default", "done": 1, "total": 4}}'
echo '{"result": {"made": 3}}'; exit 3)");
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_THAT(heard_, ElementsAre("fetching", "default 2/5", "default 3/9"));
  EXPECT_EQ(answer->status, 3);
  EXPECT_EQ(answer->result["made"], 3);
}

TEST_F(PythonPrograms, WithoutAResultTheLastWordsAreTheError) {
  auto result = ask("echo warning >&2; echo 'vintage_jax environment: no such day' >&2; exit 2");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, Error::Kind::kUsage);
  EXPECT_EQ(result.error().message, "real JAX: no such day");
}

TEST_F(PythonPrograms, AProgramThatIsKilledSilentlyIsStillAnError) {
  auto result = ask("kill -9 $$");
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().message, HasSubstr("ended with status 137"));
}

TEST_F(PythonPrograms, TheFirstInterpreterThatIsNewEnoughIsTaken) {
  interpreter("python3", "3.10.13");
  interpreter("python3.12", "3.12.1");
  searchOnlyHere();
  auto found = findInterpreter(*host_);
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(*found, (folder_ / "python3.12").string());
}

TEST_F(PythonPrograms, WithoutOneTheErrorNamesWhatIsThereAndWhatWouldDo) {
  interpreter("python3", "3.9.2");
  searchOnlyHere();
  auto found = findInterpreter(*host_);
  ASSERT_FALSE(found);
  EXPECT_THAT(found.error().message, HasSubstr("python3 is Python 3.9.2"));
  EXPECT_THAT(found.error().message, HasSubstr("Python 3.11 or newer"));
}

}  // namespace
}  // namespace vintage::tests::consumers::python
