#include "harness/runtimes/meter.h"

#include <chrono>
#include <thread>

#include <gtest/gtest.h>

namespace vintage::tests {
namespace {

using harness::ExecuteReply;
using harness::ExecuteRequest;
using harness::Meter;

// A first run of more than `seconds` was the only one and counted, with all that is set up only
// then.
TEST(Meter, ALongFirstRunIsNoRun) {
  ExecuteRequest request;
  request.measure = archive::MeasureRequest{.repetitions = 5, .seconds = 0.001};
  ExecuteReply reply;
  Meter meter(request, reply);
  int calls = 0;
  ASSERT_TRUE(meter.run([&]() -> Status {
    if (++calls == 1) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    return {};
  }));
  ASSERT_TRUE(reply.measured);
  EXPECT_GE(reply.measured->firstRun.wall, 0.02);
  ASSERT_GE(reply.measured->runs.size(), 1u);
  EXPECT_EQ(static_cast<size_t>(calls), 1 + reply.measured->runs.size());
  EXPECT_NE(reply.measured->runs.front(), reply.measured->firstRun);
}

}  // namespace
}  // namespace vintage::tests
