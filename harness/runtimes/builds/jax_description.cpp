#include "harness/runtimes/builds/jax_description.h"

#include <filesystem>

#include <fmt/format.h>

#include "golden/base/failures.h"

namespace vintage::harness {
using namespace archive;

namespace {

Result<RuntimeDescription> describeWith(const std::string& python,
                                        std::vector<std::string> options, ProcessHost& host,
                                        const PythonProgress& progress) {
  ASSIGN_OR_RETURN(auto programs, findPythonPrograms(kJax));
  std::vector<std::string> command{python, programs.string(), "describe", "--emitted"};
  command.insert(command.end(), options.begin(), options.end());
  ASSIGN_OR_RETURN(const auto answer, askPython(std::move(command), python, host, progress));
  return runtimeOfJson(answer.result, python);
}

}  // namespace

Result<RuntimeDescription> describeBuild(const BuildRecord& build, ProcessHost& host,
                                         const PythonProgress& progress) {
  if (!build.start || build.start->exporter.empty())
    return usageError("build '{}' is no release of JAX; 'vintage builds add --jax' registers some",
                      build.name);
  const std::string& python = build.start->exporter.front();
  const std::string& place = build.start->environment;
  if (!place.empty()) return describeWith(python, {"--environment", place}, host, progress);
  return describeWith(python, {"--released", formatDate(build.buildDate)}, host, progress);
}

Result<RuntimeDescription> describePython(const std::string& python, const std::string& day,
                                          ProcessHost& host, const PythonProgress& progress) {
  return describeWith(python, {"--released", day}, host, progress);
}

}  // namespace vintage::harness
