// The files that a report of the measured history adds to the dashboard's: a feed of breaks, and
// badges of releases and of the archive's models.
#pragma once

#include <map>
#include <string>

#include <nlohmann/json.hpp>

#include "golden/base/result.h"
#include "harness/dashboard/pages.h"

namespace vintage::harness {

// An Atom feed, the newest break first. Its ids come from the causes, and stay when the site moves.
// `address` is that of the published folder, "https://example.org/jax/"; empty: links are relative.
std::string breaksFeed(const nlohmann::json& history, const std::string& title,
                       const std::string& address);

// By file: "badge/jax-0.6.0.svg" for each release, "badge/solver.svg" for each model. A model is an
// artifact that is no test case of a primitive; of one name, the newest producer's counts.
Result<std::map<std::string, std::string>> badgeFiles(const PageContext& context,
                                                      const nlohmann::json& history);

}  // namespace vintage::harness
