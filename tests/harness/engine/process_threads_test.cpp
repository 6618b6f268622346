// Threads that are kept for the processes of the next program.
#include "harness/engine/process.h"

#include <barrier>
#include <latch>
#include <mutex>
#include <set>
#include <thread>

#include <gmock/gmock.h>

#include "tests/harness/engine/run_grid.h"

namespace vintage::tests::engine_test {
using namespace harness;

namespace {

using ::testing::HasSubstr;

// Bodies that all wait for each other end only where each has a thread.
TEST(ProcessThreads, RunBodiesAtOnceAndAreKept) {
  constexpr ptrdiff_t kBodies = 5;
  ProcessThreads threads;
  std::mutex mutex;
  std::set<std::thread::id> seen;
  for (int round = 0; round < 20; ++round) {
    std::barrier meeting(kBodies);
    std::latch ended(kBodies);
    for (ptrdiff_t i = 0; i < kBodies; ++i)
      threads.start([&] {
        {
          const std::lock_guard lock(mutex);
          seen.insert(std::this_thread::get_id());
        }
        meeting.arrive_and_wait();
        ended.count_down();
      });
    ended.wait();
  }
  // One that has counted down may not wait for its next body yet, and another is started.
  EXPECT_LE(seen.size(), 2 * static_cast<size_t>(kBodies));
}

TEST(ProcessThreads, ABodyMayStartOthersAndWaitForThem) {
  ProcessThreads threads;
  std::latch outer(1);
  threads.start([&] {
    std::latch inner(2);
    for (int i = 0; i < 2; ++i) threads.start([&] { inner.count_down(); });
    inner.wait();
    outer.count_down();
  });
  outer.wait();
}

TEST(ProcessThreads, EndWithWhatWasStarted) {
  int ran = 0;
  {
    ProcessThreads threads;
    threads.start([&] { ++ran; });
  }
  EXPECT_EQ(ran, 1);
}

// A failed run leaves no thread that would wait in the next run.
TEST(ProcessThreads, ProgramsRunOnThemOneAfterTheOther) {
  ProcessThreads threads;
  RunOptions options;
  options.threads = &threads;
  const std::string sum = allReduce("replica_groups = dense<[[0, 1, 2]]> : tensor<1x3xi64>");
  const std::string nobody = allReduce("replica_groups = dense<[[0, 7, 2]]> : tensor<1x3xi64>");
  const auto inputs = inputsOf({1}, {{1}, {10}, {100}});
  for (int round = 0; round < 5; ++round) {
    const auto results = runOn({3, 1}, sum, inputs, ExecutionMode::kGraph, options);
    ASSERT_TRUE(results) << results.error().message;
    ASSERT_EQ(results->size(), 3u);
    for (const auto& tensors : *results) EXPECT_EQ(values<int64_t>(tensors.at(0)).at(0), 111);
    EXPECT_FALSE(runOn({3, 1}, nobody, inputs, ExecutionMode::kGraph, options));
  }
}

}  // namespace
}  // namespace vintage::tests::engine_test
