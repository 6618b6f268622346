// The catalogue's declared limitations: what is known not to work, where, and why.
//
// They are data, kept in limitations.cpp and nowhere else, and each has a primitive, an issue and
// kinds of failures. A declaration that
// matches no case, two that match the same use, and one without a reason are
// errors: validateLimitations finds them, and a test calls it.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "archive/records/limitation.h"
#include "golden/base/result.h"
#include "primitives/catalogue/case.h"

namespace vintage::primitives {

// Platforms and modes that a limitation can name.
std::span<const std::string> knownPlatforms();
std::span<const std::string> knownModes();

std::span<const archive::Limitation> limitations();

// On the day on which it was declared.
bool matches(const archive::Limitation& limitation, const Case& entry, std::string_view platform,
             std::string_view mode);
// The one that covers this use, or null.
const archive::Limitation* findLimitation(std::span<const archive::Limitation> limitations,
                                          const Case& entry, std::string_view platform,
                                          std::string_view mode);

// Names the first declaration that breaks a rule, and the first case that
// lowers nowhere without a declaration that says why.
Status validateLimitations(std::span<const archive::Limitation> limitations,
                           std::span<const Case> cases);

}  // namespace vintage::primitives
