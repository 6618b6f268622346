// What `vintage produce` says, as text and as JSON, of one process and of several parts.
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "golden/base/result.h"
#include "harness/command/console.h"
#include "harness/command/slurm_option.h"
#include "harness/runtimes/builds/producing.h"

namespace vintage::harness {

nlohmann::json toJson(const ProduceReport& report);
// What toJson() wrote; kBadInput names what is wrong in it.
Result<ProduceReport> parseProduceReport(std::string_view text, const std::string& name);
// `part` is another part of the same work.
void add(ProduceReport& whole, ProduceReport part);
// Brings what the parts exported into the archive, and removes them.
Result<ProduceReport> takeExports(const ClusterParts& parts, archive::Archive& archive);
void print(const ProduceReport& report, const archive::BuildRecord& build,
           const std::string& archive, Console& console);

}  // namespace vintage::harness
