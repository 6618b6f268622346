// The tables behind elementwise.h: one row for each function.
#pragma once

#include <string_view>

#include "golden/oracle/number.h"
#include "golden/oracle/real.h"

namespace vintage::golden::oracle {

// A member is null where the function is not defined for that kind of type.
struct UnaryFunction {
  std::string_view name;
  Real (*real)(const Real&);
  Complex (*complex)(const Complex&);
  Wide (*integer)(ElementType, Wide);
};

struct BinaryFunction {
  std::string_view name;
  Real (*real)(const Real&, const Real&);
  Complex (*complex)(const Complex&, const Complex&);
  Wide (*integer)(ElementType, Wide, Wide);
};

const UnaryFunction* findUnary(std::string_view name);
const BinaryFunction* findBinary(std::string_view name);

}  // namespace vintage::golden::oracle
