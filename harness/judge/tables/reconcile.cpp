#include "harness/judge/tables/reconcile.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "archive/records/dtype_sets.h"

namespace vintage::harness {
using namespace archive;
using namespace reports;

namespace {

constexpr size_t kEvidenceShown = 5;
constexpr size_t kShownIdCharacters = 12;
constexpr size_t kLongestReason = 120;

bool passes(const Pair& result) {
  return result.cell == Cell::kPass || result.cell == Cell::kPermitted ||
         result.cell == Cell::kUnexpectedPass;
}
bool fails(const Pair& result) {
  return result.cell == Cell::kFail || result.cell == Cell::kExpectedFailure;
}

// The uses that a set of results covers, along each axis of a declaration.
struct Uses {
  std::set<std::string> dtypes, platforms, modes, variants;
  void add(const Pair& result) {
    dtypes.merge(expandDtypes(result.artifact->dtypes));
    platforms.insert(result.outcome.platform);
    modes.insert(result.outcome.mode);
    variants.insert(result.artifact->variant);
  }
};

std::vector<std::string> listOf(const std::set<std::string>& values) {
  return {values.begin(), values.end()};
}

void addRecorded(LimitationEdit& edit, const Pair& result) {
  (fails(result) ? edit.failing : edit.passing) += 1;
  if (edit.evidence.size() >= kEvidenceShown) return;
  const OutcomeRecord& outcome = result.outcome;
  edit.evidence.push_back(
      fmt::format("{} on {} {} ({}): {}", result.artifact->name, outcome.platform, outcome.mode,
                  result.artifact->id.substr(0, kShownIdCharacters),
                  passes(result) ? "pass"
                                 : fmt::format("{} in stage {}: {}", outcomeName(outcome.outcome),
                                               stageName(outcome.stage), outcome.detail)));
}

// How the results fail, each kind once.
std::vector<FailureKind> failureKindsOf(const std::vector<const Pair*>& results) {
  std::set<FailureKind> kinds;
  for (const Pair* result : results)
    if (const auto kind = failureKindOf(result->outcome.outcome); kind && fails(*result))
      kinds.insert(*kind);
  return {kinds.begin(), kinds.end()};
}

std::vector<LimitationEdit> newFailures(const PrimitiveSummary& primitive, Date today) {
  std::map<std::pair<OutcomeKind, Stage>, std::vector<const Pair*>> groups;
  for (const Pair& result : primitive.results)
    if (result.cell == Cell::kFail)
      groups[{result.outcome.outcome, result.outcome.stage}].push_back(&result);
  std::vector<LimitationEdit> edits;
  for (const auto& [how, results] : groups) {
    LimitationEdit edit;
    Uses uses;
    for (const Pair* result : results) {
      uses.add(*result);
      addRecorded(edit, *result);
    }
    edit.after.id =
        fmt::format("{}-{}-{}", primitive.primitive, outcomeName(how.first), stageName(how.second));
    edit.after.primitive = primitive.primitive;
    edit.after.dtypes = compressDtypes(uses.dtypes);
    edit.after.platforms = listOf(uses.platforms);
    edit.after.modes = listOf(uses.modes);
    edit.after.variants = listOf(uses.variants);
    edit.after.description = fmt::format("{} in stage {}: {}", outcomeName(how.first),
                                         stageName(how.second), results[0]->outcome.detail)
                                 .substr(0, kLongestReason);
    edit.after.issue = "";  // The person who declares it adds the issue.
    edit.after.since = formatDate(today);
    edit.after.failures = failureKindsOf(results);
    edits.push_back(std::move(edit));
  }
  return edits;
}

// None where the declaration is right, or where nothing that it covers ran.
std::optional<LimitationEdit> mended(const Limitation& limitation,
                                     const std::vector<const Pair*>& covered) {
  LimitationEdit edit;
  edit.before = edit.after = limitation;
  Uses failing, passing;
  for (const Pair* result : covered) {
    if (!passes(*result) && !fails(*result)) continue;
    (fails(*result) ? failing : passing).add(*result);
    if (passes(*result))
      addRecorded(edit, *result);
    else
      ++edit.failing;
  }
  if (edit.passing == 0) return std::nullopt;
  edit.kind = LimitationEdit::Kind::kRemove;
  if (edit.failing == 0) return edit;
  edit.kind = LimitationEdit::Kind::kNarrow;
  // Only an axis on which a value never fails can leave it out.
  const auto narrow = [](const std::set<std::string>& failing, const std::set<std::string>& passing,
                         std::vector<std::string>& declared, bool dtypes) {
    if (std::includes(failing.begin(), failing.end(), passing.begin(), passing.end())) return;
    declared = dtypes ? compressDtypes(failing) : listOf(failing);
  };
  narrow(failing.dtypes, passing.dtypes, edit.after.dtypes, true);
  narrow(failing.platforms, passing.platforms, edit.after.platforms, false);
  narrow(failing.modes, passing.modes, edit.after.modes, false);
  narrow(failing.variants, passing.variants, edit.after.variants, false);
  if (edit.after == edit.before) return std::nullopt;  // No axis separates them.
  edit.after.failures = failureKindsOf(covered);
  return edit;
}

std::string list(const std::vector<std::string>& values) {
  return values.empty() ? "{}" : fmt::format("{{\"{}\"}}", fmt::join(values, "\", \""));
}

// A string of C++.
std::string quoted(const std::string& value) {
  return nlohmann::json(value).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

// As limitations.cpp lists them.
std::string failureList(const std::vector<FailureKind>& failures) {
  constexpr const char* kSpelled[] = {"FailureKind::kRefused", "FailureKind::kWrongValue",
                                      "FailureKind::kCrash", "FailureKind::kTimeout"};
  std::set<std::string> kinds;
  for (const FailureKind failure : failures) kinds.insert(kSpelled[static_cast<size_t>(failure)]);
  return fmt::format("{{{}}}", fmt::join(kinds, ", "));
}

// As a row of primitives/limitations/limitations.cpp.
std::string rowOf(const Limitation& limitation) {
  return fmt::format(
      "      {{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}{}}},", quoted(limitation.id),
      quoted(limitation.primitive), list(limitation.dtypes), list(limitation.platforms),
      list(limitation.modes), list(limitation.variants), quoted(limitation.description),
      limitation.issue.empty() ? "\"\" /* where it is tracked */" : quoted(limitation.issue),
      quoted(limitation.since), failureList(limitation.failures),
      limitation.until ? quoted(*limitation.until) : "{}", limitation.skipRun ? ", true" : "");
}

nlohmann::ordered_json jsonOf(const Limitation& limitation) {
  return {{"id", limitation.id},
          {"primitive", limitation.primitive},
          {"dtypes", limitation.dtypes},
          {"platforms", limitation.platforms},
          {"modes", limitation.modes},
          {"variants", limitation.variants},
          {"description", limitation.description},
          {"issue", limitation.issue},
          {"since", limitation.since}};
}

}  // namespace

std::string_view editName(LimitationEdit::Kind kind) {
  constexpr std::string_view kNames[] = {"declare", "remove", "narrow"};
  return kNames[static_cast<size_t>(kind)];
}

std::vector<LimitationEdit> reconcileLimitations(const LimitationTables& tables) {
  std::vector<LimitationEdit> edits;
  std::map<std::string, std::vector<const Pair*>> covered;  // By limitation.
  for (const PrimitiveSummary& primitive : tables.primitives) {
    for (const Pair& result : primitive.results)
      if (const std::string& limitation = result.outcome.limitation; !limitation.empty())
        covered[limitation].push_back(&result);
    for (LimitationEdit& edit : newFailures(primitive, tables.today))
      edits.push_back(std::move(edit));
  }
  // Those of consumers stand in the archive, and 'limitations --propose' edits them.
  for (const LimitationSummary& summary : tables.limitations)
    if (!summary.limitation.consumers.empty())
      continue;
    else if (const auto found = covered.find(summary.limitation.id); found != covered.end())
      if (auto edit = mended(summary.limitation, found->second)) edits.push_back(std::move(*edit));
  std::ranges::stable_sort(edits, {},
                           [](const LimitationEdit& edit) { return edit.after.primitive; });
  return edits;
}

std::string editsText(const std::vector<LimitationEdit>& edits,
                      const std::vector<NeedlessLimitation>& needless) {
  if (edits.empty() && needless.empty()) return "Declarations and recorded outcomes agree.\n";
  std::string text;
  for (const NeedlessLimitation& one : needless) text += needlessText(one) + "\n";
  if (!needless.empty()) text += "'vintage limitations --propose' edits these, of consumers\n";
  if (edits.empty()) return text;
  text += "primitives/limitations/limitations.cpp\n";
  for (const LimitationEdit& edit : edits) {
    text +=
        fmt::format("\n{} {}: {} cells pass, {} fail\n", editName(edit.kind),
                    edit.kind == LimitationEdit::Kind::kDeclare ? edit.after.id : edit.before.id,
                    edit.passing, edit.failing);
    for (const std::string& line : edit.evidence) text += "  # " + line + "\n";
    if (edit.kind != LimitationEdit::Kind::kDeclare) text += "-" + rowOf(edit.before) + "\n";
    if (edit.kind != LimitationEdit::Kind::kRemove) text += "+" + rowOf(edit.after) + "\n";
  }
  return text;
}

nlohmann::ordered_json editsJson(const std::vector<LimitationEdit>& edits,
                                 const std::vector<NeedlessLimitation>& needless) {
  auto all = nlohmann::ordered_json::array();
  for (const NeedlessLimitation& one : needless)
    all.push_back({{"kind", "needless"},
                   {"id", one.id},
                   {"why", one.why},
                   {"passing", one.passing},
                   {"failing", one.failing}});
  for (const LimitationEdit& edit : edits) {
    nlohmann::ordered_json entry{{"kind", editName(edit.kind)}};
    if (edit.kind != LimitationEdit::Kind::kDeclare) entry["before"] = jsonOf(edit.before);
    if (edit.kind != LimitationEdit::Kind::kRemove) entry["after"] = jsonOf(edit.after);
    entry["passing"] = edit.passing;
    entry["failing"] = edit.failing;
    entry["evidence"] = edit.evidence;
    all.push_back(std::move(entry));
  }
  return all;
}

}  // namespace vintage::harness
