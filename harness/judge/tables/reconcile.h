// Edits after which the declared limitations agree with the recorded outcomes.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "archive/records/limitation.h"
#include "harness/judge/tables/propose.h"
#include "reports/limitation_tables.h"

namespace vintage::harness {

struct LimitationEdit {
  enum class Kind { kDeclare, kRemove, kNarrow };
  Kind kind = Kind::kDeclare;
  archive::Limitation before;         // Not of what is to be declared.
  archive::Limitation after;          // Not of what is to be removed.
  int64_t passing = 0, failing = 0;   // Cells that it rests on.
  std::vector<std::string> evidence;  // Some of them: name, platform, mode, artifact, outcome.
};
// "declare", "remove", "narrow"
std::string_view editName(LimitationEdit::Kind kind);

// New failures with the same primitive, outcome and stage become one declaration. A declaration
// whose cells all pass is removed. If only some of its dtypes, platforms, modes or variants still
// fail, it is narrowed to those. Cells that did not run do not count. In order of primitive and
// kind.
std::vector<LimitationEdit> reconcileLimitations(const reports::LimitationTables& tables);

// Lines to delete from and add to primitives/limitations/limitations.cpp, with their evidence; and
// the needless declarations of consumers, which 'limitations --propose' edits.
std::string editsText(const std::vector<LimitationEdit>& edits,
                      const std::vector<NeedlessLimitation>& needless);
nlohmann::ordered_json editsJson(const std::vector<LimitationEdit>& edits,
                                 const std::vector<NeedlessLimitation>& needless);

}  // namespace vintage::harness
