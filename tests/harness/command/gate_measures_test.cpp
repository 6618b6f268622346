// Which releases export and run what, to show what findings say.
#include "harness/command/gate_measures.h"

#include "tests/harness/gate/release_builder.h"

namespace vintage::tests {
using namespace archive;
using namespace harness;

namespace {

using harness::whatWouldShow;
using testing::ElementsAre;
using testing::IsEmpty;

Finding findingAbout(const char* instance, const char* exporter, const char* consumer) {
  Finding out;
  out.instance = instance;
  if (*exporter != '\0') out.exporters = {exporter};
  if (*consumer != '\0') out.consumers = {consumer};
  return out;
}

std::vector<RuntimeDescription> twoReleases() {
  RuntimeDescription first = ReleaseBuilder("1", "2025-01-17").emits("solve").emits("gone");
  first.emission.calls[0].example = "lu_f32";
  first.emission.calls[1].example = "eig_f32";
  first.emission.calls.push_back(
      {"solve", "cpu", kEmittedByJit, {4, 1, {}}, {"solve"}, "by jit alone", false});
  first.emission.calls.push_back(
      {"solve", "cpu", kEmittedByDefault, {4, 1, {}}, {"solve"}, "unlisted", true});
  first.emission.calls.push_back(
      {"solve", "cuda", kEmittedByDefault, {4, 1, {}}, {"solve"}, "on cuda", false});
  RuntimeDescription second = ReleaseBuilder("2", "2025-02-24").emits("solve");
  second.emission.calls[0].example = "lu_f64";
  return {first, second};
}

TEST(WhatWouldShow, TheExporterExportsThePromisedCasesAndTheConsumerRunsThem) {
  const auto wanted = whatWouldShow({findingAbout("gone@cpu", "jax 1", "jax 2")}, twoReleases());
  ASSERT_EQ(wanted.size(), 1u);
  EXPECT_EQ(wanted[0].exporter, "1");
  EXPECT_THAT(wanted[0].consumers, ElementsAre("2"));
  EXPECT_THAT(wanted[0].cases, ElementsAre("eig_f32"));
}

// A crash of every call on a kind of worker was taken for one of the old way of calling.
TEST(WhatWouldShow, AConsumerThatCallsTheTargetRunsItsOwnExportsToo) {
  const auto wanted = whatWouldShow({findingAbout("solve@cpu", "jax 1", "jax 2")}, twoReleases());
  ASSERT_EQ(wanted.size(), 2u);
  EXPECT_THAT(wanted[0].cases, ElementsAre("lu_f32"));
  EXPECT_EQ(wanted[1].exporter, "2");
  EXPECT_THAT(wanted[1].consumers, ElementsAre("2"));
  EXPECT_THAT(wanted[1].cases, ElementsAre("lu_f64"));
}

// An old calling convention is one that a release can be asked for; what is exported in its default
// is another artifact.
TEST(WhatWouldShow, AVersionIsShownByCasesThatCallNothing) {
  Finding finding = findingAbout("calling_convention", "jax 1", "jax 2");
  finding.exportedAs = 8;
  const auto wanted = whatWouldShow({finding}, twoReleases());
  ASSERT_EQ(wanted.size(), 2u);
  EXPECT_EQ(wanted[0].exporter, "1");
  EXPECT_EQ(wanted[0].callingConvention, 8);
  EXPECT_THAT(wanted[0].cases, ElementsAre("jax:add_dtypes*"));
  EXPECT_EQ(wanted[1].exporter, "2");
  EXPECT_EQ(wanted[1].callingConvention, 0);
}

TEST(WhatWouldShow, WhatStillRunsIsShownToo) {
  Finding finding = findingAbout("gone@cpu", "jax 1", "");
  finding.stillRunsOn = {"jax 2"};
  const auto wanted = whatWouldShow({finding}, twoReleases());
  ASSERT_EQ(wanted.size(), 1u);
  EXPECT_THAT(wanted[0].consumers, ElementsAre("2"));
}

TEST(WhatWouldShow, WhatCannotRunHereOrNamesNoReleaseIsLeftOut) {
  for (const Finding& one :
       {findingAbout("solve@cuda", "jax 1", "jax 2"), findingAbout("gone@cpu", "", "jax 2"),
        findingAbout("gone@cpu", "jax 1", ""), findingAbout("gone@cpu", "jax 3", "jax 2"),
        findingAbout("gone@cpu", "jax 1", "jax 3")})
    EXPECT_THAT(whatWouldShow({one}, twoReleases()), IsEmpty()) << one.instance;
}

}  // namespace
}  // namespace vintage::tests
