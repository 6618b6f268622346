// The edit that would make the declared limitations agree with what was recorded.
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

// New failures are declared together where they share primitive, outcome and
// stage. A declaration whose cells all pass is removed; one of which only some
// dtypes, platforms, modes or variants still fail is narrowed to those. What did
// not run says nothing. In order of primitive and kind.
std::vector<LimitationEdit> reconcileLimitations(const reports::LimitationTables& tables);

// As lines to delete from and add to primitives/limitations/limitations.cpp, each with its
// evidence.
// With those that are declared of consumers and not needed: 'limitations --propose' edits them.
std::string editsText(const std::vector<LimitationEdit>& edits,
                      const std::vector<NeedlessLimitation>& needless);
nlohmann::ordered_json editsJson(const std::vector<LimitationEdit>& edits,
                                 const std::vector<NeedlessLimitation>& needless);

}  // namespace vintage::harness
