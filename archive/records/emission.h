// Which custom-call targets a release writes into its programs (docs/gate/facts.md).
#pragma once

#include <string>
#include <vector>

namespace vintage::archive {

// How a program was lowered.
inline constexpr const char* kEmittedByJit = "jit";
inline constexpr const char* kEmittedByDefault = "default";  // By export, unless one asks.
inline constexpr const char* kEmittedAhead = "ignore_forward_compatibility";

// What a caller relies on.
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
  std::vector<std::string> primitives;  // That are lowered to it.
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

}  // namespace vintage::archive
