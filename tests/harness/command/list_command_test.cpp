// `list` and `builds list`, of imported and replayed artifacts.
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "tests/harness/command/artifacts.h"

namespace vintage::tests::command {
namespace {

using testing::HasSubstr;
using testing::Not;

class ListCommand : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"one", "two"})
      sandbox_.run({"import", writeCompatibilityTest(sandbox_, name, 33), "--archive", archive_});
  }
  Finished list(std::vector<std::string> more) const {
    more.insert(more.begin(), {"list", "--archive", archive_});
    return sandbox_.run(more);
  }

  Sandbox sandbox_;
  std::string archive_ = sandbox_.path("A");
};

// The listing showed neither who exported an artifact nor what it shows.
TEST_F(ListCommand, ShowsProducerAndPrimitive) {
  EXPECT_THAT(list({}).out,
              HasSubstr("2025-06-01  jax 2025-06-01            cpu   static         -   "));
  const std::string module = sandbox_.path("one/module.mlirbc");
  sandbox_.run({"put", module, "--archive", archive_, "--name", "mine", "--producer", "me",
                "--primitive", "add", "--build-date", "2025-07-01"});
  EXPECT_THAT(list({"--name", "mine"}).out,
              HasSubstr("2025-07-01  me                        cpu   static         add  "));
}

// Brackets chose characters, so that a name which the program itself had shown matched nothing.
TEST_F(ListCommand, BracketsOfANameStandForThemselves) {
  sandbox_.run({"put", sandbox_.path("one/module.mlirbc"), "--archive", archive_, "--name",
                "tan_f64[8,8]/cpu", "--producer", "me", "--build-date", "2025-07-01"});
  for (const char* name :
       {"tan_f64[8,8]*", "tan_f64[[]8,8]/cpu", "tan_f64[?,8]/*", "tan_f64[[]8,8[]]*"})
    EXPECT_THAT(list({"--name", name}).out, HasSubstr("tan_f64[8,8]/cpu")) << name;
  EXPECT_THAT(list({"--name", "tan_f64[8]*"}).out, Not(HasSubstr("tan_f64")));
}

TEST_F(ListCommand, GroupsLongListings) {
  const Finished grouped = list({"--group-by", "producer"});
  EXPECT_EQ(grouped.status, 0) << grouped.err;
  EXPECT_THAT(grouped.out, HasSubstr("jax 2025-06-01  2          2025-06-01  2025-06-01\n"));
  const auto json = nlohmann::json::parse(list({"--group-by", "dtype", "--format", "json"}).out);
  EXPECT_EQ(json["groups"][0]["value"], "f32");
  EXPECT_EQ(json["groups"][0]["artifacts"], 2);
  EXPECT_EQ(list({"--group-by", "color"}).status, 2);
}

// A replay registers the engine that ran, without its program; the listing said "cannot be started
// here" of the engine that had just run.
TEST_F(ListCommand, SaysOfAnEngineThatRanThatItsProgramWasNotKept) {
  ASSERT_EQ(sandbox_.run({"replay", "--archive", archive_}).status, 0);
  const auto builds = [&] { return sandbox_.run({"builds", "list", "--archive", archive_}).out; };
  EXPECT_THAT(builds(), HasSubstr("its program was not kept"));
  EXPECT_THAT(builds(), Not(HasSubstr("cannot be started")));
  ASSERT_EQ(sandbox_.run({"builds", "add", "--embedded", "--archive", archive_}).status, 0);
  EXPECT_THAT(builds(), Not(HasSubstr("its program was not kept")));
}

}  // namespace
}  // namespace vintage::tests::command
