// Compares the catalogue's exports with those of a release of JAX.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "golden/base/result.h"
#include "primitives/catalogue/export.h"

namespace vintage::harness {

// A case whose program is not JAX's, at the first line of the canonical forms that differs.
struct Difference {
  std::string caseId;
  std::string ours, jax;  // "" where one has no such line.
};

struct PrimitiveFidelity {
  size_t cases = 0;       // Static ones that lower for the platform.
  size_t comparable = 0;  // Those that JAX exported too.
  size_t identical = 0;
  std::vector<Difference> differences;
};

struct FidelityReport {
  std::string producer;  // "jax-0.12.0.1-py3.13"
  std::string profile, platform;
  std::map<std::string, PrimitiveFidelity> primitives;

  PrimitiveFidelity total() const;  // Without its differences.
};

// The first line in which they differ; none: they are alike.
std::optional<std::pair<std::string, std::string>> firstDifference(
    std::span<const std::string> ours, std::span<const std::string> jax);

struct FidelityOptions {
  // The output of `vintage_jax produce --counterparts-of`.
  std::string folder;
  const primitives::Profile* profile = &primitives::newestProfile();
  std::string platform = "cpu";
  std::vector<std::string> primitives;  // Empty: all.
  std::function<void(size_t done, size_t of)> progress = [](size_t, size_t) {};
};

Result<FidelityReport> measureFidelity(const FidelityOptions& options);

// As Markdown, and for a screen.
std::string fidelityPage(const FidelityReport& report);
std::string fidelityText(const FidelityReport& report, bool all = false);

}  // namespace vintage::harness
