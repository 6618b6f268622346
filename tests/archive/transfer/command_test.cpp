// The answers of push, pull and mirror to calls that are wrong or select nothing.
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "tests/archive/store/reserved_port.h"
#include "tests/archive/transfer/archives.h"
#include "tests/harness/command/run_vintage.h"

namespace vintage::tests {
namespace {

using testing::HasSubstr;
using tests::command::Finished;
using tests::command::Sandbox;

TEST(TransferCommand, AWrongCallSaysWhatIsWrong) {
  const Sandbox sandbox;
  tests::transfer::fillArchive(sandbox.path("A"), 1, 3);
  const std::string a = sandbox.path("A");
  const std::pair<std::vector<std::string>, const char*> cases[] = {
      {{"push"}, "PLACES is required"},
      {{"push", a}, "give one source"},
      {{"push", "--archive", a, a, a}, "give one source"},
      {{"pull", a}, "give one destination"},
      {{"pull", sandbox.path("nowhere"), sandbox.path("N")}, "no such folder"},
      {{"mirror", a, "ftp://host"}, "does not know ftp://"},
      {{"mirror", a, "https://user:secret@host"}, "tokens come from --token-file"},
      {{"mirror", a, sandbox.path("N"), "--token-file", sandbox.path("none")}, "cannot read"},
      {{"mirror", a, sandbox.path("N"), "--token-file", sandbox.write("t", "two words")},
       "the token holds a space"},
      {{"mirror", a, sandbox.path("N"), "--jobs", "0"}, "--jobs"},
      {{"mirror", a, sandbox.path("N"), "--built-from", "2026-02-30"}, "--built-from"},
      {{"mirror", a, sandbox.path("N"), "--id", "xyz"}, "xyz"}};
  for (const auto& [arguments, said] : cases) {
    const Finished finished = sandbox.run(arguments);
    EXPECT_EQ(finished.status, 2) << finished.err;
    EXPECT_THAT(finished.err, HasSubstr(said));
    EXPECT_EQ(finished.err.find("secret"), std::string::npos);
  }
}

TEST(TransferCommand, ADryRunMakesNothingAndNothingSelectedIsFour) {
  const Sandbox sandbox;
  tests::transfer::fillArchive(sandbox.path("A"), 2, 5);
  const Finished dry =
      sandbox.run({"push", sandbox.path("A"), sandbox.path("B"), "--dry-run", "--format", "json"});
  EXPECT_EQ(dry.status, 0) << dry.err;
  EXPECT_EQ(nlohmann::json::parse(dry.out)["artifacts"]["sent"], 5);
  EXPECT_FALSE(std::filesystem::exists(sandbox.path("B")));
  EXPECT_EQ(
      sandbox.run({"push", sandbox.path("A"), sandbox.path("B"), "--primitive", "none"}).status, 4);
}

TEST(TransferCommand, AServiceThatIsNotThereIsThree) {
  const Sandbox sandbox;
  tests::transfer::fillArchive(sandbox.path("A"), 3, 2);
  const tests::waiting::ReservedPort nobodyListens;
  const Finished finished =
      sandbox.run({"push", sandbox.path("A"), nobodyListens.url(), "--attempts", "2"});
  EXPECT_EQ(finished.status, 3);
  EXPECT_THAT(finished.err, HasSubstr("gave up after 2 attempts"));
}

}  // namespace
}  // namespace vintage::tests
