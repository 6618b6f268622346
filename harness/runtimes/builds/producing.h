// Exports with a release of a framework, and brings what it made into an archive: JAX makes
// Exported, TensorFlow SavedModels.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "archive/store/archive.h"
#include "golden/base/process_host.h"
#include "golden/base/result.h"
#include "harness/runtimes/builds/python_programs.h"
#include "harness/runtimes/sandbox.h"

namespace vintage::harness {

// Of JAX's: what `cases` may name.
inline const std::vector<std::string> kCaseKinds{"all",   "harnesses", "own",
                                                 "sized", "models",    "kernels"};

struct ProduceRequest {
  std::string format;                // "exported", "saved-model"; empty: what the release makes.
  std::vector<std::string> filters;  // "primitive=add*"
  // These are for JAX only.
  std::vector<std::string> platforms{"cpu"};
  std::vector<std::string> modes{"default"};
  std::vector<std::string> cases{"all"};  // kCaseKinds
  // One harness for each primitive and "dtype", or "class" of dtypes; empty: all.
  std::string oneOfEach;
  int callingConvention = 0;  // In which is exported; 0: the release's default.
  std::string harnessFile;    // Another release's test_harnesses.py; empty: none.
  // For TensorFlow only, instead of its own models: archived Exported that models are made around,
  // or a registered release of JAX whose jax2tf makes them.
  std::vector<std::string> wrapped;
  std::string jax2tf;
  // Instead: models of a package that is installed beside the release: "keras", "keras==3.15.1".
  std::string with;
  bool retry = false;  // Cases that could not be exported are tried again.
  int jobs = 1;        // Processes at once.
  std::string shard = "1/1";
  SandboxUse sandbox = SandboxUse::kRecipes;  // Of the release's process.
  // Where the artifacts are kept as folders; empty: nowhere, they are imported and removed.
  std::filesystem::path keep;
};

// The totals of this call and of the earlier calls that it continued.
struct ProduceReport {
  struct Kind {
    std::string platforms, variant, mode;
    size_t exported = 0, unimplemented = 0, refused = 0;
  };
  struct Reason {
    std::string primitive, reason, example;
    size_t count = 0;
  };
  std::string producer;  // "jax 0.8.1"
  size_t exported = 0, withoutGolden = 0, unimplemented = 0, refused = 0;
  std::vector<Kind> kinds;
  std::vector<Reason> reasons;  // Why something could not be exported.
  size_t added = 0;             // To the archive, by this call.
  // By this call: outputs that the oracle does not confirm, as "NAME: what it says".
  std::vector<std::string> oracleSays;
  // By this call: goldens in doubt, as "NAME: golden in doubt: who gives which other value".
  std::vector<std::string> inDoubt;
  std::vector<Error> notImported;
  std::string broke;  // The producer ended before its time; empty: it did not.
  // Problems beyond single cases: `broke` and `notImported`.
  std::vector<std::string> problems() const;
};

// The producer that a release's artifacts name, whatever the condition of its worker:
// "jax 0.8.1". Empty: the build exports nothing.
std::string producerName(const archive::BuildRecord& build);

// Goes on where an earlier call for this archive ended. kUsage where the build exports nothing, or
// not what is asked for.
Result<ProduceReport> produce(const archive::BuildRecord& build, const ProduceRequest& request,
                              archive::Archive& archive, ProcessHost& host,
                              const PythonProgress& progress);

}  // namespace vintage::harness
