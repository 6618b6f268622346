// What a release of JAX registers, lists and emits, asked of it in its environment
// (docs/gate/facts.md). It lowers JAX's harnesses for each platform, which takes a minute or two.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "archive/store/records.h"
#include "golden/base/process_host.h"
#include "golden/base/result.h"
#include "harness/runtimes/builds/python_programs.h"

namespace vintage::harness {

// Asks a registered release, under the days of its registration. kUsage where the build is none.
Result<archive::RuntimeDescription> describeBuild(const archive::BuildRecord& build,
                                                  ProcessHost& host,
                                                  const PythonProgress& progress);
// Asks the JAX of an interpreter, as if it were released on `day`.
Result<archive::RuntimeDescription> describePython(const std::string& python,
                                                   const std::string& day, ProcessHost& host,
                                                   const PythonProgress& progress);

}  // namespace vintage::harness
