// A policy's promise about speed and memory of neighbouring releases (docs/reference/speed.md).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "golden/base/date.h"
#include "golden/base/result.h"

namespace vintage::archive {

enum class Quantity { kRun, kCompile, kMemory };
inline constexpr Quantity kQuantities[] = {Quantity::kRun, Quantity::kCompile, Quantity::kMemory};
std::string_view quantityName(Quantity quantity);  // "run", "compile", "memory"
Result<Quantity> parseQuantity(std::string_view name);

// A reasoned exception from a bound, as a policy declares it.
struct SpeedException {
  std::string function;  // As a finding names it.
  std::string build;     // The later one.
  Quantity quantity = Quantity::kRun;
  std::string reason;
  std::optional<Date> until;  // The last day on which it counts.
  bool operator==(const SpeedException&) const = default;
};

// The promise about two neighbouring releases: no quantity grows by more than its bound.
// None: it is watched, and breaks nothing.
struct SpeedPromise {
  std::optional<double> run, compile, memory;
  std::vector<SpeedException> exceptions;
  std::optional<double> bound(Quantity quantity) const;
  bool any() const { return run || compile || memory; }
  bool operator==(const SpeedPromise&) const = default;
};

}  // namespace vintage::archive
