// Element by element: exact, or under a tolerance.
#pragma once

#include <string_view>

#include "golden/compare/comparator.h"
#include "golden/compare/room.h"

namespace vintage::golden::compare {

// Both tensors have one type and shape. `place` ("output 0") stands in front of
// the first difference; what is found is added to `comparison`.
void compareExactly(const Tensor& expected, const Tensor& actual, std::string_view place,
                    Comparison& comparison);
void compareElements(const Tolerance& tolerance, const Tensor& expected, const Tensor& actual,
                     std::string_view place, Comparison& comparison);

}  // namespace vintage::golden::compare
