// The edit of the declarations, worked out by hand for each way in which they can
// disagree with what was recorded.

#include <gmock/gmock.h>

#include "harness/judge/tables/reconcile.h"

namespace vintage::tests {
using namespace archive;
using namespace harness;
using namespace reports;

namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

Limitation limitationOf(std::vector<std::string> dtypes, std::vector<std::string> platforms = {}) {
  Limitation limitation;
  limitation.id = "eigh-narrow";
  limitation.primitive = "eigh";
  limitation.dtypes = std::move(dtypes);
  limitation.platforms = std::move(platforms);
  limitation.description = "unimplemented";
  limitation.issue = "https://example.org/1";
  limitation.since = "2026-01-01";
  limitation.failures = {FailureKind::kRefused};
  return limitation;
}

Pair result(std::string name, std::string dtype, std::string platform, Cell cell,
            std::string limitation = {}) {
  ArtifactRecord artifact;
  artifact.name = std::move(name);
  artifact.dtypes = {std::move(dtype)};
  artifact.variant = "static";
  artifact.id = std::string(64, 'a');
  Pair result;
  result.artifact = std::make_shared<const ArtifactRecord>(std::move(artifact));
  result.cell = cell;
  const bool passed = cell == Cell::kPass || cell == Cell::kUnexpectedPass;
  OutcomeRecord& outcome = result.outcome;
  outcome.platform = std::move(platform);
  outcome.mode = "graph";
  outcome.outcome = passed ? OutcomeKind::kPass : OutcomeKind::kUnsupported;
  outcome.stage = passed ? Stage::kCompare : Stage::kCompile;
  outcome.detail = passed ? "" : "no \"kernel\"";
  outcome.limitation = std::move(limitation);
  return result;
}

LimitationTables tablesOf(std::vector<Pair> results, std::vector<Limitation> limitations) {
  LimitationTables tables;
  tables.today = std::chrono::sys_days(std::chrono::year(2026) / 11 / 21);
  tables.primitives.resize(1);
  tables.primitives[0].primitive = "eigh";
  tables.primitives[0].results = std::move(results);
  for (Limitation& limitation : limitations)
    tables.limitations.push_back({std::move(limitation), {}});
  return tables;
}

TEST(Reconcile, NothingWhereBothAgree) {
  const auto edits = reconcileLimitations(
      tablesOf({result("a", "f32", "cpu", Cell::kPass),
                result("b", "bf16", "cpu", Cell::kExpectedFailure, "eigh-narrow"),
                result("c", "f16", "cpu", Cell::kUntested, "eigh-narrow")},
               {limitationOf({"bfloat16", "float16"})}));
  EXPECT_THAT(edits, IsEmpty());
  EXPECT_THAT(editsText(edits, {}), HasSubstr("agree."));
}

TEST(Reconcile, FailuresOfOneKindAreDeclaredTogether) {
  const auto edits = reconcileLimitations(tablesOf(
      {result("a", "f32", "cpu", Cell::kFail), result("b", "f64", "cuda", Cell::kFail)}, {}));
  ASSERT_EQ(edits.size(), 1u);
  EXPECT_EQ(edits[0].kind, LimitationEdit::Kind::kDeclare);
  EXPECT_EQ(edits[0].after.primitive, "eigh");
  EXPECT_THAT(edits[0].after.dtypes, ElementsAre("float32", "float64"));
  EXPECT_THAT(edits[0].after.platforms, ElementsAre("cpu", "cuda"));
  EXPECT_EQ(edits[0].after.since, "2026-11-21");
  EXPECT_EQ(edits[0].failing, 2);
  // The row is C++ that compiles: quotes are escaped.
  EXPECT_THAT(editsText(edits, {}), HasSubstr("+      {\"eigh-unsupported-compile\", \"eigh\""));
  EXPECT_THAT(editsText(edits, {}), HasSubstr("no \\\"kernel\\\""));
  // A declaration says how it fails.
  EXPECT_THAT(editsText(edits, {}), HasSubstr("\"2026-11-21\", {FailureKind::kRefused}, {}},"));
}

TEST(Reconcile, WhatNoLongerFailsIsRemoved) {
  const auto edits = reconcileLimitations(
      tablesOf({result("b", "bf16", "cpu", Cell::kUnexpectedPass, "eigh-narrow"),
                result("c", "f16", "cuda", Cell::kUntested, "eigh-narrow")},
               {limitationOf({"bfloat16", "float16"})}));
  ASSERT_EQ(edits.size(), 1u);
  EXPECT_EQ(edits[0].kind, LimitationEdit::Kind::kRemove);
  EXPECT_EQ(edits[0].passing, 1);
  EXPECT_THAT(editsText(edits, {}), HasSubstr("-      {\"eigh-narrow\""));
  // The row as it is declared: what no longer fails has no failures of its own to name.
  EXPECT_THAT(editsText(edits, {}), HasSubstr("\"2026-01-01\", {FailureKind::kRefused}, {}},"));
  EXPECT_THAT(editsText(edits, {}), Not(HasSubstr("+      {")));
}

TEST(Reconcile, WhatStillFailsInPartIsNarrowed) {
  const auto edits = reconcileLimitations(
      tablesOf({result("b", "bf16", "cpu", Cell::kUnexpectedPass, "eigh-narrow"),
                result("c", "f16", "cpu", Cell::kExpectedFailure, "eigh-narrow")},
               {limitationOf({"bfloat16", "float16"})}));
  ASSERT_EQ(edits.size(), 1u);
  EXPECT_EQ(edits[0].kind, LimitationEdit::Kind::kNarrow);
  EXPECT_THAT(edits[0].after.dtypes, ElementsAre("float16"));
  EXPECT_THAT(edits[0].after.platforms, IsEmpty());  // It does not separate them.
}

TEST(Reconcile, WhatNoAxisTellsApartStays) {
  // One case of bf16 passes, another fails: no dtype, platform, mode or variant differs.
  const auto edits = reconcileLimitations(
      tablesOf({result("b", "bf16", "cpu", Cell::kUnexpectedPass, "eigh-narrow"),
                result("c", "bf16", "cpu", Cell::kExpectedFailure, "eigh-narrow")},
               {limitationOf({"bfloat16"})}));
  EXPECT_THAT(edits, IsEmpty());
}

}  // namespace
}  // namespace vintage::tests
