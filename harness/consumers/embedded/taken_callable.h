// What a large request holds to be executed, taken out of it.
#pragma once

#include <optional>

#include "golden/base/result.h"
#include "harness/consumers/embedded/callable.h"
#include "harness/consumers/embedded/room.h"

namespace vintage::harness::consumers::embedded {

// What openCallable() and openDerivative() return, of an artifact that the request then has no
// more: its modules are in memory once.
struct TakenCallable {
  Callable function;
  std::optional<Callable> derivative;
};
Result<TakenCallable> takeCallable(ExecuteRequest& request);

}  // namespace vintage::harness::consumers::embedded
