#include "harness/judge/tables/limitation_tables.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "golden/base/content_hash.h"
#include "reports/text_table.h"

namespace vintage::tests {
using namespace archive;
using namespace harness;
using namespace reports;

namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const Date kToday = std::chrono::sys_days(std::chrono::year(2026) / 11 / 20);

// One case of every kind of cell, on one platform and mode.
class LimitationTablesTest : public ::testing::Test {
 protected:
  ArtifactRecord& artifact(const std::string& primitive, const std::string& name,
                           std::vector<std::string> dtypes, int age = 0) {
    ArtifactRecord record;
    record.name = name;
    record.producer = "jax " + std::to_string(age);
    record.id = contentHash(name + record.producer);
    record.buildDate = kToday - std::chrono::days(age);
    record.primitive = primitive;
    record.dtypes = std::move(dtypes);
    record.platforms = {"cpu"};
    artifacts.push_back(record);
    return artifacts.back();
  }
  void outcome(const ArtifactRecord& of, OutcomeKind kind, const std::string& run = "run 2") {
    OutcomeRecord record;
    record.artifact = of.id;
    record.build = "engine";
    record.platform = "cpu";
    record.mode = "graph";
    record.run = run;
    record.outcome = kind;
    record.stage = kind == OutcomeKind::kPass ? Stage::kCompare : Stage::kCompile;
    record.detail = kind == OutcomeKind::kPass ? "" : "no kernel | here";
    outcomes.push_back(record);
  }
  void limit(const std::string& id, const std::string& primitive, std::vector<std::string> dtypes) {
    Limitation limitation;
    limitation.id = id;
    limitation.primitive = primitive;
    limitation.dtypes = std::move(dtypes);
    limitation.description = "unimplemented";
    limitation.issue = "https://example.org/" + id;
    limitation.since = "2026-01-01";
    limitation.failures = {FailureKind::kRefused};
    limitations.push_back(limitation);
  }
  Result<LimitationTables> make() {
    LimitationTablesInput input;
    input.run = "run 2";
    input.today = kToday;
    input.build = "engine";
    input.modes = {"graph"};
    input.artifacts = artifacts;
    input.outcomes = outcomes;
    input.limitations = limitations;
    return makeLimitationTables(input);
  }
  void everyCell() {
    artifacts.reserve(20);
    outcome(artifact("add", "add_f32", {"f32"}), OutcomeKind::kPass);
    outcome(artifact("add", "add_f64", {"f64"}), OutcomeKind::kMismatch);
    outcome(artifact("eigh", "eigh_f32", {"f32"}), OutcomeKind::kPass);
    outcome(artifact("eigh", "eigh_f16", {"f16"}), OutcomeKind::kUnsupported);
    outcome(artifact("eigh", "eigh_bf16", {"bf16"}), OutcomeKind::kPass);
    artifact("sort", "sort_i8", {"i8"});
    outcome(artifact("sort", "sort_i16", {"i16"}), OutcomeKind::kPass, "run 1");
    outcome(artifact("sort", "sort_i32", {"i32"}), OutcomeKind::kRunnerError);
    outcome(artifact("sort", "sort_i64", {"i64"}, 30),
            OutcomeKind::kPass);  // Of an older artifact.
    artifact("sort", "sort_i64", {"i64"}, 0);
    artifact("", "imported", {"f32"});
    limit("eigh-half", "eigh", {"bfloat16", "float16"});
    limit("nothing-here", "qr", {"floating"});
    outcomes.push_back(outcomes[0]);  // Another build's failure does not count here.
    outcomes.back().build = "another";
    outcomes.back().outcome = OutcomeKind::kCrash;
  }
  static int64_t of(const Tally& tally, Cell cell) { return tally[cell]; }

