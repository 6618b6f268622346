// Element by element: exact, or under a tolerance.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "golden/compare/comparator.h"
#include "golden/compare/room.h"

namespace vintage::golden::compare {

// Both tensors have one type and shape. `place` ("output 0") stands in front of
// the first difference; what is found is added to `comparison`.
void compareExactly(const Tensor& expected, const Tensor& actual, std::string_view place,
                    Comparison& comparison);
void compareElements(const Tolerance& tolerance, const Tensor& expected, const Tensor& actual,
                     std::string_view place, Comparison& comparison);

// An element that is not the same in both.
struct ElementDifference {
  int64_t index = 0;  // In row-major order.
  double absolute = 0;
  int64_t ulps = 0;  // kFarApart: of a NaN, an infinity.
};
// The elements that differ (by compareExactly) and are furthest apart, at most `most` of them,
// the furthest first. Both tensors have one type and shape.
std::vector<ElementDifference> largestDifferences(const Tensor& expected, const Tensor& actual,
                                                  size_t most);

}  // namespace vintage::golden::compare
