// stablehlo.rng_bit_generator and stablehlo.rng.
#include <bit>
#include <cmath>
#include <cstring>
#include <numbers>

#include "golden/base/failures.h"
#include "golden/tensor/visit.h"
#include "harness/engine/checked_attributes.h"
#include "harness/engine/kernel.h"
#include "harness/engine/operations/random_bits.h"

namespace vintage::harness {
using namespace golden;

namespace {

Result<Kernel> makeRngBitGenerator(const KernelRequest& request) {
  ASSIGN_OR_RETURN(const std::string algorithm, textOf(request.operation, "rng_algorithm"));
  BitGenerator generator = BitGenerator::kPhilox;
  if (algorithm == "THREE_FRY") {
    generator = BitGenerator::kThreefry;
  } else if (algorithm != "PHILOX" && algorithm != "DEFAULT") {  // XLA's CPU default is Philox.
    return badInput(
        "stablehlo.rng_bit_generator: the algorithm {} is none of DEFAULT, THREE_FRY, PHILOX.",
        algorithm);
  }
  return Kernel([=, type = request.resultTypes[1]](KernelCall& call) -> Status {
    ASSIGN_OR_RETURN(auto bits,
                     generateBits(generator, call.operands[0].tensor, type.element, type.shape));
    call.give(std::move(bits.state), std::move(bits.values));
    return {};
  });
}

Result<Kernel> makeRng(const KernelRequest& request) {
  ASSIGN_OR_RETURN(const std::string name, textOf(request.operation, "rng_distribution"));
  if (name != "UNIFORM" && name != "NORMAL")
    return badInput("stablehlo.rng needs UNIFORM or NORMAL; it has {}.", name);
  const auto distribution = name == "UNIFORM" ? Distribution::kUniform : Distribution::kNormal;
  // Several draws in one program must differ: each is seeded by its own place.
  uint64_t seed = 0x9E3779B97F4A7C15u;
  for (ValueId id : request.operation.results) seed += id;
  return tensorKernel([=](KernelCall& call) -> Result<Tensor> {
    ASSIGN_OR_RETURN(const Shape shape, integerOperand(call, 2));
    return drawNumbers(distribution, call.operands[0].tensor, call.operands[1].tensor, shape, seed,
                       call.availableBytes);
  });
}

// In [0, 1), with as many bits as a double holds.
double unit(uint64_t bits) { return static_cast<double>(bits >> 11) * 0x1p-53; }

template <typename S>
S uniformFloat(double u, double a, double b) {
  const S value(static_cast<Computation<S>>(a + (b - a) * u));
  // Rounding up to b would leave the half-open interval.
  return a < b && static_cast<double>(value) >= b ? S(static_cast<Computation<S>>(a)) : value;
}

constexpr uint32_t low(uint64_t value) { return static_cast<uint32_t>(value); }
constexpr uint32_t high(uint64_t value) { return static_cast<uint32_t>(value >> 32); }
constexpr uint64_t fromHalves(uint32_t lowHalf, uint32_t highHalf) {
  return static_cast<uint64_t>(highHalf) << 32 | lowHalf;
}

void storeBits(std::byte* target, size_t width, uint64_t bits) {
  std::memcpy(target, &bits, width);
}

// The dimension that Threefry's 32-bit form halves: the first even one, or the
// largest.
size_t splitDimension(const Shape& shape) {
  size_t largest = 0;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] % 2 == 0) return i;
    if (shape[i] > shape[largest]) largest = i;
  }
  return largest;
}

