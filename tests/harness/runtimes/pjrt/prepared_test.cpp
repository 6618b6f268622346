// Messages between the process that reads programs and the process that loaded a plugin.
#include "harness/runtimes/pjrt/prepared.h"
#include "tests/golden/tensor/sample_tensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/runtimes/pjrt/client.h"
#include "tests/harness/runtimes/wire.h"

namespace vintage::tests {
using namespace golden;
using namespace harness;

namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Field by field what jaxlib 0.8.1 writes for two partitions, where it differs from the
// defaults: num_replicas 1, num_partitions 2, use_spmd_partitioning, the device assignment,
// allow_spmd_sharding_propagation_to_output [false], use_shardy_partitioner.
TEST(PluginCompileOptions, AreThoseOfJaxlib) {
  const std::string jaxlib(
      "\x20\x01\x28\x02\x30\x01"
      "\x4a\x0e\x08\x01\x10\x02\x1a\x03\x0a\x01\x00\x1a\x03\x0a\x01\x01"
      "\x62\x01\x00\x98\x01\x01",
      28);
  const std::string ordinal("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11);
  constexpr int kDevices[] = {0, 1};
  EXPECT_EQ(encodeCompileOptions(kDevices, true), std::string("\x1a\x27", 2) + ordinal + jaxlib);
}

TEST(PluginPreparation, TravelsAsAFrame) {
  Preparation sent;
  PreparedProgram& program = sent.emplace_back();
  program.module = {std::byte{1}, std::byte{2}};
  program.form = "refined";
  program.note = "note";
  program.devices = 2;
  program.shardy = true;
  program.arguments = {{ints({2}, {1, 2}), ints({}, {5})}, {ints({2}, {3, 4}), Tensor()}};
  program.outputs = {{{4}, {{0}, {2}}}};
  auto answer = answerFromFrame(travelled(sent));
  ASSERT_TRUE(answer) << answer.error().message;
  const PreparedProgram& came = std::get<Preparation>(*answer).at(0);
  EXPECT_EQ(came.module, program.module);
  EXPECT_EQ(came.form, "refined");
  EXPECT_EQ(came.note, "note");
  EXPECT_TRUE(came.shardy);
  ASSERT_EQ(came.arguments.size(), 2u);
  EXPECT_TRUE(came.arguments[1][0].identical(ints({2}, {3, 4})));
  EXPECT_TRUE(came.arguments[1][1].identical(Tensor()));
  EXPECT_THAT(came.outputs.at(0).starts, ElementsAre(Shape{0}, Shape{2}));
}

TEST(PluginPreparation, ADamagedFrameIsAnError) {
  Preparation sent;
  sent.emplace_back().arguments = {{ints({2}, {1, 2})}};
  Frame frame = travelled(sent);
  frame.payloads.pop_back();
  EXPECT_FALSE(answerFromFrame(frame));
  frame.header["programs"][0]["arguments"] = 7;
  EXPECT_FALSE(answerFromFrame(frame));
  frame.header.erase("programs");
  EXPECT_FALSE(answerFromFrame(frame));
  frame.header["type"] = "hello";
  EXPECT_FALSE(answerFromFrame(frame));
}

TEST(PluginOutput, IsJoinedFromItsPieces) {
  const Tensor left = ints({2, 1}, {1, 3}), right = ints({2, 1}, {2, 4});
  const OutputPieces halves{{2, 2}, {{0, 0}, {0, 1}}};
  auto whole = joinOutput(halves, {&left, &right});
  ASSERT_TRUE(whole) << whole.error().message;
  EXPECT_TRUE(whole->identical(ints({2, 2}, {1, 2, 3, 4})));
  const OutputPieces rows{{2, 2}, {{1, 0}, {0, 0}}};
  const Tensor low = ints({1, 2}, {3, 4}), high = ints({1, 2}, {1, 2});
  EXPECT_TRUE(joinOutput(rows, {&low, &high})->identical(ints({2, 2}, {1, 2, 3, 4})));
  const Tensor scalar = ints({}, {9});
  EXPECT_TRUE(joinOutput({{}, {{}, {}}}, {&scalar, &scalar})->identical(scalar));
}

TEST(PluginOutput, CopiesThatDifferAndPiecesThatDoNotFitAreErrors) {
  const Tensor one = ints({2}, {1, 2}), other = ints({2}, {1, 3});
  const auto copies = joinOutput({{2}, {{0}, {0}}}, {&one, &other});
  ASSERT_FALSE(copies);
  EXPECT_THAT(copies.error().message, HasSubstr("devices 0 and 1"));
  const auto beyond = joinOutput({{3}, {{0}, {2}}}, {&one, &other});
  ASSERT_FALSE(beyond);
  EXPECT_THAT(beyond.error().message, HasSubstr("device 1"));
}

}  // namespace
}  // namespace vintage::tests
