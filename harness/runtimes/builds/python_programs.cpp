#include "harness/runtimes/builds/python_programs.h"

#include <cstdio>
#include <cstdlib>
#include <map>
#include <ranges>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include "golden/base/failures.h"

namespace vintage::harness {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::string_view kInstalled = "share/vintage";
constexpr std::string_view kInSource = VINTAGE_SOURCE_FOLDER "/harness/runtimes/python";
constexpr const char* kInterpreters[] = {"python3", "python3.14", "python3.13", "python3.12",
                                         "python3.11"};

bool isThere(const fs::path& programs) {
  std::error_code problem;
  return fs::exists(programs / "__main__.py", problem);
}

// "3.11.2"; empty where it is no Python that starts.
std::string versionOf(const std::string& interpreter, ProcessHost& host) {
  auto finished =
      runProgram({interpreter, "-c", "import platform; print(platform.python_version())"}, host);
  if (!finished || finished->status != 0) return "";
  while (finished->out.ends_with('\n')) finished->out.pop_back();
  return std::move(finished->out);
}

bool isNewEnough(const std::string& version) {
  int major = 0, minor = 0;
  return std::sscanf(version.c_str(), "%d.%d", &major, &minor) == 2 &&
         std::pair(major, minor) >= std::pair(3, 11);
}

class Listener {
 public:
  explicit Listener(const PythonProgress& progress) : progress_(progress) {}

  void hear(std::string_view line) {
    json said = json::parse(line, nullptr, false);
    if (!said.is_object()) return;
    if (const auto note = said.find("note"); note != said.end() && note->is_string()) {
      if (progress_.note) progress_.note(note->get<std::string>());
    } else if (const auto step = said.find("progress"); step != said.end() && step->is_object()) {
      hearStep(*step);
    } else if (const auto result = said.find("result"); result != said.end()) {
      result_ = std::move(*result);
    }
  }

  json takeResult() { return std::move(result_); }

 private:
  void hearStep(const json& step) {
    const std::string what = step.value("what", "");
    if (what != what_) parts_.clear();
    what_ = what;
    parts_[step.value("part", "")] = {step.value("done", size_t{0}),
                                      step.value("total", size_t{0})};
    size_t done = 0, total = 0;
    for (const auto& [part, counts] : parts_) {
      done += counts.first;
      total += counts.second;
    }
    if (progress_.step) progress_.step(what, done, total);
  }

  const PythonProgress& progress_;
  std::string what_;
  std::map<std::string, std::pair<size_t, size_t>> parts_;  // Of this step: done and total.
  json result_;
};

}  // namespace

const Framework kJax{"jax", "real JAX", "vintage_jax",
                     "real releases of JAX: 0.8.1, 0.12 (its newest patch), 0.4.30..0.12, latest, "
                     "window (all that the promises of today cover)",
                     true};
const Framework kTensorFlow{
    "tensorflow", "TensorFlow", "vintage_tensorflow",
    "releases of TensorFlow in the same way: 2.21.0, 2.18, 2.16..2.21, latest"};
const Framework kTensorFlowNightly{
    "tensorflow-nightly",
    "TensorFlow's nightly builds",
    "vintage_tensorflow",
    "nightly builds of TensorFlow by their days: 20260905, 20260801..20260905",
    false,
    true};
const Framework kIree{"iree", "IREE", "vintage_iree",
                      "releases of IREE in the same way: 3.13.0, 3.1..3.13, latest"};
const Framework kLiteRt{"litert", "LiteRT", "vintage_litert",
                        "releases of LiteRT's converter in the same way: 0.5.0, 0.1..0.5, latest"};
const Framework kPlugins{"pjrt", "the package index", "vintage_pjrt", ""};

std::span<const Framework* const> frameworks() {
  static constexpr const Framework* kAll[] = {&kJax, &kTensorFlow, &kTensorFlowNightly, &kIree,
                                              &kLiteRt};
  return kAll;
}

std::string listFrameworks(std::string_view conjunction,
                           const std::function<std::string(const Framework&)>& text) {
  std::vector<std::string> texts;
  for (const Framework* each : frameworks()) texts.push_back(text(*each));
  const std::string last = std::move(texts.back());
  texts.pop_back();
  return fmt::format("{} {} {}", fmt::join(texts, ", "), conjunction, last);
}

std::string optionOf(const Framework& framework) { return fmt::format("--{}", framework.name); }

Result<fs::path> findPythonPrograms(const Framework& framework) {
  std::error_code problem;
  const fs::path self = fs::read_symlink("/proc/self/exe", problem);
  const fs::path installed = self.parent_path().parent_path() / kInstalled / framework.package;
  if (!problem && isThere(installed)) return installed;
  const fs::path inSource = fs::path(kInSource) / framework.package;
  if (isThere(inSource)) return inSource;
  return ioError(
      "the Python programs that drive {} lie neither in {} nor in {}; 'cmake --install' puts them "
      "beside the program",
      framework.title, installed.string(), inSource.string());
}

Result<std::string> findInterpreter(ProcessHost& host) {
  std::vector<std::string> tooOld;
  const char* path = std::getenv("PATH");
  for (const char* name : kInterpreters)
    for (const auto folder : std::views::split(std::string_view(path ? path : ""), ':')) {
      if (folder.empty()) continue;
      const std::string interpreter = fs::path(folder.begin(), folder.end()) / name;
      if (::access(interpreter.c_str(), X_OK) != 0) continue;
      const std::string version = versionOf(interpreter, host);
      if (isNewEnough(version)) return interpreter;
      if (!version.empty()) tooOld.push_back(fmt::format("{} is Python {}", interpreter, version));
    }
  return ioError(
      "Python 3.11 or newer is needed, and PATH has none{}; install one (Debian: apt-get install "
      "python3 python3-pip)",
      tooOld.empty() ? "" : fmt::format(" ({})", fmt::join(tooOld, ", ")));
}

Result<PythonAnswer> askPython(std::vector<std::string> command, std::string_view what,
                               ProcessHost& host, const PythonProgress& progress) {
  command.insert(command.end(), {"--format", "lines"});
  Listener listener(progress);
  ASSIGN_OR_RETURN(auto finished,
                   runProgram(command, host, [&](std::string_view line) { listener.hear(line); }));
  PythonAnswer answer{finished.status, listener.takeResult()};
  if (!answer.result.is_null()) return answer;
  const std::string_view said(finished.errorTail.data(),
                              finished.errorTail.find_last_not_of("\n ") + 1);
  std::string message(said.substr(said.rfind('\n') + 1));
  if (message.empty())
    message = fmt::format("it ended with status {} and said nothing", finished.status);
  // The program names itself, which a person here did not start.
  if (message.starts_with("vintage_"))
    if (const size_t colon = message.find(": "); colon != message.npos) message.erase(0, colon + 2);
  return failure(finished.status == 2 ? Error::Kind::kUsage : Error::Kind::kIo,
                 fmt::format("{}: {}", what, message));
}

}  // namespace vintage::harness
