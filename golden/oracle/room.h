// Expected values, computed with more precision than any runtime under test: MPFR,
// binary128 and LAPACK. Never the engine.
#pragma once

namespace vintage::golden::base {}
namespace vintage::golden::tensor {}

namespace vintage::golden::oracle {
using namespace golden::base;
using namespace golden::tensor;
}  // namespace vintage::golden::oracle
