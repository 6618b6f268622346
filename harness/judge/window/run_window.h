// Runs the pairs of a window that have no outcome yet, and judges the whole.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>

#include "archive/records/limitation.h"
#include "archive/records/window_report.h"
#include "archive/store/archive.h"
#include "golden/base/result.h"
#include "harness/judge/speed/measured_speed.h"
#include "harness/judge/window/survey.h"
#include "harness/replay/replay.h"

namespace vintage::harness {

// The builds up to `today`, in order of their newest date and name. `names`
// chooses; empty: all. Builds that are known only by their
// facts take part if `withFacts`; otherwise `factsLeftOut` counts them.
std::vector<Consumer> groupConsumers(const std::vector<archive::BuildRecord>& builds, Date today,
                                     const std::vector<std::string>& names, bool withFacts,
                                     int& factsLeftOut);

struct WindowOptions {
  WindowChoice choice;
  std::vector<std::string> consumers;  // By name; empty: all.
  bool withFacts = false;  // Judge releases known only by their facts too, without running them.
  bool run = true;         // Otherwise only what is recorded is judged.
  bool rerun = false;      // Everything anew.
  ReplayOptions replay;
  std::optional<SpeedOptions> speed;  // Measure neighbouring releases too.
  std::string commandLine;
};

struct WindowPlan {
  SurveyCounts counts;
  struct Part {  // One consumer's.
    std::string build, problem;
    int64_t known = 0, toRun = 0;
  };
  std::vector<Part> parts;
  int64_t known = 0, toRun = 0;
};
// The executions of a window; runs none.
Result<WindowPlan> planWindow(const WindowOptions& options, const archive::Archive& archive);

using WindowProgress = MeasureProgress;
// Records outcomes as they come: an interrupted window continues at its next call. An error is one
// of the archive; a consumer that breaks is a breakage of the report.
Result<archive::WindowReport> runWindow(const WindowOptions& options, archive::Archive& archive,
                                        ProcessHost& host, const WindowProgress& progress);

// Judges a window by recorded outcomes; reads only.
// `limitations` are the catalogue's; those of consumers are read from the archive.
// `archiveArgument` goes into the commands that explain a pair.
Result<archive::WindowReport> judgeWindow(const WindowChoice& choice,
                                          const std::string& archiveArgument,
                                          const archive::Archive& archive,
                                          const std::vector<Consumer>& consumers,
                                          std::span<const archive::Limitation> limitations);

// Checks the rule that consumers have known a producer's default calling convention for `days`, for
// each build that reports its default.
std::vector<archive::DefaultBump> checkDefaultBumps(std::span<const archive::BuildRecord> builds,
                                                    int days, Date today);

}  // namespace vintage::harness
