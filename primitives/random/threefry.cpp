// threefry2x32, and what counts with it: random_split, random_uniform.
//
// Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as 1, 2, 3"
// (2011): 20 rounds on two words, the key injected after every four.
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "golden/oracle/number.h"
#include "primitives/families.h"

namespace vintage {
namespace {

constexpr ElementType kWord = ElementType::kUi32;
constexpr std::array<int, 8> kRotations = {13, 15, 26, 6, 17, 29, 16, 24};
constexpr uint32_t kParity = 0x1BD11BDA;

struct Pair {
  uint32_t first, second;
};

Pair threefry(Pair key, Pair counter) {
  const uint32_t schedule[] = {key.first, key.second, key.first ^ key.second ^ kParity};
  uint32_t x = counter.first + schedule[0], y = counter.second + schedule[1];
  for (uint32_t group = 0; group < 5; ++group) {
    for (size_t i = 0; i < 4; ++i) {
      const int rotation = kRotations[group % 2 * 4 + i];
      x += y;
      y = (y << rotation) | (y >> (32 - rotation));
      y ^= x;
    }
    x += schedule[(group + 1) % 3];
    y += schedule[(group + 2) % 3] + group + 1;
  }
  return {x, y};
}

SsaValue rotated(FunctionWriter& writer, const SsaValue& word, int bits) {
  const SsaValue left = writer.same("stablehlo.shift_left", word,
                                    writer.fill(kWord, bits, word.shape));
  const SsaValue right = writer.same("stablehlo.shift_right_logical", word,
                                     writer.fill(kWord, 32 - bits, word.shape));
  return writer.same("stablehlo.or", left, right);
}

// Two key words and two counter words of one shape to two words.
void emitThreefry(FunctionWriter& callee) {
  const std::vector<SsaValue>& words = callee.arguments();
  const Shape& shape = words[0].shape;
  const SsaValue both = callee.same("stablehlo.xor", words[0], words[1]);
  const SsaValue parity = callee.fill(kWord, kParity, shape);
  const SsaValue schedule[] = {words[0], words[1], callee.same("stablehlo.xor", both, parity)};
  SsaValue x = callee.same("stablehlo.add", words[2], schedule[0]);
  SsaValue y = callee.same("stablehlo.add", words[3], schedule[1]);
  for (size_t group = 0; group < 5; ++group) {
    for (size_t i = 0; i < 4; ++i) {
      x = callee.same("stablehlo.add", x, y);
      y = callee.same("stablehlo.xor", x, rotated(callee, y, kRotations[group % 2 * 4 + i]));
    }
    x = callee.same("stablehlo.add", x, schedule[(group + 1) % 3]);
    y = callee.same("stablehlo.add", y, schedule[(group + 2) % 3]);
    y = callee.same("stablehlo.add", y, callee.fill(kWord, static_cast<double>(group + 1), shape));
  }
  const SsaValue results[] = {x, y};
  callee.finish(results);
}

void addThreefry(CaseList& cases, const Shape& shape) {
  cases.add({.primitive = "threefry2x32",
             .arguments = {{kWord, shape}, {kWord, shape}, {kWord, shape}, {kWord, shape}},
             .domains = {Domain{.low = 0, .high = 4294967295.0, .edges = Domain::Edges::kFew}},
             .emit = [](FunctionWriter& main, std::span<const SsaValue> arguments,
                        const std::string&) {
               return main.module().callPrivate(main, "threefry2x32", arguments, emitThreefry);
             },
             .expect = [](std::span<const Tensor> inputs) -> Result<std::vector<Tensor>> {
               Tensor first(kWord, inputs[0].shape()), second = first;
               for (int64_t i = 0; i < first.size(); ++i) {
                 auto word = [&](size_t k) {
                   return static_cast<uint32_t>(oracle::load(inputs[k], i).integer);
                 };
                 const Pair pair = threefry({word(0), word(1)}, {word(2), word(3)});
                 oracle::store(first, i, {pair.first});
                 oracle::store(second, i, {pair.second});
               }
               return std::vector<Tensor>{std::move(first), std::move(second)};
             },
             .oracle = "definition"});
}

// The key's words, and the counters 0, 1, … of 64 bits, all of `shape`.
std::vector<SsaValue> keyAndCounters(FunctionWriter& main, const SsaValue& key, const Shape& shape) {
  std::vector<SsaValue> words;
  for (int64_t i : {0, 1}) {
    const SsaValue piece =
        main.emit(kWord, {1},
                  fmt::format("stablehlo.slice {} [{}:{}] : (tensor<2xui32>) -> tensor<1xui32>",
                              key.name, i, i + 1));
    words.push_back(main.broadcast(main.reshape(piece, {}), shape));
  }
  words.push_back(main.fill(kWord, 0, shape));
  const SsaValue flat = main.iota(kWord, {elementCount(shape)}, 0);
  words.push_back(shape.size() == 1 ? flat : main.reshape(flat, shape));
  return words;
}

Pair drawn(const Tensor& key, int64_t counter) {
  auto word = [&](int64_t i) { return static_cast<uint32_t>(oracle::load(key, i).integer); };
  return threefry({word(0), word(1)}, {0, static_cast<uint32_t>(counter)});
}

// The i-th new key is the cipher of the 64-bit counter i.
void addSplit(CaseList& cases, int64_t count) {
  cases.add({.primitive = "random_split",
             .label = fmt::format("count={}", count),
             .arguments = {{kWord, {2}}},
             .domains = {Domain{.low = 0, .high = 4294967295.0}},
             .emit = [count](FunctionWriter& main, std::span<const SsaValue> arguments,
                             const std::string&) -> SsaValues {
               const std::vector<SsaValue> words = keyAndCounters(main, arguments[0], {count});
               const SsaValues pair =
                   main.module().callPrivate(main, "threefry2x32", words, emitThreefry);
               const int64_t rows[] = {0};
               const SsaValue columns[] = {main.broadcast(pair[0], rows, {count, 1}),
                                           main.broadcast(pair[1], rows, {count, 1})};
               return {main.emit(kWord, {count, 2},
                                 fmt::format("stablehlo.concatenate {}, dim = 1 : ({}) -> {}",
                                             namesText(columns), typesText(columns),
                                             tensorText(kWord, Shape{count, 2})))};
             },
             .expect = one([count](std::span<const Tensor> inputs) -> Result<Tensor> {
               Tensor result(kWord, {count, 2});
               for (int64_t i = 0; i < count; ++i) {
                 const Pair pair = drawn(inputs[0], i);
                 oracle::store(result, 2 * i, {pair.first});
                 oracle::store(result, 2 * i + 1, {pair.second});
               }
               return result;
             }),
             .oracle = "definition"});
}

// Bits become the mantissa of a number in [1, 2), less one. Formats with few
// mantissa bits draw eight bits, the others as many as they have.
struct UniformFormat {
  ElementType type, word;
  int drawnBits, bits, mantissa;
  uint64_t one;  // The bits of 1.0.
};
const UniformFormat kUniformFormats[] = {
    {ElementType::kBF16, ElementType::kUi16, 8, 16, 7, 0x3F80},
    {ElementType::kF16, ElementType::kUi16, 16, 16, 10, 0x3C00},
    {ElementType::kF32, ElementType::kUi32, 32, 32, 23, 0x3F800000},
    {ElementType::kF64, ElementType::kUi64, 64, 64, 52, 0x3FF0000000000000}};

SsaValue emitUniform(FunctionWriter& main, const SsaValue& key, const UniformFormat& format,
                     const Shape& shape) {
  const std::vector<SsaValue> words = keyAndCounters(main, key, shape);
  const SsaValues pair = main.module().callPrivate(main, "threefry2x32", words, emitThreefry);
  SsaValue bits;
  if (format.bits == 64) {
    const SsaValue high = main.convert(pair[0], format.word);
    const SsaValue low = main.convert(pair[1], format.word);
    const SsaValue shift = main.fill(format.word, 32, shape);
    bits = main.same("stablehlo.or", main.same("stablehlo.shift_left", high, shift), low);
  } else {
    const SsaValue mixed = main.same("stablehlo.xor", pair[0], pair[1]);
    const SsaValue narrow =
        format.drawnBits == 8 ? main.convert(mixed, ElementType::kUi8) : mixed;
    bits = main.convert(narrow, format.word);
  }
  const SsaValue shift =
      main.fill(format.word, format.drawnBits - format.mantissa, shape);
  const SsaValue mantissa = main.same("stablehlo.shift_right_logical", bits, shift);
  const SsaValue one =
      main.fillLiteral(format.word, integerLiteralText(format.word, format.one), shape);
  const SsaValue pattern = main.same("stablehlo.or", mantissa, one);
  const SsaValue number = main.convert("stablehlo.bitcast_convert", pattern, format.type, shape);
  const SsaValue below = main.same("stablehlo.subtract", number, main.fill(format.type, 1, shape));
  return main.same("stablehlo.maximum", main.fill(format.type, 0, shape), below);
}

void addUniform(CaseList& cases, const UniformFormat& format, const Shape& shape) {
  cases.add({.primitive = "random_uniform",
             .label = describe(format.type, shape),
             .arguments = {{kWord, {2}}},
             .domains = {Domain{.low = 0, .high = 4294967295.0}},
             .emit = [&format, shape](FunctionWriter& main, std::span<const SsaValue> arguments,
                                      const std::string&) -> SsaValues {
               return {emitUniform(main, arguments[0], format, shape)};
             },
             .expect = one([&format, shape](std::span<const Tensor> inputs) -> Result<Tensor> {
               Tensor result(format.type, shape);
               for (int64_t i = 0; i < result.size(); ++i) {
                 const Pair pair = drawn(inputs[0], i);
                 uint64_t bits = pair.first ^ pair.second;
                 if (format.bits == 64) bits = uint64_t{pair.first} << 32 | pair.second;
                 if (format.drawnBits < 32) bits &= (uint64_t{1} << format.drawnBits) - 1;
                 // As many of the highest bits as the mantissa has, as a fraction.
                 const auto mantissa = bits >> (format.drawnBits - format.mantissa);
                 oracle::store(result, i,
                               {0, std::ldexp(static_cast<double>(mantissa), -format.mantissa), 0});
               }
               return result;
             }),
             .oracle = "definition"});
}

}  // namespace

VINTAGE_FAMILY(addThreefryCases) {
  for (const Shape& shape : {Shape{}, Shape{5}, Shape{100}, Shape{3, 7}}) addThreefry(cases, shape);
  for (int64_t count : {1, 2, 3, 8, 100}) addSplit(cases, count);
  for (const UniformFormat& format : kUniformFormats) {
    for (const Shape& shape : {Shape{}, Shape{16}, Shape{5, 4}}) addUniform(cases, format, shape);
  }
}

}  // namespace vintage
