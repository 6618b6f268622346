
#include <gtest/gtest.h>

#include "archive/transfer/http_client.h"

namespace vintage::tests {
using namespace archive;

namespace {

using std::chrono::milliseconds;

TEST(RetryPolicy, PausesDoubleUpToTheLongestAndAreSpread) {
  RetryPolicy policy;
  policy.first = milliseconds(100);
  policy.longest = milliseconds(5000);
  std::mt19937_64 random(3);
  for (int failures = 1; failures < 80; ++failures) {
    const milliseconds whole(
        failures > 6 ? 5000 : std::min<int64_t>(5000, int64_t{100} << (failures - 1)));
    milliseconds least = whole, most{0};
    for (int draw = 0; draw < 300; ++draw) {
      const milliseconds pause = policy.pause(failures, random);
      least = std::min(least, pause);
      most = std::max(most, pause);
    }
    EXPECT_GE(least, whole / 2) << failures;
    EXPECT_LE(most, whole) << failures;
    EXPECT_LT(least, whole * 6 / 10) << "not spread";
    EXPECT_GT(most, whole * 9 / 10) << "not spread";
  }
}

TEST(Url, EncodingLeavesOnlyUnreservedLetters) {
  EXPECT_EQ(percentEncoded("a-b._~9"), "a-b._~9");
  EXPECT_EQ(percentEncoded("a b+c/d:e%[*]"), "a%20b%2Bc%2Fd%3Ae%25%5B%2A%5D");
  EXPECT_EQ(percentEncoded("a/b:c", true), "a/b%3Ac");
  EXPECT_EQ(percentEncoded("\xc3\xa4"), "%C3%A4");
}

TEST(Url, AddressesWithSecretsOrQueriesAreRefusedWithoutRepeatingThem) {
  EXPECT_EQ(*checkedBaseUrl("https://host:8700/sub//"), "https://host:8700/sub");
  for (const char* bad : {"https://", "http://user:hunter2@host/", "http://hunter2@host",
                          "http://host/?hunter2", "http://host/#hunter2", "http://ho st/"}) {
    const auto outcome = checkedBaseUrl(bad);
    ASSERT_FALSE(outcome) << bad;
    EXPECT_EQ(outcome.error().kind, Error::Kind::kUsage);
    EXPECT_EQ(outcome.error().message.find("hunter2"), std::string::npos);
  }
}

}  // namespace
}  // namespace vintage::tests
