// threefry2x32, and random_split, which counts with it.
//
// Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as 1, 2, 3"
// (2011): 20 rounds on two words, the key injected after every four.
#include <array>

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

// The i-th new key is the cipher of the 64-bit counter i.
void addSplit(CaseList& cases, int64_t count) {
  cases.add({.primitive = "random_split",
             .label = fmt::format("count={}", count),
             .arguments = {{kWord, {2}}},
             .domains = {Domain{.low = 0, .high = 4294967295.0}},
             .emit = [count](FunctionWriter& main, std::span<const SsaValue> arguments,
                             const std::string&) -> SsaValues {
               const Shape shape{count};
               std::vector<SsaValue> words;
               for (int64_t i : {0, 1}) {
                 const SsaValue piece = main.emit(
                     kWord, {1},
                     fmt::format("stablehlo.slice {} [{}:{}] : (tensor<2xui32>) -> tensor<1xui32>",
                                 arguments[0].name, i, i + 1));
                 words.push_back(main.broadcast(main.reshape(piece, {}), shape));
               }
               words.push_back(main.fill(kWord, 0, shape));
               words.push_back(main.iota(kWord, shape, 0));
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
               auto word = [&](int64_t i) {
                 return static_cast<uint32_t>(oracle::load(inputs[0], i).integer);
               };
               Tensor result(kWord, {count, 2});
               for (int64_t i = 0; i < count; ++i) {
                 const Pair pair = threefry({word(0), word(1)}, {0, static_cast<uint32_t>(i)});
                 oracle::store(result, 2 * i, {pair.first});
                 oracle::store(result, 2 * i + 1, {pair.second});
               }
               return result;
             }),
             .oracle = "definition"});
}

}  // namespace

void addThreefryCases(CaseList& cases) {
  for (const Shape& shape : {Shape{}, Shape{5}, Shape{100}, Shape{3, 7}}) addThreefry(cases, shape);
  for (int64_t count : {1, 2, 3, 8, 100}) addSplit(cases, count);
}

}  // namespace vintage
