#include "harness/gate/history.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "golden/base/failures.h"
#include "golden/base/strict_json.h"
#include "archive/records/custom_call_targets.h"

namespace vintage::harness {
using namespace archive;

namespace {

using nlohmann::json;

using List = std::map<std::string, Date>;  // Target, and since when it is listed.

RuntimeDescription describe(const std::string& name, Date built, const List& list) {
  RuntimeDescription out;
  out.name = name;
  out.buildDate = built;
  for (const auto& [target, since] : list) {
    RegisteredTarget registered;
    registered.name = target;
    registered.since = since;
    registered.replaces = replacedTargets(target);
    out.targets.push_back(std::move(registered));
    out.stableTargets.push_back({target, since});
  }
  return out;
}

}  // namespace

Result<std::vector<ListChange>> parseListHistory(std::string_view text, std::string_view name) {
  if (!json::accept(text)) return badInput("{}: this is not JSON", name);
  const json document = json::parse(text);
  Status status;
  std::string source;
  std::vector<ListChange> out;
  List list;
  JsonObject read(document, "", status);
  read.optional("source", source);
  read.list("changes", [&](const json& element, const std::string& place) {
    ListChange change;
    JsonObject line(element, place, status);
    line.required("commit", change.commit);
    line.required("date", change.date);
    line.optional("subject", change.subject);
    line.optional("added", change.added);
    line.optional("removed", change.removed);
    line.finish();
    if (!out.empty() && change.date < out.back().date)
      line.fail(place,
                fmt::format("the change of {} stands after one of {}; put them in order of time",
                            formatDate(change.date), formatDate(out.back().date)));
    for (const std::string& target : change.removed)
      if (list.erase(target) == 0)
        line.fail(place, fmt::format("'{}' is removed and was not listed", target));
    for (const std::string& target : change.added)
      if (!list.emplace(target, change.date).second)
        line.fail(place, fmt::format("'{}' is added and was listed already", target));
    out.push_back(std::move(change));
  });
  read.finish();
  if (!status) return within(std::string(name), status.error());
  if (out.empty()) return badInput("{}: it holds no changes", name);
  return out;
}

Result<std::vector<JudgedListChange>> judgeHistory(const std::vector<ListChange>& changes,
                                                   const std::vector<RuntimeDescription>& builds,
                                                   ArchivedFacts& archive) {
  std::vector<JudgedListChange> out;
  List list;
  Date previous = changes.empty() ? Date{} : changes.front().date;
  for (const ListChange& listChange : changes) {
    Change change;
    change.today = listChange.date;
    change.builds = builds;
    change.archive = &archive;
    change.hindsight = true;
    change.before = describe("the list before " + listChange.commit, previous, list);
    for (const std::string& target : listChange.removed) list.erase(target);
    for (const std::string& target : listChange.added) list[target] = listChange.date;
    change.after = describe("the list of " + listChange.commit, listChange.date, list);
    // The record begins there: what the first change lists existed before.
    if (out.empty()) change.before.targets = change.after.targets;
    ASSIGN_OR_RETURN(auto verdict, within(listChange.commit, judge(change, {})));
    // That a list has no outcomes to replay goes without saying.
    std::erase_if(verdict.notes,
                  [](const Finding& note) { return note.rule == "golden-not-reproduced"; });
    out.push_back({listChange, std::move(verdict)});
    previous = listChange.date;
  }
  return out;
}

}  // namespace vintage::harness
