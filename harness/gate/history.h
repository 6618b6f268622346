// The gate over the past: every change of a list of guaranteed targets, judged
// as of its day with what is known today.
//
// The facts hold the list and the releases, not the code: a target counts as
// registered while it is listed, so a finding about a removal means that the
// guarantee was withdrawn too early. Whether an implementation stayed behind
// for longer is not known.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/gate/gate.h"
#include "harness/gate/room.h"

namespace vintage::harness::gate {

struct ListChange {
  std::string commit, subject;
  Date date{};
  std::vector<std::string> added, removed;
};

// The form of ../shared/facts/jax_stable_custom_calls_history.json, in order of
// time. kBadInput where a change adds what is listed or removes what is not.
Result<std::vector<ListChange>> parseListHistory(std::string_view text, std::string_view name);

struct JudgedListChange {
  ListChange change;
  GateVerdict verdict;
};
Result<std::vector<JudgedListChange>> judgeHistory(const std::vector<ListChange>& changes,
                                                   const std::vector<RuntimeDescription>& builds,
                                                   ArchivedFacts& archive);

}  // namespace vintage::harness::gate
