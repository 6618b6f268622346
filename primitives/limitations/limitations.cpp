#include "primitives/limitations/limitations.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "golden/base/date.h"
#include "golden/base/failures.h"

namespace vintage::primitives {
using namespace golden;
using namespace archive;

namespace {

const char* const kCoveragePage =
    "https://github.com/jax-ml/jax/blob/main/jax/experimental/jax2tf/g3doc/"
    "jax_primitives_coverage.md";

const char* const kLinearAlgebra = "https://github.com/jax-ml/jax/blob/main/jax/_src/lax/linalg.py";

// Restates JAX's published page where JAX itself has no lowering.
Limitation published(std::string id, std::string primitive, std::vector<std::string> dtypes,
                     std::string description, std::vector<std::string> platforms = {}) {
  return {.id = std::move(id),
          .primitive = std::move(primitive),
          .dtypes = std::move(dtypes),
          .platforms = std::move(platforms),
          .description = std::move(description),
          .issue = kCoveragePage,
          .since = "2023-07-31",
          .failures = {FailureKind::kRefused},
          .skipRun = true};
}

Limitation noNarrowFloats(const std::string& primitive) {
  return published(primitive + "-narrow-floats", primitive, {"bfloat16", "float16"},
                   "unimplemented: the solver libraries have no narrow floats");
}

// JAX's linear algebra has lowerings of the primitive for other platforms only.
Limitation notOn(std::vector<std::string> platforms, std::string id, std::string primitive,
                 std::string description) {
  return {.id = std::move(id),
          .primitive = std::move(primitive),
          .platforms = std::move(platforms),
          .description = std::move(description),
          .issue = kLinearAlgebra,
          .since = "2026-11-21",
          .failures = {FailureKind::kRefused},
          .skipRun = true};
}

// JAX's compiler for the CPU refuses the use, or gets it wrong, in JAX's own programs as well.
Limitation notCompiledOnCpu(std::string id, std::string primitive, std::vector<std::string> dtypes,
                            FailureKind failure, std::string description) {
  return {.id = std::move(id),
          .primitive = std::move(primitive),
          .dtypes = std::move(dtypes),
          .platforms = {"cpu"},
          .modes = {"compiled"},
          .description = std::move(description),
          .issue = "docs/howto/jax.md, \"What XLA's CPU does not compute\"",
          .since = "2026-11-22",
          .failures = {failure}};
}

const std::vector<Limitation>& declarations() {
  static const std::vector<Limitation> kDeclarations = {
      noNarrowFloats("cholesky"),
      noNarrowFloats("eig"),
      published("eig-accelerators", "eig", {"float32", "float64", "complex64", "complex128"},
                "only supported on CPU in JAX", {"cuda", "rocm", "tpu"}),
      notOn({"cuda", "rocm", "tpu"}, "schur-accelerators", "schur", "only supported on CPU in JAX"),
      notOn({"cuda", "rocm", "tpu"}, "hessenberg-accelerators", "hessenberg",
            "only supported on CPU in JAX"),
      notOn({"tpu"}, "tridiagonal-tpu", "tridiagonal", "only supported on CPU and GPU in JAX"),
      published("clamp-complex", "clamp", {"complex64", "complex128"},
                "unimplemented: XLA orders no complex numbers"),
      noNarrowFloats("eigh"),
      noNarrowFloats("lu"),
      noNarrowFloats("qr"),
      noNarrowFloats("svd"),
      published("scatter-add-bool", "scatter_add", {"bool"}, "unimplemented"),
      published("scatter-mul-bool", "scatter_mul", {"bool"}, "unimplemented"),
      notCompiledOnCpu("dot-general-four-bits-cpu", "dot_general",
                       {"float4_e2m1fn", "int4", "uint4"}, FailureKind::kRefused,
                       "XLA's CPU refuses elements of four bits that it widens"),
      notCompiledOnCpu("pmax-complex-cpu", "pmax", {"complex64", "complex128"},
                       FailureKind::kRefused,
                       "XLA's CPU has no all-reduce for an order of complex numbers"),
      notCompiledOnCpu("pmin-complex-cpu", "pmin", {"complex64", "complex128"},
                       FailureKind::kRefused,
                       "XLA's CPU has no all-reduce for an order of complex numbers"),
      notCompiledOnCpu("population-count-i4-cpu", "population_count", {"int4"},
                       FailureKind::kWrongValue,
                       "XLA's CPU counts the sign bits of a byte that carries four bits"),
  };
  return kDeclarations;
}

tl::unexpected<Error> wrong(const Limitation& limitation, const std::string& what) {
  return conflict("Limitation \"{}\" of {} in primitives/limitations/limitations.cpp {}",
                  limitation.id, limitation.primitive, what);
}

Status validateFields(const Limitation& limitation) {
  if (limitation.description.empty() || limitation.issue.empty())
    return wrong(limitation, "has no reason: give a description and an issue.");
  if (limitation.id.empty() || limitation.since.empty())
    return wrong(limitation, "has no id or no date: give both.");
  if (limitation.failures.empty())
    return wrong(limitation, "does not say how it fails: refused, wrong value, crash or timeout.");
  for (const std::string& date : {limitation.since, limitation.until.value_or(limitation.since)}) {
    if (!parseDate(date))
      return wrong(limitation, "has the date \"" + date + "\"; write YYYY-MM-DD.");
  }
  if (limitation.until && *limitation.until < limitation.since) {
    return wrong(limitation, "ends before it begins: until " + *limitation.until + ", since " +
                                 limitation.since + ".");
  }
  for (const std::string& dtype : limitation.dtypes) {
    if (!parseDtypeName(dtype))
      return wrong(limitation, "names the unknown dtype \"" + dtype + "\"; write it as JAX does.");
  }
  for (const std::string& platform : limitation.platforms) {
    if (std::ranges::find(knownPlatforms(), platform) == knownPlatforms().end())
      return wrong(limitation, "names the unknown platform \"" + platform + "\".");
  }
  for (const std::string& mode : limitation.modes) {
    if (std::ranges::find(knownModes(), mode) == knownModes().end())
      return wrong(limitation, "names the unknown mode \"" + mode + "\".");
  }
  return {};
}

}  // namespace

std::span<const std::string> knownPlatforms() {
  static const std::string kPlatforms[] = {"cpu", "cuda", "rocm", "tpu"};
  return kPlatforms;
}

std::span<const std::string> knownModes() {
  static const std::string kModes[] = {"eager", "graph", "compiled"};
  return kModes;
}

std::span<const Limitation> limitations() { return declarations(); }

bool matches(const Limitation& limitation, const Case& entry, std::string_view platform,
             std::string_view mode) {
  if (limitation.primitive != entry.primitive) return false;
  ArtifactRecord use;
  use.primitive = entry.primitive;
  use.variant = entry.variant;
  for (const ElementType type : entry.dtypes) use.dtypes.emplace_back(dtypeName(type));
  const auto day = parseDate(limitation.since);
  return covers(limitation, use, "", platform, mode, day ? *day : Date());
}

const Limitation* findLimitation(std::span<const Limitation> limitations, const Case& entry,
                                 std::string_view platform, std::string_view mode) {
  for (const Limitation& limitation : limitations) {
    if (matches(limitation, entry, platform, mode)) return &limitation;
  }
  return nullptr;
}

Status validateLimitations(std::span<const Limitation> limitations, std::span<const Case> cases) {
  std::set<std::string> ids, used, primitives;
  for (const Limitation& limitation : limitations) {
    RETURN_IF_ERROR(validateFields(limitation));
    if (!ids.insert(limitation.id).second) return wrong(limitation, "repeats an id.");
    primitives.insert(limitation.primitive);
  }
  for (const Case& entry : cases) {
    if (!primitives.contains(entry.primitive)) {
      if (!entry.platformsReason.empty()) continue;
      const auto missing = std::ranges::find_if(knownPlatforms(), [&](const std::string& platform) {
        return std::ranges::find(entry.platforms, platform) == entry.platforms.end();
      });
      if (missing == knownPlatforms().end()) continue;
      return conflict(
          "Case {} has no lowering for {}, and no limitation of its primitive "
          "says why.",
          entry.id, *missing);
    }
    for (const std::string& platform : knownPlatforms()) {
      for (const std::string& mode : knownModes()) {
        const Limitation* first = nullptr;
        for (const Limitation& limitation : limitations) {
          if (!matches(limitation, entry, platform, mode)) continue;
          if (first) {
            return wrong(limitation, fmt::format("and \"{}\" both match {} on {} in mode {}: make "
                                                 "them apart, or one of them.",
                                                 first->id, entry.id, platform, mode));
          }
          first = &limitation;
          used.insert(limitation.id);
        }
        const bool lowers = std::ranges::find(entry.platforms, platform) != entry.platforms.end();
        if (first && lowers && first->skipRun && first->skipReason.empty()) {
          return wrong(*first, fmt::format("skips {} on {}, which could be tried: let it run and "
                                           "fail as declared, or give a skipReason.",
                                           entry.id, platform));
        }
        if (!first && !lowers && entry.platformsReason.empty()) {
          return conflict("Case {} has no lowering for {}, and no limitation says why.", entry.id,
                          platform);
        }
      }
    }
  }
  for (const Limitation& limitation : limitations) {
    if (!used.contains(limitation.id))
      return wrong(limitation, "matches no case: delete it, or correct what it names.");
  }
  return {};
}

}  // namespace vintage::primitives
