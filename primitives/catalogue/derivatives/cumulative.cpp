// Derivatives of running folds: cumsum turns around; the others are differentiated
// as the associative scans that JAX writes for them.
#include <fmt/format.h>

#include "primitives/catalogue/derivatives/rule.h"
#include "primitives/catalogue/derivatives/tree.h"
#include "primitives/lowering/expression.h"
#include "primitives/lowering/operations.h"

namespace vintage::primitives {
using namespace golden;

namespace {

struct RunningUse {
  Shape shape;
  size_t axis;
  bool reverse;
  std::string label() const { return fmt::format("axis={}_reverse={}", axis, reverse); }
};
const RunningUse kRunningUses[] = {{{8, 9}, 0, false}, {{8, 9}, 1, false}, {{8, 9}, 0, true}};

// The sum from each element to the end, by a window padded behind it; padded before it where the
// fold itself ran backwards.
SsaValues writeSum(const Pullback& p, const RunningUse& use) {
  const SsaValue& g = p.cotangents[0];
  const SsaValue zero = p.builder.number(g.type, 0);
  return {reduceWindow("add", g, zero, runningWindow(use.shape, use.axis, !use.reverse))};
}

const ScanStep kProduct{[](const SsaValue& a, const SsaValue& b) { return a * b; },
                        [](const SsaValue& g, const SsaValue& a, const SsaValue& b,
                           const SsaValue&) { return std::pair{g * b, a * g}; }};

// Half of the cotangent for each of two that are equal.
ScanStep extremeStep(const char* operation) {
  return {[operation](const SsaValue& a, const SsaValue& b) { return same(operation, a, b); },
          [](const SsaValue& g, const SsaValue& x, const SsaValue& y, const SsaValue& z) {
            const auto share = [&](const SsaValue& own, const SsaValue& other) {
              const SsaValue chosen = select(equal(own, z), z.like(1), z.like(0));
              return g * (chosen / select(equal(other, z), z.like(2), z.like(1)));
            };
            return std::pair{share(x, y), share(y, x)};
          },
          true};
}

// The log of the sum of two exponentials, and the share that each has in it.
const ScanStep kLogSumExp{
    [](const SsaValue& a, const SsaValue& b) {
      const SsaValue larger = same("stablehlo.maximum", a, b);
      const SsaValue difference = a - b;
      const SsaValue sum = larger + log1p(exp(-abs(difference)));
      return select(isNan(difference), a + b, sum);
    },
    [](const SsaValue& g, const SsaValue& a, const SsaValue& b, const SsaValue& out) {
      const auto finite = [](const SsaValue& x) {
        return select(equal(x, oracle::kInfinity), x.like(0), x);
      };
      const SsaValue z = finite(out);
      return std::pair{g * exp(finite(a) - z), g * exp(finite(b) - z)};
    },
    true};

SsaValues writeScan(const Pullback& p, const RunningUse& use, const ScanStep& step) {
  const Shape axis{static_cast<int64_t>(use.axis)};
  const auto turned = [&](const SsaValue& value) {
    return use.reverse ? reverse(value, axis) : value;
  };
  const SsaValue x = turned(p.inputs[0]);
  return {turned(scanCotangent(step, x, turned(p.cotangents[0]), use.axis))};
}

// The input cotangents of one line of elements, in the order of the fold.
template <typename Number>
using LineOracle = std::vector<Number> (*)(const std::vector<Number>& x,
                                           const std::vector<Number>& g);

template <typename Number>
std::vector<Tensor> byLines(const PullbackValues& values, const RunningUse& use,
                            Number (*load)(const Tensor&, int64_t), LineOracle<Number> oracle) {
  Tensor result(values.inputs[0].type(), use.shape);
  const auto size = static_cast<size_t>(use.shape[use.axis]);
  Shape lines = use.shape;
  lines[use.axis] = 1;
  oracle::forEachIndex(lines, [&](Shape index) {
    std::vector<int64_t> positions;
    for (size_t i = 0; i < size; ++i) {
      index[use.axis] = static_cast<int64_t>(use.reverse ? size - 1 - i : i);
      positions.push_back(oracle::positionOf(use.shape, index));
    }
    std::vector<Number> x, g;
    for (int64_t position : positions) {
      x.push_back(load(values.inputs[0], position));
      g.push_back(load(values.cotangents[0], position));
    }
    const std::vector<Number> found = oracle(x, g);
    for (size_t i = 0; i < size; ++i) oracle::storeRounded(result, positions[i], found[i]);
  });
  return {std::move(result)};
}

// For each element: the products that contain it, without it.
template <typename Number>
std::vector<Number> productLine(const std::vector<Number>& x, const std::vector<Number>& g) {
  std::vector<Number> found;
  for (size_t j = 0; j < x.size(); ++j) {
    Number sum{};
    for (size_t i = j; i < x.size(); ++i) {
      Number term = g[i];
      for (size_t k = 0; k <= i; ++k) {
        if (k != j) term = term * x[k];
      }
      sum = sum + term;
    }
    found.push_back(sum);
  }
  return found;
}

// All values are different: each cotangent goes to the extreme so far.
template <bool kLargest>
std::vector<oracle::Real> extremeLine(const std::vector<oracle::Real>& x,
                                      const std::vector<oracle::Real>& g) {
  std::vector<oracle::Real> found(x.size());
  size_t best = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    if (kLargest ? x[best] < x[i] : x[i] < x[best]) best = i;
    found[best] = found[best] + g[i];
  }
  return found;
}

std::vector<oracle::Real> logSumExpLine(const std::vector<oracle::Real>& x,
                                        const std::vector<oracle::Real>& g) {
  std::vector<oracle::Real> found(x.size());
  oracle::Real sum;
  for (size_t i = 0; i < x.size(); ++i) {
    sum = sum + exp(x[i]);
    for (size_t j = 0; j <= i; ++j) found[j] = found[j] + g[i] * exp(x[j]) / sum;
  }
  return found;
}

}  // namespace

