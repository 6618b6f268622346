// The real history of JAX's list of guaranteed targets, judged with JAX's releases
// and the artifacts of its compatibility tests.
//
// The expected values were worked out by hand from the facts; each has its sum. They follow the
// facts: the list and the releases, not the behaviour of an implementation after its target had
// left the list.
#include <filesystem>
#include <map>
#include <set>

#include <gmock/gmock.h>

#include "archive/records/custom_call_targets.h"
#include "golden/base/strict_json.h"
#include "harness/gate/history.h"
#include "tests/harness/command/run_vintage.h"

namespace vintage::tests {
using namespace archive;
using namespace harness;

namespace {

using testing::HasSubstr;
using testing::UnorderedElementsAre;

const std::string kFacts = std::string(VINTAGE_SHARED) + "/facts/";
const std::string kCorpus = std::string(VINTAGE_SHARED) + "/corpus/jax-backcompat";

// Judged once for all tests.
struct RealHistory : testing::Test {
  static inline std::vector<JudgedListChange> judged;
  static inline std::string problem;

  static void SetUpTestSuite() {
    if (!std::filesystem::exists(kFacts + "jax_stable_custom_calls_history.json") ||
        !std::filesystem::exists(kCorpus))
      return;
    const tests::command::Sandbox sandbox;
    const auto imported = sandbox.run({"import", "--archive", sandbox.path("A"), kCorpus});
    if (imported.status != 0 && imported.status != 1) problem = imported.err;
    auto archive = Archive::open(sandbox.path("A"), Archive::Mode::kReadOnly);
    auto historyText = readTextFile(kFacts + "jax_stable_custom_calls_history.json");
    auto releasesText = readTextFile(kFacts + "jax_releases.json");
    if (!archive || !historyText || !releasesText) {
      problem += "the facts or the archive cannot be read";
      return;
    }
    auto changes = parseListHistory(*historyText, "history");
    auto releases = parseReleases(*releasesText, "releases");
    if (!changes || !releases) {
      problem = !changes ? changes.error().message : releases.error().message;
      return;
    }
    auto facts = archivedFacts(*archive);
    auto result = judgeHistory(*changes, *releases, *facts);
    if (result)
      judged = std::move(*result);
    else
      problem = result.error().message;
  }
  void SetUp() override {
    if (!std::filesystem::exists(kCorpus)) GTEST_SKIP() << "no ../shared";
    ASSERT_EQ(problem, "");
    ASSERT_EQ(judged.size(), 65u);
  }

