#include "primitives/lowering/profile.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "golden/base/failures.h"

namespace vintage::primitives {
using namespace golden;

namespace {

// 0.12 keeps the names of CHLO's functions by composites; before it the compiler was asked for
// some of them, and 0.4.30 had not yet given it the inverse functions.
constexpr std::string_view kComposites012[] = {"acos", "acosh", "asin", "asinh", "atanh",
                                               "cosh", "erf",   "erfc", "sinh",  "top_k"};
constexpr std::string_view kCalls08[] = {"acos", "acosh", "asin", "asinh", "atanh",
                                         "cosh", "erf",   "sinh", "top_k"};
constexpr std::string_view kCalls0430[] = {"erf", "tan", "top_k"};

// Each number was read off what the release exports.
constexpr Profile kProfiles[] = {
    {.name = "jax-0.12",
     .release = "0.12.0.1",
     .stablehlo = {1, 18, 0},
     .callingConvention = 10,
     .serialization = 12,
     .shardy = true,
     .layoutModes = false,
     .calls = {},
     .composites = kComposites012},
    {.name = "jax-0.8",
     .release = "0.8.1",
     .stablehlo = {1, 13, 0},
     .callingConvention = 10,
     .serialization = 4,
     .shardy = true,
     .layoutModes = false,
     .calls = kCalls08,
     .composites = {}},
    {.name = "jax-0.4.30",
     .release = "0.4.30",
     .stablehlo = {0, 9, 0},
     .callingConvention = 9,
     .serialization = 2,
     .shardy = false,
     .layoutModes = true,
     .calls = kCalls0430,
     .composites = {}},
};

bool holds(std::span<const std::string_view> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

}  // namespace

ChloForm Profile::formOf(std::string_view function, ElementType type) const {
  // 0.12 writes asin of real numbers itself.
  if (holds(composites, function))
    return function == "asin" && !isComplex(type) ? ChloForm::kOperations : ChloForm::kComposite;
  return holds(calls, function) ? ChloForm::kCall : ChloForm::kOperations;
}

std::span<const Profile> profiles() { return kProfiles; }

Result<const Profile*> findProfile(std::string_view name) {
  const auto found = std::ranges::find(kProfiles, name, &Profile::name);
  if (found != std::end(kProfiles)) return &*found;
  std::vector<std::string_view> names;
  for (const Profile& profile : kProfiles) names.push_back(profile.name);
  return usageError("there is no profile '{}'; there are {}", name, fmt::join(names, ", "));
}

}  // namespace vintage::primitives
