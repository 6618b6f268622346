// sort: of one array, of several by one or more keys, stable or not.
#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "golden/oracle/number.h"
#include "primitives/catalogue/families.h"
#include "primitives/lowering/operations.h"

namespace vintage::primitives {
using namespace golden;

namespace {

// NaN after everything, -0 equal to 0.
int compareReal(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) - std::isnan(b);
  return (a > b) - (a < b);
}

int compareElements(const Tensor& tensor, int64_t left, int64_t right) {
  const oracle::Number a = oracle::load(tensor, left), b = oracle::load(tensor, right);
  if (!isFloat(tensor.type()) && !isComplex(tensor.type())) {
    return (a.integer > b.integer) - (a.integer < b.integer);
  }
  const int byReal = compareReal(a.real, b.real);
  return byReal != 0 ? byReal : compareReal(a.imaginary, b.imaginary);
}

std::vector<Tensor> sorted(Tensors operands, int64_t dimension, size_t keys) {
  std::vector<Tensor> results(operands.begin(), operands.end());
  const Shape& shape = operands[0].shape();
  const auto axis = static_cast<size_t>(dimension);
  const int64_t stride = oracle::stridesOf(shape)[axis];
  Shape lines = shape;
  lines[axis] = 1;
  oracle::forEachIndex(lines, [&](const Shape& first) {
    const int64_t start = oracle::positionOf(shape, first);
    std::vector<int64_t> order(static_cast<size_t>(shape[axis]));
    std::iota(order.begin(), order.end(), 0);
    std::ranges::sort(order, [&](int64_t a, int64_t b) {
      for (size_t key = 0; key < keys; ++key) {
        const int sign = compareElements(operands[key], start + a * stride, start + b * stride);
        if (sign != 0) return sign < 0;
      }
      return a < b;  // Stable.
    });
    for (size_t i = 0; i < order.size(); ++i) {
      for (size_t k = 0; k < operands.size(); ++k) {
        oracle::copyElement(operands[k], start + order[i] * stride, results[k],
                            start + static_cast<int64_t>(i) * stride);
      }
    }
  });
  return results;
}

void addSort(CaseList& cases, const std::vector<CaseArgument>& arguments, int64_t dimension,
             size_t keys, bool stable, Domain domain) {
  cases.add(
      {.primitive = "sort",
       .label = fmt::format("dimension={}_keys={}{}", dimension, keys, stable ? "_stable" : ""),
       .arguments = arguments,
       .domains = {domain},
       .emit =
           [=](FunctionBuilder& main, Arguments operands) {
             return sort(main, operands, static_cast<size_t>(dimension), keys, stable);
           },
       .expect = [=](Tensors inputs) -> Result<std::vector<Tensor>> {
         return sorted(inputs, dimension, keys);
       },
       .oracle = "definition"});
}

}  // namespace

VINTAGE_FAMILY(addSortCases) {
  // Zeros of both signs are equal to a sort: without stability their order
  // would be anybody's choice, so only stable cases have them.
  constexpr Domain kWithoutZeros{.edges = Domain::Edges::kAll, .zero = false};
  for (ElementType type : types::all()) {
    addSort(cases, {{type, {5, 7}}}, 0, 1, true, domains::kFewEdges);
    addSort(cases, {{type, {5, 7}}}, 1, 1, false, kWithoutZeros);
    cases.addPoly([&](CaseList& list, Sizes s) {
      addSort(list, {{type, {s.b, s.c}}}, 0, 1, true, domains::kFewEdges);
    });
  }
  using enum ElementType;
  addSort(cases, {{kF32, {100}}}, 0, 1, true, domains::kAllEdges);
  addSort(cases, {{kI32, {100}}, {kF32, {100}}}, 0, 1, true, domains::kTies);
  addSort(cases, {{kI32, {100}}, {kI32, {100}}, {kF32, {100}}}, 0, 2, true, domains::kTies);
  addSort(cases, {{kF32, {40}}, {kI32, {40}}}, 0, 1, true, domains::kTies);
  addSort(cases, {{kC64, {40}}, {kI32, {40}}}, 0, 1, true, domains::kTies);
  addSort(cases, {{kI32, {0}}}, 0, 1, true, domains::kTies);
  addSort(cases, {{kF32, {1, 3}}}, 0, 1, true, domains::kTies);
}

}  // namespace vintage::primitives
