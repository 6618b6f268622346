// Releases known by their facts, and what they say of artifacts.

#include <fstream>
#include <iterator>
#include <random>

#include <gmock/gmock.h>

#include "harness/runtimes/builds/builds.h"
#include "harness/runtimes/builds/release_facts.h"
#include "harness/runtimes/builds/would_load.h"

namespace vintage::tests {
using namespace archive;
using namespace harness;

namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kReleases = R"({"source": "a test", "releases": [
  {"tag": "jax-v0.4.16", "date": "2023-09-18", "minimum_supported_serialization_version": 6,
   "maximum_supported_serialization_version": 8, "minimum_jaxlib_version": "0.4.14",
   "stable_targets": ["Qr", "Eigh"]},
  {"tag": "jaxlib-v0.4.16-rc1", "date": "2023-09-18", "minimum_jaxlib_version": "0.4.14"},
  {"tag": "jax-v0.9.2", "date": "2026-03-18", "minimum_supported_calling_convention_version": 9,
   "maximum_supported_calling_convention_version": 10, "serialization_version": 8,
   "minimum_jaxlib_version": "0.9.2"}]})";

TEST(ReleaseFacts, AreBuildsThatCannotBeStarted) {
  const std::vector<StablehloRelease> stablehlo{{{0, 14, 0}, *parseDate("2023-08-01")},
                                                {{0, 15, 0}, *parseDate("2023-09-18")},
                                                {{0, 15, 1}, *parseDate("2023-09-19")}};
  const auto builds = parseReleaseFacts(kReleases, "a file", stablehlo);
  ASSERT_TRUE(builds) << builds.error().message;
  ASSERT_EQ(builds->size(), 3u);
  const BuildRecord& first = builds->front();
  EXPECT_EQ(first.name, "jax 0.4.16");
  EXPECT_EQ(first.kind, "facts");
  EXPECT_FALSE(first.start);
  // The serialization of that time is the calling convention of today.
  EXPECT_EQ(first.oldestCallingConvention, 6);
  EXPECT_EQ(first.newestCallingConvention, 8);
  EXPECT_EQ(first.newestSerialization, 0);
  EXPECT_EQ(first.stablehloVersion, "0.15.0");  // Current on that day.
  EXPECT_THAT(first.customCallTargets, ElementsAre("Eigh", "Qr"));
  EXPECT_EQ(first.details.runtime->packages.minimumJaxlib, "0.4.14");
  EXPECT_EQ((*builds)[1].name, "jaxlib 0.4.16rc1");
  EXPECT_EQ((*builds)[2].newestSerialization, 8);
}

TEST(ReleaseFacts, WrongListsAreNamedWithTheirPlace) {
  const std::pair<const char*, const char*> wrong[] = {
      {"", "releases"},
      {"[]", "releases"},
      {R"({"releases": 1})", "releases"},
      {R"({"releases": [1]})", "releases[0]"},
      {R"({"releases": [{"tag": "jax-v1.0", "date": "2023-02-30"}]})", "releases[0]"},
      {R"({"releases": [{"tag": "tensorflow-v1", "date": "2023-02-03"}]})", "tensorflow"},
      {R"({"releases": [{"tag": "jax-vx", "date": "2023-02-03"}]})", "'x'"},
      {R"({"releases": [{"tag": "jax-v1.0", "date": "2023-02-03", "stable_targets": [1]}]})",
       "stable_targets"},
  };
  for (const auto& [text, place] : wrong) {
    const auto builds = parseReleaseFacts(text, "a file");
    ASSERT_FALSE(builds) << text;
    EXPECT_THAT(builds.error().message, HasSubstr("a file"));
    EXPECT_THAT(builds.error().message, HasSubstr(place));
  }
  std::mt19937 random(5);
  for (int round = 0; round < 2000; ++round) {
    std::string damaged = kReleases;
    damaged[random() % damaged.size()] = static_cast<char>(random());
    damaged.resize(damaged.size() - random() % 3);
    (void)parseReleaseFacts(damaged, "damaged");  // An answer or an error, never an end.
  }
}

BuildRecord release(const char* name, const char* date) {
  BuildRecord build;
  build.name = name;
  build.kind = "facts";
  build.buildDate = *parseDate(date);
  build.oldestCallingConvention = 9;
  build.newestCallingConvention = 10;
  build.newestSerialization = 8;
  build.stablehloVersion = "1.14.0";
  build.customCallTargets = {"Eigh", "Qr"};
  build.platforms = {"cpu"};
  return build;
}

