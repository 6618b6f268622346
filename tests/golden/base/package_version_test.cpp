// Versions of Python packages. The orders and spellings are PEP 440's own.
#include "golden/base/package_version.h"

#include <random>

#include <gtest/gtest.h>

#include "tests/golden/base/texts.h"

namespace vintage::tests {
namespace {

PackageVersion version(std::string_view text) {
  auto parsed = parsePackageVersion(text);
  EXPECT_TRUE(parsed) << text;
  return parsed ? *parsed : PackageVersion{};
}

// "Summary of permitted suffixes and relative ordering", and the examples there.
TEST(PackageVersion, IsOrderedAsPep440Says) {
  const std::vector<std::string> ascending = words(
      "0.4.5 0.4.6.dev20230101 0.4.6a1.dev1 0.4.6a1 0.4.6a2 0.4.6b1 0.4.6rc1.dev5 0.4.6rc1 "
      "0.4.6rc1.post1.dev2 0.4.6rc1.post1 0.4.6rc2 0.4.6 0.4.6+abc.5 0.4.6+abc.7 0.4.6+5 "
      "0.4.6.post1.dev3 0.4.6.post1 0.4.6.post1+1 0.4.10.dev1 0.4.10 0.9.0 0.9.0.1 0.10.0 1.0 "
      "2024.1 1!0.1.dev1 1!0.1");
  for (size_t i = 0; i < ascending.size(); ++i)
    for (size_t j = 0; j < ascending.size(); ++j)
      EXPECT_EQ(version(ascending[i]) <=> version(ascending[j]), i <=> j)
          << ascending[i] << " and " << ascending[j];
}

TEST(PackageVersion, OneVersionHasManySpellings) {
  const std::pair<const char*, const char*> same[] = {{"0.4", "0.4.0"},
                                                      {"0.4.7-rc1", "0.4.7rc1"},
                                                      {"1.1RC1", "1.1rc1"},
                                                      {"1.1a", "1.1a0"},
                                                      {"1.1.alpha_3", "1.1a3"},
                                                      {"1.1beta2", "1.1b2"},
                                                      {"1.1c3", "1.1rc3"},
                                                      {"1.1-preview-4", "1.1rc4"},
                                                      {"1.0-1", "1.0.post1"},
                                                      {"1.0-r4", "1.0.post4"},
                                                      {"1.0.rev", "1.0.post0"},
                                                      {"1.2-dev2", "1.2.dev2"},
                                                      {"1.0+ubuntu-1", "1.0+ubuntu.1"},
                                                      {"v1.0", "1.0"},
                                                      {"1.0\n", "1.0"},
                                                      {"0!1.0", "1.0"},
                                                      {"00.09", "0.9"},
                                                      {"1.2.dev", "1.2.dev0"}};
  for (const auto& [one, other] : same) EXPECT_EQ(version(one), version(other)) << one;
}

TEST(PackageVersion, PreReleasesAreThoseWithAPhaseOrDev) {
  for (const char* text : {"1.0a1", "1.0rc1", "1.0.dev3", "1.0.post1.dev3"})
    EXPECT_TRUE(version(text).isPreRelease()) << text;
  for (const char* text : {"1.0", "1.0.post1", "1!1.0", "1.0+dev"})
    EXPECT_FALSE(version(text).isPreRelease()) << text;
}

TEST(PackageVersion, WhatIsNoneIsRefused) {
  for (const char* text : {"", ".", "0.", "a", "0.4.x", "-1.0", "0..4", "0.4.7rc1x", "0 4", "1.0+",
                           "1.0+a..b", "1.0+a+b", "1!", "!1", "99999999999999999999", "1.0dev1rc1"})
    EXPECT_FALSE(parsePackageVersion(text)) << text;
  std::mt19937 random(3);
  for (int round = 0; round < 20'000; ++round) {
    std::string text;
    for (size_t i = random() % 12; i > 0; --i) text += "0123456789.-rcdevpost ab"[random() % 24];
    if (const auto parsed = parsePackageVersion(text)) EXPECT_FALSE(parsed->release.empty());
  }
}

}  // namespace
}  // namespace vintage::tests
