#include "golden/base/isolate.h"

#include <csignal>
#include <map>

#include <gmock/gmock.h>
#include <unistd.h>

namespace vintage::tests {
namespace {

using testing::HasSubstr;

TEST(IsolateMany, EveryPieceComesBackOnce) {
  for (int jobs : {1, 2, 7}) {
    std::map<size_t, std::string> results;
    const Status status = runIsolatedMany(
        200, jobs, {},
        [](size_t index) { return std::string(index * 37, 'a') + std::to_string(index); },
        [&](size_t index, Result<std::string> result) {
          EXPECT_FALSE(results.contains(index));
          results[index] = result ? *result : "";
        });
    ASSERT_TRUE(status);
    ASSERT_EQ(results.size(), 200u);
    for (const auto& [index, text] : results)
      EXPECT_EQ(text, std::string(index * 37, 'a') + std::to_string(index));
  }
}

TEST(IsolateMany, WhatCrashesOrHangsIsNamedAndTheRestGoesOn) {
  IsolationLimits limits;
  limits.time = std::chrono::seconds(2);
  std::map<size_t, std::string> errors;
  size_t good = 0;
  const Status status = runIsolatedMany(
      60, 2, limits,
      [](size_t index) -> std::string {
        if (index == 11 || index == 12) ::raise(SIGKILL);
        if (index == 30) ::pause();
        if (index == 41) throw std::bad_alloc();
        return "fine";
      },
      [&](size_t index, Result<std::string> result) {
        if (result)
          ++good;
        else
          errors[index] = result.error().message;
      });
  ASSERT_TRUE(status);
  EXPECT_EQ(good, 56u);
  ASSERT_EQ(errors.size(), 4u);
  EXPECT_THAT(errors[11], HasSubstr("signal 9"));
  EXPECT_THAT(errors[30], HasSubstr("more than 2 s"));
  EXPECT_THAT(errors[41], HasSubstr("ended its process"));
}

TEST(IsolateMany, NoPiecesIsNoWork) {
  EXPECT_TRUE(runIsolatedMany(
      0, 2, {}, [](size_t) { return ""; }, [](size_t, Result<std::string>) { FAIL(); }));
}

}  // namespace
}  // namespace vintage::tests
