#include "primitives/limitations/limitations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace vintage::tests {
using namespace golden;
using namespace primitives;
using namespace archive;

namespace {

Case caseOf(std::string id, std::string primitive, ElementType type) {
  Case entry;
  entry.id = std::move(id);
  entry.primitive = std::move(primitive);
  entry.dtypes = {type};
  entry.platforms = {"cpu", "cuda", "rocm", "tpu"};
  return entry;
}

Limitation limitationOf(std::string id, std::string primitive) {
  return Limitation{.id = std::move(id),
                    .primitive = std::move(primitive),
                    .dtypes = {},
                    .description = "unimplemented",
                    .issue = "https://example.org/1",
                    .since = "2026-01-01",
                    .failures = {FailureKind::kRefused}};
}

std::string messageOf(const Status& status) { return status ? "" : status.error().message; }

TEST(Limitations, TheDeclaredOnesAreValid) {
  const Status status = validateLimitations(limitations(), catalogue());
  EXPECT_TRUE(status) << messageOf(status);
}

TEST(Limitations, MatchByEveryField) {
  const Case entry = caseOf("eig_f16", "eig", ElementType::kF16);
  Limitation limitation = limitationOf("a", "eig");
  EXPECT_TRUE(matches(limitation, entry, "cpu", "graph"));
  limitation.dtypes = {"float16"};
  limitation.platforms = {"tpu"};
  limitation.modes = {"eager"};
  limitation.variants = {"static"};
  EXPECT_TRUE(matches(limitation, entry, "tpu", "eager"));
  EXPECT_FALSE(matches(limitation, entry, "cpu", "eager"));
  EXPECT_FALSE(matches(limitation, entry, "tpu", "graph"));
  limitation.dtypes = {"float32"};
  EXPECT_FALSE(matches(limitation, entry, "tpu", "eager"));
  limitation.dtypes = {};
  limitation.variants = {"poly"};
  EXPECT_FALSE(matches(limitation, entry, "tpu", "eager"));
  limitation.variants = {};
  limitation.primitive = "eigh";
  EXPECT_FALSE(matches(limitation, entry, "tpu", "eager"));
}

TEST(Limitations, OneThatMatchesNothingIsAnError) {
  const Case cases[] = {caseOf("add_f32", "add", ElementType::kF32)};
  const Limitation declared[] = {limitationOf("sub-nowhere", "sub")};
  EXPECT_THAT(messageOf(validateLimitations(declared, cases)),
              testing::AllOf(testing::HasSubstr("sub-nowhere"), testing::HasSubstr("no case")));
}

TEST(Limitations, TwoThatMatchTheSameUseAreAnError) {
  const Case cases[] = {caseOf("add_f32", "add", ElementType::kF32)};
  Limitation declared[] = {limitationOf("one", "add"), limitationOf("two", "add")};
  EXPECT_THAT(messageOf(validateLimitations(declared, cases)),
              testing::AllOf(testing::HasSubstr("one"), testing::HasSubstr("two"),
                             testing::HasSubstr("add_f32")));
  declared[0].platforms = {"cpu"};
  declared[1].platforms = {"cuda", "tpu"};
  EXPECT_TRUE(validateLimitations(declared, cases));
}

// A limitation that overlaps with another in a single use is an error, like one that covers all its
// uses: by dtype, mode or variant.
TEST(Limitations, TwoThatOverlapInPartAreAnError) {
  Case cases[] = {caseOf("add_f32", "add", ElementType::kF32),
                  caseOf("add_f64_poly", "add", ElementType::kF64)};
  cases[1].variant = "poly";
  Limitation declared[] = {limitationOf("one", "add"), limitationOf("two", "add")};
  declared[0].dtypes = {"float64"};
  declared[1].variants = {"poly"};
  EXPECT_THAT(messageOf(validateLimitations(declared, cases)), testing::HasSubstr("add_f64_poly"));
  declared[1].variants = {"static"};
  EXPECT_TRUE(validateLimitations(declared, cases));
  declared[0].dtypes = {};
  declared[0].modes = {"graph"};
  EXPECT_THAT(messageOf(validateLimitations(declared, cases)), testing::HasSubstr("in mode graph"));
  declared[1].modes = {"eager"};
  EXPECT_TRUE(validateLimitations(declared, cases));
}

// Each of its fields matches some case, but together they match none.
TEST(Limitations, OneWhoseFieldsNeverMeetMatchesNothing) {
  Case cases[] = {caseOf("add_f32", "add", ElementType::kF32),
                  caseOf("add_f64_poly", "add", ElementType::kF64)};
  cases[1].variant = "poly";
  Limitation declared[] = {limitationOf("one", "add")};
  declared[0].dtypes = {"float32"};
  declared[0].variants = {"poly"};
  EXPECT_THAT(messageOf(validateLimitations(declared, cases)), testing::HasSubstr("no case"));
}

TEST(Limitations, ReasonDateAndKnownNamesAreRequired) {
  const Case cases[] = {caseOf("add_f32", "add", ElementType::kF32)};
  Limitation declared[] = {limitationOf("one", "add")};
  declared[0].description.clear();
  EXPECT_THAT(messageOf(validateLimitations(declared, cases)), testing::HasSubstr("reason"));
  declared[0] = limitationOf("one", "add");
  declared[0].issue.clear();  // Declared, but tracked nowhere.
  EXPECT_THAT(messageOf(validateLimitations(declared, cases)),
              testing::AllOf(testing::HasSubstr("reason"), testing::HasSubstr("issue")));
  declared[0] = limitationOf("one", "add");
  declared[0].since.clear();
  EXPECT_THAT(messageOf(validateLimitations(declared, cases)), testing::HasSubstr("date"));
  declared[0] = limitationOf("one", "add");
  declared[0].failures.clear();
  EXPECT_THAT(messageOf(validateLimitations(declared, cases)), testing::HasSubstr("how it fails"));
  declared[0] = limitationOf("one", "add");
  declared[0].dtypes = {"float17"};
  EXPECT_THAT(messageOf(validateLimitations(declared, cases)), testing::HasSubstr("float17"));
  declared[0] = limitationOf("one", "add");
  declared[0].platforms = {"abacus"};
  EXPECT_THAT(messageOf(validateLimitations(declared, cases)), testing::HasSubstr("abacus"));
  declared[0] = limitationOf("one", "add");
  declared[0].modes = {"dreaming"};
  EXPECT_THAT(messageOf(validateLimitations(declared, cases)), testing::HasSubstr("dreaming"));
}

TEST(Limitations, ACaseThatLowersNowhereNeedsADeclaration) {
  Case cases[] = {caseOf("add_f32", "add", ElementType::kF32)};
  cases[0].platforms.clear();
  EXPECT_THAT(messageOf(validateLimitations({}, cases)), testing::HasSubstr("add_f32"));
}

TEST(Limitations, ACaseThatLacksAPlatformNeedsADeclarationOrAReasonOfItsOwn) {
  Case cases[] = {caseOf("add_f32", "add", ElementType::kF32)};
  cases[0].platforms = {"cpu", "cuda", "rocm"};
  EXPECT_THAT(messageOf(validateLimitations({}, cases)),
              testing::AllOf(testing::HasSubstr("add_f32"), testing::HasSubstr("tpu")));
  Limitation declared[] = {limitationOf("add-tpu", "add")};
  declared[0].platforms = {"cuda"};  // Of the same primitive, and of another platform.
  EXPECT_THAT(messageOf(validateLimitations(declared, cases)), testing::HasSubstr("tpu"));
  declared[0].platforms = {"tpu"};
  EXPECT_TRUE(validateLimitations(declared, cases));
  cases[0].platformsReason = "nobody can tell what it gives there";
  EXPECT_TRUE(validateLimitations({}, cases));
}

TEST(Limitations, SkippingWhatCouldBeTriedNeedsAReason) {
  Case cases[] = {caseOf("add_f32", "add", ElementType::kF32)};
  Limitation declared[] = {limitationOf("add-hangs", "add")};
  declared[0].skipRun = true;
  EXPECT_THAT(messageOf(validateLimitations(declared, cases)),
              testing::AllOf(testing::HasSubstr("add-hangs"), testing::HasSubstr("skipReason")));
  declared[0].skipReason = "it does not end";
  EXPECT_TRUE(validateLimitations(declared, cases));
  // Nothing lowers there, so there is nothing to try.
  declared[0].skipReason.clear();
  cases[0].platforms.clear();
  EXPECT_TRUE(validateLimitations(declared, cases));
}

TEST(Limitations, DatesAreDatesInTheirOrder) {
  const Case cases[] = {caseOf("add_f32", "add", ElementType::kF32)};
  Limitation declared[] = {limitationOf("one", "add")};
  for (const char* wrong : {"yesterday", "2026-1-01", "2026-02-30", "2026-01-01x"}) {
    declared[0].since = wrong;
    EXPECT_THAT(messageOf(validateLimitations(declared, cases)), testing::HasSubstr(wrong));
  }
  declared[0].since = "2026-01-01";
  declared[0].until = "2025-12-31";
  EXPECT_THAT(messageOf(validateLimitations(declared, cases)), testing::HasSubstr("2025-12-31"));
  declared[0].until = "2026-01-01";
  EXPECT_TRUE(validateLimitations(declared, cases));
  EXPECT_FALSE(limitations().empty());
}

TEST(Limitations, OnlyWhatHasNoLoweringIsSkipped) {
  for (const Limitation& limitation : limitations()) {
    EXPECT_TRUE(limitation.skipReason.empty()) << limitation.id;
  }
}

}  // namespace
}  // namespace vintage::tests
