// Versions of Python packages, and which jaxlib goes with which jax.

#include "harness/builds/pairing.h"

#include <random>

#include <gmock/gmock.h>

#include "tests/rooms.h"

namespace vintage::tests {
namespace {

using Answer = Pairing::Answer;

PackageVersion version(std::string_view text) {
  auto parsed = parsePackageVersion(text);
  EXPECT_TRUE(parsed) << text;
  return parsed ? *parsed : PackageVersion{};
}

// In the order that PEP 440 gives.
TEST(Pairing, VersionsAreOrdered) {
  const char* ascending[] = {"0.4.5",  "0.4.6.dev20230101", "0.4.6a1",  "0.4.6b2", "0.4.6rc1",
                             "0.4.6rc2", "0.4.6",           "0.4.6.post1", "0.4.10",  "0.9.0",
                             "0.9.0.1", "0.10.0",           "1.0"};
  for (size_t i = 0; i < std::size(ascending); ++i)
    for (size_t j = 0; j < std::size(ascending); ++j)
      EXPECT_EQ(version(ascending[i]) <=> version(ascending[j]), i <=> j)
          << ascending[i] << " and " << ascending[j];
  EXPECT_EQ(version("0.4"), version("0.4.0"));
  EXPECT_EQ(version("0.4.7-rc1"), version("0.4.7rc1"));
}

TEST(Pairing, WhatIsNoVersionIsRefused) {
  for (const char* text : {"", ".", "0.", "a", "0.4.x", "-1.0", "0..4", "0.4.7rc1x", "0.4 ",
                           "99999999999", "1.1.1.1.1.1.1.1.1"})
    EXPECT_FALSE(parsePackageVersion(text)) << text;
  std::mt19937 random(3);
  for (int round = 0; round < 20'000; ++round) {
    std::string text;
    for (size_t i = random() % 12; i > 0; --i) text += "0123456789.-rcdevpost ab"[random() % 24];
    if (const auto parsed = parsePackageVersion(text)) EXPECT_FALSE(parsed->release.empty());
  }
}

struct Pair {
  const char* jax;
  const char* minimum;
  const char* jaxlib;
  Answer answer;
  const char* reason;
};

TEST(Pairing, TheRulesOfTheVersioningDocument) {
  const Pair pairs[] = {
      {"0.4.30", "0.4.27", "0.4.27", Answer::kAllowed, ""},
      {"0.4.30", "0.4.27", "0.4.30", Answer::kAllowed, ""},
      {"0.4.30", "0.4.27", "0.4.26", Answer::kForbidden, "older than 0.4.27"},
      {"0.4.30", "0.4.27", "0.4.31", Answer::kForbidden, "newer than jax 0.4.30"},
      {"0.4.30", "0.4.27", "0.4.30.post1", Answer::kForbidden, "newer than jax"},
      {"0.4.30", "0.4.27", "0.4.27rc1", Answer::kForbidden, "older than 0.4.27"},
      {"0.9.1", "0.9.0.1", "0.9.0", Answer::kForbidden, "older than 0.9.0.1"},
      {"0.4.30", "", "0.4.30", Answer::kUnknown, "minimum jaxlib"},
      {"0.4.30", "", "0.4.31", Answer::kForbidden, "newer"},
  };
  for (const Pair& pair : pairs) {
    const auto told = checkPairing({pair.jax, pair.minimum, {}}, {pair.jaxlib, {}});
    ASSERT_TRUE(told);
    EXPECT_EQ(told->answer, pair.answer) << pair.jax << " with " << pair.jaxlib;
    EXPECT_THAT(told->reason, testing::HasSubstr(pair.reason));
  }
}

TEST(Pairing, TheExtensionVersionStandsBesideThem) {
  const JaxPackage jax{"0.4.30", "0.4.27", 270};
  EXPECT_EQ(checkPairing(jax, {"0.4.29", 270})->answer, Answer::kAllowed);
  const auto older = checkPairing(jax, {"0.4.29", 269});
  EXPECT_EQ(older->answer, Answer::kForbidden);
  EXPECT_THAT(older->reason, testing::HasSubstr("extension version 269"));
  EXPECT_EQ(checkPairing(jax, {"0.4.29", {}})->answer, Answer::kUnknown);
  // It does not outweigh the versions.
  EXPECT_EQ(checkPairing(jax, {"0.4.26", 999})->answer, Answer::kForbidden);
  EXPECT_EQ(checkPairing({"x", "", {}}, {"0.4.26", {}}).error().kind, Error::Kind::kUsage);
}

}  // namespace
}  // namespace vintage::tests
