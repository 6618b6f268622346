// What a bisect found, as a JSON record, as text, and as something to paste
// into a bug report.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "harness/bisect/journal.h"
#include "harness/bisect/probe.h"
#include "harness/bisect/search.h"

namespace vintage::harness {

// One search, over builds or over commits, with its positions by name.
struct SearchReport {
  std::string over;                 // "builds" or "commits"
  std::vector<std::string> names;   // By position: what stands in JSON.
  std::vector<std::string> labels;  // For people: a commit with its subject.
  SearchConclusion conclusion;
  int probesMade = 0, probesRemembered = 0;
  std::vector<std::string> lastDetail;  // By position; empty where it never failed.
};

// docs/bisect.md. An end that was named and does not hold is a wrong call.
int exitStatus(const SearchConclusion& found, bool goodWasNamed, bool badWasNamed);

nlohmann::json toJson(const SearchReport& report);
// "the first bad build is …", with what else there is to say; several lines.
std::string describe(const SearchReport& report);

struct BugReport {
  const Subject* subject = nullptr;
  std::vector<SearchReport> searches;
  std::string commandLine;
  std::string localization;  // From --localize; may be empty.
};
std::string describe(const BugReport& report);

}  // namespace vintage::harness
