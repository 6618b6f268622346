// The last step of a bisect: which operation's value differs first between the
// culprit and a consumer that works, remembered like every other answer.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "golden/base/result.h"
#include "harness/bisect/journal.h"
#include "harness/bisect/probe.h"
#include "harness/bisect/speed_probe.h"

namespace vintage::harness {

// A consumer: its identity, and a function that provides its command, which is called only where no
// result is remembered.
struct LocalizedConsumer {
  std::string identity;
  std::function<Result<std::vector<std::string>>()> prepare;
};

struct CulpritOperation {
  std::string text;        // For people; also if it could not be localized.
  nlohmann::json details;  // Null if it could not be localized.
  bool remembered = false;
};

// With `speed` it is the smallest part that is slower or larger. Writes the reduced program to
// `folder`. Errors become part of the text: they do not invalidate
// the result of the search.
CulpritOperation localizeCulprit(const Subject& subject, const LocalizedConsumer& failing,
                                 const LocalizedConsumer& reference, const WorkerLimits& limits,
                                 const std::optional<SpeedQuestion>& speed, Journal& journal,
                                 const std::filesystem::path& folder);

}  // namespace vintage::harness
