// The promise as JSON, for the files that hold one: a policy's and a window's.
#pragma once

#include "archive/records/json_fields.h"
#include "archive/records/speed_promise.h"

namespace vintage::archive {

inline constexpr auto kSpeedPromiseFields = [](auto& fields, auto& promise) {
  fields.optional("run", promise.run);
  fields.optional("compile", promise.compile);
  fields.optional("memory", promise.memory);
};
// Checks a promise that was read: bounds are above 1.
void checkSpeedPromise(JsonFieldReader& fields, const SpeedPromise& promise);

}  // namespace vintage::archive
