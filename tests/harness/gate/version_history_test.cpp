// The past of JAX's calling conventions and serialization versions, judged with its
// releases. The expected values were worked out by hand from the facts.
#include <filesystem>

#include <gmock/gmock.h>

#include "golden/base/strict_json.h"
#include "harness/gate/history.h"
#include "tests/harness/gate/change_builder.h"

namespace vintage::tests {
using namespace harness;

namespace {

using testing::HasSubstr;

std::vector<JudgedVersionChange> judged(const std::string& format, const std::string& releases) {
  ListedFacts none;
  auto facts = parseFormatFacts(format, "format");
  auto builds = parseReleases(releases, "releases");
  EXPECT_TRUE(facts) << facts.error().message;
  EXPECT_TRUE(builds) << builds.error().message;
  if (!facts || !builds) return {};
  auto result = judgeVersionHistory(*facts, *builds, none);
  EXPECT_TRUE(result) << result.error().message;
  return result ? *result : std::vector<JudgedVersionChange>{};
}

struct Expected {
  const char* date;
  const char* what;
  const char* source;
  GateResult result;
  const char* legal;  // Of the first finding.
  const char* sum;
};

constexpr auto kKept = GateResult::kAllowed;
constexpr auto kBroke = GateResult::kForbidden;

// In order of time.
constexpr Expected kReal[] = {
    // Consumers read it since 2023-07-12: + 30 days = 2023-08-11.
    {"2023-08-12", "calling convention 7 becomes the default", "the facts", kKept, "", ""},
    // 4 was the default until 2023-08-11: + 181 (20 days of August, 30 + 31 + 30 + 31 + 31
    // to the end of January, 8 of February) = 2024-02-08.
    {"2023-10-17", "calling conventions below 5 are dropped", "the facts", kBroke, "2024-02-08",
     "2023-08-11 (JAX of 2023-08-11 exports 4 by default) + 181 days"},
    {"2023-10-21", "calling convention 8 becomes the default", "the facts", kKept, "", ""},
    {"2024-02-01", "calling convention 9 becomes the default", "the facts", kKept, "", ""},
    // 8 was the default until 2024-01-31: + 181 (29 of February, 31 + 30 + 31 + 30 to the end
    // of June, 30 of July) = 2024-07-30.
    {"2024-03-27", "calling conventions below 9 are dropped", "the facts", kBroke, "2024-07-30",
     "2024-01-31 (JAX of 2024-01-31 exports 8 by default) + 181 days"},
    {"2024-04-03", "calling conventions below 9 are dropped", "jax 0.4.26", kBroke, "2024-07-30",
     "2024-01-31 (JAX of 2024-01-31 exports 8 by default) + 181 days"},
    // Consumers read it since 2025-05-20; jax 0.6.2 of 2025-06-17 does not, and left the
    // forward window on 2025-07-09.
    {"2025-07-14", "calling convention 10 becomes the default", "the facts", kKept, "", ""},
    // 25 days after 2025-11-23: the promise is kept, the policy of a month is not.
    {"2025-12-18", "serialization version 5 becomes the default", "jax 0.8.2",
     GateResult::kNeedsReview, "2025-12-23", "2025-11-23 (consumers read it since then) + 30 days"},
    // 5, 6, 11 and 3 days after the version came.
    {"2026-01-20", "serialization version 6 becomes the default", "jax 0.9.0", kBroke, "2026-02-05",
     "2026-01-15 (consumers read it since then) + 21 days"},
    {"2026-03-18", "serialization version 8 becomes the default", "jax 0.9.2", kBroke, "2026-04-02",
     "2026-03-12 (consumers read it since then) + 21 days"},
    {"2026-04-15", "serialization version 10 becomes the default", "jax 0.10.0", kBroke,
     "2026-04-25", "2026-04-04 (consumers read it since then) + 21 days"},
    {"2026-05-18", "serialization version 11 becomes the default", "jax 0.10.1", kBroke,
     "2026-06-05", "2026-05-15 (consumers read it since then) + 21 days"},
};

TEST(RealVersionHistory, IsJudgedChangeByChange) {
  const std::string facts = std::string(VINTAGE_SHARED) + "/facts/";
  if (!std::filesystem::exists(facts + "jax_exported_format.json")) GTEST_SKIP() << "no ../shared";
  const auto history = judged(*readTextFile(facts + "jax_exported_format.json"),
                              *readTextFile(facts + "jax_releases.json"));
  ASSERT_EQ(history.size(), std::size(kReal));
  for (size_t i = 0; i < history.size(); ++i) {
    const Expected& expected = kReal[i];
    SCOPED_TRACE(expected.what);
    EXPECT_EQ(formatDate(history[i].date), expected.date);
    EXPECT_EQ(history[i].what, expected.what);
    EXPECT_EQ(history[i].source, expected.source);
    EXPECT_EQ(history[i].verdict.result, expected.result);
    EXPECT_TRUE(history[i].verdict.notes.empty());
    ASSERT_EQ(history[i].verdict.findings.size(), expected.result == kKept ? 0u : 1u);
    if (expected.result == kKept) continue;
    const auto& legal = history[i].verdict.findings[0].legal;
    ASSERT_TRUE(legal);
    EXPECT_EQ(formatDate(legal->date), expected.legal);
    EXPECT_EQ(legal->sum, expected.sum);
  }
  const std::string text = historyText({{}, history});
  EXPECT_THAT(text, HasSubstr("12 changes of versions: 4 kept the rules, 1 needs review, 7 broke"));
  EXPECT_EQ(historyJson({{}, history})["version_changes"].size(), 12u);
}

std::string conventions(const char* byDefault, const char* dropped) {
  return std::string(R"({"serialization_versions": [], "calling_conventions": [
    {"version": 8, "consumer": null, "producer": "2025-01-01", "default": "2025-01-01", "dropped": ")") +
         dropped + R"("},
    {"version": 9, "consumer": "2026-01-10", "default": ")" +
         byDefault + R"("}]})";
}
constexpr const char* kNoReleases = R"({"releases": []})";

