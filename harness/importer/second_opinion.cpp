#include "harness/importer/second_opinion.h"

#include <optional>

#include <fmt/format.h>

#include "golden/oracle/elementwise.h"

namespace vintage::harness::importer {
namespace {

Result<Tensor> oracleOf(const std::string& primitive, const std::vector<Tensor>& inputs) {
  if (inputs.size() == 1) return applyUnary(primitive, inputs[0]);
  const bool suits = inputs.size() == 2 && inputs[0].type() == inputs[1].type() &&
                     (inputs[0].shape() == inputs[1].shape() || inputs[0].rank() == 0 ||
                      inputs[1].rank() == 0);
  if (suits) return applyBinary(primitive, inputs[0], inputs[1]);
  return failure(Error::Kind::kUnsupported, "not an element-wise function");
}

// The least power of two units in the last place under which the two are the same; none up to
// kMostForgivenUlps.
std::optional<int64_t> ulpsBetween(Comparator comparator, const Golden& golden,
                                   const Tensor& truth) {
  if (comparator.kind != Comparator::Kind::kElementwise) return std::nullopt;
  for (int64_t ulps = 1; ulps <= kMostForgivenUlps; ulps *= 2) {
    comparator.tolerance.ulps = ulps;
    if (compareOutputs(comparator, golden.inputs, std::span(&truth, 1), golden.expected).same)
      return ulps;
  }
  return std::nullopt;
}

}  // namespace

std::string askOracle(const std::string& primitive, Golden& golden) {
  if (golden.expected.size() != 1 || golden.comparators.size() != 1) return "";
  const Tensor& recorded = golden.expected.front();
  Comparator& comparator = golden.comparators.front();
  const auto truth = oracleOf(primitive, golden.inputs);
  if (!truth || truth->type() != recorded.type() || truth->shape() != recorded.shape()) return "";
  const Comparison comparison =
      compareOutputs(comparator, golden.inputs, std::span(&*truth, 1), golden.expected);
  if (comparison.same) return "";
  if (const auto ulps = ulpsBetween(comparator, golden, *truth))
    comparator.tolerance.ulps = *ulps + comparator.tolerance.ulps.value_or(0);
  return fmt::format("the oracle differs in {} of {} elements: {}", comparison.differingElements,
                     recorded.size(), comparison.firstDifference);
}

}  // namespace vintage::harness::importer
