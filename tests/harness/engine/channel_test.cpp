// Messages between processes, and the host's queues.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/harness/engine/run_grid.h"

namespace vintage::tests::engine_test {
using namespace golden;
using namespace harness;

namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Channel, WaitingForAnotherProcessIsRefusedOnOne) {
  auto result = run(R"(
    func.func @main() -> tensor<i64> {
      %t = stablehlo.create_token : !stablehlo.token
      %r:2 = "stablehlo.recv"(%t) {
        channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>}
        : (!stablehlo.token) -> (tensor<i64>, !stablehlo.token)
      return %r#0 : tensor<i64>
    })");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, Error::Kind::kUnsupported);
  EXPECT_THAT(result.error().message, HasSubstr("waits for stablehlo.send on channel 1"));
}

TEST(Channel, SendsInARing) {
  const std::string text = R"(
    func.func @main(%x: tensor<2xi64>) -> tensor<2xi64> {
      %t = stablehlo.create_token : !stablehlo.token
      %s = "stablehlo.send"(%x, %t) {
        channel_handle = #stablehlo.channel_handle<handle = 5, type = 1>,
        source_target_pairs = dense<[[0, 1], [1, 2], [2, 0]]> : tensor<3x2xi64>
      } : (tensor<2xi64>, !stablehlo.token) -> !stablehlo.token
      %r:2 = "stablehlo.recv"(%s) {
        channel_handle = #stablehlo.channel_handle<handle = 5, type = 1>,
        source_target_pairs = dense<[[0, 1], [1, 2], [2, 0]]> : tensor<3x2xi64>
      } : (!stablehlo.token) -> (tensor<2xi64>, !stablehlo.token)
      return %r#0 : tensor<2xi64>
    })";
  const Rows rows = {{1, 2}, {3, 4}, {5, 6}};
  EXPECT_EQ(evaluateOn({3, 1}, text, {2}, rows), (Rows{{5, 6}, {1, 2}, {3, 4}}));
  EXPECT_EQ(evaluateOn({1, 3}, text, {2}, rows), (Rows{{5, 6}, {1, 2}, {3, 4}}));
}

// Two programs: one sends twice, the other receives in the same order.
constexpr const char* kSendAndReceive = R"(
  func.func @sender(%x: tensor<i64>, %y: tensor<i64>, %t: !stablehlo.token) -> !stablehlo.token {
    %a = "stablehlo.send"(%x, %t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>}
      : (tensor<i64>, !stablehlo.token) -> !stablehlo.token
    %b = "stablehlo.send"(%y, %a) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>}
      : (tensor<i64>, !stablehlo.token) -> !stablehlo.token
    return %b : !stablehlo.token
  }
  func.func @receiver(%t: !stablehlo.token) -> (tensor<i64>, tensor<i64>) {
    %a:2 = "stablehlo.recv"(%t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>}
      : (!stablehlo.token) -> (tensor<i64>, !stablehlo.token)
    %b:2 = "stablehlo.recv"(%a#1) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>}
      : (!stablehlo.token) -> (tensor<i64>, !stablehlo.token)
    return %a#0, %b#0 : tensor<i64>, tensor<i64>
  })";

TEST(Channel, MessagesKeepTheirOrder) {
  const std::string text = std::string(kSendAndReceive) + R"(
    func.func @main(%x: tensor<i64>, %y: tensor<i64>) -> (tensor<i64>, tensor<i64>) {
      %t = stablehlo.create_token : !stablehlo.token
      %r:3 = "interpreter.run_parallel"(%t, %x, %y, %t) {programs = [[@receiver], [@sender]]}
        : (!stablehlo.token, tensor<i64>, tensor<i64>, !stablehlo.token)
        -> (tensor<i64>, tensor<i64>, !stablehlo.token)
      return %r#0, %r#1 : tensor<i64>, tensor<i64>
    })";
  const auto scalar = [](int64_t value) { return tensor<int64_t>(ElementType::kI64, {}, {value}); };
  auto results = run(text, {scalar(3), scalar(4)});
  ASSERT_TRUE(results) << results.error().message;
  EXPECT_THAT(values<int64_t>((*results)[0]), ElementsAre(3));
  EXPECT_THAT(values<int64_t>((*results)[1]), ElementsAre(4));
}

