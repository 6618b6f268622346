// The options that choose artifacts, the same for every verb that takes them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "archive/integrity/content_part.h"
#include "archive/store/records.h"
#include "golden/base/result.h"
#include "harness/command/room.h"

namespace vintage::harness::command {

// YYYY-MM-DD; the error names the option.
Result<std::optional<Date>> parseDateOption(const std::string& text, const char* option);
// Now, in UTC.
Date currentDate();

class FilterOptions {
 public:
  void addTo(CLI::App& app);
  Result<ArtifactFilter> filter() const;
  // The platforms that were asked for; the archive's filter holds them too.
  const std::vector<std::string>& platforms() const { return filter_.platforms; }

 private:
  ArtifactFilter filter_;
  std::string from_, until_;
  std::optional<int> callingConvention_;
};

// A part of the contents, N/T with N from 1 to T; the error names the option.
Result<ContentPart> parsePart(const std::string& text, const char* option);

}  // namespace vintage::harness::command
