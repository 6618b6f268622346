// Archives, records and contents for the archive's tests.
#pragma once

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <unistd.h>

#include <gtest/gtest.h>

#include "archive/store/archive.h"
#include "golden/base/clock.h"
#include "golden/base/content_hash.h"

namespace vintage::tests {

// A folder of its own for each test, removed at the end.
class FolderTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "vintage-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  std::string path(const std::string& name) const { return folder_ + "/" + name; }

  std::string folder_;
};

// Stands still until a test turns it, or until somebody sleeps by it. Any thread.
class TurnedClock : public Clock {
 public:
  explicit TurnedClock(std::chrono::system_clock::time_point start =
                           std::chrono::sys_days(std::chrono::year(2026) / 3 / 1))
      : start_(start) {}
  std::chrono::system_clock::time_point now() override { return start_ + turned(); }
  std::chrono::steady_clock::time_point steady() override {
    return std::chrono::steady_clock::time_point(std::chrono::hours(1)) + turned();
  }
  void sleep(std::chrono::nanoseconds time) override { turn(time); }
  void turn(std::chrono::nanoseconds time) { turned_ += time.count(); }
  std::chrono::nanoseconds turned() const { return std::chrono::nanoseconds(turned_); }

 private:
  const std::chrono::system_clock::time_point start_;
  std::atomic<int64_t> turned_{0};
};

// Random bytes do not compress; these do, about as well as programs.
inline std::vector<std::byte> content(uint64_t seed, size_t size, bool compressible = true) {
  std::mt19937_64 random(seed);
  std::vector<std::byte> bytes(size);
  for (std::byte& byte : bytes)
    byte = static_cast<std::byte>(compressible ? (random() & 7) + 'a' : random());
  return bytes;
}

inline Date day(int number) { return Date(std::chrono::days(20'000 + number)); }

inline archive::ArtifactRecord sampleRecord(const std::string& name, int dayNumber = 0) {
  archive::ArtifactRecord record;
  record.name = name;
  record.producer = "producer " + std::to_string(dayNumber);
  record.buildDate = day(dayNumber);
  record.callingConventionVersion = 9;
  record.serializationVersion = 3;
  record.stablehloVersion = "1.9.3";
  record.primitive = "add";
  record.dtypes = {"f32"};
  record.platforms = {"cpu"};
  return record;
}

inline archive::BuildRecord sampleBuild(const std::string& name, int dayNumber = 0) {
  archive::BuildRecord build;
  build.name = name;
  build.version = "1.0";
  build.buildDate = day(dayNumber);
  build.platforms = {"cpu"};
  build.modes = {"graph", "eager"};
  build.oldestCallingConvention = 4;
  build.newestCallingConvention = 10;
  build.newestSerialization = 12;
  build.stablehloVersion = "1.20.0";
  build.kind = "command";
  build.details.commit = archive::SourceCommit{"c0ffee", "2026-03-01T00:00:00Z", "sample"};
  return build;
}

inline golden::Golden sampleGolden(float value) {
  golden::Golden golden;
  golden::Tensor tensor(golden::ElementType::kF32, {2});
  tensor.mutableValues<float>()[0] = value;
  golden.inputs = {tensor};
  golden.expected = {tensor};
  golden.comparators = {golden::Comparator{}};
  golden.oracle = "exact";
  return golden;
}

// The value, or a failed test that says the error.
template <typename T>
T must(Result<T> result) {
  if (!result) {
    ADD_FAILURE() << result.error().message;
    std::abort();  // Nothing after this could be trusted.
  }
  return std::move(*result);
}
// The kind of the error; none where it succeeded, as error() is undefined then.
template <typename T>
std::optional<Error::Kind> refusal(const tl::expected<T, Error>& result) {
  return result ? std::nullopt : std::optional(result.error().kind);
}
inline void must(const Status& status) { ASSERT_TRUE(status) << status.error().message; }

}  // namespace vintage::tests
