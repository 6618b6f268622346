// Two laboratories pull an archive from its service, run its artifacts on builds of their own, and
// push the results with tokens of the role report. The archive's owner reads the same as before;
// each laboratory's results stand under its name. The real programs do all of it.
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "tests/archive/transfer/real_service.h"

namespace vintage::tests {
namespace {

using namespace tests::transfer;
using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using tests::command::Finished;

class Reporters : public ::testing::Test {
 protected:
  std::string path(const std::string& name) const { return sandbox_.path(name); }

  // Its standard output; fails the test where its status is another one.
  std::string vintage(const std::vector<std::string>& arguments, int status = 0) const {
    const Finished finished = sandbox_.run(arguments);
    EXPECT_EQ(finished.status, status) << arguments[0] << ": " << finished.err << finished.out;
    return finished.out + (status == 2 ? finished.err : "");
  }

  std::string tokenOf(const std::string& name, const std::string& role) const {
    const std::string made =
        vintage({"token", "add", name, "--archive", path("A"), "--role", role});
    return sandbox_.write("token of " + name, made);
  }

  // The laboratory's own copy, with a run of its build, pushed to the service.
  void report(const RealService& service, const std::string& name, std::vector<std::string> worker,
              int status) const {
    const std::string copy = path("copy of " + name), token = tokenOf(name, "report");
    vintage({"pull", service.url(), copy, "--token-file", token});
    worker.insert(worker.begin(), {"builds", "add", "--archive", copy, "--name", name + "'s build",
                                   "--date", "2026-11-20", "--"});
    vintage(worker);
    vintage({"replay", "--archive", copy, "--build", name + "'s build", "--label", "try-1"},
            status);
    vintage({"push", copy, service.url(), "--token-file", token});
  }

  // The answers to the owner's questions, with their exit statuses.
  std::string shownToTheOwner() const {
    std::string shown;
    for (const std::vector<std::string>& arguments :
         {std::vector<std::string>{"window", "--no-run", "--today", "2026-11-20", "--scope", "cpu",
                                   "backward", "--format", "json"},
          {"window", "--plan", "--today", "2026-11-20", "--scope", "cpu", "backward"},
          {"tables", "--consumers"},
          {"tables", "--out", path("tables"), "--today", "2026-11-20"},
          {"limitations", "reconcile"},
          {"explain", "tan_f64[8,8]/cpu", "--build", "vintage-engine 2026-11-20"}}) {
      std::vector<std::string> call = arguments;
      call.insert(call.end(), {"--archive", path("A")});
      const Finished finished = sandbox_.run(call);
      shown += std::to_string(finished.status) + " " + finished.out + finished.err;
    }
    return shown + tests::command::Sandbox::read(path("tables/limitations.md"));
  }

  tests::command::Sandbox sandbox_;
};

TEST_F(Reporters, StandUnderTheirNamesAndChangeNoVerdict) {
  vintage({"nightly", "--archive", path("A"), "--today", "2026-11-20", "--primitive", "tan",
           "--platform", "cpu", "--label", "first-night"});
  const std::string before = shownToTheOwner();
  EXPECT_THAT(before, HasSubstr("\"verdict\": \"holds\""));
  RealService service(sandbox_, path("A"), {});
  ASSERT_NE(service.url(), "") << service.log();
  // The first laboratory's build computes tan wrongly, the second's is right.
  const std::string worker = VINTAGE_BINARY "/bin/vintage-worker-faults";
  report(service, "lab", {"env", "VINTAGE_SEEDED_FAULT=tan_in_binary32", worker}, 1);
  report(service, "works", {worker}, 0);
  EXPECT_EQ(shownToTheOwner(), before);

  const json runs =
      json::parse(vintage({"list", "--runs", "--archive", path("A"), "--format", "json"}));
  std::map<std::string, json> byReporter;
  for (const json& run : runs) byReporter[run["reporter"]] = run;
  ASSERT_EQ(byReporter.size(), 3u) << runs.dump(1);
  EXPECT_EQ(byReporter[""]["label"], "first-night");
  EXPECT_EQ(byReporter["lab"]["label"], "try-1");
  EXPECT_EQ(byReporter["lab"]["result"], "broken");
  EXPECT_EQ(byReporter["works"]["result"], "holds");
  EXPECT_THAT(vintage({"list", "--runs", "--archive", path("A")}),
              AllOf(HasSubstr("reported by"), HasSubstr("try-1"), HasSubstr("3 runs")));

  // Apart, each under its name.
  const std::vector<std::string> window{"window",  "--archive", path("A"),  "--today", "2026-11-20",
                                        "--scope", "cpu",       "backward", "--by"};
  const auto by = [&](std::vector<std::string> call, const std::string& name) {
    call.push_back(name);
    return call;
  };
  EXPECT_THAT(vintage(by(window, "lab"), 1),
              AllOf(HasSubstr("broken"), HasSubstr("on lab's build"), Not(HasSubstr("works"))));
  EXPECT_THAT(vintage(by(window, "works")), AllOf(HasSubstr("holds"), Not(HasSubstr("lab"))));
  const std::vector<std::string> tables{"tables", "--archive", path("A"),
                                        "--out",  path("T"),   "--by"};
  vintage(by(tables, "lab"));
  EXPECT_THAT(tests::command::Sandbox::read(path("T/limitations.md")),
              AllOf(HasSubstr("\n\nAs reported by lab.\n\n"), HasSubstr("on lab's build.")));
  EXPECT_EQ(json::parse(tests::command::Sandbox::read(path("T/limitations.json")))["reporter"],
            "lab");
  EXPECT_THAT(vintage(by(tables, "nobody"), 2), HasSubstr("reporters are: lab, works"));
  EXPECT_THAT(vintage(by({"tables", "--archive", path("A"), "--consumers", "--by"}, "lab")),
              AllOf(HasSubstr("lab's build"), Not(HasSubstr("vintage-engine"))));

  // A copy of the owner's says whose they are, too, and a label names the owner's run alone.
  vintage({"pull", service.url(), path("C"), "--token-file", tokenOf("owner", "admin")});
  EXPECT_THAT(vintage({"list", "--runs", "--archive", path("C"), "--format", "json"}),
              HasSubstr("\"reporter\": \"lab\""));
  EXPECT_THAT(
      vintage({"diff", "--run", "first-night", "--run", "try-1", "--archive", path("A")}, 2),
      HasSubstr("labels are: first-night"));
  EXPECT_THAT(vintage({"diff", "--run", "first-night", "--run", byReporter["lab"]["id"],
                       "--archive", path("A")},
                      4),
              HasSubstr("not compared, only after: lab's build"));
  EXPECT_EQ(service.stop(), 0);
}

}  // namespace
}  // namespace vintage::tests
