// The cost of an execution, as its worker measured it (docs/reference/speed.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "golden/base/result.h"

namespace vintage::archive {

// Asks a worker to measure: after the first run it runs again up to `repetitions` times, and begins
// no further run once these took `seconds`. At least one run beyond the first is measured: the
// first sets up what later ones find.
struct MeasureRequest {
  int repetitions = 20;
  double seconds = 0.02;
};

// Wall time, and the processor time that all threads of the process took meanwhile. The second
// hardly changes where others use the core too.
struct Duration {
  double wall = 0, processor = 0;  // Seconds.
  Duration& operator+=(const Duration& other);
  bool operator==(const Duration&) const = default;
};

// Bytes, as the compiler reports them of a compiled program.
struct CompilerMemory {
  int64_t temporaries = 0, code = 0, arguments = 0, outputs = 0;
  // The least that a run holds at once.
  int64_t atOnce() const { return temporaries + arguments + outputs; }
  bool operator==(const CompilerMemory&) const = default;
};

struct Measurement {
  Duration load, compile;
  Duration firstRun;
  std::vector<Duration> runs;  // Of the execution alone, until its results are there.
  // By how much the resident memory of the process grew, at its peak; none: it is not known.
  std::optional<int64_t> processGrowth;
  std::optional<CompilerMemory> compiler;  // None: the compiler does not report it.

  // Of two programs that run one after the other: an artifact's function and its derivative.
  Measurement& operator+=(const Measurement& other);
  bool operator==(const Measurement&) const = default;
};

// In the form of docs/reference/worker_protocol.md; `name` stands in messages.
nlohmann::json toJson(const MeasureRequest& request);
Result<MeasureRequest> measureRequestOfJson(const nlohmann::json& json, std::string_view name);
nlohmann::json toJson(const Measurement& measurement);
Result<Measurement> measurementOfJson(const nlohmann::json& json, std::string_view name);

}  // namespace vintage::archive
