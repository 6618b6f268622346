// A golden (inputs, expected outputs, comparator) and the comparators: elementwise in ulps
// or by tolerance, and factorizations by what they mean.
#pragma once

namespace vintage::golden::base {}
namespace vintage::golden::tensor {}

namespace vintage::golden::compare {
using namespace golden::base;
using namespace golden::tensor;
}  // namespace vintage::golden::compare
