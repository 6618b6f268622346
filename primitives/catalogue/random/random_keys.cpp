// threefry2x32, and the primitives that make keys and bits with it: random_seed, random_split,
// random_fold_in, random_bits, random_uniform.
#include <fmt/format.h>

#include "golden/oracle/number.h"
#include "primitives/catalogue/case_list.h"
#include "primitives/catalogue/random/threefry.h"

namespace vintage::primitives {
using namespace golden;

namespace {

constexpr Domain kAnyWord{.low = 0, .high = 4294967295.0, .edges = Domain::Edges::kFew};
constexpr Domain kKey{.low = 0, .high = 4294967295.0};

CaseSpecification threefryCase(const Shape& shape) {
  return {.primitive = "threefry2x32",
          .arguments = {{kWord, shape}, {kWord, shape}, {kWord, shape}, {kWord, shape}},
          .domains = {kAnyWord},
          .emit = [](Arguments x) { return emitThreefry(x); },
          .expect = [](Tensors inputs) -> Result<std::vector<Tensor>> {
            Tensor first(kWord, inputs[0].shape()), second = first;
            for (int64_t i = 0; i < first.size(); ++i) {
              auto word = [&](size_t k) {
                return static_cast<uint32_t>(oracle::load(inputs[k], i).integer);
              };
              const ThreefryPair pair = threefry({word(0), word(1)}, {word(2), word(3)});
              oracle::store(first, i, {pair.first});
              oracle::store(second, i, {pair.second});
            }
            return std::vector<Tensor>{std::move(first), std::move(second)};
          },
          .oracle = "definition"};
}

// One array from its columns, along a new last dimension.
SsaValue stackLast(Arguments columns) {
  Shape shape = columns[0].shape;
  const Shape dimensions = leadingAxes(shape.size());
  shape.push_back(1);
  SsaValues wide;
  for (const SsaValue& column : columns) wide.push_back(broadcast(column, dimensions, shape));
  return concatenate(wide, shape.size() - 1);
}

Tensor keysTensor(std::span<const ThreefryPair> keys, Shape shape) {
  shape.push_back(2);
  Tensor result(kWord, shape);
  for (size_t i = 0; i < keys.size(); ++i) {
    oracle::store(result, static_cast<int64_t>(2 * i), {keys[i].first});
    oracle::store(result, static_cast<int64_t>(2 * i + 1), {keys[i].second});
  }
  return result;
}

// The i-th new key is the cipher of the 64-bit counter i.
CaseSpecification splitCase(const Shape& count) {
  return {.primitive = "random_split",
          .label = fmt::format("count={}", dashed(count)),
          .arguments = {{kWord, {2}}},
          .domains = {kKey},
          .emit = [count](Arguments x) { return stackLast(cipherAll(keyWords(x[0]), count)); },
          .expect =
              [count](Tensors inputs) {
                std::vector<ThreefryPair> keys;
                for (int64_t i = 0; i < elementCount(count); ++i)
                  keys.push_back(splitKey(keyOf(inputs[0]), static_cast<uint32_t>(i)));
                return keysTensor(keys, count);
              },
          .oracle = "definition"};
}

// The high and the low word of a seed.
SsaValue emitSeed(const SsaValue& seed) {
  const SsaValue high = same("stablehlo.shift_right_logical", seed, seed.like(32));
  const SsaValue wide = convert(seed, bitWidth(seed.type) == 64 ? seed.type : ElementType::kI64);
  const SsaValue mask = wide.like(4294967295.0);
  const SsaValue low = wide & mask;
  const SsaValue columns[] = {convert(high, kWord), convert(low, kWord)};
  return stackLast(columns);
}

ThreefryPair seedPair(const Tensor& seed, int64_t i) {
  const auto bits = static_cast<uint64_t>(oracle::load(seed, i).integer);
  // A logical shift of 32 bits gives zero for seeds of 32 bits.
  const bool wide = bitWidth(seed.type()) == 64;
  return {wide ? static_cast<uint32_t>(bits >> 32) : 0, static_cast<uint32_t>(bits)};
}

CaseSpecification seedCase(ElementType type, const Shape& shape) {
  return {.primitive = "random_seed",
          .arguments = {{type, shape}},
          .domains = {Domain{.low = 0, .high = 2147483647.0, .edges = Domain::Edges::kFew}},
          .emit = [](Arguments x) { return emitSeed(x[0]); },
          .expect =
              [](Tensors inputs) {
                std::vector<ThreefryPair> keys;
                for (int64_t i = 0; i < inputs[0].size(); ++i)
                  keys.push_back(seedPair(inputs[0], i));
                return keysTensor(keys, inputs[0].shape());
              },
          .oracle = "definition"};
}

// The cipher, by the key, of the data's seed.
CaseSpecification foldInCase(ElementType type) {
  return {.primitive = "random_fold_in",
          .arguments = {{kWord, {2}}, {type, {}}},
          .domains = {kKey, kKey},
          .emit = [](Arguments x) -> SsaValues {
            const KeyWords key = keyWords(x[0]);
            const SsaValue data = convert(x[1], kWord);
            const KeyWords counter = keyWords(emitSeed(data));
            auto lone = [&](const SsaValue& word) { return broadcast(word, Shape{1}); };
            const SsaValue words[] = {lone(key.first), lone(key.second), lone(counter.first),
                                      lone(counter.second)};
            const SsaValues pair = emitThreefry(words);
            return {concatenate(pair, 0)};
          },
          .expect =
              [](Tensors inputs) {
                const auto data = static_cast<uint32_t>(oracle::load(inputs[1], 0).integer);
                const ThreefryPair pair = threefry(keyOf(inputs[0]), {0, data});
                return keysTensor({&pair, 1}, {});
              },
          .oracle = "definition"};
}

CaseSpecification bitsCase(int bits, const Shape& shape) {
  return {
      .primitive = "random_bits",
      .label = fmt::format("bits={}_shape={}", bits, dashed(shape)),
      .arguments = {{kWord, {2}}},
      .domains = {kKey},
      .emit = [=](Arguments x) { return emitRandomBits(keyWords(x[0]), bits, shape); },
      .expect =
          [=](Tensors inputs) {
            return oracle::eachElement(unsignedOf(bits), shape, [&](int64_t i) {
              return oracle::Number{randomBits(keyOf(inputs[0]), bits, static_cast<uint32_t>(i))};
            });
          },
      .oracle = "definition"};
}

// The compiler may fuse the multiplication by the range with the addition of its start, with one
// rounding instead of two.
Comparator uniformComparator(ElementType type, double low, double high) {
  if (low == 0 && high == 1) return exactly();
  Comparator comparator = withinUlps(type, 1);
  comparator.tolerance.absolute = (high - low) * epsilonOf(type);
  return comparator;
}

CaseSpecification uniformCase(ElementType type, const Shape& shape, double low, double high) {
  std::string label = describe(type, shape);
  if (low != 0 || high != 1) label += fmt::format("_from={}_to={}", low, high);
  return {.primitive = "random_uniform",
          .label = label,
          .arguments = {{kWord, {2}}},
          .domains = {kKey},
          .emit = [=](Arguments x) { return emitUniform(keyWords(x[0]), type, shape, low, high); },
          .expect =
              [=](Tensors inputs) {
                return oracle::eachElement(type, shape, [&](int64_t i) {
                  return oracle::Number{0, uniformNumber(keyOf(inputs[0]), type,
                                                         static_cast<uint32_t>(i), low, high)};
                });
              },
          .oracle = "definition",
          .comparators = {uniformComparator(type, low, high)}};
}

}  // namespace

VINTAGE_FAMILY(addRandomKeyCases) {
  for (const Shape& shape : {Shape{}, Shape{1}, Shape{5}, Shape{100}, Shape{3, 7}, Shape{0}})
    cases.add(threefryCase(shape));
  cases.addPoly([](Sizes sizes) { return threefryCase({sizes.b, sizes.c}); });
  cases.addPoly([](Sizes sizes) { return withShapeOf(splitCase({sizes.b}), {sizes.b}); });
  for (const Shape& count : {Shape{1}, Shape{2}, Shape{3}, Shape{8}, Shape{100}, Shape{2, 3}})
    cases.add(splitCase(count));
  for (ElementType type :
       {ElementType::kI32, ElementType::kUi32, ElementType::kI64, ElementType::kUi64}) {
    cases.add(seedCase(type, {}));
    cases.add(seedCase(type, {5}));
    cases.addPoly([&](Sizes s) { return seedCase(type, {s.b}); });
    cases.add(foldInCase(type));
  }
  for (int bits : {8, 16, 32, 64}) {
    for (const Shape& shape : {Shape{}, Shape{7}, Shape{5, 4}, Shape{0}})
      cases.add(bitsCase(bits, shape));
    cases.addPoly([&](Sizes s) {
      const Shape shape{s.b, s.c};
      return withShapeOf(bitsCase(bits, shape), shape);
    });
  }
  for (ElementType type : types::kFloats) {
    for (const Shape& shape : {Shape{}, Shape{16}, Shape{5, 4}})
      cases.add(uniformCase(type, shape, 0, 1));
    cases.add(uniformCase(type, {32}, -2, 3));
    cases.addPoly([&](Sizes s) {
      const Shape shape{s.b, s.c};
      return withShapeOf(uniformCase(type, shape, 0, 1), shape);
    });
  }
}

}  // namespace vintage::primitives
