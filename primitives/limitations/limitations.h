// Declared limitations: what is known not to work, where, and why.
//
// They are data, kept in limitations.cpp and nowhere else. A declaration that
// matches no case, two that match the same use, and one without a reason are
// errors: validateLimitations finds them, and a test calls it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "golden/base/result.h"
#include "primitives/catalogue/case.h"
#include "primitives/limitations/room.h"

namespace vintage::primitives::limitations {

// How what is declared fails (docs/verdicts.md). A failure of another kind is not covered.
enum class FailureKind { kRefused, kWrongValue, kCrash, kTimeout };

struct Limitation {
  std::string id;  // Unique, stable: "eig-accelerators".
  std::string primitive;
  // Empty lists match everything. dtypes as JAX spells them ("float16").
  std::vector<std::string> dtypes = {}, platforms = {}, modes = {}, variants = {};
  std::string description;
  std::string issue;                  // Where it is described or tracked; never empty.
  std::string since;                  // YYYY-MM-DD
  std::vector<FailureKind> failures;  // At least one.
  std::optional<std::string> until = {};
  // It is not even tried. That is rare: either there is no lowering at all, or
  // `skipReason` says why it must not run ("it does not end"). What fails by
  // itself is let run, so that the day it works is noticed.
  bool skipRun = false;
  std::string skipReason = {};
};

// Platforms and modes that a limitation can name.
std::span<const std::string> knownPlatforms();
std::span<const std::string> knownModes();

std::span<const Limitation> limitations();

bool matches(const Limitation& limitation, const Case& entry, std::string_view platform,
             std::string_view mode);
// The one that covers this use, or null.
const Limitation* findLimitation(std::span<const Limitation> limitations, const Case& entry,
                                 std::string_view platform, std::string_view mode);

// Names the first declaration that breaks a rule, and the first case that
// lowers nowhere without a declaration that says why.
Status validateLimitations(std::span<const Limitation> limitations, std::span<const Case> cases);

}  // namespace vintage::primitives::limitations
