#include "archive/records/speed_promise.h"

#include <array>

#include "archive/records/speed_promise_fields.h"
#include "golden/base/failures.h"

namespace vintage::archive {

std::string_view quantityName(Quantity quantity) {
  constexpr std::array<std::string_view, 3> kNames{"run", "compile", "memory"};
  return kNames[static_cast<size_t>(quantity)];
}

Result<Quantity> parseQuantity(std::string_view name) {
  for (const Quantity quantity : kQuantities)
    if (quantityName(quantity) == name) return quantity;
  return badInput("'{}' is not a quantity that is measured; run, compile and memory are", name);
}

std::optional<double> SpeedPromise::bound(Quantity quantity) const {
  return quantity == Quantity::kRun ? run : quantity == Quantity::kCompile ? compile : memory;
}

void checkSpeedPromise(JsonFieldReader& fields, const SpeedPromise& promise) {
  for (const Quantity quantity : kQuantities)
    if (const auto bound = promise.bound(quantity); bound && !(*bound > 1))
      fields.fail("speed", fmt::format("the bound of {} is a ratio above 1, such as 2.0",
                                       quantityName(quantity)));
}

}  // namespace vintage::archive
