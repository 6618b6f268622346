// A policy's promise about speed and memory of neighbouring releases (docs/reference/speed.md).
#pragma once

#include <optional>
#include <string_view>

#include "golden/base/result.h"

namespace vintage::archive {

enum class Quantity { kRun, kCompile, kMemory };
inline constexpr Quantity kQuantities[] = {Quantity::kRun, Quantity::kCompile, Quantity::kMemory};
std::string_view quantityName(Quantity quantity);  // "run", "compile", "memory"
Result<Quantity> parseQuantity(std::string_view name);

// The promise about two neighbouring releases: no quantity grows by more than its bound.
// None: it is watched, and breaks nothing.
struct SpeedPromise {
  std::optional<double> run, compile, memory;
  std::optional<double> bound(Quantity quantity) const;
  bool any() const { return run || compile || memory; }
  bool operator==(const SpeedPromise&) const = default;
};

}  // namespace vintage::archive
