// One execution of an artifact on one build, with the inputs of the caller.
#pragma once

#include <chrono>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "archive/store/archive.h"
#include "golden/base/process_host.h"
#include "golden/base/result.h"
#include "golden/tensor/tensor.h"
#include "harness/runtimes/worker_pool.h"

namespace vintage::harness {

struct Execution {
  std::string platform;  // Empty: the artifact's first that the build has.
  std::string mode;      // Empty: the build's first.
  std::chrono::milliseconds timeout{600'000};
  size_t memoryLimitBytes = size_t{16} << 30;
  SandboxUse sandbox = SandboxUse::kRecipes;
};

// The execution with a platform and a mode of the build where it names none. An error says that the
// build lacks one of them.
Result<Execution> choosePlace(const archive::BuildRecord& build,
                              const archive::ArtifactRecord& record, Execution execution);

// Runs in a worker process of the build. A failure of the program (an error, a crash) is in the
// result; an error says that the build does not start, or lacks the platform or the mode.
Result<WorkerResult> executeOn(const archive::BuildRecord& build,
                               const archive::ArtifactRecord& record, std::vector<std::byte> bytes,
                               std::vector<golden::Tensor> inputs, const Execution& execution,
                               ProcessHost& host);

// An artifact on a build with the golden's inputs, and its outcome.
struct GoldenRun {
  WorkerResult result;
  archive::OutcomeKind outcome = archive::OutcomeKind::kPass;  // Compared with the golden.
  std::string detail;                                          // As OutcomeRecord::detail.
};
// kUnsupported where it is kept without inputs.
Result<GoldenRun> runWithGolden(const archive::Archive& archive,
                                const archive::ArtifactRecord& record,
                                const archive::BuildRecord& build, const Execution& execution,
                                ProcessHost& host);

// An artifact on a build with the arrays of these files. kUsage where it takes others.
Result<WorkerResult> runWithInputs(const archive::Archive& archive,
                                   const archive::ArtifactRecord& record,
                                   std::span<const std::string> files,
                                   const archive::BuildRecord& build, const Execution& execution,
                                   ProcessHost& host);

// Each output on a line, with its type and shape; of large ones the first and last elements.
std::string outputsText(const WorkerResult& result);
nlohmann::json outputsJson(const WorkerResult& result);  // Types and shapes.

// The embedded engine of this installation, ready to be executed on.
Result<archive::BuildRecord> engineHere();

// "crash in stage run: …", of an execution that gave no outputs.
std::string failureText(const WorkerResult& result);

}  // namespace vintage::harness
