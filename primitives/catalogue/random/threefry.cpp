// Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as 1, 2, 3"
// (2011): 20 rounds on two words, the key injected after every four.
#include "primitives/catalogue/random/threefry.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "golden/oracle/number.h"
#include "primitives/catalogue/linear_algebra/solver_call.h"
#include "primitives/lowering/chlo/functions.h"

namespace vintage::primitives {
using namespace golden;

namespace {

constexpr int kRotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
constexpr uint32_t kParity = 0x1BD11BDA;

struct Words {
  SsaValue x, y;
};

// One round; `bits` is a number of bits in the words' shape.
void round(Words& words, const SsaValue& bits) {
  words.x = words.x + words.y;
  const SsaValue left = same("stablehlo.shift_left", words.y, bits);
  const SsaValue right = same("stablehlo.shift_right_logical", words.y, 32.0 - bits);
  words.y = same("stablehlo.xor", words.x, left | right);
}

std::array<SsaValue, 3> keySchedule(const SsaValue& first, const SsaValue& second) {
  const SsaValue both = same("stablehlo.xor", first, second);
  return {first, second, same("stablehlo.xor", both, first.like(kParity))};
}

// Two key words and two counter words of one shape to two words.
SsaValues writeUnrolled(Arguments words) {
  const std::array<SsaValue, 3> schedule = keySchedule(words[0], words[1]);
  Words pair{words[2] + schedule[0], words[3] + schedule[1]};
  for (size_t group = 0; group < 5; ++group) {
    for (int rotation : kRotations[group % 2]) round(pair, pair.x.like(rotation));
    pair.x = pair.x + schedule[(group + 1) % 3];
    pair.y = pair.y + schedule[(group + 2) % 3] + static_cast<double>(group + 1);
  }
  return {pair.x, pair.y};
}

// The same, five times four rounds in a loop that turns key words and rotations.
SsaValues writeRolled(Arguments words) {
  FunctionBuilder& callee = *words[0].builder;
  const std::array<SsaValue, 3> schedule = keySchedule(words[0], words[1]);
  const SsaValue x = words[2] + schedule[0], y = words[3] + schedule[1];
  auto rotations = [&](int group) {
    const auto& r = kRotations[group];
    return callee.constant(kWord, Shape(std::begin(r), std::end(r)));
  };
  const SsaValue zero = callee.constant(kInt, 0), one = callee.constant(kInt, 1);
  const SsaValue limit = callee.constant(kInt, 5);
  const SsaValue initial[] = {zero,         x,           y, schedule[1], schedule[2], schedule[0],
                              rotations(0), rotations(1)};
  const SsaValues done = whileLoop(
      initial, [&](Arguments v) { return compare("LT", v[0], limit); },
      [&](Arguments v) -> SsaValues {
        Words pair{v[1], v[2]};
        for (int64_t i = 0; i < 4; ++i) {
          const SsaValue rotation = element(v[6], i);
          round(pair, rotation.broadcastTo(pair.x.shape));
        }
        const SsaValue next = v[0] + one;
        const SsaValue group = convert(next, kWord);
        return {next, pair.x + v[3], pair.y + v[4] + group.broadcastTo(pair.y.shape),
                v[4], v[5],          v[3],
                v[7], v[6]};
      });
  return {done[1], done[2]};
}

struct UniformFormat {
  ElementType word;
  int drawn, mantissa;
  uint64_t one;  // The bits of 1.0.
};

// Bits become the mantissa of a number in [1, 2), less one. bfloat16's mantissa is shorter than a
// byte, so a byte is drawn for it.
UniformFormat uniformFormat(ElementType type) {
  switch (type) {
    case ElementType::kBF16:
      return {ElementType::kUi16, 8, 7, 0x3F80};
    case ElementType::kF16:
      return {ElementType::kUi16, 16, 10, 0x3C00};
    case ElementType::kF32:
      return {ElementType::kUi32, 32, 23, 0x3F800000};
    default:
      return {ElementType::kUi64, 64, 52, 0x3FF0000000000000};
  }
}

SsaValue bitsOf(Arguments pair, int bits) {
  const SsaValue first = pair[0], second = pair[1];
  if (bits != 64) return convert(same("stablehlo.xor", first, second), unsignedOf(bits));
  const SsaValue high = convert(first, ElementType::kUi64),
                 low = convert(second, ElementType::kUi64);
  return same("stablehlo.shift_left", high, high.like(32)) | low;
}

SsaValue numberOf(const SsaValue& drawn, ElementType type, double low, double high) {
  FunctionBuilder& main = *drawn.builder;
  const UniformFormat format = uniformFormat(type);
  const SsaValue bits = convert(drawn, format.word);
  const SsaValue mantissa =
      same("stablehlo.shift_right_logical", bits, bits.like(format.drawn - format.mantissa));
  const SsaValue one = main.fill(format.word, static_cast<double>(format.one), bits.shape);
  const SsaValue pattern = mantissa | one;
  const SsaValue number = convert("stablehlo.bitcast_convert", pattern, type, bits.shape);
  const SsaValue floats = number - 1.0;
  auto scalar = [&](double value) { return main.number(type, value); };
  const SsaValue span = scalar(high) - scalar(low);
  const Shape& shape = bits.shape;
  const SsaValue scaled = floats * span.broadcastTo(shape) + scalar(low).broadcastTo(shape);
  return same("stablehlo.maximum", scalar(low).broadcastTo(shape), scaled);
}

SsaValues cipherEach(const KeyWords& keys) {
  const SsaValue words[] = {keys.first, keys.second, keys.first.like(0), keys.first.like(0)};
  return emitThreefry(words);
}

}  // namespace

ElementType unsignedOf(int bits) {
  return *std::ranges::find(types::kUnsignedIntegers, bits, bitWidth);
}

ThreefryPair threefry(ThreefryPair key, ThreefryPair counter) {
  const uint32_t schedule[] = {key.first, key.second, key.first ^ key.second ^ kParity};
  uint32_t x = counter.first + schedule[0], y = counter.second + schedule[1];
  for (uint32_t group = 0; group < 5; ++group) {
    for (int rotation : kRotations[group % 2]) {
      x += y;
      y = (y << rotation) | (y >> (32 - rotation));
      y ^= x;
    }
    x += schedule[(group + 1) % 3];
    y += schedule[(group + 2) % 3] + group + 1;
  }
  return {x, y};
}

ThreefryPair keyOf(const Tensor& key) {
  return {static_cast<uint32_t>(oracle::load(key, 0).integer),
          static_cast<uint32_t>(oracle::load(key, 1).integer)};
}

uint64_t randomBits(ThreefryPair key, int bits, uint32_t i) {
  const ThreefryPair pair = threefry(key, {0, i});
  if (bits == 64) return uint64_t{pair.first} << 32 | pair.second;
  return (pair.first ^ pair.second) & ((uint64_t{1} << bits) - 1);
}

double uniformNumber(ThreefryPair key, ElementType type, uint32_t i, double low, double high) {
  const UniformFormat format = uniformFormat(type);
  // As many of the highest bits as the mantissa has, as a fraction.
  const uint64_t bits = randomBits(key, format.drawn, i) >> (format.drawn - format.mantissa);
  const double fraction = std::ldexp(static_cast<double>(bits), -format.mantissa);
  using oracle::Quad;
  const double span = oracle::roundTo(type, Quad(high) - low);
  const double scaled = oracle::roundTo(type, Quad(fraction) * span);
  return std::max(low, oracle::roundTo(type, Quad(scaled) + low));
}

SsaValues emitThreefry(Arguments words) {
  const std::string& platform = words[0].builder->platform();
  if (platform == "cuda" || platform == "rocm") {
    const TensorType result{kWord, words[0].shape};
    return emitSolverCall(
        {.target = platform == "cuda" ? "cu_threefry2x32_ffi" : "hip_threefry2x32_ffi",
         .operands = {words.begin(), words.end()},
         .results = {result, result},
         .aliases = {},
         .batch = words[0].shape.size()});
  }
  return callPrivate("threefry2x32", words, platform == "cpu" ? writeRolled : writeUnrolled);
}

KeyWords keyWords(const SsaValue& key) { return {element(key, 0), element(key, 1)}; }

std::vector<KeyWords> splitKeys(const KeyWords& keys, int64_t count) {
  FunctionBuilder& main = *keys.first.builder;
  const Shape outer = keys.first.shape;
  const Shape dimensions = leadingAxes(outer.size());
  Shape shape = outer;
  shape.push_back(count);
  const SsaValue words[] = {broadcast(keys.first, dimensions, shape),
                            broadcast(keys.second, dimensions, shape), main.fill(kWord, 0, shape),
                            main.iota(kWord, shape, static_cast<int64_t>(outer.size()))};
  const SsaValues pair = emitThreefry(words);
  auto column = [&](const SsaValue& word, int64_t i) {
    return reshape(sliceAlong(word, outer.size(), i, i + 1), outer);
  };
  std::vector<KeyWords> result;
  for (int64_t i = 0; i < count; ++i) result.push_back({column(pair[0], i), column(pair[1], i)});
  return result;
}

SsaValues cipherAll(const KeyWords& key, const Shape& shape) {
  FunctionBuilder& main = *key.first.builder;
  const SsaValue flat = main.iota(kWord, {elementCount(shape)}, 0);
  const SsaValue words[] = {key.first.broadcastTo(shape), key.second.broadcastTo(shape),
                            main.fill(kWord, 0, shape),
                            shape.size() == 1 ? flat : reshape(flat, shape)};
  return emitThreefry(words);
}

SsaValue emitRandomBits(const KeyWords& key, int bits, const Shape& shape) {
  return bitsOf(cipherAll(key, shape), bits);
}

SsaValue emitUniform(const KeyWords& key, ElementType type, const Shape& shape, double low,
                     double high) {
  return numberOf(emitRandomBits(key, uniformFormat(type).drawn, shape), type, low, high);
}

SsaValue emitUniformEach(const KeyWords& keys, ElementType type, double low, double high) {
  const SsaValue bits = bitsOf(cipherEach(keys), uniformFormat(type).drawn);
  return numberOf(bits, type, low, high);
}

Tensor makeKey(Random& random) {
  Tensor key(kWord, {2});
  for (int64_t i : {0, 1}) oracle::store(key, i, {random.integer(0, 4294967295)});
  return key;
}

double smallestNormal(ElementType type) {
  return std::ldexp(1.0, oracle::floatFormat(type).smallest);
}

CaseSpecification withShapeOf(CaseSpecification base, const Shape& shape) {
  base.arguments.push_back({kWord, shape});
  base.domains.resize(base.arguments.size(), base.domains.front());
  return base;
}

double aboveMinusOne(ElementType type) {
  return -1 + std::ldexp(1.0, -oracle::floatFormat(type).precision);
}

SsaValue emitNormalEach(const KeyWords& keys, ElementType type) {
  const SsaValue u = emitUniformEach(keys, type, aboveMinusOne(type), 1);
  return std::sqrt(2.0) * chlo::elementwise("erf_inv", {u});
}

}  // namespace vintage::primitives
