// Names, messages, programs and paths of others came out of every verb as they were: one could
// clear the screen, write another verdict over the true one, or turn the order of what is read.
#include <sstream>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "tests/harness/command/artifacts.h"
#include "tests/harness/command/hidden_text.h"

namespace vintage::tests::command {
namespace {

using nlohmann::json;

const std::string kEscape = "\x1b[2J\x1b]0;title\x07";

class VisibleOutput : public testing::Test {
 protected:
  void expectVisible(const std::vector<std::string>& words, const Finished& finished) const {
    std::string line;
    for (const std::string& word : words) line += word + " ";
    EXPECT_LT(finished.status, 128) << line;
    EXPECT_EQ(hiddenIn(finished.out), "") << line;
    EXPECT_EQ(hiddenIn(finished.err), "") << line;
  }
  Finished run(std::vector<std::string> words, bool inArchive = true) const {
    // Before the command of a build.
    if (inArchive) words.insert(std::ranges::find(words, "--"), {"--archive", archive_});
    const Finished finished = sandbox_.run(words);
    expectVisible(words, finished);
    return finished;
  }

  const Sandbox sandbox_;
  const std::string archive_ = sandbox_.path("A");
};

TEST_F(VisibleOutput, OfEveryVerb) {
  // The folder's name is the artifact's; the module has a text of its own.
  std::string text = kAddText;
  text.replace(text.find("@add {"), 6,
               "@add attributes {jax.note = \"" + kHiddenText + "\\1B[2J\\07\"} {");
  const std::string file = writeCompatibilityTest(sandbox_, "model", 34, text) + "/module.mlirbc";
  const std::string outputs = sandbox_.path("model") + "/expected_0.npy";
  const Finished put =
      run({"put", file, "--name", kHiddenText, "--producer", "by " + kHiddenText, "--build-date",
           "2026-01-01", "--inputs", sandbox_.path("model") + "/input_0.npy",
           sandbox_.path("model") + "/input_1.npy", "--outputs", outputs});
  ASSERT_EQ(put.status, 0) << put.err;
  const Finished added = run({"builds", "add", "--name", "build " + kHiddenText, "--date",
                              "2026-01-10", "--", VINTAGE_BINARY "/bin/vintage-worker"});
  ASSERT_EQ(added.status, 0) << added.err;
  const Finished listed = run({"list", "--format", "json"});
  const json entries = json::parse(listed.out);
  ASSERT_EQ(entries.size(), 1u);
  EXPECT_EQ(entries[0]["name"], kHiddenText);  // JSON says what it is.
  const std::string id = entries[0]["id"];

  for (const char* format : {"text", "json"})
    for (const std::vector<std::string>& verb : std::vector<std::vector<std::string>>{
             {"list"},
             {"show", id},
             {"show", kHiddenText},
             {"run", id},
             {"run", id, "--build", "build " + kHiddenText},
             {"replay"},
             {"replay", "--build", "build " + kHiddenText},
             {"explain", id},
             {"diff", id, id},
             {"diff", id, "--build", "build " + kHiddenText},
             {"window", "--beyond", "all"},
             {"builds", "list"},
             {"builds", "describe", "build " + kHiddenText},
             {"builds", "check"},
             {"tables", "--build", "build " + kHiddenText, "-o", sandbox_.path("tables")},
             {"fsck"},
             {"audit"},
             {"doctor"},
             {"hold", id, "--reason", kHiddenText},
             {"retention", "--policy", "no " + kEscape},
             {"get", id, "-o", sandbox_.path("got " + kEscape)},
             {"import", sandbox_.path("none " + kEscape)},
             {"show", kEscape},
             {"run", id, "--build", kEscape},
             {"merge", sandbox_.path("none " + kHiddenText)}}) {
      std::vector<std::string> words = verb;
      words.insert(words.end(), {"--format", format});
      const Finished finished = run(words);
      if (std::string(format) == "json" && !finished.out.empty() && finished.status != 2) {
        EXPECT_TRUE(json::accept(finished.out)) << verb.front() << "\n" << finished.out;
      }
    }
  // The answer quotes an unknown verb.
  run({kEscape + "verb"}, false);
  run({"list", "--" + kEscape});
  run({"show", sandbox_.write("broken", kEscape + kHiddenText)}, false);
}

// Every verb quotes what it refuses. The list of verbs is the program's own.
TEST_F(VisibleOutput, OfEveryRefusal) {
  std::istringstream help(sandbox_.run({"--help"}).out);
  int verbs = 0;
  for (std::string line; std::getline(help, line);) {
    if (line.size() < 3 || !line.starts_with("  ") || line[2] < 'a' || line[2] > 'z') continue;
    const std::string verb = line.substr(2, line.find(' ', 2) - 2);
    ++verbs;
    run({verb, kHiddenText + kEscape}, false);
    run({verb, "--" + kHiddenText + kEscape}, false);
    // A night makes the archive, and the doctor asks the package index.
    if (verb == "nightly" || verb == "doctor") continue;
    run({verb, "--archive", sandbox_.path("none " + kHiddenText + kEscape)}, false);
  }
  EXPECT_GT(verbs, 40);
}

}  // namespace
}  // namespace vintage::tests::command