// 2026-01-10 + 21 days = 2026-01-31, + 30 days = 2026-02-09.
TEST(VersionHistory, ADefaultIsJudgedToTheDay) {
  for (const auto& [date, result] : {std::pair{"2026-01-30", GateResult::kForbidden},
                                     {"2026-01-31", GateResult::kNeedsReview},
                                     {"2026-02-08", GateResult::kNeedsReview},
                                     {"2026-02-09", GateResult::kAllowed}}) {
    const auto history = judged(conventions(date, "2030-01-01"), kNoReleases);
    ASSERT_EQ(history.size(), 2u);
    EXPECT_EQ(history[0].verdict.result, result) << date;
  }
}

// 8 is the default until 2026-03-31: + 180 days = 2026-09-27, the last day in the window.
TEST(VersionHistory, ADropIsJudgedToTheDay) {
  for (const auto& [date, result] :
       {std::pair{"2026-09-27", GateResult::kForbidden}, {"2026-09-28", GateResult::kAllowed}}) {
    const auto history = judged(conventions("2026-04-01", date), kNoReleases);
    ASSERT_EQ(history.size(), 2u);
    EXPECT_EQ(history[1].verdict.result, result) << date;
  }
}

// A later release of an older series writes the older version again. This is no change of the
// newest series.
TEST(VersionHistory, ALaterReleaseOfAnOlderSeriesChangesNothing) {
  const auto history = judged(R"({"calling_conventions": [], "serialization_versions": [
      {"version": 5, "date": "2025-01-01"}, {"version": 6, "date": null}]})",
                              R"({"releases": [
      {"tag": "jax-v0.8.2", "date": "2026-01-01", "serialization_version": 5},
      {"tag": "jax-v0.10.0", "date": "2026-03-01", "serialization_version": 6},
      {"tag": "jax-v0.8.3", "date": "2026-03-05", "serialization_version": 5},
      {"tag": "jax-v0.10.1", "date": "2026-03-09", "serialization_version": 6}]})");
  ASSERT_EQ(history.size(), 1u);
  EXPECT_EQ(history[0].source, "jax 0.10.0");
  // The facts do not say since when it is read, and the last release that does not read it is long
  // gone: 2026-01-01 + 22 days = 2026-01-23.
  EXPECT_EQ(history[0].verdict.result, GateResult::kAllowed);
}

TEST(VersionHistory, WhatIsNoneIsRefusedWithItsPlace) {
  const std::pair<const char*, const char*> bad[] = {
      {"[", "format.json: this is not a JSON object"},
      {"[]", "format.json: this is not a JSON object"},
      {"{}", "format.json: calling_conventions: expected a list"},
      {R"({"calling_conventions": [{}]})", "calling_conventions[0]"},
      {R"({"calling_conventions": [{"version": "9"}]})", "calling_conventions[0]"},
      {R"({"calling_conventions": [7]})", "calling_conventions[0]"},
      {R"({"calling_conventions": []})", "serialization_versions: expected a list"},
  };
  for (const auto& [text, message] : bad) {
    const auto facts = parseFormatFacts(text, "format.json");
    ASSERT_FALSE(facts) << text;
    EXPECT_THAT(facts.error().message, HasSubstr(message));
  }
}

}  // namespace
}  // namespace vintage::tests
