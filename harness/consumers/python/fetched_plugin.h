// PJRT plugins from the package index.
#pragma once

#include <string>

#include "golden/base/process_host.h"
#include "golden/base/result.h"
#include "harness/consumers/python/python_programs.h"
#include "harness/consumers/python/room.h"

namespace vintage::harness::consumers::python {

struct PluginRequest {
  std::string package;  // "xla-cpu-pjrt==0.0.1"
  std::string root;     // Where packages are kept; empty: as docs/runtimes.md says.
  std::string wheels;   // A folder of wheels instead of the package index; empty: none.
};

struct FetchedPlugin {
  std::string library;  // The file to load.
  std::string package, version;
  std::string released;    // YYYY-MM-DD; empty: neither the index nor the wheel says.
  std::string releasedBy;  // "the index", "the wheel"
  std::string wheel, sha256;
};

// Fetches the wheel if it is not there yet, and unpacks it. Needs Python.
Result<FetchedPlugin> fetchPlugin(const PluginRequest& request, ProcessHost& host,
                                  const PythonProgress& progress);

}  // namespace vintage::harness::consumers::python
