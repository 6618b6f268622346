// The gate over descriptions of real workers: none of them is written by hand, except for the one
// field that a case changes.
#include <functional>
#include <map>
#include <memory>
#include <set>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "archive/records/runtime_description.h"
#include "harness/gate/gate.h"
#include "tests/harness/command/artifacts.h"
#include "tests/harness/gate/exported_targets.h"

namespace vintage::tests {
using namespace archive;
using namespace harness;

namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::IsEmpty;
using tests::command::Finished;
using tests::command::Sandbox;

// OLD was built on 2026-12-01, as was the artifact; NEW on 2027-05-30, which is
// 2026-12-01 + 180 days (30 of December, 31 + 28 + 31 + 30 to the end of April, 30 of May).
constexpr const char* kOldDate = "2026-12-01";
constexpr const char* kNewDate = "2027-05-30";

constexpr int kTargetsOfTheFirstDay = 157;

constexpr const char* kText = R"(module @call {
  func.func public @main(%arg0: tensor<3xf32>, %arg1: tensor<3xf32>) -> tensor<3xf32> {
    %0 = stablehlo.custom_call @Sharding(%arg0) : (tensor<3xf32>) -> tensor<3xf32>
    %1 = stablehlo.add %0, %arg1 : tensor<3xf32>
    %2 = stablehlo.subtract %1, %arg1 : tensor<3xf32>
    %3 = stablehlo.add %2, %arg1 : tensor<3xf32>
    return %3 : tensor<3xf32>
  }
}
)";

struct RealRegistries : testing::Test {
  // Made once: an archive with the artifact and four builds, and the two descriptions.
  struct Made {
    Sandbox sandbox;
    json before, after, faulty;
    std::string problem;
  };
  static inline std::unique_ptr<Made> made;

  static void SetUpTestSuite() {
    made = std::make_unique<Made>();
    const Sandbox& sandbox = made->sandbox;
    const auto expect = [&](const std::vector<std::string>& arguments, int status = 0) {
      const Finished done = sandbox.run(arguments);
      if (done.status != status) made->problem += arguments.front() + ": " + done.err;
      return done.out;
    };
    const std::string folder = tests::command::writeCompatibilityTest(sandbox, "call", 33, kText);
    std::string meta = Sandbox::read(folder + "/meta.json");
    meta.replace(meta.find("2025-06-01"), 10, kOldDate);
    sandbox.write("call/meta.json", meta);
    const std::string archive = sandbox.path("A");
    expect({"import", "--archive", archive, folder});
    const auto add = [&](const std::string& date, const std::string& name,
                         const std::vector<std::string>& command) {
      std::vector<std::string> arguments{"builds", "add", "--archive", archive,
                                         "--name", name,  "--"};
      arguments.insert(arguments.end(), command.begin(), command.end());
      arguments.insert(arguments.end(), {"--build-date", date});
      expect(arguments);
    };
    const std::string worker = VINTAGE_BINARY "/bin/vintage-worker";
    add(kOldDate, "old", {worker});
    add("2027-05-20", "ten days before", {worker});
    add(kNewDate, "new", {worker});
    add(kNewDate, "faulty",
        {"env", "VINTAGE_SEEDED_FAULT=subtract_wrong_sign",
         VINTAGE_BINARY "/bin/vintage-worker-faults"});
    for (const char* build : {"old", "new"})
      expect({"replay", "--archive", archive, "--build", build});
    expect({"replay", "--archive", archive, "--build", "faulty"}, 1);
    for (auto [name, out] :
         {std::pair{"old", &made->before}, {"new", &made->after}, {"faulty", &made->faulty}}) {
      *out = json::parse(
          expect({"builds", "describe", "--archive", archive, "--build", name, "--format", "json"}),
          nullptr, false);
      if (!out->is_object())
        made->problem += std::string(name) + " does not describe itself";
      else
        (*out)["name"] = name;  // As it is registered here.
    }
    sandbox.write("releases.json", R"({"releases": [{"tag": "jaxlib-v9.0.0", "date": "2026-12-15",
                                       "stable_targets": ["Sharding"]}]})");
  }
  static void TearDownTestSuite() { made.reset(); }

  void SetUp() override {
    ASSERT_EQ(made->problem, "");
    before = made->before;
    after = made->after;
  }

  Finished gate(std::vector<std::string> more = {}) const {
    const Sandbox& sandbox = made->sandbox;
    std::vector<std::string> arguments = {"gate",
                                          "--old",
                                          sandbox.write("old.json", before.dump(1)),
                                          "--new",
                                          sandbox.write("new.json", after.dump(1)),
                                          "--archive",
                                          sandbox.path("A"),
                                          "--release-dates",
                                          sandbox.path("releases.json"),
                                          "--today",
                                          kNewDate,
                                          "--format",
                                          "json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return sandbox.run(arguments);
  }

  json before, after;
};

