// The last step of a bisect: which operation's value differs first between the
// culprit and a consumer that works, remembered like every other answer.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "golden/base/result.h"
#include "harness/bisect/journal.h"
#include "harness/bisect/probe.h"

namespace vintage::harness {

// A consumer: what identifies it, and how to come by its command, which
// is asked for only where nothing is remembered.
struct LocalizedConsumer {
  std::string identity;
  std::function<Result<std::vector<std::string>>()> prepare;
};

struct CulpritOperation {
  std::string text;        // For people; also where it could not be localized.
  nlohmann::json details;  // Null where it could not.
  bool remembered = false;
};

// The reduced program is written to `folder`. What goes wrong stands in the
// text: it does not undo what the search found.
CulpritOperation localizeCulprit(const Subject& subject, const LocalizedConsumer& failing,
                                 const LocalizedConsumer& reference, const WorkerLimits& limits,
                                 Journal& journal, const std::filesystem::path& folder);

}  // namespace vintage::harness
