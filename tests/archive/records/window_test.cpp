#include "archive/records/window_policy.h"

#include <random>

#include <gtest/gtest.h>

#include "tests/rooms.h"

namespace vintage::tests {
namespace {

Date day(const char* text) { return *parseDate(text); }

struct Border {
  const char* producer;
  const char* consumer;
  std::optional<Promise> promise;
};

// Days counted by hand on a calendar; 2024 is a leap year, 2025 is not.
TEST(Window, BordersAreInsideToTheDay) {
  const Border borders[] = {
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
  for (const Border& border : borders)
    EXPECT_EQ(jaxPolicy().covers(day(border.producer), day(border.consumer)), border.promise)
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
    const Date producer = day("2023-03-01") + std::chrono::days(random() % 1400);
    const Date consumer = producer + std::chrono::days(int(random() % 840) - 420);
    for (const PromiseRule& rule : rules)
      EXPECT_EQ(rule.consumers(producer).contains(consumer),
                rule.producers(consumer).contains(producer))
          << formatDate(producer) << " " << formatDate(consumer) << " " << rule.span();
  }
}

}  // namespace
}  // namespace vintage::tests
