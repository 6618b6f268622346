// Loops of elementwise operations, as they are compiled for any processor and for AVX2.
//
// An operation that wrote into its operand's place ran one element at a time, and shifts by an
// amount for each element always did: jax.random.bits took 26 times as long as on XLA.
#include "harness/engine/operations/loop_table.h"

#include <cstring>
#include <random>

#include <gtest/gtest.h>

#include "harness/engine/operations/arithmetic.h"

namespace vintage::tests::loop_table {
namespace {

using namespace harness;

constexpr size_t kCount = 1031;  // No multiple of a vector.

template <typename T>
std::vector<T> anyBits(uint32_t seed) {
  std::mt19937_64 random(seed);
  std::vector<T> values(kCount);
  for (T& value : values) {
    const uint64_t bits = random() >> (random() % 64);
    std::memcpy(&value, &bits, sizeof(T));
  }
  return values;
}

template <typename T>
bool isNan(T value) {
  return value != value;
}

// `kLoop` into memory of its own, into the place of each operand, and for AVX2.
template <RawLoop kLoop, typename T>
void expectOneResult() {
  const std::vector<T> a = anyBits<T>(1), b = anyBits<T>(2);
  std::vector<T> base(kCount);
  const void* operands[] = {a.data(), b.data()};
  kLoop(operands, base.data(), kCount);
  for (const RawLoop loop : {kLoop, RawLoop(&onAnyProcessor<kLoop>)}) {
    for (size_t place = 0; place < 3; ++place) {
      std::vector<T> own[] = {a, b, std::vector<T>(kCount)};
      const void* now[] = {own[0].data(), own[1].data()};
      loop(now, own[place].data(), kCount);
      for (size_t i = 0; i < kCount; ++i) {
        // The processor chooses among two NaN.
        if (isNan(base[i]) && isNan(own[place][i])) continue;
        ASSERT_EQ(std::memcmp(&base[i], &own[place][i], sizeof(T)), 0) << i << " at " << place;
      }
    }
  }
}

template <auto kFunction, typename... T>
void expectOneResultOf(TypeList<T...>) {
  (expectOneResult<&rawLoop<kFunction, 2, T>, T>(), ...);
}

TEST(LoopTable, EachProcessorGivesTheSameBits) {
  expectOneResultOf<kAdd>(FloatTypes{});
  expectOneResultOf<kSubtract>(FloatTypes{});
  expectOneResultOf<kMultiply>(FloatTypes{});
  expectOneResultOf<kDivide>(FloatTypes{});
  expectOneResultOf<kMaximum>(FloatTypes{});
  expectOneResultOf<kMinimum>(FloatTypes{});
  expectOneResultOf<kAdd>(ComplexTypes{});
  expectOneResultOf<kMultiply>(ComplexTypes{});
  expectOneResultOf<kAdd>(SignedTypes{});
  expectOneResultOf<kMultiply>(SignedTypes{});
  expectOneResultOf<kDivide>(UnsignedTypes{});
  expectOneResultOf<kXor>(UnsignedTypes{});
  // Contracted, this would round once.
  expectOneResultOf<[](auto x, auto y) { return x * y + x; }>(FloatTypes{});
}

}  // namespace
}  // namespace vintage::tests::loop_table