TEST(WouldLoad, EachRangeDecides) {
  const BuildRecord build = release("jax 0.9.2", "2026-03-18");
  const auto answer = [&](auto change) {
    ArtifactRecord needs;
    needs.callingConventionVersion = 9;
    needs.serializationVersion = 8;
    needs.stablehloVersion = "1.14.0";
    change(needs);
    return wouldLoad(needs, build);
  };
  EXPECT_EQ(answer([](auto&) {}).answer, WouldLoad::kYes);
  EXPECT_EQ(answer([](auto& needs) { needs.callingConventionVersion = 10; }).answer,
            WouldLoad::kYes);
  EXPECT_EQ(answer([](auto& needs) { needs.callingConventionVersion = 11; }).answer,
            WouldLoad::kCannotTell);
  // jax 0.4.26 writes 9 and runs 8.
  EXPECT_EQ(answer([](auto& needs) { needs.callingConventionVersion = 8; }).answer,
            WouldLoad::kCannotTell);
  EXPECT_EQ(answer([](auto& needs) { needs.serializationVersion = 9; }).answer,
            WouldLoad::kCannotTell);
  EXPECT_EQ(answer([](auto& needs) { needs.stablehloVersion = "1.14.1"; }).answer,
            WouldLoad::kCannotTell);
  EXPECT_EQ(answer([](auto& needs) { needs.customCallTargets = {"Qr"}; }).answer, WouldLoad::kYes);
  // It registers more than it guarantees.
  EXPECT_EQ(answer([](auto& needs) { needs.customCallTargets = {"Mine"}; }).answer,
            WouldLoad::kCannotTell);
  // A "no" is explained by what says no.
  const LoadAnswer both = answer([](auto& needs) {
    needs.customCallTargets = {"Mine"};
    needs.platforms = {"tpu"};
  });
  EXPECT_EQ(both.answer, WouldLoad::kNo);
  EXPECT_THAT(both.reasons, ElementsAre(HasSubstr("it runs cpu")));
}

TEST(WouldLoad, ABuildThatDescribedItselfRegistersWhatItSays) {
  BuildRecord build = release("mine", "2026-03-18");
  build.kind = "program";
  ArtifactRecord needs;
  needs.customCallTargets = {"Mine"};
  EXPECT_EQ(wouldLoad(needs, build).answer, WouldLoad::kNo);
}

TEST(WouldLoad, AVersionFromJustBeforeAReleaseCannotBeTold) {
  // 30 days before the release is long enough, 29 are not.
  const auto builds = parseReleaseFacts(
      R"({"releases": [{"tag": "jax-v0.9.2", "date": "2026-03-31"}]})", "a file",
      {{{1, 12, 0}, *parseDate("2026-03-01")}, {{1, 13, 0}, *parseDate("2026-03-02")}});
  ASSERT_TRUE(builds);
  const auto answer = [&](const char* version) {
    ArtifactRecord needs;
    needs.stablehloVersion = version;
    return wouldLoad(needs, builds->front()).answer;
  };
  EXPECT_EQ(answer("1.12.0"), WouldLoad::kYes);
  EXPECT_EQ(answer("1.13.0"), WouldLoad::kCannotTell);
  EXPECT_EQ(answer("1.13.1"), WouldLoad::kCannotTell);
}

// A release of JAX as 'builds add --jax' registers it.
BuildRecord registeredRelease(int oldestSerialization) {
  BuildRecord build = release("jax 0.12.0", "2026-10-01");
  build.kind = "command";
  build.newestSerialization = 12;
  build.customCallTargets = {"lapack_spotrf_ffi"};
  build.details.environment.emplace();
  build.details.runtime.emplace().serialization = {oldestSerialization, 12, 12, {}};
  return build;
}

// Four ways in which "would it load?" was wrong about real releases: 0.11.1 and newer refuse
// files that hold their number of devices in the old field, XLA reads programs of a newer
// StableHLO, 0.6.0 ran exports of calling convention 10, and XLA's compiler knows mhlo.tan,
// which no registry holds.
TEST(WouldLoad, IsHeldAgainstWhatReleasesReallyDid) {
  ArtifactRecord old;
  old.serializationVersion = 2;
  const LoadAnswer expired = wouldLoad(old, registeredRelease(5));
  EXPECT_EQ(expired.answer, WouldLoad::kNo);
  EXPECT_THAT(expired.reasons,
              ElementsAre("it reads serialization versions from 5 on, the artifact has 2"));
  EXPECT_EQ(wouldLoad(old, registeredRelease(2)).answer, WouldLoad::kYes);

  ArtifactRecord newer;
  newer.stablehloVersion = "9.0.0";
  EXPECT_EQ(wouldLoad(newer, registeredRelease(2)).answer, WouldLoad::kCannotTell);
  BuildRecord engine = registeredRelease(2);
  engine.details = {};
  EXPECT_EQ(wouldLoad(newer, engine).answer, WouldLoad::kNo);
  ArtifactRecord convention;
  convention.callingConventionVersion = 99;
  EXPECT_EQ(wouldLoad(convention, registeredRelease(2)).answer, WouldLoad::kCannotTell);
  EXPECT_EQ(wouldLoad(convention, engine).answer, WouldLoad::kNo);

  ArtifactRecord compilers;
  compilers.customCallTargets = {"lapack_spotrf_ffi", "mhlo.tan"};
  EXPECT_EQ(wouldLoad(compilers, registeredRelease(2)).answer, WouldLoad::kCannotTell);
  EXPECT_EQ(wouldLoad(compilers, engine).answer, WouldLoad::kNo);
  compilers.customCallTargets = {"lapack_unknown"};
  EXPECT_EQ(wouldLoad(compilers, registeredRelease(2)).answer, WouldLoad::kNo);
}

TEST(ReleaseFacts, TheSharedListIsReadWhole) {
  const std::string path = std::string(VINTAGE_SHARED) + "/facts/jax_releases.json";
  std::ifstream file(path);
  if (!file) GTEST_SKIP() << path << " is not there";
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto builds = parseReleaseFacts(text, path);
  ASSERT_TRUE(builds) << builds.error().message;
  size_t tags = 0;
  for (size_t at = 0; (at = text.find("\"tag\"", at)) != std::string::npos; ++at) ++tags;
  EXPECT_EQ(builds->size(), tags);
}

}  // namespace
}  // namespace vintage::tests
