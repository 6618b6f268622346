// Derivatives of what goes window by window: a sum's cotangent is spread over the
// window, an extreme's goes to the element that won.
#include <fmt/format.h>

#include "golden/oracle/window.h"
#include "primitives/catalogue/derivatives/movement.h"
#include "primitives/catalogue/derivatives/transposed.h"
#include "primitives/lowering/fold.h"
#include "primitives/catalogue/windows/window_text.h"
#include "primitives/catalogue/windows/window_uses.h"

namespace vintage::primitives::catalogue {
namespace {

int64_t dilated(int64_t size, int64_t dilation) { return (size - 1) * dilation + 1; }

// The cotangent, as far apart as the windows were, summed over windows as large.
SsaValues writeSum(const PullbackWriter& p, const oracle::Window& window) {
  FunctionWriter& writer = p.writer;
  const SsaValue &g = p.cotangents[0], &x = p.inputs[0];
  Shape low, high, interior;
  const Shape ones(x.shape.size(), 1), zeros(x.shape.size(), 0);
  for (size_t i = 0; i < ones.size(); ++i) {
    const int64_t size = dilated(x.shape[i], window.baseDilation[i]);
    const int64_t reach = dilated(window.dimensions[i], window.windowDilation[i]);
    low.push_back(reach - 1 - window.paddingLow[i]);
    high.push_back(size + reach - 1 - dilated(g.shape[i], window.strides[i]) - low[i]);
    interior.push_back(window.strides[i] - 1);
  }
  const SsaValue zero = writer.number(g.type, 0);
  const SsaValue padded = padOf(writer, g, zero, low, high, interior);
  const oracle::Window turned{window.dimensions, window.baseDilation, zeros, zeros, ones,
                              window.windowDilation};
  const TensorType result{x.type, x.shape};
  const SsaValue summed =
      writer
          .beginOperation({&result, 1},
                          fmt::format("\"stablehlo.reduce_window\"({}, {}) <{{{}}}> ", padded.name,
                                      zero.name, windowAttributes(turned)))
          .front();
  const TensorType scalars[] = {{x.type, {}}, {x.type, {}}};
  writer.region(scalars, [&](std::span<const SsaValue> pair) -> SsaValues {
    return {combined(writer, "add", pair[0], pair[1])};
  });
  writer.append(fmt::format(" : ({}, {}) -> {}", typeText(padded), typeText(zero), typeText(x)));
  writer.endOperation();
  return {summed};
}

// Each source to the place in its window that wins. What is dilated is padded first,
// with what never wins, and cut out again.
SsaValue selectAndScatter(FunctionWriter& writer, SsaValue operand, const SsaValue& source,
                          bool largest, oracle::Window window) {
  const Shape ones(operand.shape.size(), 1), zeros(operand.shape.size(), 0);
  const Shape dilation = window.baseDilation, original = operand.shape;
  if (dilation != ones) {
    Shape interior = dilation;
    for (int64_t& step : interior) --step;
    const SsaValue never =
        writer.constant(operand.type, identityLiteral(largest ? "max" : "min", operand.type));
    operand = padOf(writer, operand, never, zeros, zeros, interior);
    window.baseDilation = ones;
  }
  const SsaValue zero = writer.number(operand.type, 0);
  const TensorType result{operand.type, operand.shape};
  const SsaValue scattered =
      writer
          .beginOperation({&result, 1},
                          fmt::format("\"stablehlo.select_and_scatter\"({}, {}, {}) <{{{}}}> (",
                                      operand.name, source.name, zero.name,
                                      windowAttributes(window)))
          .front();
  const TensorType scalars[] = {{operand.type, {}}, {operand.type, {}}};
  writer.regionBody(scalars, [&](std::span<const SsaValue> pair) -> SsaValues {
    return {writer.compare(largest ? "GE" : "LE", pair[0], pair[1])};
  });
  writer.append(", ");
  writer.regionBody(scalars, [&](std::span<const SsaValue> pair) -> SsaValues {
    return {combined(writer, "add", pair[0], pair[1])};
  });
  writer.append(fmt::format(") : ({}, {}, {}) -> {}", typeText(operand), typeText(source),
                            typeText(zero), typeText(operand)));
  writer.endOperation();
  return dilation == ones ? scattered
                          : sliceOf(writer, scattered, zeros, scattered.shape, dilation);
}

// Of each window the tangent where the key wins.
SsaValue selectAndGather(FunctionWriter& writer, const SsaValue& tangents, const SsaValue& operand,
                         bool largest, const oracle::Window& window) {
  const SsaValue worst =
      writer.constant(operand.type, identityLiteral(largest ? "max" : "min", operand.type));
  const SsaValue all[] = {operand, tangents, worst, writer.number(operand.type, 0)};
  const Shape shape = window.resultShape(operand.shape);
  const TensorType results[] = {{operand.type, shape}, {operand.type, shape}};
  const SsaValues values = writer.beginOperation(
      results, fmt::format("\"stablehlo.reduce_window\"({}) <{{{}}}> ", namesText(all),
                           windowAttributes(window)));
  const std::vector<TensorType> scalars(4, TensorType{operand.type, {}});
  writer.region(scalars, [&](std::span<const SsaValue> v) -> SsaValues {
    const SsaValue keep = writer.compare(largest ? "GE" : "LE", v[0], v[2]);
    const SsaValue key = writer.select(keep, v[0], v[2]);
    return {key, writer.select(keep, v[1], v[3])};
  });
  const std::string result = tensorText(operand.type, shape);
  writer.append(fmt::format(" : ({}) -> ({}, {})", typesText(all), result, result));
  writer.endOperation();
  return values[1];
}

// The winner of each window, by definition: all keys are different.
std::vector<int64_t> winners(const Tensor& operand, bool largest, const oracle::Window& window) {
  std::vector<int64_t> found;
  oracle::forEachIndex(window.resultShape(operand.shape()), [&](const Shape& at) {
    int64_t best = -1;
    window.forEachElement(operand.shape(), at, [&](int64_t candidate) {
      if (best < 0) {
        best = candidate;
        return;
      }
      const double value = oracle::load(operand, candidate).real;
      const double known = oracle::load(operand, best).real;
      if (largest ? value > known : value < known) best = candidate;
    });
    found.push_back(best);
  });
  return found;
}

Tensor scatteredToWinners(const Tensor& operand, const Tensor& source, bool largest,
                          const oracle::Window& window) {
  CotangentSums sums(operand.type(), operand.shape());
  int64_t position = 0;
  for (int64_t winner : winners(operand, largest, window)) {
    const double value = oracle::load(source, position++).real;
    if (winner >= 0) sums.add(winner, value);
  }
  return sums.rounded();
}

// JAX has no derivative of choosing among what lies in such a window.
bool hasHoles(const WindowUse& use) {
  return use.window.windowDilation != Shape(use.operand.size(), 1);
}

constexpr Domain kDistinct{.distinct = true};

void addExtremes(DerivativeRules& rules, const WindowUse& use) {
  const oracle::Window& window = use.window;
  if (hasHoles(use)) return;
  for (bool largest : {true, false}) {
    rules.push_back(
        {.primitive = largest ? "reduce_window_max" : "reduce_window_min", .label = use.name,
         .shapes = {use.operand}, .domains = {kDistinct},
         .write = [&window, largest](const PullbackWriter& p) -> SsaValues {
           return {selectAndScatter(p.writer, p.inputs[0], p.cotangents[0], largest, window)};
         },
         .oracle = [&window, largest](const PullbackValues& v) -> std::vector<Tensor> {
           return {scatteredToWinners(v.inputs[0], v.cotangents[0], largest, window)};
         },
         .units = 8});
  }
}

// Both are linear in one argument; the other one only decides who wins.
void addSelections(DerivativeRules& rules, const WindowUse& use, bool largest,
                   bool scatter) {
  const oracle::Window& window = use.window;
  const std::string label = fmt::format("{}_select={}", use.name, largest ? "ge" : "le");
  if (scatter) {
    rules.push_back(
        {.primitive = "select_and_scatter_add", .label = label,
         .shapes = {use.operand, window.resultShape(use.operand)},
         .domains = {kDistinct, domains::kSmall},
         .write = [&window, largest](const PullbackWriter& p) -> SsaValues {
           const SsaValue& operand = p.inputs[0];
           const SsaValue zeros = zerosLike(p.writer, operand);
           return {zeros, selectAndGather(p.writer, p.cotangents[0], operand, largest, window)};
         },
         .oracle = [&window, largest](const PullbackValues& v) -> std::vector<Tensor> {
           const Tensor &operand = v.inputs[0], &source = v.inputs[1];
           Tensor gathered(source.type(), source.shape());
           int64_t position = 0;
           for (int64_t winner : winners(operand, largest, window)) {
             oracle::copyElement(v.cotangents[0], winner, gathered, position++);
           }
           return {Tensor(operand.type(), operand.shape()), std::move(gathered)};
         }});
    return;
  }
  rules.push_back(
      {.primitive = "select_and_gather_add", .label = label, .shapes = {use.operand, use.operand},
       .domains = {domains::kSmall, kDistinct},
       .write = [&window, largest](const PullbackWriter& p) -> SsaValues {
         const SsaValue& keys = p.inputs[1];
         const SsaValue first =
             selectAndScatter(p.writer, keys, p.cotangents[0], largest, window);
         return {first, zerosLike(p.writer, keys)};
       },
       .oracle = [&window, largest](const PullbackValues& v) -> std::vector<Tensor> {
         const Tensor& keys = v.inputs[1];
         return {scatteredToWinners(keys, v.cotangents[0], largest, window),
                 Tensor(keys.type(), keys.shape())};
       },
       .units = 8});
}

}  // namespace

DerivativeRules windowDerivatives() {
  DerivativeRules rules;
  for (const WindowUse& use : kReduceWindowUses) {
    rules.push_back({.primitive = "reduce_window_add", .label = use.name, .shapes = {use.operand},
                     .types = types::inexact,
                     .write = [&use](const PullbackWriter& p) { return writeSum(p, use.window); },
                     .oracle = transposedLinear,
                     .units = 16});
    addExtremes(rules, use);
  }
  for (bool largest : {true, false}) {
    for (const WindowUse& use : kSelectAndScatterUses) addSelections(rules, use, largest, true);
    for (const WindowUse& use : kSelectAndGatherUses)
      if (!hasHoles(use)) addSelections(rules, use, largest, false);
  }
  return rules;
}

}  // namespace vintage::primitives::catalogue
