// A target that changes under its name: callers of the old form are archived,
// so the new form needs a name of its own.
#include <algorithm>
#include <optional>
#include <regex>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/gate/rules/rule_support.h"

namespace vintage::harness {
using namespace archive;

namespace {

struct SchemaChange {
  std::vector<std::string> breaks;      // Old callers no longer fit.
  std::vector<std::string> extensions;  // Old callers fit; new ones do not fit old consumers.
};

std::string spelled(const TargetValue& value) {
  return fmt::format("{}{}{}", value.name, value.optional ? "?" : "",
                     value.name.empty() ? value.type : ": " + value.type);
}

// The versions in a type that says which of them the target reads: "a kernel of versions 1 to 15".
struct StatedVersions {
  std::string around;  // The type without them.
  int64_t oldest = 0, newest = 0;

  static std::optional<StatedVersions> of(const std::string& type) {
    static const std::regex form(R"((.*\bversions )(\d{1,9}) to (\d{1,9})(.*))");
    std::smatch found;
    if (!std::regex_match(type, found, form)) return std::nullopt;
    return StatedVersions{found[1].str() + found[4].str(), std::stoll(found[2]),
                          std::stoll(found[3])};
  }
};

// The new type takes all that the old one took.
bool readsMore(const TargetValue& before, const TargetValue& after) {
  const auto old = StatedVersions::of(before.type), now = StatedVersions::of(after.type);
  return old && now && old->around == now->around && now->oldest <= old->oldest &&
         now->newest >= old->newest && before.name == after.name &&
         before.optional == after.optional;
}

void compareOne(const char* kind, const TargetValue& before, const TargetValue& after,
                SchemaChange& out) {
  if (before == after || readsMore(before, after)) return;
  TargetValue relaxed = before;
  relaxed.optional = true;
  (relaxed == after ? out.extensions : out.breaks)
      .push_back(fmt::format("{} '{}' becomes '{}'", kind, spelled(before), spelled(after)));
}

void compareByPosition(const char* kind, const std::vector<TargetValue>& before,
                       const std::vector<TargetValue>& after, bool mayGrow, SchemaChange& out) {
  const size_t both = std::min(before.size(), after.size());
  for (size_t i = 0; i < both; ++i) compareOne(kind, before[i], after[i], out);
  for (size_t i = both; i < before.size(); ++i)
    out.breaks.push_back(fmt::format("{} '{}' is gone", kind, spelled(before[i])));
  for (size_t i = both; i < after.size(); ++i)
    (mayGrow && after[i].optional ? out.extensions : out.breaks)
        .push_back(fmt::format("{} '{}' is new", kind, spelled(after[i])));
}

void compareAttributes(const std::vector<TargetValue>& before,
                       const std::vector<TargetValue>& after, SchemaChange& out) {
  const auto named = [](const std::vector<TargetValue>& values, const std::string& name) {
    return std::ranges::find_if(values, [&](const auto& value) { return value.name == name; });
  };
  for (const TargetValue& value : before) {
    const auto found = named(after, value.name);
    if (found == after.end())
      out.breaks.push_back(fmt::format("attribute '{}' is gone", spelled(value)));
    else
      compareOne("attribute", value, *found, out);
  }
  for (const TargetValue& value : after)
    if (named(before, value.name) == before.end())
      (value.optional ? out.extensions : out.breaks)
          .push_back(fmt::format("attribute '{}' is new", spelled(value)));
}

SchemaChange compareSchemas(const TargetSchema& before, const TargetSchema& after) {
  SchemaChange out;
  for (int version : before.apiVersions)
    if (std::ranges::find(after.apiVersions, version) == after.apiVersions.end())
      out.breaks.push_back(fmt::format("api_version {} is gone", version));
  for (int version : after.apiVersions)
    if (std::ranges::find(before.apiVersions, version) == before.apiVersions.end())
      out.extensions.push_back(fmt::format("api_version {} is new", version));
  compareByPosition("operand", before.operands, after.operands, true, out);
  compareByPosition("result", before.results, after.results, false, out);
  compareAttributes(before.attributes, after.attributes, out);
  if (before.aliases != after.aliases) out.breaks.push_back("the results alias other operands");
  return out;
}

// The new entry of the target; for a target of any platform, the entry on one of them.
const RegisteredTarget* becomes(const Change& change, const RegisteredTarget& target) {
  const RegisteredTarget* found = change.find(change.after, target.name, target.platform);
  for (const std::string& platform : change.before.platforms)
    if (found == nullptr && target.platform == "any")
      found = change.find(change.after, target.name, platform);
  return found;
}

}  // namespace

Status checkTargetChangedInPlace(const Change& change, std::vector<Finding>& findings) {
  if (factsDecide(change)) return {};  // The rules that use facts are more precise.
  for (const RegisteredTarget& before : change.before.targets) {
    const RegisteredTarget* now = becomes(change, before);
    if (now == nullptr || now->schema == before.schema) continue;
    const SchemaChange schema = compareSchemas(before.schema, now->schema);
    if (schema.breaks.empty() && schema.extensions.empty()) continue;
    ASSIGN_OR_RETURN(auto artifacts, artifactsInWindow(change, before.name, before.platform));
    // A name that no artifact of the window uses is free again.
    std::optional<LegalDate> legal;
    laterThanArtifacts(change, legal, artifacts);
    if (const RuntimeDescription* last = change.lastReleaseWith(before.name, change.today))
      later(legal,
            outOfWindow(last->day(), last->name + ", the last release with it", change.backward()));
    const bool unused = before.exported == false;
    if (unused && (!legal || change.today >= legal->date)) continue;

    std::vector<std::string> differences = schema.breaks;
    differences.insert(differences.end(), schema.extensions.begin(), schema.extensions.end());
    const std::string changes = fmt::format("{}", fmt::join(differences, "; "));
    Finding& finding = report(
        findings, "target-changed-in-place", placeOf(before),
        "'{}' changes under its name: {}. {} built since {} call{} it. Register the new form as a "
        "target of its own that replaces it.",
        before.name, changes, counted(artifacts.size(), "artifact"),
        formatDate(*windowFilter(change).builtFrom), artifacts.size() == 1 ? "s" : "");
    finding.change = changes;
    if (schema.breaks.empty() || !isGuaranteed(change, before.name))
      finding.severity = GateResult::kNeedsReview;
    if (unused) finding.legal = std::move(legal);
    finding.artifacts = std::move(artifacts);
  }
  return {};
}

}  // namespace vintage::harness
