// Promises as data: their borders to the day, and files that say them.

#include "archive/records/window_policy.h"

#include <random>

#include <gmock/gmock.h>

namespace vintage::tests {
using namespace archive;

namespace {

using testing::HasSubstr;

Date dated(const char* text) { return *parseDate(text); }

PromiseRule rule(Promise direction, int days, int months, int years) {
  return {"r", direction, days, months, years, {}};
}

struct Border {
  PromiseRule rule;
  const char* producer;
  const char* first;
  const char* last;
};

// Counted by hand on a calendar.
TEST(Policy, SpansEndOnTheirDay) {
  const Border borders[] = {
      {rule(Promise::kBackward, 180, 0, 0), "2025-06-01", "2025-06-01", "2025-11-28"},
      {rule(Promise::kForward, 21, 0, 0), "2025-06-01", "2025-05-11", "2025-05-31"},
      {rule(Promise::kBackward, 0, 0, 5), "2021-03-04", "2021-03-04", "2026-03-04"},
      {rule(Promise::kBackward, 0, 0, 5), "2024-02-29", "2024-02-29", "2029-02-28"},
      {rule(Promise::kForward, 0, 0, 2), "2026-02-28", "2024-02-28", "2026-02-27"},
      {rule(Promise::kForward, 0, 0, 2), "2024-02-29", "2022-02-28", "2024-02-28"},
      {rule(Promise::kBackward, 0, 1, 0), "2026-01-31", "2026-01-31", "2026-02-28"},
      {rule(Promise::kForward, 0, 6, 0), "2026-08-31", "2026-02-28", "2026-08-30"},
  };
  for (const Border& border : borders) {
    const DateRange range = border.rule.consumers(dated(border.producer));
    EXPECT_EQ(formatDate(range.first), border.first) << border.producer << border.rule.span();
    EXPECT_EQ(formatDate(range.last), border.last) << border.producer << border.rule.span();
  }
}

TEST(Policy, FilesAreReadStrictly) {
  const auto policy = parsePolicy(R"({"format": "vintage window policy", "version": 1,
    "name": "ours", "promises": [
      {"name": "a year", "direction": "backward", "years": 1, "formats": ["exported"]},
      {"name": "a week", "direction": "forward", "days": 7}], "default_bump_days": 14})",
                                  "p.json");
  ASSERT_TRUE(policy) << policy.error().message;
  ASSERT_EQ(policy->promises.size(), 2u);
  EXPECT_TRUE(policy->promises[0].appliesTo(ArtifactRecord::Format::kExported));
  EXPECT_FALSE(policy->promises[0].appliesTo(ArtifactRecord::Format::kPortableArtifact));
  EXPECT_EQ(policy->promises[1].span(), "7 days");
  EXPECT_EQ(policy->defaultBumpDays, 14);

  const auto with = [](const std::string& promises) {
    return R"({"format": "vintage window policy", "version": 1, "name": "x", "promises": )" +
           promises + "}";
  };
  const std::pair<std::string, const char*> wrong[] = {
      {"", "JSON"},
      {"{}", "format"},
      {with("[]"), "promises"},
      {with(R"([{"name": "a", "direction": "sideways", "days": 1}])"), "sideways"},
      {with(R"([{"name": "a", "direction": "forward"}])"), "one of them"},
      {with(R"([{"name": "a", "direction": "forward", "days": 1, "years": 1}])"), "one of them"},
      {with(R"([{"name": "a", "direction": "forward", "days": -1}])"), "whole number"},
      {with(R"([{"name": "a", "direction": "forward", "years": 2000000000}])"), "100 years"},
      {with(R"([{"name": "a", "direction": "forward", "days": 1, "fromats": []}])"), "fromats"},
      {with(R"([{"name": "a", "direction": "forward", "days": 1, "formats": ["x"]}])"), "'x'"},
      {with(R"([{"name": "a", "direction": "forward", "days": 1},
                {"name": "a", "direction": "backward", "days": 1}])"),
       "twice"},
  };
  for (const auto& [text, place] : wrong) {
    const auto refused = parsePolicy(text, "p.json");
    ASSERT_FALSE(refused) << text;
    EXPECT_THAT(refused.error().message, HasSubstr("p.json"));
    EXPECT_THAT(refused.error().message, HasSubstr(place));
  }
  EXPECT_THAT(readPolicy("/nonexistent").error().message, HasSubstr("'stablehlo'"));
}

struct Covered {
  const char* producer;
  const char* consumer;
  std::optional<Promise> promise;
};

// Days counted by hand on a calendar; 2024 is a leap year, 2025 is not.
TEST(Window, BordersAreInsideToTheDay) {
  const Covered borders[] = {
      {"2025-01-01", "2025-01-01", Promise::kBackward},
      {"2025-01-01", "2025-06-30", Promise::kBackward},  // 180 days
      {"2025-01-01", "2025-07-01", std::nullopt},        // 181
      {"2024-01-01", "2024-06-29", Promise::kBackward},  // 180, over a February of 29 days
      {"2024-01-01", "2024-06-30", std::nullopt},
      {"2024-12-31", "2025-06-29", Promise::kBackward},  // 180, over a new year
      {"2025-03-22", "2025-03-21", Promise::kForward},   // a day before
      {"2025-03-22", "2025-03-01", Promise::kForward},   // 21
      {"2025-03-22", "2025-02-28", std::nullopt},        // 22
      {"2024-03-10", "2024-02-18", Promise::kForward},   // 21, over February 29
      {"2024-03-10", "2024-02-17", std::nullopt},
  };
  for (const Covered& border : borders)
    EXPECT_EQ(jaxPolicy().covers(dated(border.producer), dated(border.consumer)), border.promise)
        << border.producer << " on " << border.consumer;
}

// Months and years differ in length; what a producer sees and what a consumer
// sees must not.
TEST(Window, BothSidesAgree) {
  const PromiseRule rules[] = {
      {"", Promise::kBackward, 180, 0, 0, {}}, {"", Promise::kForward, 21, 0, 0, {}},
      {"", Promise::kBackward, 0, 1, 0, {}},   {"", Promise::kForward, 0, 3, 0, {}},
      {"", Promise::kBackward, 0, 0, 1, {}},   {"", Promise::kForward, 0, 0, 0, {}}};
  std::mt19937 random(11);
  for (int round = 0; round < 5000; ++round) {
    const Date producer = dated("2023-03-01") + std::chrono::days(random() % 1400);
    const Date consumer = producer + std::chrono::days(int(random() % 840) - 420);
    for (const PromiseRule& rule : rules)
      EXPECT_EQ(rule.consumers(producer).contains(consumer),
                rule.producers(consumer).contains(producer))
          << formatDate(producer) << " " << formatDate(consumer) << " " << rule.span();
  }
}

}  // namespace
}  // namespace vintage::tests
