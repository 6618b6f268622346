#include "harness/importer/kernel_precision.h"

#include <set>

#include <fmt/format.h>

#include "archive/records/json_fields.h"
#include "golden/base/failures.h"
#include "golden/base/isolate.h"
#include "golden/compare/recorded_comparators.h"
#include "golden/kernels/kernel_reader.h"
#include "harness/engine/engine.h"
#include "harness/engine/kernels/kernel_calls.h"
#include "harness/engine/kernels/kernel_roundings.h"
#include "harness/runtimes/embedded/executor.h"

namespace vintage::harness {
using namespace golden;
using namespace archive;

namespace {

using nlohmann::json;

constexpr size_t kMostMemory = size_t{8} << 30;
// Each takes a run to keep or to acquit.
constexpr size_t kMostRoundings = 200;

constexpr auto kFields = [](auto& fields, auto& precision) {
  fields.required("equals_golden", precision.equalsGolden);
  fields.required("roundings", precision.roundings);
  fields.required("culprits", precision.culprits);
};

class Trials {
 public:
  Trials(const ArtifactRecord& record, const std::vector<std::byte>& bytes, const Golden& golden)
      : record_(record), bytes_(bytes), golden_(golden), close_(golden), engine_(kMostMemory) {
    close_.comparators = comparatorsForRecorded({}, golden.inputs, golden.expected);
  }

  Result<KernelPrecision> run() {
    KernelPrecision precision;
    for (const Golden* judge : std::initializer_list<const Golden*>{&close_, &golden_}) {
      ASSIGN_OR_RETURN(precision.equalsGolden, equals(*judge, [](size_t) { return false; }));
      precision.roundings = static_cast<int>(found_.size());
      if (precision.equalsGolden) break;
      precision.culprits = culprits(*judge);
      if (!precision.culprits.empty()) break;
    }
    return precision;
  }

 private:
  std::vector<std::string> culprits(const Golden& judge) {
    if (found_.empty() || found_.size() > kMostRoundings) return {};
    std::set<size_t> leftOut;
    for (size_t i = 0; i < found_.size(); ++i) leftOut.insert(i);
    const auto isEnough = [&] {
      // A kernel that does not run so is no answer.
      return equals(judge, [&](size_t i) { return leftOut.contains(i); }).value_or(false);
    };
    if (!isEnough()) return {};
    for (size_t i = found_.size(); i-- > 0;) {
      leftOut.erase(i);
      if (!isEnough()) leftOut.insert(i);
    }
    std::vector<std::string> names;
    for (const size_t i : leftOut) names.push_back(found_[i]);
    return names;
  }

  Result<bool> equals(const Golden& judge, std::function<bool(size_t)> isLeftOut) {
    const WithoutRoundings trial(std::move(isLeftOut));
    const ExecuteReply reply = engine_.execute(
        requestOf(record_, record_.platforms.empty() ? "cpu" : record_.platforms.front(), "graph",
                  bytes_, golden_.inputs));
    if (found_.empty()) found_ = trial.found();
    if (reply.outcome != OutcomeKind::kPass)
      return badInput("{}: the engine does not run it: {}", record_.name, reply.detail);
    return compareWith(judge, judge.expected, reply.outputs).same;
  }

  const ArtifactRecord& record_;
  const std::vector<std::byte>& bytes_;
  const Golden& golden_;
  Golden close_;
  Executor engine_;
  std::vector<std::string> found_;
};

}  // namespace

std::vector<std::string> kernelRoundings(const ModuleTree& program) {
  readKernelsWith({.mosaic = readMosaicKernel, .triton = readTritonKernel});
  const WithoutRoundings all([](size_t) { return false; });
  // Kernels are read in it; those before an operation that the engine does not have count too.
  const auto plan = compile(program, PlanOptions{});
  return all.found();
}

Result<KernelPrecision> kernelPrecision(const ArtifactRecord& record,
                                        const std::vector<std::byte>& bytes, const Golden& golden) {
  ASSIGN_OR_RETURN(const auto text, runIsolated(record.name, [&]() -> Result<std::string> {
                     ASSIGN_OR_RETURN(const auto precision, Trials(record, bytes, golden).run());
                     return toJson(precision).dump(-1, ' ', false, json::error_handler_t::replace);
                   }));
  const json said = json::parse(text, nullptr, false);
  if (!said.is_object()) return ioError("{}: the engine's answer was cut off", record.name);
  return readFields<KernelPrecision>(said, record.name, kFields);
}

std::string describe(const KernelPrecision& precision) {
  if (precision.equalsGolden)
    return "the engine, which runs its kernels from their own bytes, gives the golden";
  if (precision.culprits.empty())
    return fmt::format(
        "the engine, which runs its kernels from their own bytes, does not give the golden; the "
        "roundings in the kernels ({}) do not explain it",
        precision.roundings);
  std::string text = "its kernels keep less precision than the golden; the engine gives it without";
  for (const std::string& culprit : precision.culprits) text += "\n  " + culprit;
  return text;
}

json toJson(const KernelPrecision& precision) { return JsonFieldWriter::write(precision, kFields); }

}  // namespace vintage::harness
