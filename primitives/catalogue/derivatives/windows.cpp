// Derivatives of windowed reductions: a sum's cotangent is spread over the window, an extreme's
// goes to the winning element.
#include <fmt/format.h>

#include "golden/oracle/reduction.h"
#include "primitives/catalogue/derivatives/rule.h"
#include "primitives/catalogue/windows/window_uses.h"
#include "primitives/lowering/operations.h"

namespace vintage::primitives {
using namespace golden;

namespace {

// The cotangent, as far apart as the windows were, summed over windows as large.
SsaValues writeSum(const Pullback& p, const oracle::Window& window) {
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
  const SsaValue zero = p.builder.number(g.type, 0);
  const SsaValue padded = pad(g, zero, low, high, interior);
  const oracle::Window turned{window.dimensions,    window.baseDilation, zeros, zeros, ones,
                              window.windowDilation};
  return {reduceWindow("add", padded, zero, turned)};
}

// Scatters each source to the winning place in its window. A dilated operand is padded with a value
// that never wins, and cut out again.
SsaValue scatterDilated(SsaValue operand, const SsaValue& source, bool largest,
                        oracle::Window window) {
  const Shape ones(operand.shape.size(), 1), zeros(operand.shape.size(), 0);
  const Shape dilation = window.baseDilation, original = operand.shape;
  if (dilation != ones) {
    Shape interior = dilation;
    for (int64_t& step : interior) --step;
    const SsaValue never = identityOf(largest ? "max" : "min", operand);
    operand = pad(operand, never, zeros, zeros, interior);
    window.baseDilation = ones;
  }
  const SsaValue zero = operand.builder->number(operand.type, 0);
  const SsaValue scattered = selectAndScatter(operand, source, zero, largest, window);
  return dilation == ones ? scattered : slice(scattered, zeros, scattered.shape, dilation);
}

// JAX has no derivative of a selection in such a window.
bool hasHoles(const WindowUse& use) {
  return use.window.windowDilation != Shape(use.operand.size(), 1);
}

constexpr Domain kDistinct{.distinct = true};

void addExtremes(DerivativeRules& rules, const WindowUse& use) {
  const oracle::Window& window = use.window;
  if (hasHoles(use)) return;
  for (bool largest : {true, false}) {
    rules.push_back(
        {.primitive = largest ? "reduce_window_max" : "reduce_window_min",
         .label = use.name,
         .shapes = {use.operand},
         .domains = {kDistinct},
         .write = [&window, largest](const Pullback& p) -> SsaValues {
           return {scatterDilated(p.inputs[0], p.cotangents[0], largest, window)};
         },
         .oracle = [&window, largest](const PullbackValues& v) -> std::vector<Tensor> {
           return {oracle::selectedAndScattered(v.inputs[0], v.cotangents[0], largest, window)};
         },
         .units = 8});
  }
}

// Both are linear in one argument; the other one only decides which element wins.
void addSelections(DerivativeRules& rules, const WindowUse& use, bool largest, bool scatter) {
  const oracle::Window& window = use.window;
  const std::string label = fmt::format("{}_select={}", use.name, largest ? "ge" : "le");
  if (scatter) {
    rules.push_back({.primitive = "select_and_scatter_add",
                     .label = label,
                     .shapes = {use.operand, window.resultShape(use.operand)},
                     .domains = {kDistinct, domains::kSmall},
                     .write = [&window, largest](const Pullback& p) -> SsaValues {
                       const SsaValue& operand = p.inputs[0];
                       const SsaValue zeros = operand.like(0);
                       return {zeros, selectAndGather(p.cotangents[0], operand, largest, window)};
                     },
                     .oracle = [&window, largest](const PullbackValues& v) -> std::vector<Tensor> {
                       const Tensor& operand = v.inputs[0];
                       return {
                           Tensor(operand.type(), operand.shape()),
                           oracle::selectedAndGathered(v.cotangents[0], operand, largest, window)};
                     }});
    return;
  }
  rules.push_back({.primitive = "select_and_gather_add",
                   .label = label,
                   .shapes = {use.operand, use.operand},
                   .domains = {domains::kSmall, kDistinct},
                   .write = [&window, largest](const Pullback& p) -> SsaValues {
                     const SsaValue& keys = p.inputs[1];
                     return {scatterDilated(keys, p.cotangents[0], largest, window), keys.like(0)};
                   },
                   .oracle = [&window, largest](const PullbackValues& v) -> std::vector<Tensor> {
                     const Tensor& keys = v.inputs[1];
                     return {oracle::selectedAndScattered(keys, v.cotangents[0], largest, window),
                             Tensor(keys.type(), keys.shape())};
                   },
                   .units = 8});
}

}  // namespace

VINTAGE_DERIVATIVES(windowDerivatives) {
  DerivativeRules rules;
  for (const WindowUse& use : kReduceWindowUses) {
    rules.push_back(linearRule(
        "reduce_window_add", use.name, {use.operand},
        [&use](const Pullback& p) { return writeSum(p, use.window); }, 16));
    addExtremes(rules, use);
  }
  for (bool largest : {true, false}) {
    for (const WindowUse& use : kSelectAndScatterUses) addSelections(rules, use, largest, true);
    for (const WindowUse& use : kSelectAndGatherUses)
      if (!hasHoles(use)) addSelections(rules, use, largest, false);
  }
  return rules;
}

}  // namespace vintage::primitives
