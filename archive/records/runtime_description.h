// A runtime's description of itself: all of its facts that a promise depends on, as plain data, and
// its JSON form (docs/gate/registry.md).
//
// A build extracts its own description (`vintage-worker --describe`); the gate compares two of
// them. A field that the runtime does not know stays empty; a rule that needs it then says that it
// cannot tell.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "golden/base/date.h"
#include "golden/base/result.h"
#include "golden/base/stablehlo_version.h"

namespace vintage::archive {

// An operand, result or attribute of a custom-call target: "a: f32[*,m,n]".
struct TargetValue {
  std::string name;
  std::string type;       // "f32[*,m,n]", "ui8", "string"; free text that is compared as it stands.
  bool optional = false;  // Callers may leave it out.
  bool operator==(const TargetValue&) const = default;
};

// "y aliases operand 0".
struct TargetAlias {
  int result = 0, operand = 0;
  auto operator<=>(const TargetAlias&) const = default;
};

struct TargetSchema {
  std::vector<int> apiVersions;                // api_version of stablehlo.custom_call, ascending.
  std::vector<TargetValue> operands, results;  // By position.
  std::vector<TargetValue> attributes;         // By name; their order means nothing.
  std::vector<TargetAlias> aliases;            // Ascending.
  bool operator==(const TargetSchema&) const = default;
};

// A custom-call target that the runtime registers and can run. A name may stand
// once for each platform.
struct RegisteredTarget {
  std::string name;
  std::string platform = "any";  // "cpu", "cuda", "rocm", "tpu"; "any" for all.
  TargetSchema schema;
  std::optional<Date> since;  // D: built into consumers from this day on.
  // The exporter writes calls to it from this day on; `exported` without a date:
  // it does, since an unknown day. Neither: whether it does is not known.
  std::optional<bool> exported;
  std::optional<Date> exportedSince;
  std::vector<std::string> replaces;  // The targets T that this target replaces as T_NEW.
  std::optional<Date> removedOn;      // Announced: it is to be removed on this day.
  bool operator==(const RegisteredTarget&) const = default;
};

// A line of the list of targets that are guaranteed stable.
struct StableTarget {
  std::string name;
  std::optional<Date> since;  // On the list from this day on.
  bool operator==(const StableTarget&) const = default;
};

// Supported are `oldest` to `newest`; what is exported unless one asks is
// `byDefault`. All 0: the runtime does not say.
struct VersionRange {
  int oldest = 0, newest = 0, byDefault = 0;
  std::optional<Date> newestSince;  // Consumers read `newest` from this day on.
  // Otherwise a newer number alone is read too: only what is in the file counts.
  bool refusesNewer = true;
  bool known() const { return newest > 0; }
  int number = 0;  // Files state it, where it is not their form's (serialization); 0: the default.
  int written() const { return number > 0 ? number : byDefault; }
  bool reads(int version) const { return !refusesNewer || version <= newest; }
  bool operator==(const VersionRange&) const = default;
};

struct StablehloRange {
  std::optional<StablehloVersion> oldest, newest;  // It reads these and all between.
  std::optional<StablehloVersion> target;          // It exports this version by default.
  bool operator==(const StablehloRange&) const = default;
};

// The two Python packages that make up JAX; versions as released, "0.4.38". Empty: this runtime is
// not made of them.
struct PackagePairing {
  std::string jax, jaxlib;
  std::string minimumJaxlib;  // The oldest that this jax accepts.
  std::optional<int> extensionVersion;
  bool operator==(const PackagePairing&) const = default;
};

// Which custom-call targets a release writes into its programs (docs/gate/facts.md).

// How a program was lowered.
inline constexpr const char* kEmittedByJit = "jit";
inline constexpr const char* kEmittedByDefault = "default";  // By export, unless one asks.
inline constexpr const char* kEmittedAhead = "ignore_forward_compatibility";

// The parts of a target's signature that a caller relies on.
struct CallSignature {
  int apiVersion = 0, operands = 0;
  std::vector<std::string> attributes;  // Names, ascending.
  auto operator<=>(const CallSignature&) const = default;
};
// "3 operands, attributes lower and uplo, api_version 4"
std::string signatureText(const CallSignature& signature);

// One way in which one target is called, on one platform in one mode.
struct EmittedCall {
  std::string name, platform, mode;
  CallSignature signature;
  std::vector<std::string> primitives;  // Their lowerings make this call.
  std::string example;                  // One of the cases.
  bool unlisted = false;                // Export refused it until its check was switched off.
  bool operator==(const EmittedCall&) const = default;
};

struct RefusedCases {
  std::string primitive, reason;
  int count = 0;
  bool operator==(const RefusedCases&) const = default;
};

// How much was asked.
struct LoweredCases {
  std::string platform, mode;
  int lowered = 0;
  std::vector<RefusedCases> refused;
  bool operator==(const LoweredCases&) const = default;
};

// Nothing where nobody asked.
struct Emission {
  std::vector<EmittedCall> calls;
  std::vector<LoweredCases> lowered;
  std::string harnessesOf;  // Where the cases are from.
  bool known() const { return !lowered.empty(); }
  bool operator==(const Emission&) const = default;
};

struct RuntimeDescription {
  std::string name;  // "vintage-engine 2026-11-20"
  std::string version;
  Date buildDate{};
  std::optional<Date> released;  // A packaged runtime's: what counts instead of the build date.
  std::optional<Date>
      exporterReleased;  // Where its exporter has a day of its own: jax beside jaxlib.
  std::vector<std::string> platforms, modes;
  std::vector<RegisteredTarget> targets;  // By (name, platform).
  // The platforms whose registry was asked. On another platform `targets` says nothing.
  std::vector<std::string> registries;
  std::vector<StableTarget> stableTargets;  // By name.
  Emission emission;
  VersionRange callingConvention;
  VersionRange serialization;
  StablehloRange stablehlo;
  std::string serializationSchema;  // Text of the flatbuffer schema (.fbs). Empty: not known.
  PackagePairing packages;

  // The day that counts: of a packaged runtime, its release.
  Date day() const { return released.value_or(buildDate); }
  Date exporterDay() const { return exporterReleased.value_or(day()); }
  // A jax without its own jaxlib holds none, and starts no clock of the backward promise.
  bool holdsRuntime() const { return packages.jax.empty() || !packages.jaxlib.empty(); }
  bool knowsTargets() const { return !targets.empty() || !stableTargets.empty(); }
  bool hasTarget(std::string_view target) const;  // Registered or guaranteed.
  bool knowsRegistry(std::string_view platform) const;
  bool operator==(const RuntimeDescription&) const = default;
};

// Sorts what has no order of its own, so that equal runtimes give equal text.
void normalize(RuntimeDescription& description);

// "a: f32[*,m,n]" or "alpha?: f32" (optional) to a TargetValue. Without a colon
// the text is the type and the name is empty.
TargetValue parseTargetValue(std::string_view text);

nlohmann::json toJson(const RuntimeDescription& description);

// Strict: an unknown field, a wrong type, a double target, a date that does not
// exist, an oldest version that is newer than the newest are kBadInput, with the
// place ("targets[3].since"). `name` (a path) stands in messages.
Result<RuntimeDescription> parseRuntimeDescription(std::string_view text, std::string_view name);
Result<RuntimeDescription> runtimeOfJson(const nlohmann::json& json, std::string_view name);
Result<RuntimeDescription> readRuntimeDescription(const std::string& path);

}  // namespace vintage::archive
