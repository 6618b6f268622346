// Cases of special functions that JAX writes out of elementary ones: in f32 for
// the narrow floats, over arguments of one type and shape.
#pragma once

#include <functional>

#include "golden/oracle/real.h"
#include "primitives/catalogue/case_list.h"
#include "primitives/catalogue/room.h"
#include "primitives/lowering/expression.h"

namespace vintage::primitives::catalogue {

struct SpecialCase {
  std::string name;
  ElementType type;
  Shape shape;
  std::vector<Domain> domains;  // One for each argument.
  std::function<Expression(std::span<const Expression>)> write;
  std::function<oracle::Real(std::span<const oracle::Real>)> oracle;
  int64_t ulps;         // Of f32 and f64; the narrow floats, rounded from f32, have one.
  double absolute = 0;  // Beside it, in units of the type's spacing at one.
  std::string label = {};
};

void addSpecialCase(CaseList& cases, SpecialCase special);

}  // namespace vintage::primitives::catalogue
