// Sorts that may leave elements with equal keys in any order.
//
// Each output has the role key or value, and all have one shape. Along
// Comparator::dimension (from the end where it is negative) the keys must be the
// expected ones, place by place; within a run of equal keys the rows, a row being
// what stands at one place in all outputs, may come in any order.
#pragma once

#include <span>

#include "golden/compare/comparator.h"
#include "golden/compare/room.h"

namespace vintage::golden::compare {

void compareSorted(const Comparator& comparator, std::span<const Tensor> expected,
                   std::span<const Tensor> actual, Comparison& comparison);

}  // namespace vintage::golden::compare
