// The counts of a window's JSON form, for its writer and its reader.
#pragma once

#include <utility>

#include "harness/window/report.h"
#include "harness/window/room.h"

namespace vintage::harness::window {

inline constexpr const char* kReportFormat = "vintage window";
inline constexpr int kReportVersion = 1;

inline constexpr std::pair<const char*, int64_t PromiseReport::*> kPromiseCounts[] = {
    {"pairs", &PromiseReport::pairs},
    {"pass", &PromiseReport::pass},
    {"compiled", &PromiseReport::compiled},
    {"expected_failures", &PromiseReport::expectedFailures},
    {"unexpected_passes", &PromiseReport::unexpectedPasses},
    {"failures", &PromiseReport::failures},
    {"unknown", &PromiseReport::unknown}};
inline constexpr std::pair<const char*, int64_t WindowReport::*> kReportCounts[] = {
    {"contents", &WindowReport::contents},   {"artifacts", &WindowReport::artifacts},
    {"consumers", &WindowReport::consumers}, {"programs", &WindowReport::programs},
    {"reused", &WindowReport::reused},       {"ran", &WindowReport::ran},
    {"skipped", &WindowReport::skipped},     {"facts_left_out", &WindowReport::factsLeftOut}};

}  // namespace vintage::harness::window