json& targetIn(json& runtime, const std::string& name) {
  for (json& target : runtime["targets"])
    if (target["name"] == name) return target;
  ADD_FAILURE() << name << " is not registered";
  return runtime["targets"][0];
}

void removeNamed(json& list, const std::string& name) {
  for (size_t i = list.size(); i-- > 0;)
    if (list[i]["name"] == name) list.erase(i);
}

// It exports calls of `target` by default; of none where that is empty.
void emits(json& runtime, const std::string& target, int operands = 1) {
  runtime["registries"] = {"cpu"};
  runtime["lowered"] = json::array(
      {{{"platform", "cpu"}, {"mode", "default"}, {"lowered", 1}, {"refused", json::array()}}});
  runtime["emitted"] = json::array();
  if (!target.empty())
    runtime["emitted"].push_back({{"name", target},
                                  {"platform", "cpu"},
                                  {"mode", "default"},
                                  {"api_version", 4},
                                  {"operands", operands},
                                  {"primitives", {"cholesky"}}});
}

void replaceIn(json& runtime, const std::string& text, const std::string& by) {
  std::string schema = runtime["serialization_schema"];
  const size_t at = schema.find(text);
  ASSERT_NE(at, std::string::npos) << text;
  runtime["serialization_schema"] = schema.replace(at, text.size(), by);
}

TEST_F(RealRegistries, TellWhatEachRuleNeeds) {
  const auto runtime = parseRuntimeDescription(after.dump(), "new");
  ASSERT_TRUE(runtime) << runtime.error().message;
  EXPECT_TRUE(runtime->callingConvention.known() && runtime->callingConvention.newestSince);
  EXPECT_TRUE(runtime->serialization.known() && runtime->serialization.newestSince);
  EXPECT_TRUE(runtime->stablehlo.oldest && runtime->stablehlo.newest && runtime->stablehlo.target);
  EXPECT_THAT(runtime->serializationSchema, HasSubstr("table Exported"));
  EXPECT_FALSE(runtime->stableTargets.empty());
  size_t exported = 0, replacing = 0;
  for (const RegisteredTarget& target : runtime->targets) {
    EXPECT_FALSE(target.schema.apiVersions.empty()) << target.name;
    EXPECT_TRUE(target.since) << target.name;
    EXPECT_TRUE(target.exported) << target.name;
    EXPECT_EQ(target.exportedSince.has_value(), target.exported == true) << target.name;
    exported += target.exported == true;
    replacing += !target.replaces.empty();
  }
  EXPECT_GT(exported, 0u);
  EXPECT_LT(exported, runtime->targets.size()) << "old forms are registered and not exported";
  EXPECT_GT(replacing, 0u);
  // By JAX's own history, with this project's days.
  json solve = targetIn(after, "lapack_spotrf_ffi");
  EXPECT_EQ(solve["exported"], true);
  EXPECT_EQ(solve["replaces"], json({"lapack_spotrf"}));
  EXPECT_EQ(solve["since"], "2026-11-20");
  EXPECT_EQ(targetIn(after, "lapack_spotrf")["exported"], false);
  EXPECT_EQ(targetIn(after, "Eigh")["since"], "2026-11-21");
  EXPECT_EQ(targetIn(after, "ApproxTopK")["exported_since"], "2026-11-21");
}

// A new target of a lowering gets its day in harness/runtimes/embedded/engine_description.cpp, and
// a target that no lowering calls any more loses it.
TEST_F(RealRegistries, ExactlyWhatTheCatalogueCallsIsExported) {
  std::set<std::string> registered, shown;
  for (const json& target : after["targets"]) {
    registered.insert(target["name"]);
    if (target["exported"] == true) shown.insert(target["name"]);
  }
  std::set<std::string> called;
  for (const std::string& target : tests::gate::exportedTargets())
    if (registered.contains(target)) called.insert(target);
  EXPECT_EQ(shown, called);
}

