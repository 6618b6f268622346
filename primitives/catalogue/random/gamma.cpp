// random_gamma: Marsaglia and Tsang, "A simple method for generating gamma
// variables" (2000), with the boost of shapes below one.
#include <cmath>

#include <fmt/format.h>

#include "golden/oracle/number.h"
#include "golden/oracle/real.h"
#include "primitives/catalogue/case_list.h"
#include "primitives/catalogue/random/threefry.h"

namespace vintage::primitives {
using namespace golden;

namespace {

using oracle::Quad;
using oracle::Real;

// Repeats the body while any element's condition holds, and updates only elements whose condition
// does.
template <typename Condition, typename Body>
SsaValues whileAny(Arguments initial, Condition condition, Body body) {
  return whileLoop(
      initial, [&](Arguments values) { return any(condition(values)); },
      [&](Arguments old) {
        if (old[0].shape.empty()) return body(old);
        const SsaValue going = condition(old);
        SsaValues next = body(old);
        for (size_t i = 0; i < next.size(); ++i) next[i] = select(going, next[i], old[i]);
        return next;
      });
}

SsaValue emitGammaEach(const KeyWords& given, const SsaValue& alpha, bool logarithmic) {
  const ElementType type = alpha.type;
  const SsaValue zero = alpha.like(0), one = alpha.like(1);
  const SsaValue large = alpha >= one;
  const SsaValue boosted = select(large, alpha, alpha + one);
  const SsaValue third = alpha.like(oracle::roundTo(type, Quad(1) / 3));
  const SsaValue d = boosted - third;
  const SsaValue c = third / sqrt(d);
  const std::vector<KeyWords> first = splitKeys(given, 2);
  const SsaValue u = emitUniformEach(first[1], type);
  // key, x^2, v^3, u; the initial values are always rejected.
  const SsaValue initial[] = {first[0].first, first[0].second, zero, one, alpha.like(2)};
  const SsaValues done = whileAny(
      initial,
      [&](Arguments s) {
        const SsaValue &x = s[2], &v = s[3], &u = s[4];
        const SsaValue squeezed = u >= 1.0 - 0.0331 * (x * x);
        const SsaValue exact = log(u) >= x * 0.5 + d * ((1.0 - v) + log(v));
        return squeezed & exact;
      },
      [&](Arguments s) -> SsaValues {
        const std::vector<KeyWords> keys = splitKeys({s[0], s[1]}, 3);
        const SsaValue start[] = {keys[1].first, keys[1].second, zero, alpha.like(-1)};
        const SsaValues drawn = whileAny(
            start, [&](Arguments t) { return t[3] <= 0.0; },
            [&](Arguments t) -> SsaValues {
              const std::vector<KeyWords> pair = splitKeys({t[0], t[1]}, 2);
              const SsaValue x = emitNormalEach(pair[1], type);
              return {pair[0].first, pair[0].second, x, 1.0 + x * c};
            });
        const SsaValue &x = drawn[2], &v = drawn[3];
        return {keys[0].first, keys[0].second, x * x, (v * v) * v, emitUniformEach(keys[2], type)};
      });
  const SsaValue& v = done[3];
  if (logarithmic) {
    const SsaValue boost = select(large, zero, log(u) * (one / alpha));
    return (log(d) + log(v)) + boost;
  }
  const SsaValue boost = select(large, one, same("stablehlo.power", u, one / alpha));
  const SsaValue z = (d * v) * boost;
  return select(equal(z, 0.0), z.like(smallestNormal(type)), z);
}

Real gammaSample(ThreefryPair key, double shape, ElementType type, bool logarithmic) {
  const Real one(1.0), alpha(shape), third(oracle::roundTo(type, Quad(1) / 3));
  const bool large = shape >= 1;
  const Real d = (large ? alpha : alpha + one) - third;
  const Real c = third / oracle::sqrt(d);
  const Real u(uniformNumber(splitKey(key, 1), type, 0));
  key = splitKey(key, 0);
  Real v(1.0);
  while (true) {
    const ThreefryPair uniformKey = splitKey(key, 2);
    ThreefryPair normalKey = splitKey(key, 1);
    key = splitKey(key, 0);
    Real x, root;
    do {
      const double drawn = uniformNumber(splitKey(normalKey, 1), type, 0, aboveMinusOne(type), 1);
      normalKey = splitKey(normalKey, 0);
      x = Real(oracle::roundTo(type, std::sqrt(2.0))) * oracle::erfInverse(Real(drawn));
      root = one + x * c;
    } while (!(Real(0.0) < root));
    const Real square = x * x;
    v = root * root * root;
    const Real tried(uniformNumber(uniformKey, type, 0));
    const Real squeeze(oracle::roundTo(type, 0.0331));
    if (tried < one - squeeze * square * square) break;
    if (oracle::log(tried) < square * Real(0.5) + d * (one - v + oracle::log(v))) break;
  }
  if (logarithmic) {
    const Real sum = oracle::log(d) + oracle::log(v);
    return large ? sum : sum + oracle::log(u) / alpha;
  }
  const Real z = d * v;
  return large ? z : z * Real::of(mpfr_pow, u, one / alpha);
}

CaseSpecification gammaCase(ElementType type, const Shape& shape, bool logarithmic) {
  Comparator comparator = withinUlps(type, 32);
  // A logarithm passes through zero.
  if (logarithmic) comparator.tolerance.absolute = 16 * epsilonOf(type);
  const int64_t count = elementCount(shape);
  return {.primitive = "random_gamma",
          .label = fmt::format("log={}", logarithmic),
          .arguments = {{kWord, {2}}, {type, shape}},
          .emit = [=](FunctionBuilder& main, Arguments x) -> SsaValues {
            const SsaValues keys = cipherAll(keyWords(x[0]), {count});
            const SsaValue alphas = reshape(x[1], {count});
            if (main.platform() != "cpu") {
              const SsaValue all = emitGammaEach({keys[0], keys[1]}, alphas, logarithmic);
              return {reshape(all, shape)};
            }
            // One element after the other, because their loops end at different turns.
            const SsaValue zero = main.constant(kInt, 0), step = main.constant(kInt, 1);
            const SsaValue limit = main.constant(kInt, count);
            const SsaValue initial[] = {zero, main.fill(type, 0, {count})};
            const SsaValues done = whileLoop(
                initial, [&](Arguments v) { return compare("LT", v[0], limit); },
                [&](Arguments v) -> SsaValues {
                  auto at = [&](const SsaValue& array) {
                    const SsaValue piece = dynamicSlice(array, {v[0]}, {1});
                    return reshape(piece, {});
                  };
                  const SsaValue first = at(keys[0]), second = at(keys[1]);
                  const SsaValue sample = emitGammaEach({first, second}, at(alphas), logarithmic);
                  const SsaValue row = broadcast(sample, Shape{1});
                  const SsaValue kept = dynamicUpdateSlice(v[1], row, {v[0]});
                  return {v[0] + step, kept};
                });
            return {reshape(done[1], shape)};
          },
          .expect =
              [=](Tensors inputs) {
                return oracle::eachElement(type, shape, [&](int64_t i) {
                  const ThreefryPair key = splitKey(keyOf(inputs[0]), static_cast<uint32_t>(i));
                  return gammaSample(key, oracle::load(inputs[1], i).real, type, logarithmic);
                });
              },
          .oracle = "mpfr",
          .comparators = {comparator},
          .makeInputs =
              [=](Random& random) {
                return std::vector<Tensor>{makeKey(random),
                                           makeInput(type, shape, {.low = 0.2, .high = 5}, random)};
              }};
}

}  // namespace

VINTAGE_FAMILY(addGammaCases) {
  for (ElementType type : {ElementType::kF32, ElementType::kF64}) {
    for (const Shape& shape : {Shape{}, Shape{3}, Shape{2, 4}}) {
      for (bool logarithmic : {false, true}) cases.add(gammaCase(type, shape, logarithmic));
    }
    cases.addPoly([&](Sizes s) { return gammaCase(type, {s.b, s.c}, false); });
  }
}

}  // namespace vintage::primitives
