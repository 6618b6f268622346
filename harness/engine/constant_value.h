// Operations that are a value: no step is planned for them.
#pragma once

#include "harness/engine/plan.h"
#include "harness/engine/room.h"

namespace vintage::harness::engine {

bool isConstant(const Operation& operation);

// The dense value of such an operation, whose result is of `type`.
Result<Value> constantValue(const Operation& operation, const ValueType& type);

}  // namespace vintage::harness::engine