// Values of up to 32 bits: one counter gives two neighbours along the split
// dimension. Returns how many counters were used.
uint64_t fillThreefry32(std::array<uint32_t, 2> key, uint64_t counter, Tensor& values) {
  const size_t width = byteWidth(values.type());
  std::byte* out = values.mutableBytes().data();
  const Shape& shape = values.shape();
  if (shape.empty()) {
    storeBits(out, width, threefry2x32(key, {low(counter), high(counter)})[0]);
    return 1;
  }
  const size_t split = splitDimension(shape);
  const int64_t outer = elementCount(std::span(shape).first(split));
  const int64_t inner = elementCount(std::span(shape).subspan(split + 1));
  const int64_t size = shape[split], half = (size + 1) / 2;
  for (int64_t o = 0; o < outer; ++o) {
    for (int64_t h = 0; h < half; ++h) {
      for (int64_t i = 0; i < inner; ++i) {
        const uint64_t at = counter + static_cast<uint64_t>((o * half + h) * inner + i);
        const auto bits = threefry2x32(key, {low(at), high(at)});
        for (int64_t k = 0; k < 2 && 2 * h + k < size; ++k)
          storeBits(out + ((o * size + 2 * h + k) * inner + i) * width, width, bits[k]);
      }
    }
  }
  return static_cast<uint64_t>(outer * half * inner);
}

uint64_t fillThreefry64(std::array<uint32_t, 2> key, uint64_t counter, Tensor& values) {
  std::byte* out = values.mutableBytes().data();
  for (int64_t i = 0; i < values.size(); ++i) {
    const uint64_t at = counter + static_cast<uint64_t>(i);
    const auto bits = threefry2x32(key, {low(at), high(at)});
    storeBits(out + i * 8, 8, fromHalves(bits[0], bits[1]));
  }
  return static_cast<uint64_t>(values.size());
}

// One counter gives four values of up to 32 bits, or two of 64.
uint64_t fillPhilox(std::array<uint32_t, 2> key, uint64_t counterLow, uint64_t counterHigh,
                    Tensor& values) {
  const size_t width = byteWidth(values.type());
  const int64_t each = width == 8 ? 2 : 4;
  std::byte* out = values.mutableBytes().data();
  const int64_t blocks = (values.size() + each - 1) / each;
  for (int64_t b = 0; b < blocks; ++b) {
    const uint64_t at = counterLow + static_cast<uint64_t>(b);
    const uint64_t top = counterHigh + (at < counterLow ? 1 : 0);
    const auto bits = philox4x32(key, {low(at), high(at), low(top), high(top)});
    for (int64_t i = 0; i < each && b * each + i < values.size(); ++i) {
      const uint64_t value = width == 8 ? fromHalves(bits[2 * i], bits[2 * i + 1]) : bits[i];
      storeBits(out + (b * each + i) * width, width, value);
    }
  }
  return static_cast<uint64_t>(blocks);
}

}  // namespace

std::vector<OperationEntry> randomOperations() {
  return {{"stablehlo.rng_bit_generator", makeRngBitGenerator, 1, 2},
          {"stablehlo.rng", makeRng, 3, 1}};
}

Result<Tensor> drawNumbers(Distribution distribution, const Tensor& a, const Tensor& b,
                           const Shape& shape, uint64_t seed, size_t limitBytes) {
  const ElementType type = a.type();
  const bool typeFits = distribution == Distribution::kUniform ? !isComplex(type) : isFloat(type);
  if (!typeFits || a.size() != 1 || b.size() != 1 || b.type() != type)
    return badInput("The bounds are {} and {}; two scalars of one {} type are needed.", describe(a),
                    describe(b), distribution == Distribution::kUniform ? "real" : "float");
  ASSIGN_OR_RETURN(auto result, Tensor::makeUninitialized(type, shape, limitBytes));
  Tensor state(ElementType::kUi64, {3});
  state.mutableValues<uint64_t>()[0] = seed;
  // Two words for each number: Box and Muller's method takes a pair.
  ASSIGN_OR_RETURN(const auto bits, generateBits(BitGenerator::kPhilox, state, ElementType::kUi64,
                                                 {2 * result.size()}, limitBytes));
  const auto words = bits.values.values<uint64_t>();
  visitElementType(type, [&]<typename S>() {
    if constexpr (!kIsComplexStorage<S>) {
      const S first = a.values<S>()[0], second = b.values<S>()[0];
      auto out = result.mutableValues<S>();
      for (size_t i = 0; i < out.size(); ++i) {
        if constexpr (kIsFloatStorage<S>) {
          const double low = static_cast<double>(first), high = static_cast<double>(second);
          if (distribution == Distribution::kUniform) {
            out[i] = uniformFloat<S>(unit(words[2 * i]), low, high);
          } else {
            const double radius = std::sqrt(-2 * std::log(1 - unit(words[2 * i])));
            const double angle = 2 * std::numbers::pi * unit(words[2 * i + 1]);
            out[i] = S(static_cast<Computation<S>>(low + high * radius * std::cos(angle)));
          }
        } else if constexpr (kIsPredicateStorage<S>) {
          out[i] = S(first == second ? static_cast<bool>(first) : (words[2 * i] & 1) != 0);
        } else {
          const auto low = static_cast<uint64_t>(static_cast<Computation<S>>(first));
          const uint64_t range = static_cast<uint64_t>(static_cast<Computation<S>>(second)) - low;
          const uint64_t value = low + (range == 0 ? 0 : words[2 * i] % range);
          out[i] = S(static_cast<int64_t>(value));
        }
      }
    }
  });
  return result;
}

