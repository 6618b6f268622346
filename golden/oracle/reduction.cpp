#include "golden/oracle/reduction.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "golden/oracle/real.h"

namespace vintage::golden::oracle {

Accumulator::Accumulator(std::string_view function, ElementType type)
    : kind_(Kind::kOther), combine_(combineFunction(function)), type_(type) {
  other_ = identity(function, type);
  real_ = other_.real;
  imaginary_ = other_.imaginary;
  if (!isFloat(type) && !isComplex(type)) return;
  if (function == "add") kind_ = Kind::kSum;
  if (function == "mul") kind_ = Kind::kProduct;
}

void Accumulator::add(const Number& value) {
  switch (kind_) {
    case Kind::kSum:
      real_ += value.real;
      imaginary_ += value.imaginary;
      return;
    case Kind::kProduct: {
      const Quad real =
          isComplex(type_) ? real_ * value.real - imaginary_ * value.imaginary : real_ * value.real;
      if (isComplex(type_)) imaginary_ = real_ * value.imaginary + imaginary_ * value.real;
      real_ = real;
      return;
    }
    case Kind::kOther:
      other_ = combine_(type_, other_, value);
  }
}

Number Accumulator::result() const {
  if (kind_ == Kind::kOther) return other_;
  return {0, roundTo(type_, real_), roundTo(type_, imaginary_)};
}

Number Accumulator::identity(std::string_view function, ElementType type) {
  const bool inexact = isFloat(type) || isComplex(type);
  if (function == "mul") return inexact ? Number{0, 1, 0} : Number{1};
  if (function == "and") return {isPredicate(type) ? Wide{1} : Wide{-1}};
  if (function == "max") return inexact ? Number{0, -kInfinity, 0} : Number{lowest(type)};
  if (function == "min") return inexact ? Number{0, kInfinity, 0} : Number{highest(type)};
  return {};
}

namespace {

// Splits dimensions into kept ones, in order, and reduced ones.
Shape without(std::span<const int64_t> shape, std::span<const int64_t> dimensions) {
  Shape kept;
  for (size_t i = 0; i < shape.size(); ++i)
    if (std::ranges::find(dimensions, static_cast<int64_t>(i)) == dimensions.end())
      kept.push_back(shape[i]);
  return kept;
}

Tensor resultsOf(std::span<const Accumulator> folds, ElementType type, const Shape& shape) {
  return eachElement(type, shape,
                     [&](int64_t i) { return folds[static_cast<size_t>(i)].result(); });
}

}  // namespace

Tensor reduced(std::string_view function, const Tensor& operand,
               std::span<const int64_t> dimensions) {
  const Shape shape = without(operand.shape(), dimensions);
  std::vector<Accumulator> folds(static_cast<size_t>(elementCount(shape)),
                                 Accumulator(function, operand.type()));
  int64_t position = 0;
  forEachIndex(operand.shape(), [&](const Shape& index) {
    folds[static_cast<size_t>(positionOf(shape, without(index, dimensions)))].add(
        load(operand, position++));
  });
  return resultsOf(folds, operand.type(), shape);
}

Tensor argumentReduced(const Tensor& operand, int64_t dimension, bool largest, ElementType index) {
  const auto axis = static_cast<size_t>(dimension);
  const Shape shape = without(operand.shape(), {&dimension, 1});
  return eachIndex(index, shape, [&](Shape at) {
    at.insert(at.begin() + static_cast<int64_t>(axis), 0);
    int64_t best = 0;
    Number bestValue = load(operand, positionOf(operand.shape(), at));
    for (int64_t i = 1; i < operand.shape()[axis]; ++i) {
      at[axis] = i;
      const Number value = load(operand, positionOf(operand.shape(), at));
      if (std::isnan(bestValue.real)) break;
      const bool better =
          std::isnan(value.real) ||
          (isFloat(operand.type())
               ? (largest ? value.real > bestValue.real : value.real < bestValue.real)
               : (largest ? value.integer > bestValue.integer : value.integer < bestValue.integer));
      if (better) {
        best = i;
        bestValue = value;
      }
    }
    return Number{best, static_cast<double>(best), 0};
  });
}

Tensor cumulative(std::string_view function, const Tensor& operand, int64_t dimension,
                  bool reverse) {
  const auto axis = static_cast<size_t>(dimension);
  const Shape shape = without(operand.shape(), {&dimension, 1});
  Tensor result(operand.type(), operand.shape());
  const int64_t size = operand.shape()[axis];
  forEachIndex(shape, [&](Shape at) {
    at.insert(at.begin() + static_cast<int64_t>(axis), 0);
    Accumulator fold(function == "logsumexp" ? "add" : function, operand.type());
    Real sum(0.0);
    for (int64_t step = 0; step < size; ++step) {
      at[axis] = reverse ? size - 1 - step : step;
      const int64_t position = positionOf(operand.shape(), at);
      const Number value = load(operand, position);
      if (function == "logsumexp") {
        sum = sum + exp(Real(value.real));
        store(result, position, {0, log(sum).roundTo(operand.type()), 0});
      } else {
        fold.add(value);
        store(result, position, fold.result());
      }
    }
  });
  return result;
}

Shape Window::resultShape(std::span<const int64_t> operand) const {
  Shape shape;
  for (size_t i = 0; i < operand.size(); ++i) {
    const int64_t dilated = operand[i] == 0 ? 0 : (operand[i] - 1) * baseDilation[i] + 1;
    const int64_t padded = dilated + paddingLow[i] + paddingHigh[i];
    const int64_t reach = (dimensions[i] - 1) * windowDilation[i] + 1;
    shape.push_back(padded < reach ? 0 : (padded - reach) / strides[i] + 1);
  }
  return shape;
}

void Window::forEachElement(const Shape& operand, const Shape& at,
                            const std::function<void(int64_t)>& visit) const {
  forEachIndex(dimensions, [&](const Shape& offset) {
    Shape from(at.size());
    for (size_t i = 0; i < at.size(); ++i) {
      const int64_t place = at[i] * strides[i] + offset[i] * windowDilation[i] - paddingLow[i];
      if (place < 0 || place % baseDilation[i] != 0) return;
      from[i] = place / baseDilation[i];
      if (from[i] >= operand[i]) return;
    }
    visit(positionOf(operand, from));
  });
}

namespace {

// The position of each window's winner; negative if the window holds no element.
std::vector<int64_t> winners(const Tensor& operand, bool largest, const Window& window) {
  const bool inexact = isFloat(operand.type());
  std::vector<int64_t> found;
  forEachIndex(window.resultShape(operand.shape()), [&](const Shape& at) {
    found.push_back(-1);
    Number best;
    window.forEachElement(operand.shape(), at, [&](int64_t candidate) {
      const Number value = load(operand, candidate);
      // The earlier element stays as long as it is selected over the new one.
      const bool stays = inexact   ? (largest ? best.real >= value.real : best.real <= value.real)
                         : largest ? best.integer >= value.integer
                                   : best.integer <= value.integer;
      if (found.back() >= 0 && stays) return;
      found.back() = candidate;
      best = value;
    });
  });
  return found;
}

}  // namespace

Tensor selectedAndScattered(const Tensor& operand, const Tensor& source, bool largest,
                            const Window& window) {
  std::vector<Accumulator> places(static_cast<size_t>(operand.size()),
                                  Accumulator("add", operand.type()));
  int64_t position = 0;
  for (const int64_t winner : winners(operand, largest, window)) {
    const Number value = load(source, position++);
    if (winner >= 0) places[static_cast<size_t>(winner)].add(value);
  }
  return resultsOf(places, operand.type(), operand.shape());
}

Tensor selectedAndGathered(const Tensor& tangents, const Tensor& operand, bool largest,
                           const Window& window) {
  Tensor result(operand.type(), window.resultShape(operand.shape()));
  int64_t position = 0;
  for (const int64_t winner : winners(operand, largest, window)) {
    if (winner >= 0) copyElement(tangents, winner, result, position);
    ++position;
  }
  return result;
}

Tensor windowReduced(std::string_view function, const Tensor& operand, const Window& window,
                     const Number& initial) {
  return eachIndex(operand.type(), window.resultShape(operand.shape()), [&](const Shape& at) {
    Accumulator fold(function, operand.type());
    fold.add(initial);
    window.forEachElement(operand.shape(), at,
                          [&](int64_t element) { fold.add(load(operand, element)); });
    return fold.result();
  });
}

}  // namespace vintage::golden::oracle
