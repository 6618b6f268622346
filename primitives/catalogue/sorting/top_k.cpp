// top_k: the k largest of the last dimension, with their positions.
#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "golden/oracle/number.h"
#include "primitives/catalogue/families.h"
#include "primitives/lowering/chlo/functions.h"

namespace vintage::primitives {
using namespace golden;

namespace {

// NaN counts as larger than everything; of equal ones the first comes first.
bool larger(const oracle::Number& a, const oracle::Number& b) {
  const bool aNan = std::isnan(a.real), bNan = std::isnan(b.real);
  if (aNan || bNan) return aNan && !bNan;
  return a.real != b.real ? a.real > b.real : a.integer > b.integer;
}

std::vector<Tensor> largest(const Tensor& operand, int64_t k) {
  const int64_t size = operand.shape().back();
  Shape shape = operand.shape();
  shape.back() = k;
  Tensor values(operand.type(), shape), positions(ElementType::kI32, shape);
  for (int64_t row = 0; row < operand.size() / size; ++row) {
    std::vector<int64_t> order(static_cast<size_t>(size));
    std::iota(order.begin(), order.end(), 0);
    std::ranges::sort(order, [&](int64_t i, int64_t j) {
      const oracle::Number a = oracle::load(operand, row * size + i);
      const oracle::Number b = oracle::load(operand, row * size + j);
      if (larger(a, b) || larger(b, a)) return larger(a, b);
      return i < j;
    });
    for (int64_t i = 0; i < k; ++i) {
      const int64_t from = order[static_cast<size_t>(i)];
      oracle::copyElement(operand, row * size + from, values, row * k + i);
      oracle::store(positions, row * k + i, {from});
    }
  }
  return {std::move(values), std::move(positions)};
}

CaseSpecification topKCase(ElementType type, const Shape& shape, int64_t k) {
  return {.primitive = "top_k",
          .label = fmt::format("k={}", k),
          .arguments = {{type, shape}},
          .domains = {domains::kTies},
          .emit = [k](Arguments x) { return chlo::topK(x[0], k); },
          .expect = [k](Tensors inputs) -> Result<std::vector<Tensor>> {
            return largest(inputs[0], k);
          },
          .oracle = "definition"};
}

}  // namespace

VINTAGE_FAMILY(addTopKCases) {
  for (ElementType type : types::ordered()) {
    cases.add(topKCase(type, {15}, 5));
    cases.add(topKCase(type, {5, 3}, 2));
    cases.addPoly([&](Sizes s) { return topKCase(type, {s.b, 7}, 3); });
    if (type != ElementType::kF32) continue;
    cases.add(topKCase(type, {3, 4, 6}, 6));
    cases.add(topKCase(type, {8}, 0));
  }
}

}  // namespace vintage::primitives
