// How far a build's results lie from the oracle's, by primitive and dtype.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "reports/room.h"

namespace vintage::reports {

// Distances are whole units in the last place of the result's type (golden/tensor/
// ulps.h) from the oracle's correctly rounded value; of complex numbers, whose
// parts can cancel, units of the modulus where those are fewer.
struct AccuracyRow {
  std::string primitive;         // "sin"; "sin (vjp)": of the exports with its derivative.
  std::string dtype;             // The result's, in StableHLO's spelling.
  std::string platform, mode;
  int64_t elements = 0;
  int64_t differing = 0;         // Among those.
  int64_t largestUlps = 0;       // kFarApart: a NaN or an infinity is wrong.
  int64_t finite = 0;            // Elements at a finite distance.
  double meanUlps = 0;           // Over those.
  // The widest bound in ulps that a case of this row declares; none where its
  // cases are bounded otherwise (relative to the largest element, …).
  std::optional<int64_t> allowedUlps;
  // Where the largest error is; empty where nothing differs.
  std::string name;              // The artifact's.
  std::string place;             // "output 0 [3,1]"
  std::string input;             // The operands' elements at that place, where they have one.
  std::string expected, actual;
};

std::string accuracyMarkdown(std::span<const AccuracyRow> rows);
// Columns for a terminal.
std::string accuracyText(std::span<const AccuracyRow> rows);
nlohmann::ordered_json accuracyJson(std::span<const AccuracyRow> rows);
// What accuracyJson() wrote. Entries that lack a field are left out: they are no rows of ours.
std::vector<AccuracyRow> parseAccuracy(const nlohmann::json& rows);

}  // namespace vintage::reports
