#include "harness/judge/tables/comparison.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "archive/records/dtype_sets.h"
#include "golden/base/failures.h"

namespace vintage::harness {
using namespace archive;

namespace {

struct Seen {
  bool ran = false, ranThere = false;
  bool passes = false, passesThere = false;
  const Pair* failed = nullptr;
};

// Published devices are CPUs, GPUs of any maker, and TPUs.
bool coversPlatform(const std::vector<std::string>& devices, const std::string& platform) {
  const std::string device = platform == "cuda" || platform == "rocm" ? "gpu" : platform;
  return devices.empty() || std::ranges::find(devices, device) != devices.end();
}

bool holdsOne(const std::vector<std::string>& list, const std::string& name) {
  return list.empty() || std::ranges::find(list, name) != list.end();
}

// What was only compiled, or did not run, says nothing of a published limitation.
Tally withoutCompiled(Tally tally) {
  for (const Cell cell : {Cell::kCompiled, Cell::kUntested, Cell::kRunnerError}) tally[cell] = 0;
  return tally;
}

Standing standingOf(const Tally& today) {
  if (ranOf(today) == 0) return Standing::kNotTried;
  if (today.passed() == 0) return Standing::kHolds;
  return ranOf(today) == today.passed() ? Standing::kLifted : Standing::kPartly;
}

std::vector<std::string> strings(const nlohmann::json& object, const char* field) {
  const auto found = object.find(field);
  return found == object.end() ? std::vector<std::string>()
                               : found->get<std::vector<std::string>>();
}

std::string firstLineOf(const std::string& detail) { return detail.substr(0, detail.find('\n')); }

}  // namespace

Result<std::vector<Lacking>> lackingAgainst(const ConsumerTable& table, std::string_view build,
                                            std::string_view other) {
  std::map<SharedRecord, Seen> seen;
  for (const Pair& result : table.results) {
    const std::string& where = result.outcome.build;
    const bool passed = isSuccess(result.outcome.outcome);
    Seen& artifact = seen[result.artifact];
    if (result.outcome.outcome != OutcomeKind::kRunnerError) {
      artifact.ran |= where == build;
      artifact.ranThere |= where == other;
    }
    if (where == other) artifact.passesThere |= passed;
    if (where != build) continue;
    artifact.passes |= passed;
    if (!passed && result.outcome.outcome != OutcomeKind::kRunnerError) artifact.failed = &result;
  }
  const auto ranOnBoth = [](const auto& one) { return one.second.ran && one.second.ranThere; };
  if (std::ranges::none_of(seen, ranOnBoth))
    return unsupported("no artifact ran on both {} and {}, so that nothing can be said of them",
                       build, other);
  std::map<std::pair<std::string, FailureClass>, Lacking> lacking;
  for (const auto& [artifact, how] : seen) {
    if (!how.passesThere || how.passes || how.failed == nullptr) continue;
    const OutcomeRecord& outcome = how.failed->outcome;
    const FailureClass failure = *failureClassOf(outcome);
    Lacking& row = lacking[{artifact->primitive, failure}];
    row.primitive = artifact->primitive;
    row.failure = failure;
    for (const std::string& dtype : artifact->dtypes) row.dtypes.insert(jaxDtype(dtype));
    ++row.artifacts;
    if (row.example.empty() || artifact->name < row.example) {
      row.example = artifact->name;
      row.detail = firstLineOf(outcome.detail);
    }
  }
  std::vector<Lacking> rows;
  for (auto& [key, row] : lacking) rows.push_back(std::move(row));
  return rows;
}

Result<std::vector<PublishedLimitation>> parsePublished(std::string_view text,
                                                        std::string_view file) {
  try {
    std::vector<PublishedLimitation> published;
    const nlohmann::json document = nlohmann::json::parse(text);
    for (const nlohmann::json& one : document.at("limitations"))
      published.push_back({one.at("primitive").get<std::string>(), one.value("description", ""),
                           strings(one, "dtypes"), strings(one, "devices"), strings(one, "modes")});
    return published;
  } catch (const nlohmann::json::exception& exception) {
    return badInput(
        "{}: no list of published limitations: {}; what is read is "
        "{{\"limitations\": [{{\"primitive\": …, \"dtypes\": […], \"devices\": […], "
        "\"modes\": […]}}]}}",
        file, exception.what());
  }
}

std::string_view standingName(Standing standing) {
  switch (standing) {
    case Standing::kHolds:
      return "holds";
    case Standing::kPartly:
      return "holds in part";
    case Standing::kLifted:
      return "lifted";
    case Standing::kNotTried:
      return "not tried";
  }
  return "";
}

PublishedComparison comparePublished(const ConsumerTable& table, std::string_view build,
                                     std::vector<PublishedLimitation> published) {
  PublishedComparison comparison{std::string(build), {}, {}};
  std::set<std::string> named;
  for (PublishedLimitation& limitation : published) {
    named.insert(limitation.primitive);
    const std::set<std::string> dtypes = expandDtypes(limitation.dtypes);
    Tally today;
    for (const ConsumerRow& row : table.rows) {
      if (row.primitive != limitation.primitive) continue;
      if (!dtypes.empty() && !dtypes.contains(row.dtype)) continue;
      for (size_t i = 0; i < table.columns.size(); ++i) {
        const ConsumerColumn& column = table.columns[i];
        if (column.build == build && coversPlatform(limitation.devices, column.platform) &&
            holdsOne(limitation.modes, column.mode))
          today.add(withoutCompiled(row.cells[i]));
      }
    }
    comparison.limitations.push_back({std::move(limitation), standingOf(today), today});
  }
  for (const ConsumerRow& row : table.rows) {
    if (named.contains(row.primitive)) continue;
    for (size_t i = 0; i < table.columns.size(); ++i)
      if (table.columns[i].build == build && !row.cells[i].failures.empty())
        comparison.isNew[row.primitive].add(withoutCompiled(row.cells[i]));
  }
  return comparison;
}

}  // namespace vintage::harness
