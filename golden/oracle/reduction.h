// Reductions along dimensions. Sums and products of floats
// are kept in quadruple precision and rounded once; integers wrap around.
#pragma once

#include <functional>
#include <span>
#include <string_view>

#include "golden/oracle/elementwise.h"

namespace vintage::golden::oracle {

// Folds numbers of one type, in order, with the name of combineFunction.
class Accumulator {
 public:
  Accumulator(std::string_view function, ElementType type);
  void add(const Number& value);
  Number result() const;
  // The neutral value: 0, 1, the lowest, the highest, false, true.
  static Number identity(std::string_view function, ElementType type);

 private:
  enum class Kind { kSum, kProduct, kOther } kind_;
  Combine combine_;
  ElementType type_;
  Quad real_, imaginary_;
  Number other_;
};

Tensor reduced(std::string_view function, const Tensor& operand,
               std::span<const int64_t> dimensions);

// The position of the largest or smallest element along `dimension`: the first of equal ones, or
// the first NaN if there is one.
Tensor argumentReduced(const Tensor& operand, int64_t dimension, bool largest, ElementType index);

// Running fold along `dimension`; the function may also be "logsumexp".
Tensor cumulative(std::string_view function, const Tensor& operand, int64_t dimension,
                  bool reverse);

// Windows over a padded and dilated operand, and reductions over them.

// As StableHLO's reduce_window: sizes, steps, padding with the neutral value, holes between the
// operand's elements and between the window's. One number for each dimension.
struct Window {
  Shape dimensions, strides, paddingLow, paddingHigh, baseDilation, windowDilation;
  Shape resultShape(std::span<const int64_t> operand) const;

  // Visits the positions of the operand's elements in the window of the result's element `at`, in
  // order; padding and holes are left out.
  void forEachElement(const Shape& operand, const Shape& at,
                      const std::function<void(int64_t position)>& visit) const;
};

// select_and_scatter by its definition: adds each window's source at the position of the largest or
// smallest element in it, the first of equal ones. And the tangent at that position for each
// window, or zero.
Tensor selectedAndScattered(const Tensor& operand, const Tensor& source, bool largest,
                            const Window& window);
Tensor selectedAndGathered(const Tensor& tangents, const Tensor& operand, bool largest,
                           const Window& window);

Tensor windowReduced(std::string_view function, const Tensor& operand, const Window& window,
                     const Number& initial);

}  // namespace vintage::golden::oracle