  static const JudgedListChange& of(const std::string& commit) {
    for (const JudgedListChange& one : judged)
      if (one.change.commit == commit) return one;
    ADD_FAILURE() << commit;
    return judged.front();
  }
  static const Finding* finding(const std::string& commit, const std::string& rule,
                                const std::string& instance) {
    for (const Finding& found : of(commit).verdict.findings)
      if (found.rule == rule && found.instance == instance) return &found;
    return nullptr;
  }
};

struct ExpectedRemoval {
  const char* commit;
  const char* target;
  const char* legal;
  const char* sum;
};

// commit, target, first legal day, and why.
constexpr ExpectedRemoval kTooEarly[] = {
    // 2023-07-19. Listed on 2023-06-22, the day of jaxlib 0.4.13, whose list has it. No
    // successor: 2023-06-22 + 181 (8 days of June, 31 + 31 + 30 + 31 + 30 to the end of
    // November, 20 of December) = 2023-12-20.
    {"0dd45ddcdd3e", "lapack_dsesdd", "2023-12-20", "2023-06-22 (jaxlib 0.4.13"},
    // 2024-04-29. Its successor cu_threefry2x32_ffi came on 2024-06-28 only. The last
    // release with it was jaxlib 0.4.26 of 2024-04-03: + 181 = 2024-10-01.
    {"69878c4924f6", "cu_threefry2x32", "2024-10-01", "2024-04-03 (jaxlib 0.4.26"},
    // 2024-05-28. jaxlib 0.4.28 of 2024-05-09 lists it: + 181 = 2024-11-06.
    {"3bcb8d683184", "dynamic_ducc_fft", "2024-11-06", "2024-05-09 (jaxlib 0.4.28"},
    // 2024-09-30. lapack_cgetrf_ffi is listed since 2024-08-06 (again); the first release
    // after it is jaxlib 0.4.32 of 2024-09-11: + 180 = 2025-03-10.
    {"1a1e16abcc29", "lapack_cgetrf", "2025-03-10", "2024-09-11 (jaxlib 0.4.32"},
    // 2024-10-04. lapack_cgeqrf_ffi since 2024-08-23, jaxlib 0.4.32 again.
    {"c0240764bce2", "lapack_cgeqrf", "2025-03-10", "2024-09-11 (jaxlib 0.4.32"},
    // The same commit lists cusolver_geqrf_ffi; jax 0.4.35 of 2024-10-22 names jaxlib
    // 0.4.35 as its minimum, so that jaxlib came with it: + 180 = 2025-04-20.
    {"c0240764bce2", "cublas_geqrf_batched", "2025-04-20", "2024-10-22 (jaxlib 0.4.35"},
    {"67f24df74072", "cusolver_syevj", "2025-04-20", "2024-10-22 (jaxlib 0.4.35"},
    // 2024-12-05, the day of jax 0.4.36, which no longer lists it. The last that did is
    // 0.4.35 of 2024-10-22: + 181 = 2025-04-21.
    {"3f5f3e1c47c2", "__gpu$xla.gpu.triton", "2025-04-21", "2024-10-22 (jaxlib 0.4.35"},
    // 2025-08-18. mosaic_gpu_v2 in the same commit; jaxlib 0.7.1 of 2025-08-19: + 180 = 2026-02-15.
    {"591dda019bf8", "mosaic_gpu", "2026-02-15", "2025-08-19 (jaxlib 0.7.1"},
};

TEST_F(RealHistory, RemovalsThatCameTooEarly) {
  for (const ExpectedRemoval& expected : kTooEarly) {
    const Finding* found = finding(expected.commit, "target-removed-early", expected.target);
    ASSERT_NE(found, nullptr) << expected.commit << " " << expected.target;
    EXPECT_EQ(found->severity, GateResult::kForbidden);
    ASSERT_TRUE(found->legal) << expected.target;
    EXPECT_EQ(formatDate(found->legal->date), expected.legal) << expected.target;
    EXPECT_THAT(found->legal->sum, HasSubstr(expected.sum)) << expected.target;
  }
}

TEST_F(RealHistory, RemovalsThatKeptTheRules) {
  const std::pair<const char*, const char*> kept[] = {
      // ducc_fft gave way to dynamic_ducc_fft: jaxlib 0.4.13 of 2023-06-22 + 180 = 2023-12-19.
      {"d92f4ae15732", "2024-04-26"},
      // cu_threefry2x32_ffi since 2024-06-28; jaxlib 0.4.31 of 2024-07-29 + 180 = 2025-01-25.
      {"9f797990b501", "2025-02-04"},
      // The youngest successors are the gehrd ones of 2024-10-01; jaxlib 0.4.34 of
      // 2024-10-02 + 180 = 2025-03-31.
      {"81722201fd75", "2025-04-11"},
      // lapack_*trsm_ffi (2024-12-11), *gees_ffi and *trd_ffi; jaxlib 0.4.38 of 2024-12-17
      // (0.4.37 came without one) + 180 = 2025-06-15: the change came one day later.
      {"8865ee6628fe", "2025-06-16"},
      // Listed and withdrawn between two releases: no promise covers it.
      {"8d2c8ad5b181", "2025-08-18"},
      {"17b75004bf98", "2025-08-19"},
  };
  for (const auto& [commit, date] : kept) {
    EXPECT_EQ(formatDate(of(commit).change.date), date);
    EXPECT_EQ(of(commit).verdict.result, GateResult::kAllowed) << commit;
  }
}

// The one-day margin of 2025-06-16 is the border: a day earlier the same change is legal
// too (2025-06-15 = 2024-12-17 + 180 days), two days earlier it is not.
TEST_F(RealHistory, TheRemovalOf20250616WasLegalSinceTheDayBefore) {
  auto historyText = readTextFile(kFacts + "jax_stable_custom_calls_history.json");
  auto releasesText = readTextFile(kFacts + "jax_releases.json");
  ASSERT_TRUE(historyText && releasesText);
  const auto releases = *parseReleases(*releasesText, "releases");
  const auto none = std::make_unique<ArchivedFacts>();
  for (const auto& [date, result] :
       {std::pair{"2025-06-15", GateResult::kAllowed}, {"2025-06-14", GateResult::kForbidden}}) {
    auto changes = *parseListHistory(*historyText, "history");
    const auto change = std::find_if(changes.begin(), changes.end(), [](const ListChange& one) {
      return one.commit == "8865ee6628fe";
    });
    ASSERT_NE(change, changes.end());
    changes.erase(change + 1, changes.end());
    changes.back().date = *parseDate(date);
    auto verdicts = judgeHistory(changes, releases, *none);
    ASSERT_TRUE(verdicts);
    EXPECT_EQ(verdicts->back().verdict.result, result) << date;
  }
}

TEST_F(RealHistory, RemovalsThatBrokeArtifactsOfTheWindow) {
  // 2024-10-04 - 180 = 2024-04-07. The ROCm artifacts of 2024-08-05 are inside: + 181 = 2025-02-02.
  const Finding* eigh = finding("67f24df74072", "target-removed-in-use", "hipsolver_syevd");
  ASSERT_NE(eigh, nullptr);
  ASSERT_EQ(eigh->artifacts.size(), 1u);
  EXPECT_EQ(eigh->artifacts[0].name, "rocm_eigh_hipsolver_syev.data_2024_08_05.f32_syevd");
  EXPECT_EQ(formatDate(eigh->legal->date), "2025-02-02");
  // 2025-08-18 - 180 = 2025-02-19: the artifact of 2025-04-22 is inside, + 181 = 2025-10-20.
  const Finding* mosaic = finding("591dda019bf8", "target-removed-in-use", "mosaic_gpu");
  ASSERT_NE(mosaic, nullptr);
  EXPECT_EQ(formatDate(mosaic->legal->date), "2025-10-20");
  // The merge of 2024-08-06 dropped four targets for less than a day; two artifacts of
  // 2024-05-31 call two of them: + 181 = 2024-11-28.
  std::set<std::string> dropped;
  for (const Finding& found : of("35c70fd3ec68").verdict.findings)
    if (found.rule == "target-removed-in-use") {
      dropped.insert(found.instance);
      EXPECT_EQ(formatDate(found.legal->date), "2024-11-28");
    }
  EXPECT_THAT(dropped, UnorderedElementsAre("lapack_cgetrf_ffi", "lapack_sgetrf_ffi"));
}

TEST_F(RealHistory, TargetsThatWereListedWithoutAGolden) {
  // Nothing ever called the misspelt name.
  EXPECT_NE(finding("92288d3071ab", "listed-without-golden", "lapack_dsesdd"), nullptr);
  // mosaic_gpu_v2, listed on 2025-08-18: its first golden is of 2025-11-27, which would
  // have been in time for a listing of 2025-11-27 - 21 = 2025-11-06.
  const Finding* mosaic = finding("591dda019bf8", "listed-without-golden", "mosaic_gpu_v2");
  ASSERT_NE(mosaic, nullptr);
  EXPECT_EQ(formatDate(mosaic->legal->date), "2025-11-06");
  // stablehlo.dynamic_top_k had one of 2023-07-16 when it was listed on 2023-07-28.
  EXPECT_EQ(of("88e11ae98c91").verdict.result, GateResult::kAllowed);
}

TEST_F(RealHistory, EveryForbiddenChangeHasADayOnWhichItBecomesLegal) {
  std::map<GateResult, int> results;
  for (const JudgedListChange& one : judged) {
    ++results[one.verdict.result];
    if (one.verdict.result != GateResult::kForbidden) continue;
    ASSERT_TRUE(one.verdict.legal) << one.change.commit;
    EXPECT_GT(one.verdict.legal->date, one.change.date) << one.change.commit;
  }
  // The commits of the two tables above, and the two that took targets out for a day.
  EXPECT_EQ(results[GateResult::kForbidden], 10);
}

// ---- Bad input, without ../shared.

TEST(ListHistory, WhatCannotHaveHappenedIsRefused) {
  const std::pair<const char*, const char*> bad[] = {
      {"[", "this is not JSON"},
      {"{}", "no changes"},
      {R"({"changes": [{"commit": "a", "date": "2025-01-01", "removed": ["x"]}]})",
       "was not listed"},
      {R"({"changes": [{"commit": "a", "date": "2025-01-01", "added": ["x", "x"]}]})",
       "was listed already"},
      {R"({"changes": [{"commit": "a", "date": "2025-01-02"}, {"commit": "b", "date": "2025-01-01"}]})",
       "order of time"},
      {R"({"changes": [{"commit": "a"}]})", "changes[0].date: is missing"},
  };
  for (const auto& [text, message] : bad) {
    auto result = parseListHistory(text, "h.json");
    ASSERT_FALSE(result) << text;
    EXPECT_THAT(result.error().message, HasSubstr(message));
  }
}

TEST(Releases, JaxlibsAreToldByTheirTagsAndThenByTheMinimumOfJax) {
  auto releases = parseReleases(R"({"releases": [
    {"tag": "jaxlib-v0.4.7", "date": "2023-03-27", "minimum_jaxlib_version": "0.4.6"},
    {"tag": "jax-v0.4.7-rc1", "date": "2023-03-26"},
    {"tag": "jax-v0.4.8", "date": "2023-03-29", "minimum_jaxlib_version": "0.4.7"},
    {"tag": "jax-v0.4.36", "date": "2024-12-05", "minimum_jaxlib_version": "0.4.36"},
    {"tag": "jax-v0.4.37", "date": "2024-12-09", "minimum_jaxlib_version": "0.4.36"}]})",
                                "r.json");
  ASSERT_TRUE(releases) << releases.error().message;
  std::vector<std::string> names, runtimes;
  for (const RuntimeDescription& build : *releases) {
    names.push_back(build.name);
    if (build.holdsRuntime()) runtimes.push_back(build.name);
  }
  EXPECT_THAT(names, testing::ElementsAre("jaxlib 0.4.7", "jax 0.4.8", "jax 0.4.36",
                                          "jaxlib 0.4.36", "jax 0.4.37"));
  EXPECT_THAT(runtimes, testing::ElementsAre("jaxlib 0.4.7", "jaxlib 0.4.36"));
}

TEST(Releases, BadOnesAreRefused) {
  EXPECT_FALSE(parseReleases("[", "r.json"));
  EXPECT_FALSE(parseReleases("[]", "r.json"));
  EXPECT_FALSE(parseReleases(R"({"releases": [{"tag": "v1", "date": "2023-03-27"}]})", "r.json"));
  EXPECT_FALSE(parseReleases(R"({"releases": [{"tag": "jax-v1.0"}]})", "r.json"));
}

TEST(Successors, AreToldByNameOrByTable) {
  EXPECT_THAT(replacedTargets("lapack_sgetrf_ffi"), testing::ElementsAre("lapack_sgetrf"));
  EXPECT_THAT(replacedTargets("cusolver_syevd_ffi"),
              testing::ElementsAre("cusolver_syevd", "cusolver_syevj"));
  EXPECT_THAT(replacedTargets("mosaic_gpu_v2"), testing::ElementsAre("mosaic_gpu"));
  EXPECT_THAT(replacedTargets("Eigh"), testing::IsEmpty());
}

}  // namespace
}  // namespace vintage::tests