// A new target of the engine gets its day in harness/runtimes/embedded/engine_description.cpp. On
// 2026-11-20 it had this many, by the tables of commit 25ec114.
TEST_F(RealRegistries, EveryTargetHasTheDayOnWhichItCame) {
  std::map<std::string, int> byDay;
  for (const json& target : after["targets"]) ++byDay[target["since"].get<std::string>()];
  EXPECT_EQ(byDay["2026-11-20"], kTargetsOfTheFirstDay);
  EXPECT_EQ(byDay["2026-11-21"], 4);
  EXPECT_EQ(byDay["2026-11-26"], 29);
}

TEST_F(RealRegistries, AnUnchangedRuntimeIsAllowed) {
  const Finished done = gate();
  EXPECT_EQ(done.status, 0) << done.out << done.err;
  const json verdict = json::parse(done.out);
  EXPECT_THAT(verdict["findings"], IsEmpty());
  EXPECT_THAT(verdict["calendar"], IsEmpty());
  // Everything was judged; the change did not cause the lack of goldens here.
  for (const json& note : verdict["not_judged"])
    EXPECT_EQ(note["rule"], "listed-without-golden") << note;
}

// A build with wrong values has the same description; its recorded outcomes differ.
TEST_F(RealRegistries, AFaultyBuildIsToldByItsGoldens) {
  after = made->faulty;
  const Finished done = gate();
  EXPECT_EQ(done.status, 1) << done.out << done.err;
  const json findings = json::parse(done.out)["findings"];
  ASSERT_EQ(findings.size(), 1u) << findings;
  EXPECT_EQ(findings[0]["rule"], "golden-not-reproduced");
  EXPECT_THAT(findings[0]["instance"].get<std::string>(), HasSubstr("Sharding"));
}

struct Edit {
  const char* rule;
  int status;         // 1 forbidden, 5 needs review.
  const char* legal;  // Of the rule's first finding; empty: none.
  std::function<void(json& before, json& after)> edit;
};

