// random_gamma: Marsaglia and Tsang, "A simple method for generating gamma
// variables" (2000), with the boost of shapes below one.
#include <cmath>

#include <fmt/format.h>

#include "golden/oracle/number.h"
#include "golden/oracle/real.h"
#include "primitives/catalogue/families.h"
#include "primitives/catalogue/random/threefry.h"

namespace vintage::primitives {
using namespace golden;

namespace {

using oracle::Quad;
using oracle::Real;

// While any element's condition holds, the body, for the elements whose does.
template <typename Condition, typename Body>
std::vector<Expression> whileAny(std::span<const Expression> initial, Condition condition,
                                 Body body) {
  FunctionBuilder& main = initial[0].builder();
  auto expressions = [&](Arguments values) {
    std::vector<Expression> result;
    for (const SsaValue& value : values) result.emplace_back(main, value);
    return result;
  };
  const SsaValues start(initial.begin(), initial.end());
  return expressions(main.whileLoop(
      start, [&](Arguments values) -> SsaValue { return any(condition(expressions(values))); },
      [&](Arguments values) {
        const std::vector<Expression> old = expressions(values);
        std::vector<Expression> next;
        if (old[0].shape().empty()) {
          next = body(old);
        } else {
          const Expression going = condition(old);
          next = body(old);
          for (size_t i = 0; i < next.size(); ++i) next[i] = select(going, next[i], old[i]);
        }
        return SsaValues(next.begin(), next.end());
      }));
}

Expression emitGammaEach(const KeyWords& given, const Expression& alpha, bool logarithmic,
                         const std::string& platform) {
  const ElementType type = alpha.type();
  const Expression zero = alpha.like(0), one = alpha.like(1);
  const Expression large = alpha >= one;
  const Expression boosted = select(large, alpha, alpha + one);
  const Expression third = alpha.like(oracle::roundTo(type, Quad(1) / 3));
  const Expression d = boosted - third;
  const Expression c = third / sqrt(d);
  const std::vector<KeyWords> first = splitKeys(given, 2, platform);
  const Expression u = emitUniformEach(first[1], type, platform);
  // key, x^2, v^3, u; the first ones are refused.
  const Expression initial[] = {first[0].first, first[0].second, zero, one, alpha.like(2)};
  const std::vector<Expression> done = whileAny(
      initial,
      [&](std::span<const Expression> s) {
        const Expression &x = s[2], &v = s[3], &u = s[4];
        const Expression squeezed = u >= 1.0 - 0.0331 * (x * x);
        const Expression exact = log(u) >= x * 0.5 + d * ((1.0 - v) + log(v));
        return squeezed & exact;
      },
      [&](std::span<const Expression> s) -> std::vector<Expression> {
        const std::vector<KeyWords> keys = splitKeys({s[0], s[1]}, 3, platform);
        const Expression start[] = {keys[1].first, keys[1].second, zero, alpha.like(-1)};
        const std::vector<Expression> drawn = whileAny(
            start, [&](std::span<const Expression> t) { return t[3] <= 0.0; },
            [&](std::span<const Expression> t) -> std::vector<Expression> {
              const std::vector<KeyWords> pair = splitKeys({t[0], t[1]}, 2, platform);
              const Expression x = emitNormalEach(pair[1], type, platform);
              return {pair[0].first, pair[0].second, x, 1.0 + x * c};
            });
        const Expression &x = drawn[2], &v = drawn[3];
        return {keys[0].first, keys[0].second, x * x, (v * v) * v,
                emitUniformEach(keys[2], type, platform)};
      });
  const Expression& v = done[3];
  if (logarithmic) {
    const Expression boost = select(large, zero, log(u) * (one / alpha));
    return (log(d) + log(v)) + boost;
  }
  const Expression boost = select(large, one, u.apply("stablehlo.power", one / alpha));
  const Expression z = (d * v) * boost;
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
      const double drawn =
          uniformNumber(splitKey(normalKey, 1), type, 0, aboveMinusOne(type), 1);
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

void addGamma(CaseList& cases, ElementType type, const Shape& shape, bool logarithmic) {
  Comparator comparator = withinUlps(type, 32);
  // A logarithm passes through zero.
  if (logarithmic) comparator.tolerance.absolute = 16 * epsilonOf(type);
  const int64_t count = elementCount(shape);
  cases.add(
      {.primitive = "random_gamma",
       .label = fmt::format("log={}", logarithmic),
       .arguments = {{kWord, {2}}, {type, shape}},
       .emit = [=](FunctionBuilder& main, Arguments arguments,
                   const std::string& platform) -> SsaValues {
         const KeyWords key = keyWords(main, arguments[0]);
         const SsaValue flat = main.iota(kWord, {count}, 0);
         const SsaValue words[] = {key.first.broadcastTo({count}), key.second.broadcastTo({count}),
                                   main.fill(kWord, 0, {count}), flat};
         const SsaValues keys = emitThreefry(main, words, platform);
         const Expression alphas(main, main.reshape(arguments[1], {count}));
         if (platform != "cpu") {
           const Expression all = emitGammaEach({{main, keys[0]}, {main, keys[1]}}, alphas,
                                                logarithmic, platform);
           return {main.reshape(all, shape)};
         }
         // One element after the other: their loops end at different turns.
         const SsaValue zero = main.constant(kInt, 0), step = main.constant(kInt, 1);
         const SsaValue limit = main.constant(kInt, count);
         const SsaValue initial[] = {zero, main.fill(type, 0, {count})};
         const SsaValues done = main.whileLoop(
             initial, [&](Arguments v) { return main.compare("LT", v[0], limit); },
             [&](Arguments v) -> SsaValues {
               auto at = [&](const SsaValue& array) {
                 const SsaValue piece = main.dynamicSlice(array, {v[0]}, {1});
                 return Expression(main, main.reshape(piece, {}));
               };
               const Expression first = at(keys[0]), second = at(keys[1]);
               const Expression sample =
                   emitGammaEach({first, second}, at(alphas), logarithmic, platform);
               const SsaValue row = main.broadcast(sample, Shape{1});
               const SsaValue kept = main.dynamicUpdateSlice(v[1], row, {v[0]});
               return {main.same("stablehlo.add", v[0], step), kept};
             });
         return {main.reshape(done[1], shape)};
       },
       .expect = [=](Tensors inputs) {
         Tensor result(type, shape);
         for (int64_t i = 0; i < count; ++i) {
           const ThreefryPair key = splitKey(keyOf(inputs[0]), static_cast<uint32_t>(i));
           const Real sample =
               gammaSample(key, oracle::load(inputs[1], i).real, type, logarithmic);
           oracle::store(result, i, {0, sample.roundTo(type), 0});
         }
         return result;
       },
       .oracle = "mpfr",
       .comparators = {comparator},
       .makeInputs =
           [=](Random& random) {
             return std::vector<Tensor>{makeKey(random),
                                        makeInput(type, shape, {.low = 0.2, .high = 5}, random)};
           }});
}

}  // namespace

VINTAGE_FAMILY(addGammaCases) {
  for (ElementType type : {ElementType::kF32, ElementType::kF64}) {
    for (const Shape& shape : {Shape{}, Shape{3}, Shape{2, 4}}) {
      for (bool logarithmic : {false, true}) addGamma(cases, type, shape, logarithmic);
    }
    cases.addPoly([&](CaseList& list, Sizes s) { addGamma(list, type, {s.b, s.c}, false); });
  }
}

}  // namespace vintage::primitives
