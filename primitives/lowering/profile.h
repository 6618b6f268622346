// The forms in which JAX releases export: what a release writes differently from another one.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "golden/base/result.h"
#include "golden/base/stablehlo_version.h"
#include "golden/tensor/element_type.h"

namespace vintage::primitives {

// How a function of CHLO leaves a release: taken apart, as a call of `mhlo.NAME` that the
// compiler knows, or as a composite that names what it is, beside what it is taken apart into.
enum class ChloForm : uint8_t { kOperations, kCall, kComposite };

struct Profile {
  std::string_view name;     // "jax-0.12"
  std::string_view release;  // It was read off the exports of this release: "0.12.0.1".
  // The StableHLO version that it writes for consumers of up to four weeks before it. JAX's rule
  // is a table of StableHLO itself: the newest version that is at least that old.
  StablehloVersion stablehlo;
  uint16_t callingConvention, serialization;
  bool shardy;       // Calls say by Shardy's rules how they could be split.
  bool layoutModes;  // Arguments and results of main say that their layout is the default.
  std::span<const std::string_view> calls, composites;  // By their names in CHLO.

  ChloForm formOf(std::string_view function, golden::ElementType type) const;
};

// The newest one first.
std::span<const Profile> profiles();
inline const Profile& newestProfile() { return profiles().front(); }
// kUsage with the known names, where there is none by this one.
Result<const Profile*> findProfile(std::string_view name);

}  // namespace vintage::primitives
