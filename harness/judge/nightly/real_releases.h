// Real releases of JAX beside tonight's build: registered, and asked to export.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "archive/store/archive.h"
#include "golden/base/process_host.h"
#include "golden/base/result.h"
#include "harness/runtimes/builds/environments.h"
#include "harness/runtimes/builds/producing.h"

namespace vintage::harness {

// `total` is 0 where nobody knows it.
using NightlyProgress = std::function<void(const std::string& phase, size_t done, size_t total)>;

struct RealRelease {
  archive::BuildRecord build;  // Ready to be started.
  std::string producer;  // Of its artifacts: "jax 0.8.1".
  size_t exported = 0;   // Its artifacts.
  size_t added = 0;      // Of those: by this run.
  size_t refused = 0;    // Cases that it could not export.
};

struct RegisteredReleases {
  std::vector<RealRelease> releases;
  std::vector<std::string> breakages;  // What could not be had.
};
// An error is one of the archive.
Result<RegisteredReleases> registerReleases(const EnvironmentRequest& request,
                                            archive::Archive& archive, ProcessHost& host,
                                            const NightlyProgress& progress);

}  // namespace vintage::harness
