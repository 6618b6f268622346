// sort: of one array, of several by one or more keys, stable or not; and top_k: the k largest of
// the last dimension, with their positions.
#include <fmt/format.h>

#include "golden/oracle/data_movement.h"
#include "primitives/catalogue/case_list.h"
#include "primitives/lowering/chlo/functions.h"
#include "primitives/lowering/operations.h"

namespace vintage::primitives {
using namespace golden;

namespace {

std::vector<Tensor> sorted(Tensors operands, size_t axis, size_t keys) {
  std::vector<Tensor> results(operands.begin(), operands.end());
  oracle::forEachSortedLine(operands.first(keys), axis, [&](const auto& places, const auto& from) {
    for (size_t k = 0; k < operands.size(); ++k) {
      for (size_t i = 0; i < places.size(); ++i)
        oracle::copyElement(operands[k], from[i], results[k], places[i]);
    }
  });
  return results;
}

CaseSpecification sortCase(const std::vector<TensorType>& arguments, size_t dimension, size_t keys,
                           bool stable, Domain domain) {
  return {.primitive = "sort",
          .label = fmt::format("dimension={}_keys={}{}", dimension, keys, stable ? "_stable" : ""),
          .arguments = arguments,
          .domains = {domain},
          .emit = [=](Arguments x) { return sort(x, dimension, keys, stable); },
          .expect = [=](Tensors inputs) { return sorted(inputs, dimension, keys); },
          .oracle = "definition"};
}

CaseSpecification topKCase(ElementType type, const Shape& shape, int64_t k) {
  return {.primitive = "top_k",
          .label = fmt::format("k={}", k),
          .arguments = {{type, shape}},
          .domains = {domains::kTies},
          .emit = [k](Arguments x) { return chlo::topK(x[0], k); },
          .expect =
              [k](Tensors inputs) {
                return oracle::firstInOrder(inputs[0], inputs[0].shape().size() - 1, k, true);
              },
          .oracle = "definition"};
}

}  // namespace

VINTAGE_FAMILY(addSortCases) {
  // Zeros of both signs are equal to a sort: without stability their order
  // would be anybody's choice, so only stable cases have them.
  constexpr Domain kWithoutZeros{.edges = Domain::Edges::kAll, .zero = false};
  for (ElementType type : types::kAll) {
    cases.add(sortCase({{type, {5, 7}}}, 0, 1, true, domains::kFewEdges));
    cases.add(sortCase({{type, {5, 7}}}, 1, 1, false, kWithoutZeros));
    cases.addPoly(
        [&](Sizes s) { return sortCase({{type, {s.b, s.c}}}, 0, 1, true, domains::kFewEdges); });
  }
  using enum ElementType;
  cases.add(sortCase({{kF32, {100}}}, 0, 1, true, domains::kAllEdges));
  cases.add(sortCase({{kI32, {100}}, {kF32, {100}}}, 0, 1, true, domains::kTies));
  cases.add(sortCase({{kI32, {100}}, {kI32, {100}}, {kF32, {100}}}, 0, 2, true, domains::kTies));
  cases.add(sortCase({{kF32, {40}}, {kI32, {40}}}, 0, 1, true, domains::kTies));
  cases.add(sortCase({{kC64, {40}}, {kI32, {40}}}, 0, 1, true, domains::kTies));
  cases.add(sortCase({{kI32, {0}}}, 0, 1, true, domains::kTies));
  cases.add(sortCase({{kF32, {1, 3}}}, 0, 1, true, domains::kTies));
}

VINTAGE_FAMILY(addTopKCases) {
  for (ElementType type : types::kOrdered) {
    cases.add(topKCase(type, {15}, 5));
    cases.add(topKCase(type, {5, 3}, 2));
    cases.addPoly([&](Sizes s) { return topKCase(type, {s.b, 7}, 3); });
    if (type != ElementType::kF32) continue;
    cases.add(topKCase(type, {3, 4, 6}, 6));
    cases.add(topKCase(type, {8}, 0));
  }
}

}  // namespace vintage::primitives
