#include "golden/oracle/window.h"

#include "golden/oracle/reduction.h"

namespace vintage::golden::oracle {

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

Tensor windowReduced(std::string_view function, const Tensor& operand, const Window& window,
                     const Number& initial) {
  Tensor result(operand.type(), window.resultShape(operand.shape()));
  int64_t position = 0;
  forEachIndex(result.shape(), [&](const Shape& at) {
    Accumulator fold(function, operand.type());
    fold.add(initial);
    window.forEachElement(operand.shape(), at,
                          [&](int64_t element) { fold.add(load(operand, element)); });
    store(result, position++, fold.result());
  });
  return result;
}

}  // namespace vintage::golden::oracle
