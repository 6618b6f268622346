// Large blocks serve one tensor after the other.
#include "golden/tensor/block_reuse.h"

#include <algorithm>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "golden/tensor/tensor.h"

namespace vintage::tests {
namespace {

using namespace golden;

constexpr int64_t kElements = 1 << 20;

// A block that held other numbers gives zeros where they are asked for.
TEST(BlockReuse, ZerosAreZeros) {
  const BlockReuse reuse;
  for (int round = 0; round < 3; ++round) {
    Tensor tensor(ElementType::kF32, {kElements});
    EXPECT_TRUE(std::ranges::all_of(tensor.values<float>(), [](float x) { return x == 0; }));
    std::ranges::fill(tensor.mutableBytes(), std::byte{0xff});
  }
}

TEST(BlockReuse, ServesOnlyWhatFits) {
  const BlockReuse reuse;
  const std::byte* const first =
      Tensor::uninitialized(ElementType::kF32, {kElements}).bytes().data();
  const Tensor small = Tensor::uninitialized(ElementType::kF32, {kElements / 2});
  EXPECT_NE(small.bytes().data(), first);
  const Tensor alike = Tensor::uninitialized(ElementType::kF32, {kElements - 100});
  EXPECT_EQ(alike.bytes().data(), first);
  const Tensor other = Tensor::uninitialized(ElementType::kF32, {kElements - 100});
  EXPECT_NE(other.bytes().data(), first);
}

TEST(BlockReuse, ThreadsShareThem) {
  const BlockReuse reuse;
  std::vector<std::jthread> threads;
  for (int number = 0; number < 4; ++number)
    threads.emplace_back([number] {
      const BlockReuse own;
      for (int round = 0; round < 50; ++round) {
        Tensor tensor = Tensor::uninitialized(ElementType::kUi8, {kElements + number * 1000});
        std::ranges::fill(tensor.mutableBytes(), static_cast<std::byte>(number));
        EXPECT_TRUE(std::ranges::all_of(tensor.bytes(), [number](std::byte byte) {
          return byte == static_cast<std::byte>(number);
        }));
      }
    });
}

}  // namespace
}  // namespace vintage::tests
