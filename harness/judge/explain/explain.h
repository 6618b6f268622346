// Explains a verdict: the needs of an artifact and the operations that force them, its readers, the
// recorded outcomes, the matching limitations, and the commands that reproduce them.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "archive/records/pair.h"
#include "archive/records/window_policy.h"
#include "archive/store/archive.h"
#include "golden/base/process_host.h"
#include "golden/base/result.h"
#include "golden/compare/noise.h"
#include "harness/importer/kernel_precision.h"
#include "harness/runtimes/builds/would_load.h"

namespace vintage::harness {

struct ExplainOptions {
  std::string archiveArgument;          // As it goes into commands.
  std::string build;                    // Empty: every build on which something is recorded.
  std::string element;                  // Also give the scale of this one: "0[3, 5]"; empty: none.
  ProcessHost* forceVersion = nullptr;  // Set: pairs are also run by runForced().
  Date today{};
  archive::WindowPolicy policy;
};

// The versions and targets that an artifact's bytes need, and the operation that forces each need.
struct ForcedNeeds {
  std::string minimumStablehlo;   // The lowest version that could carry the program.
  std::string stablehloForcedBy;  // Empty at the oldest version.
  int minimumSerialization = 0;   // The oldest that could hold it; 0: it is no Exported.
  std::string serializationForcedBy;
  struct Target {
    std::string name;
    std::string operation;  // The first that calls it: "operation 3 of @main".
    int calls = 0;
    // The first call's kernel, with its inputs and outputs; empty where it has none.
    std::string kernel = {};
  };
  std::vector<Target> targets;               // By name.
  std::vector<std::string> kernelRoundings;  // harness/importer/kernel_precision.h
};
// Reads in a child process; kBadInput where the bytes cannot be read.
Result<ForcedNeeds> forcedNeeds(std::span<const std::byte> bytes,
                                archive::ArtifactRecord::Format format, const std::string& name);
nlohmann::json toJson(const ForcedNeeds& needs);

// Shows whether a consumer refuses an artifact by a number alone: runs it as if it had a version
// that the consumer reads. A diagnostic: it is not recorded, and no verdict uses it.
struct ForcedVersion {
  int version = 0;  // The calling convention under which it was called.
  archive::OutcomeKind outcome = archive::OutcomeKind::kPass;  // Compared with the golden.
  std::string detail;                                          // Empty on a pass.
};
// Where an artifact's calling convention is beyond the build's: as if it were the newest that the
// build reads. kUsage where it is not, and where the build's worker cannot be asked for it.
Result<ForcedVersion> runForced(const archive::Archive& archive,
                                const archive::ArtifactRecord& artifact,
                                const archive::BuildRecord& build, const std::string& platform,
                                const std::string& mode, ProcessHost& host);
// "a gate by number alone: called as calling convention 9 it passes", …
std::string forcedText(const ForcedVersion& forced);

// One build, platform and mode.
struct PairExplanation {
  // With the latest recorded outcome, and a limitation that covers the use, whatever the outcome.
  // No command: the build cannot be started.
  archive::Pair pair;
  std::vector<std::string> promises;  // They cover the pair.
  LoadAnswer statically;              // By what the build says about itself.
  std::string limitationText;
  std::optional<ForcedVersion> forced;  // Where that was asked for.
};

// A release that is known by its facts.
struct Reader {
  std::string build;
  Date date{};
};

struct Explanation {
  archive::SharedRecord artifact;
  std::optional<ForcedNeeds> needs;
  std::string needsProblem;  // Why they are not known.
  // Values of the golden's outputs that a specification leaves open: "output 0: stablehlo.rng (…)".
  std::vector<std::string> open;
  // Oldest and newest release that guarantee a target, in the order of needs->targets.
  std::vector<std::pair<std::optional<Reader>, std::optional<Reader>>> guarantees;
  // Counts of the archive's releases of kind "facts".
  int releases = 0, readers = 0, uncertain = 0;
  std::optional<Reader> oldestReader, newestReader;
  // Why the releases next to them cannot; where none can, why the newest cannot.
  std::string olderCannot, newerCannot;
  // How exactly each output is compared; empty: there is no golden.
  std::vector<golden::DetectionLimit> limits;
  std::vector<double> scales;  // The largest of each output; infinite: an element has none.
  std::vector<int64_t> seeds;  // Empty: the scatter is less than the comparators allow.
  // For each output the element with the largest detection limit, if any; and the element that was
  // asked for.
  std::vector<golden::ElementScale> worst;
  std::optional<golden::ElementScale> asked;
  std::string inDoubt;  // golden::doubtOf()
  // Where its kernels round, or differ from the golden as far as is known; or why nobody can say.
  std::optional<KernelPrecision> kernels;
  std::string kernelsProblem;
  std::vector<PairExplanation> pairs;
};

// kNotFound where the archive knows no such artifact or build; kUsage where the golden has no such
// element. An artifact that cannot be read is explained by its record.
Result<Explanation> explain(const std::string& idOrName, const ExplainOptions& options,
                            const archive::Archive& archive);

nlohmann::json toJson(const Explanation& explanation);
std::string explanationText(const Explanation& explanation);

}  // namespace vintage::harness
