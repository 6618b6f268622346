// random_categorical, random_randint.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "golden/oracle/quad_matrix.h"
#include "golden/oracle/real.h"
#include "primitives/catalogue/case_list.h"
#include "primitives/catalogue/random/threefry.h"
#include "primitives/lowering/operations.h"

namespace vintage::primitives {
using namespace golden;

namespace {

using oracle::Quad;
using oracle::Real;

// --- random_categorical: the position of the largest sum of logits and Gumbel noise.

Tensor noisyLogits(const Tensor& key, const Tensor& logits) {
  const ElementType type = logits.type();
  return oracle::eachElement(type, logits.shape(), [&](int64_t i) {
    const Real u =
        uniformNumber(keyOf(key), type, static_cast<uint32_t>(i), smallestNormal(type), 1);
    const Real inner = oracle::log(u).roundTo(type);
    const double gumbel = -oracle::log(-inner).roundTo(type);
    return oracle::QuadComplex{Quad(gumbel) + oracle::load(logits, i).real};
  });
}

// The position of the largest element along `axis`, and its lead.
struct Winners {
  Tensor positions;
  double lead;
};
Winners winnersOf(const Tensor& noisy, int64_t axis) {
  Shape shape = noisy.shape();
  const int64_t size = shape[static_cast<size_t>(axis)];
  shape.erase(shape.begin() + axis);
  Winners winners{Tensor(kInt, shape), oracle::kInfinity};
  int64_t position = 0;
  oracle::forEachIndex(shape, [&](const Shape& index) {
    Shape from = index;
    from.insert(from.begin() + axis, 0);
    std::vector<double> row;
    for (int64_t k = 0; k < size; ++k) {
      from[static_cast<size_t>(axis)] = k;
      row.push_back(oracle::load(noisy, oracle::positionOf(noisy.shape(), from)).real);
    }
    const auto best = std::ranges::max_element(row);
    oracle::store(winners.positions, position++, {best - row.begin()});
    std::vector<double> sorted = row;
    std::ranges::sort(sorted, std::greater<>());
    if (sorted.size() > 1) winners.lead = std::min(winners.lead, sorted[0] - sorted[1]);
  });
  return winners;
}

CaseSpecification categoricalCase(ElementType type, const Shape& shape, int64_t axis) {
  return {.primitive = "random_categorical",
          .label = fmt::format("axis={}", axis),
          .arguments = {{kWord, {2}}, {type, shape}},
          .emit =
              [=](FunctionBuilder& main, Arguments x) {
                const SsaValue u =
                    emitUniform(keyWords(x[0]), type, shape, smallestNormal(type), 1);
                const SsaValue noisy = -log(-log(u)) + x[1];
                return callPrivate("argmax", {noisy}, [&](Arguments noisy) {
                  return argumentReduce(noisy[0], true, axis, kInt);
                });
              },
          .expect =
              [axis](Tensors inputs) {
                return winnersOf(noisyLogits(inputs[0], inputs[1]), axis).positions;
              },
          .oracle = "mpfr",
          // The logarithms may be a few ulps off: inputs have clear winners only.
          .makeInputs =
              [=](Random& random) {
                while (true) {
                  std::vector<Tensor> inputs{
                      makeKey(random), makeInput(type, shape, {.low = -4, .high = 4}, random)};
                  const Winners winners = winnersOf(noisyLogits(inputs[0], inputs[1]), axis);
                  if (winners.lead > 16 * epsilonOf(type)) return inputs;
                }
              }};
}

// --- random_randint: two words of random bits modulo the span.

CaseSpecification randintCase(ElementType type, const Shape& shape, int64_t low, int64_t high) {
  const int bits = bitWidth(type);
  const ElementType word = unsignedOf(bits);
  auto named = [](int64_t v) { return fmt::format("{}{}", v < 0 ? "m" : "", std::abs(v)); };
  return {.primitive = "random_randint",
          .label = fmt::format("{}_from={}_to={}", describe(type, shape), named(low), named(high)),
          .arguments = {{kWord, {2}}},
          .domains = {Domain{.low = 0, .high = 4294967295.0}},
          .emit = [=](FunctionBuilder& main, Arguments x) -> SsaValues {
            auto bound = [&](int64_t value) { return main.constant(type, value); };
            const SsaValue minimum = bound(low), maximum = bound(high);
            const std::vector<KeyWords> keys = splitKeys(keyWords(x[0]), 2);
            const SsaValue higher = emitRandomBits(keys[0], bits, shape);
            const SsaValue lower = emitRandomBits(keys[1], bits, shape);
            const SsaValue difference = convert(maximum - minimum, word);
            const SsaValue scalar = select(maximum <= minimum, difference.like(1), difference);
            auto modulo = [](const SsaValue& a, const SsaValue& b) {
              return same("stablehlo.remainder", a, b);
            };
            // 2^bits modulo the span, from its square root, which the type holds.
            const SsaValue root = modulo(scalar.like(std::ldexp(1.0, bits / 2)), scalar);
            const SsaValue factor = modulo(root * root, scalar).broadcastTo(shape);
            const SsaValue span = scalar.broadcastTo(shape);
            const SsaValue offset =
                modulo(modulo(higher, span) * factor + modulo(lower, span), span);
            return {minimum.broadcastTo(shape) + convert(offset, type)};
          },
          .expect =
              [=](Tensors inputs) {
                using oracle::Wide;
                const ThreefryPair key = keyOf(inputs[0]);
                const ThreefryPair keys[] = {splitKey(key, 0), splitKey(key, 1)};
                const Wide span = low < high ? oracle::wrap(word, Wide(high) - low) : 1;
                const Wide root = (Wide(1) << (bits / 2)) % span;
                const Wide factor = oracle::wrap(word, root * root) % span;
                return oracle::eachElement(type, shape, [&](int64_t i) {
                  const Wide above = randomBits(keys[0], bits, static_cast<uint32_t>(i));
                  const Wide below = randomBits(keys[1], bits, static_cast<uint32_t>(i));
                  const Wide product = oracle::wrap(
                      word, static_cast<Wide>(static_cast<unsigned __int128>(above % span) *
                                              static_cast<unsigned __int128>(factor)));
                  const Wide offset = oracle::wrap(word, product + below % span) % span;
                  return oracle::Number{oracle::wrap(type, low + oracle::wrap(type, offset))};
                });
              },
          .oracle = "definition"};
}

}  // namespace

VINTAGE_FAMILY(addDistributionCases) {
  for (ElementType type : types::kFloats) {
    cases.add(categoricalCase(type, {8}, 0));
    cases.add(categoricalCase(type, {5, 4}, 0));
    cases.add(categoricalCase(type, {5, 4}, 1));
    cases.add(categoricalCase(type, {2, 3, 4}, 1));
    for (const int64_t axis : {0, 1})
      cases.addPoly([&](Sizes s) { return categoricalCase(type, {s.b, s.c}, axis); });
  }
  for (ElementType type : types::kSignedIntegers) {
    const auto lowest = static_cast<int64_t>(oracle::lowest(type));
    const auto highest = static_cast<int64_t>(oracle::highest(type));
    for (const Shape& shape : {Shape{}, Shape{16}, Shape{5, 4}}) {
      cases.add(randintCase(type, shape, -5, 5));
      cases.add(randintCase(type, shape, lowest, highest));
    }
    cases.add(randintCase(type, {8}, 3, 3));  // An empty range gives its lower border.
    cases.add(randintCase(type, {0}, 0, 7));
    cases.addPoly([&](Sizes s) {
      const Shape shape{s.b, s.c};
      return withShapeOf(randintCase(type, shape, -5, 5), shape);
    });
  }
}

}  // namespace vintage::primitives
