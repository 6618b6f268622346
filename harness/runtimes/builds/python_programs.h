// The Python programs that drive a framework: where they lie, the interpreter that
// starts them, and the lines in which they answer.
#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "golden/base/failures.h"
#include "golden/base/process_host.h"
#include "golden/base/result.h"

namespace vintage::harness {

// A framework for whose releases Vintage makes environments.
struct Framework {
  std::string_view name;       // "jax": of its options, environments, builds and document.
  std::string_view title;      // In messages: "real JAX".
  std::string_view package;    // Of its Python programs: "vintage_jax".
  std::string_view releases;   // For the help of its option: what they are, and how they are named.
  bool hasConditions = false;  // Its worker runs warm or fresh: Condition, in environments.h.
  bool whenNeeded = false;     // So many releases that an environment is made when a run needs it.
};

extern const Framework kJax, kTensorFlow, kTensorFlowNightly, kIree, kLiteRt;
// No framework of releases: the programs that fetch PJRT plugins.
extern const Framework kPlugins;
std::span<const Framework* const> frameworks();
// A list in a sentence, with `text` of each: "real JAX, TensorFlow and IREE".
std::string listFrameworks(std::string_view conjunction,
                           const std::function<std::string(const Framework&)>& text);
// "--jax"
std::string optionOf(const Framework& framework);

// The folder of a framework's package: of the installation that the running program belongs
// to, or of the source tree that it was built from. kIo names both places.
Result<std::filesystem::path> findPythonPrograms(const Framework& framework);

// The first interpreter of Python 3.11 or newer on PATH, as an absolute path. kIo says
// what was found instead.
Result<std::string> findInterpreter(ProcessHost& host);

// A program's reports while it works. Its parallel processes together report one step.
struct PythonProgress {
  std::function<void(const std::string& text)> note;
  std::function<void(const std::string& what, size_t done, size_t total)> step;
};

struct PythonAnswer {
  int status = 0;  // The program's exit status.
  nlohmann::json result;
};

// Runs `command` with `--format lines`. Without a result the error is what it said last on standard
// error, of the kind that its status says; `what` stands before it. kIo where it cannot be started.
Result<PythonAnswer> askPython(std::vector<std::string> command, std::string_view what,
                               ProcessHost& host, const PythonProgress& progress);

// Returns the result of `read` on an answer of `who`; `read` throws nlohmann's exceptions.
template <typename Read>
auto understood(std::string_view who, const Read& read) -> decltype(read()) {
  try {
    return read();
  } catch (const nlohmann::json::exception& exception) {
    return ioError(
        "{} answers in a way that is not understood: {}; do program and Python files belong to one "
        "version?",
        who, exception.what());
  }
}

}  // namespace vintage::harness