VINTAGE_DERIVATIVES(cumulativeDerivatives) {
  static const ScanStep kLargest = extremeStep("stablehlo.maximum");
  static const ScanStep kSmallest = extremeStep("stablehlo.minimum");
  DerivativeRules rules;
  for (const RunningUse& use : kRunningUses) {
    const auto scan = [&](const char* primitive, const ScanStep& step, Domain domain,
                          LineOracle<oracle::Real> line) {
      rules.push_back(
          {.primitive = primitive,
           .label = use.label(),
           .shapes = {use.shape},
           .domains = {domain},
           .write = [&use, &step](const Pullback& p) { return writeScan(p, use, step); },
           .oracle =
               [&use, line](const PullbackValues& values) {
                 return byLines(values, use, realAt, line);
               },
           .units = 32});
    };
    rules.push_back(linearRule(
        "cumsum", use.label(), {use.shape}, [&use](const Pullback& p) { return writeSum(p, use); },
        32));
    scan("cumprod", kProduct, kFactors, productLine<oracle::Real>);
    scan("cummax", kLargest, Domain{.distinct = true}, extremeLine<true>);
    scan("cummin", kSmallest, Domain{.distinct = true}, extremeLine<false>);
    scan("cumlogsumexp", kLogSumExp, Domain{.low = -2, .high = 2}, logSumExpLine);
    rules.push_back({.primitive = "cumprod",
                     .label = use.label(),
                     .shapes = {use.shape},
                     .types = types::kComplexes,
                     .domains = {Domain{.low = -1, .high = 1}},
                     .write = [&use](const Pullback& p) { return writeScan(p, use, kProduct); },
                     .oracle =
                         [&use](const PullbackValues& values) {
                           return byLines(values, use, complexAt, productLine<oracle::Complex>);
                         },
                     .units = 32});
  }
  return rules;
}

}  // namespace vintage::primitives