  std::vector<ArtifactRecord> artifacts;
  std::vector<OutcomeRecord> outcomes;
  std::vector<Limitation> limitations;
};

// The tables counted an artifact for each platform as a harness of its own, so
// that every count was four times what JAX's page says of the same cases.
TEST_F(LimitationTablesTest, ACaseForSeveralPlatformsIsOneHarness) {
  artifacts.reserve(3);
  artifact("add", "add_f32/cpu", {"f32"});
  artifact("add", "add_f32/cuda", {"f32"});
  outcome(artifact("add", "add_f64/cpu", {"f64"}), OutcomeKind::kPass);
  artifacts[0].caseId = artifacts[1].caseId = "add_f32";
  artifacts[2].caseId = "add_f64";
  const auto made = make();
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(made->artifacts, 3);
  EXPECT_EQ(made->primitives.at(0).cases, 2);
}

// With outcomes of several runs: one change is a fault that came or was fixed, two are flaky.
TEST_F(LimitationTablesTest, OutcomesThatChangeBackAndForthAreFlaky) {
  artifacts.reserve(2);
  const ArtifactRecord mended = artifact("add", "add_f32", {"f32"});
  outcome(mended, OutcomeKind::kMismatch, "run 0");
  outcome(mended, OutcomeKind::kMismatch, "run 1");
  outcome(mended, OutcomeKind::kPass, "run 2");
  const ArtifactRecord flickering = artifact("sort", "sort_i8", {"i8"});
  outcome(flickering, OutcomeKind::kPass, "run 2");  // The order of the records does not matter.
  outcome(flickering, OutcomeKind::kCrash, "run 1");
  outcome(flickering, OutcomeKind::kPass, "run 0");
  const auto made = make();
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(of(made->total, Cell::kPass), 1);
  EXPECT_EQ(of(made->total, Cell::kFlaky), 1);
  ASSERT_EQ(made->contradictions.size(), 1u);
  EXPECT_EQ(made->contradictions[0].artifact->name, "sort_i8");
}

TEST_F(LimitationTablesTest, EveryCellOnce) {
  everyCell();
  const auto made = make();
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(of(made->total, Cell::kPass), 2);
  EXPECT_EQ(of(made->total, Cell::kFail), 1);
  EXPECT_EQ(of(made->total, Cell::kExpectedFailure), 1);
  EXPECT_EQ(of(made->total, Cell::kUnexpectedPass), 1);
  EXPECT_EQ(of(made->total, Cell::kUntested), 1);
  EXPECT_EQ(of(made->total, Cell::kStale), 2);
  EXPECT_EQ(of(made->total, Cell::kRunnerError), 1);
  EXPECT_EQ(made->artifacts, 9);
  EXPECT_EQ(made->withoutPrimitive, 1);
  EXPECT_EQ(made->olderArtifacts, 1);
  EXPECT_EQ(made->outcomes, 6);

  ASSERT_EQ(made->primitives.size(), 3u);
  const PrimitiveSummary& add = made->primitives[0];
  EXPECT_EQ(add.primitive, "add");
  EXPECT_EQ(add.cases, 2);
  EXPECT_THAT(add.supported, ElementsAre("float32"));
  EXPECT_EQ(add.notTested.size(), 13u);  // Of 15; what failed was tested.
  const PrimitiveSummary& sort = made->primitives[2];
  EXPECT_TRUE(sort.supported.empty());
  EXPECT_EQ(sort.notTested.size(), 15u);  // Stale, untested and runner errors show nothing.

  ASSERT_EQ(made->limitations.size(), 2u);
  EXPECT_EQ(made->limitations[0].limitation.id, "eigh-half");
  EXPECT_EQ(of(made->limitations[0].cells, Cell::kExpectedFailure), 1);
  EXPECT_EQ(of(made->limitations[0].cells, Cell::kUnexpectedPass), 1);

  ASSERT_EQ(made->contradictions.size(), 3u);
  EXPECT_EQ(made->contradictions[0].artifact->name, "add_f64");
  EXPECT_EQ(made->contradictions[1].artifact->name, "eigh_bf16");
  EXPECT_EQ(made->contradictions[1].outcome.limitation, "eigh-half");
  EXPECT_EQ(made->contradictions[2].artifact->name, "sort_i32");
}

// A crash of a use that a limitation names was an expected failure, whatever the limitation
// declares.
TEST_F(LimitationTablesTest, AFailureOfAnotherKindThanTheDeclaredOneIsAFailure) {
  artifacts.reserve(2);
  outcome(artifact("eigh", "eigh_f16", {"f16"}), OutcomeKind::kCrash);
  outcome(artifact("eigh", "eigh_bf16", {"bf16"}), OutcomeKind::kUnsupported);
  limit("eigh-half", "eigh", {"bfloat16", "float16"});
  const auto made = make();
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(of(made->total, Cell::kFail), 1);
  EXPECT_EQ(of(made->total, Cell::kExpectedFailure), 1);
  ASSERT_EQ(made->contradictions.size(), 1u);
  EXPECT_EQ(made->contradictions[0].artifact->name, "eigh_f16");
  EXPECT_EQ(made->contradictions[0].outcome.limitation, "");
}

TEST_F(LimitationTablesTest, TheMarkdownForm) {
  everyCell();
  const std::string text = limitationTablesMarkdown(*make());
  EXPECT_THAT(text,
              HasSubstr("*Last generated on: 2026-11-20* (YYYY-MM-DD), generated from run run 2, "
                        "9 artifacts, 6 outcomes, on engine."));
  EXPECT_THAT(text, HasSubstr("  * `inexact` = `floating`, `complex`\n"));
  EXPECT_THAT(text, HasSubstr("A set of 9 test harnesses tests 3 primitives."));
  EXPECT_THAT(
      text, HasSubstr("| Primitive | Total test harnesses | dtypes supported on at least one "
                      "platform | dtypes NOT tested on any platform |\n| --- | --- | --- | --- |\n"
                      "| add | 2 | float32 | bfloat16, bool, complex, float16, integer |\n"
                      "| eigh | 3 | bfloat16, float32 | bool, complex, float64, integer |\n"
                      "| sort | 4 |  | all |\n"));
  EXPECT_THAT(text, HasSubstr("| eigh | cpu | graph | bfloat16, float32 | float16 |  |  |  |"));
  EXPECT_THAT(
      text,
      HasSubstr("| eigh | unimplemented \\[https://example.org/eigh-half\\] | bfloat16, float16 "
                "| all | all | 1 expected failure, 1 unexpected pass | eigh-half |"));
  EXPECT_THAT(
      text,
      HasSubstr(
          "| qr | unimplemented \\[https://example.org/nothing-here\\] | floating | all | all | "
          "matches nothing | nothing-here |"));
  EXPECT_THAT(text, HasSubstr("| sort | cpu | graph |  |  |  |  | 1 | 2 | 1 |"));
  EXPECT_THAT(text, HasSubstr("| **all** | cpu | graph | 2 | 1 | 1 | 1 | 1 | 2 | 1 |"));
  EXPECT_THAT(
      text, HasSubstr("| add | add_f64 | cpu | graph | fail | mismatch in stage compile: no kernel "
                      "\\| here |"));
}

TEST_F(LimitationTablesTest, TheJsonFormHoldsTheSame) {
  everyCell();
  const auto json = nlohmann::json::parse(limitationTablesJson(*make()));
  EXPECT_EQ(json.at("format"), "vintage limitation tables");
  EXPECT_EQ(json.at("version"), 1);
  EXPECT_EQ(json.at("total").at("stale"), 2);
  EXPECT_EQ(json.at("primitives").at(2).at("dtypes_not_tested"), nlohmann::json({"all"}));
  EXPECT_EQ(json.at("limitations").at(1).at("cells"), nlohmann::json::object());
  EXPECT_EQ(json.at("contradictions").size(), 3u);
}

TEST_F(LimitationTablesTest, TheOrderOfTheInputDoesNotMatter) {
  everyCell();
  const std::string markdown = limitationTablesMarkdown(*make()),
                    json = limitationTablesJson(*make());
  std::reverse(artifacts.begin(), artifacts.end());
  std::reverse(outcomes.begin(), outcomes.end());
  std::reverse(limitations.begin(), limitations.end());
  EXPECT_EQ(limitationTablesMarkdown(*make()), markdown);
  EXPECT_EQ(limitationTablesJson(*make()), json);
}

TEST_F(LimitationTablesTest, NoTablesFromNothing) {
  EXPECT_EQ(make().error().kind, Error::Kind::kNothing);
  artifacts.reserve(2);
  outcome(artifact("add", "add_f32", {"f32"}), OutcomeKind::kPass, "run 1");
  const auto stale = make();
  ASSERT_FALSE(stale);
  EXPECT_THAT(stale.error().message, HasSubstr("run 'run 2' recorded no outcome"));
}

TEST_F(LimitationTablesTest, GoldensTellOutcomesOfTheSameBytesApart) {
  artifacts.reserve(2);
  ArtifactRecord& one = artifact("add", "one", {"f32"});
  ArtifactRecord& two = artifact("add", "two", {"f32"});
  two.id = one.id;
  one.golden = contentHash("golden one");
  two.golden = contentHash("golden two");
  outcome(one, OutcomeKind::kPass);
  outcomes.back().golden = one.golden;
  outcome(two, OutcomeKind::kMismatch);
  outcomes.back().golden = two.golden;
  const auto made = make();
  EXPECT_EQ(of(made->total, Cell::kPass), 1);
  ASSERT_EQ(made->contradictions.size(), 1u);
  EXPECT_EQ(made->contradictions[0].artifact->name, "two");
}

TEST(MarkdownTable, CellsCannotBreakOut) {
  MarkdownTable table({"a", "b"});
  EXPECT_TRUE(table.empty());
  table.addRow({"x|y\nz", "<script>[a](b)`"});
  EXPECT_EQ(table.text(), "| a | b |\n| --- | --- |\n| x\\|y z | \\<script\\>\\[a\\](b)\\` |\n");
}

// A pushed artifact of the primitive '../../evil' wrote its page outside of the folder; the pages
// of 'Softmax' and 'softmax' were one file where case does not count.
TEST(ResultPages, StayInTheirFolderAndApart) {
  EXPECT_EQ(resultPageName("dot_general"), "results/dot_general.md");
  EXPECT_EQ(resultPageName("../../evil"), "results/=2e=2e=2f=2e=2e=2fevil.md");
  EXPECT_EQ(resultPageName("Softmax"), "results/=53oftmax.md");
}

}  // namespace
}  // namespace vintage::tests
