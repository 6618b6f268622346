// The options that several verbs take, the same for all of them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "archive/integrity/fsck.h"
#include "archive/records/scope.h"
#include "archive/store/records.h"
#include "golden/base/date.h"
#include "golden/base/result.h"
#include "harness/judge/tables/table_pages.h"
#include "harness/replay/replay.h"

namespace vintage::harness {

// YYYY-MM-DD; the error names the option.
Result<std::optional<Date>> parseDateOption(const std::string& text, const char* option);
// Now, in UTC.
Date currentDate();

// Which artifacts.
class FilterOptions {
 public:
  void addTo(CLI::App& app);
  Result<archive::ArtifactFilter> filter() const;
  // The platforms that were asked for; the archive's filter holds them too.
  const std::vector<std::string>& platforms() const { return filter_.platforms; }

 private:
  archive::ArtifactFilter filter_;
  std::string from_, until_;
  std::optional<int> callingConvention_;
};

// A part of the contents, N/T with N from 1 to T; the error names the option.
Result<archive::ContentPart> parsePart(const std::string& text, const char* option);

// How artifacts are run.
class RunOptionsOfVerb {
 public:
  void addTo(CLI::App& app);
  // Today, or what --today says.
  Result<Date> today() const;
  bool todayGiven() const { return !today_.empty(); }
  // `archive` is the folder as it was typed.
  Result<ReplayOptions> replayOptions(const std::string& archive) const;

 private:
  int workers_ = 0;  // 0: one for each processor.
  double timeoutSeconds_ = 60;
  double memoryGibibytes_ = 8;
  std::string today_;
};

// What a verdict is about (docs/verdicts.md).
class ScopeOption {
 public:
  void addTo(CLI::App& app);
  Result<archive::Scope> scope(const archive::WindowPolicy& policy) const;

 private:
  std::vector<std::string> words_;
};

// Which tables `tables` and `limitations` read.
class TableOptionsOfVerb {
 public:
  void addTo(CLI::App& app);
  Result<TableOptions> options() const;
  std::string archive;

 private:
  TableOptions options_;
  std::string today_;
};

}  // namespace vintage::harness
