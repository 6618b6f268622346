// Windows over a padded and dilated operand, and reductions over them.
#pragma once

#include <functional>
#include <span>
#include <string_view>

#include "golden/oracle/elementwise.h"
#include "golden/oracle/room.h"

namespace vintage::golden::oracle {

// As StableHLO's reduce_window: sizes, steps, padding with what changes nothing,
// holes between the operand's elements and between the window's. One number for
// each dimension.
struct Window {
  Shape dimensions, strides, paddingLow, paddingHigh, baseDilation, windowDilation;
  Shape resultShape(std::span<const int64_t> operand) const;

  // Visits the positions of the operand's elements in the window that makes the
  // result's element `at`, in order; padding and holes are left out.
  void forEachElement(const Shape& operand, const Shape& at,
                      const std::function<void(int64_t position)>& visit) const;
};

Tensor windowReduced(std::string_view function, const Tensor& operand, const Window& window,
                     const Number& initial);

}  // namespace vintage::golden::oracle
