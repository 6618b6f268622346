// A whole bisect, as `vintage bisect` runs it: over the archive's builds, then over commits, then
// to the operation. Options and printing are elsewhere.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "archive/store/archive.h"
#include "golden/base/date.h"
#include "golden/base/result.h"
#include "harness/bisect/commits.h"
#include "harness/bisect/journal.h"
#include "harness/bisect/probe.h"
#include "harness/bisect/search.h"
#include "harness/bisect/sequence.h"
#include "harness/bisect/speed_probe.h"

namespace vintage::harness {

// One search, over builds or over commits, with its positions by name.
struct SearchReport {
  std::string over;                 // "builds" or "commits"
  std::vector<std::string> names;   // By position, as in JSON.
  std::vector<std::string> labels;  // For people: a commit with its subject.
  SearchConclusion conclusion;
  int probesMade = 0, probesRemembered = 0;
  std::vector<std::string> lastDetail;  // By position; empty where it never failed.
  std::string remark;                   // Lines for people, of branches.
  nlohmann::json merge;                 // Of a culprit that is a merge: its parents; else null.
};

// docs/reference/bisect.md. If a named end does not hold, the call was wrong.
int exitStatus(const SearchConclusion& found, bool goodWasNamed, bool badWasNamed);

nlohmann::json toJson(const SearchReport& report);
// "the first bad build is …", with the other findings; several lines.
std::string describe(const SearchReport& report);

// To paste into a bug report. `localization` is from --localize, and may be empty.
std::string bugReport(const Subject& subject, const std::vector<SearchReport>& searches,
                      const std::string& localization, const std::string& commandLine);

struct BisectOptions {
  SubjectChoice choice;
  SequenceChoice ends;
  CommitRecipe commits;  // Without a repository: builds only.
  SearchOptions search;
  WorkerLimits limits;
  bool fresh = false;  // Earlier answers do not count.
  bool localize = false;
  // The fault is that it is slower, or larger, than at the good end, which has to be named.
  std::optional<SpeedQuestion> speed;
  std::string reference;  // For localize: a build, or "engine"; empty: the last good one.
  std::string commandLine;
  Date today{};
};

struct BisectResult {
  int exitStatus = 0;      // docs/reference/bisect.md
  std::string text;        // To paste into a bug report.
  nlohmann::json record;   // The same as data.
  std::string recordPath;  // The file that holds the record.
};

// `note` gets a line for each step. An error is a wrong call, or comes from the archive.
Result<BisectResult> bisect(const BisectOptions& options, archive::Archive& archive,
                            const std::function<void(const std::string&)>& note);

}  // namespace vintage::harness