const std::vector<Edit>& edits() {
  static const std::vector<Edit> all = {
      {"target-removed-in-use", 1, "2027-05-31",
       [](json&, json& after) { removeNamed(after["targets"], "Sharding"); }},
      // The build of 2027-05-30 has it still: + 181 (1 day of May, 30 + 31 + 31 + 30 + 31 to the
      // end of October, 27 of November) = 2027-11-27.
      {"target-removed-early", 1, "2027-11-27",
       [](json&, json& after) { removeNamed(after["targets"], "Sharding"); }},
      // "ten days before" of 2027-05-20 lacks it: + 22 days.
      {"target-emitted-early", 1, "2027-06-11",
       [](json&, json& after) {
         json target = targetIn(after, "lapack_spotrf_ffi");
         target["name"] = "lapack_spotrf_v3";
         target["since"] = "2027-05-20";
         target["exported_since"] = kNewDate;
         target["replaces"] = {"lapack_spotrf_ffi"};
         after["targets"].push_back(target);
         after["stable_targets"].push_back({{"name", "lapack_spotrf_v3"}, {"since", kNewDate}});
       }},
      {"target-changed-in-place", 1, "",
       [](json&, json& after) {
         targetIn(after, "lapack_spotrf_ffi")["results"][1]["type"] = "i64[*]";
       }},
      {"emitted-target-removed", 1, "2027-05-31",
       [](json& before, json& after) {
         emits(before, "lapack_spotrf_ffi");
         emits(after, "");
         removeNamed(after["targets"], "lapack_spotrf_ffi");
       }},
      // 2027-05-30 + 21 days. No release of those days lacks it.
      {"target-emitted-before-registered", 5, "2027-06-20",
       [](json& before, json& after) {
         emits(before, "");
         removeNamed(before["targets"], "lapack_spotrf_ffi");
         emits(after, "lapack_spotrf_ffi");
       }},
      {"target-signature-changed", 1, "2027-05-31",
       [](json& before, json& after) {
         emits(before, "lapack_spotrf_ffi");
         emits(after, "lapack_spotrf_ffi", 2);
       }},
      {"guarantee-withdrawn", 5, "2027-05-31",
       [](json& before, json& after) {
         emits(before, "lapack_spotrf_ffi");
         emits(after, "");
         removeNamed(after["stable_targets"], "lapack_spotrf_ffi");
       }},
      {"unlisted-target-exported", 5, "",
       [](json&, json& after) { targetIn(after, "lapack_spotrf")["exported"] = true; }},
      // Listed 22 days before NEW, and no golden calls it.
      {"listed-without-golden", 5, "",
       [](json& before, json& after) {
         for (json* runtime : {&before, &after})
           (*runtime)["stable_targets"].push_back(
               {{"name", "lapack_spotrf"}, {"since", "2027-05-08"}});
       }},
      {"calling-convention-minimum-raised", 1, "2027-05-31",
       [](json&, json& after) { after["calling_convention"]["oldest"] = 10; }},
      {"calling-convention-default-early", 1, "2027-06-11",
       [](json&, json& after) {
         after["calling_convention"].update(
             {{"newest", 11}, {"default", 11}, {"newest_since", "2027-05-15"}});
       }},
      // The build of 2027-05-30 exports 12 at most: + 181 days.
      {"serialization-minimum-raised", 1, "2027-11-27",
       [](json&, json& after) {
         after["serialization"].update({{"oldest", 13}, {"newest", 13}, {"default", 13}});
       }},
      {"serialization-default-early", 1, "2027-06-11",
       [](json&, json& after) {
         after["serialization"].update(
             {{"newest", 13}, {"default", 13}, {"newest_since", "2027-05-15"}});
       }},
      {"schema-breaks-old-bytes", 1, "2027-05-31",
       [](json&, json& after) { replaceIn(after, "nr_devices: uint32", "nr_devices: string"); }},
      {"schema-breaks-old-readers", 5, "",
       [](json&, json& after) {
         replaceIn(after, "  jax_version: string (id: 26);\n",
                   "  jax_version: string (id: 26);\n  notes: string (id: 27);\n");
       }},
      // "ten days before" of 2027-05-20 reads 1.22.0 at most: + 22 days.
      {"stablehlo-target-too-new", 1, "2027-06-11",
       [](json&, json& after) {
         after["stablehlo"].update({{"newest", "1.23.0"}, {"target", "1.23.0"}});
       }},
      {"stablehlo-minimum-raised", 1, "2027-05-31",
       [](json&, json& after) { after["stablehlo"]["oldest"] = "1.1.0"; }},
      {"jax-jaxlib-pairing", 1, "",
       [](json&, json& after) {
         after["packages"] = {{"jax", "9.1.0"}, {"jaxlib", "9.2.0"}, {"minimum_jaxlib", "9.0.0"}};
       }},
  };
  return all;
}

TEST_F(RealRegistries, OneEditedFieldBreaksItsRule) {
  for (const Edit& edit : edits()) {
    SCOPED_TRACE(edit.rule);
    SetUp();
    edit.edit(before, after);
    const Finished done = gate();
    EXPECT_EQ(done.status, edit.status) << done.out << done.err;
    const json findings = json::parse(done.out, nullptr, false).value("findings", json::array());
    const json* found = nullptr;
    for (const json& finding : findings)
      if (finding["rule"] == edit.rule && found == nullptr) found = &finding;
    ASSERT_NE(found, nullptr) << done.out;
    const json legal = found->value("earliest_legal_date", json());
    EXPECT_EQ(legal.is_object() ? legal["date"].get<std::string>() : "", edit.legal) << *found;
  }
}

// Reports a rule that no test tries on a real description.
TEST_F(RealRegistries, EveryRuleIsTried) {
  // These judge outcomes and measurements, which a description does not have.
  std::set<std::string> tried{"golden-not-reproduced", "slower-than-before", "larger-than-before"};
  for (const Edit& edit : edits()) tried.insert(edit.rule);
  for (const Rule& rule : gateRules())
    if (rule.check != nullptr) EXPECT_TRUE(tried.contains(rule.id)) << rule.id;
}

}  // namespace
}  // namespace vintage::tests
