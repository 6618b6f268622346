#include "golden/base/isolate.h"

#include <csignal>
#include <vector>

#include <gmock/gmock.h>
#include <unistd.h>

namespace vintage::tests {
namespace {

using testing::HasSubstr;

TEST(Isolate, ValuesAndErrorsComeBack) {
  const std::string large(3'000'000, 'x');
  auto value = runIsolated("a.bin", [&]() -> Result<std::string> { return large; });
  ASSERT_TRUE(value);
  EXPECT_EQ(*value, large);
  auto error = runIsolated("a.bin", []() -> Result<std::string> {
    return failure(Error::Kind::kUnsupported, "a.bin: too new");
  });
  ASSERT_FALSE(error);
  EXPECT_EQ(error.error().kind, Error::Kind::kUnsupported);
  EXPECT_EQ(error.error().message, "a.bin: too new");
}

TEST(Isolate, ACrashIsOneErrorThatNamesTheFile) {
  for (int signal : {SIGSEGV, SIGABRT, SIGKILL}) {
    auto result = runIsolated("hostile.bin", [&]() -> Result<std::string> {
      ::signal(signal, SIG_DFL);
      ::raise(signal);
      return "";
    });
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().kind, Error::Kind::kBadInput);
    EXPECT_THAT(result.error().message, HasSubstr("hostile.bin: reading it crashed"));
  }
}

TEST(Isolate, ALoopIsEnded) {
  IsolationLimits limits;
  limits.time = std::chrono::seconds(1);
  auto result = runIsolated(
      "slow.bin",
      []() -> Result<std::string> {
        for (;;) ::pause();
      },
      limits);
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().message, HasSubstr("slow.bin: reading it takes more than 1 s"));
}

TEST(Isolate, MemoryHasALimit) {
  IsolationLimits limits;
  limits.memoryBytes = size_t{1} << 30;
  auto result = runIsolated(
      "huge.bin",
      []() -> Result<std::string> {
        std::vector<std::string> hoard;
        for (;;) hoard.emplace_back(size_t{64} << 20, 'x');
      },
      limits);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, Error::Kind::kResource);
}

}  // namespace
}  // namespace vintage::tests
