// The engine's LAPACK kernels for a plugin that has none: jaxlib brings its own to JAX, and a
// plugin alone does not know the targets that JAX's exports call.
#pragma once

#include <string>
#include <vector>

#include "golden/base/result.h"
#include "harness/runtimes/pjrt/c_api_ffi.h"
#include "harness/runtimes/pjrt/plugin.h"

namespace vintage::harness {

class EngineKernels {
 public:
  // Loads libvintage_lapack.so, which is installed with this program; it stays loaded. kIo: it
  // is missing.
  static Result<EngineKernels> load();

  // kUnsupported where the plugin is not for the CPU, or offers no FFI.
  Status registerWith(const Plugin& plugin, const std::string& platform) const;

  // "with the engine's LAPACK kernels: lapack_spotrf_ffi", of those that were called since the
  // last question; empty: none was.
  std::string takeNote();

 private:
  explicit EngineKernels(const KernelTable& table) : table_(&table), taken_(table.count) {}

  const KernelTable* table_;
  std::vector<uint64_t> taken_;
};

}  // namespace vintage::harness