TEST(Channel, MessageThatNobodyTakesIsAnError) {
  const std::string text = std::string(kSendAndReceive) + R"(
    func.func @main(%x: tensor<i64>) {
      %t = stablehlo.create_token : !stablehlo.token
      %r = "interpreter.run_parallel"(%x, %x, %t) {programs = [[@sender]]}
        : (tensor<i64>, tensor<i64>, !stablehlo.token) -> !stablehlo.token
      return
    })";
  auto result = run(text, {tensor<int64_t>(ElementType::kI64, {}, {1})});
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().message,
              HasSubstr("2 messages of stablehlo.send on channel 1 were never received"));
}

// Takes from the host by an infeed and by a recv, and sends to it in both ways.
constexpr const char* kHost = R"(
  func.func @main() -> (tensor<i64>, tensor<2xi64>, tensor<i64>) {
    %t = stablehlo.create_token : !stablehlo.token
    %a:3 = "stablehlo.infeed"(%t) {infeed_config = ""}
      : (!stablehlo.token) -> (tensor<i64>, tensor<2xi64>, !stablehlo.token)
    %b:2 = "stablehlo.recv"(%a#2) {is_host_transfer = true,
        channel_handle = #stablehlo.channel_handle<handle = 2, type = 3>}
      : (!stablehlo.token) -> (tensor<i64>, !stablehlo.token)
    %c = "stablehlo.outfeed"(%a#1, %b#0, %b#1) {outfeed_config = ""}
      : (tensor<2xi64>, tensor<i64>, !stablehlo.token) -> !stablehlo.token
    %d = "stablehlo.send"(%a#0, %c) {is_host_transfer = true,
        channel_handle = #stablehlo.channel_handle<handle = 3, type = 2>}
      : (tensor<i64>, !stablehlo.token) -> !stablehlo.token
    return %a#0, %a#1, %b#0 : tensor<i64>, tensor<2xi64>, tensor<i64>
  })";

TEST(Host, GivesWhatIsNext) {
  const Tensor one = tensor<int64_t>(ElementType::kI64, {}, {1});
  const Tensor pair = tensor<int64_t>(ElementType::kI64, {2}, {2, 3});
  const Tensor four = tensor<int64_t>(ElementType::kI64, {}, {4});
  InfeedQueue infeed{{one, pair}, {four}};
  RunOptions options;
  options.infeed = &infeed;
  auto results = run(kHost, {}, ExecutionMode::kGraph, options);
  ASSERT_TRUE(results) << results.error().message;
  EXPECT_TRUE((*results)[0].identical(one));
  EXPECT_TRUE((*results)[1].identical(pair));
  EXPECT_TRUE((*results)[2].identical(four));
  EXPECT_TRUE(infeed.empty());
}

TEST(Host, WrongOrMissingDataIsToldAndNothingHangs) {
  InfeedQueue infeed;
  RunOptions options;
  options.infeed = &infeed;
  auto empty = run(kHost, {}, ExecutionMode::kGraph, options);
  ASSERT_FALSE(empty);
  EXPECT_THAT(empty.error().message, AllOf(HasSubstr("stablehlo.infeed"), HasSubstr("empty")));
  infeed.push_back({tensor<int64_t>(ElementType::kI64, {}, {1})});
  auto few = run(kHost, {}, ExecutionMode::kGraph, options);
  ASSERT_FALSE(few);
  EXPECT_THAT(few.error().message, HasSubstr("takes 2 inputs and was given 1"));
  infeed.push_back({tensor<int64_t>(ElementType::kI64, {}, {1}),
                    tensor<int64_t>(ElementType::kI64, {3}, {1, 2, 3})});
  auto wrong = run(kHost, {}, ExecutionMode::kGraph, options);
  ASSERT_FALSE(wrong);
  EXPECT_THAT(wrong.error().message, HasSubstr("i64[3]"));
}

}  // namespace
}  // namespace vintage::tests::engine_test