std::array<uint32_t, 2> threefry2x32(std::array<uint32_t, 2> key, std::array<uint32_t, 2> counter) {
  static constexpr int kRotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
  const uint32_t words[3] = {key[0], key[1], key[0] ^ key[1] ^ 0x1BD11BDAu};
  uint32_t a = counter[0] + words[0], b = counter[1] + words[1];
  for (uint32_t group = 0; group < 5; ++group) {
    for (int rotation : kRotations[group % 2]) {
      a += b;
      b = std::rotl(b, rotation) ^ a;
    }
    a += words[(group + 1) % 3];
    b += words[(group + 2) % 3] + group + 1;
  }
  return {a, b};
}

std::array<uint32_t, 4> philox4x32(std::array<uint32_t, 2> key, std::array<uint32_t, 4> counter) {
  for (int round = 0; round < 10; ++round) {
    const uint64_t first = uint64_t{0xD2511F53} * counter[0];
    const uint64_t second = uint64_t{0xCD9E8D57} * counter[2];
    counter = {high(second) ^ counter[1] ^ key[0], low(second), high(first) ^ counter[3] ^ key[1],
               low(first)};
    key[0] += 0x9E3779B9u;
    key[1] += 0xBB67AE85u;
  }
  return counter;
}

Result<RandomBits> generateBits(BitGenerator generator, const Tensor& state, ElementType type,
                                const Shape& shape, size_t limitBytes) {
  const bool wide = state.type() == ElementType::kUi64 || state.type() == ElementType::kI64;
  const bool narrow = state.type() == ElementType::kUi32 || state.type() == ElementType::kI32;
  const size_t words = state.bytes().size() / 8;
  const size_t most = generator == BitGenerator::kPhilox ? 3 : 2;
  if (!(wide || narrow) || state.rank() != 1 || words < 2 || words > most ||
      state.bytes().size() % 8 != 0)
    return badInput("The state is {}; {} is needed.", describe(state),
                    most == 3 ? "ui64[2] or ui64[3]" : "ui64[2]");
  if (bitWidth(type) < 8 || isComplex(type))
    return unsupported(
        "Random bits are made as integers and floats of 8 to 64 bits; {} is neither.",
        stablehloName(type));
  ASSIGN_OR_RETURN(auto values, Tensor::makeUninitialized(type, shape, limitBytes));
  uint64_t word[3] = {0, 0, 0};
  std::memcpy(word, state.bytes().data(), words * 8);
  const std::array<uint32_t, 2> key{low(word[0]), high(word[0])};
  RandomBits bits{state, std::move(values)};
  if (generator == BitGenerator::kThreefry) {
    word[1] += byteWidth(type) == 8 ? fillThreefry64(key, word[1], bits.values)
                                    : fillThreefry32(key, word[1], bits.values);
  } else {
    // Two words: the counter is the reversed state, low half first.
    const uint64_t counterHigh = words == 3 ? word[2] : word[0];
    const uint64_t used = fillPhilox(key, word[1], counterHigh, bits.values);
    const uint64_t before = word[1];
    word[1] += used;
    if (words == 3) word[2] = counterHigh + (word[1] < before ? 1 : 0);
  }
  std::memcpy(bits.state.mutableBytes().data(), word, words * 8);
  return bits;
}

}  // namespace vintage::harness
