// What garbage collection took away, for the verbs that collect.
#pragma once

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "archive/store/collect.h"
#include "harness/command/room.h"

namespace vintage::harness::command {

inline nlohmann::json toJson(const CollectReport& report) {
  return {{"contents", report.contents},
          {"emptied", report.emptied},
          {"files", report.files},
          {"temporaries", report.temporaries},
          {"expired_leases", report.leases},
          {"stored_bytes", report.bytes}};
}

inline std::string textOf(const CollectReport& report, bool dryRun) {
  return fmt::format(
      "{} {} bytes: {} contents, {} more whose results stay, {} files without a record, {} "
      "temporary files, {} expired leases.",
      dryRun ? "Collection would free" : "Collection freed", report.bytes, report.contents,
      report.emptied, report.files, report.temporaries, report.leases);
}

}  // namespace vintage::harness::command
