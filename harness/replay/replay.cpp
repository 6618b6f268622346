#include "harness/replay/replay.h"

#include <algorithm>
#include <deque>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/runtimes/builds/builds.h"
#include "harness/runtimes/builds/product.h"
#include "harness/runtimes/builds/when_needed.h"
#include "harness/runtimes/worker_pool.h"

namespace vintage::harness {
using namespace golden;
using namespace archive;

namespace {

// So many outcomes, or more where they come faster than so often, are recorded at once: each time
// costs a sync, and writes pages of indexes again.
constexpr size_t kOutcomesInOneSync = 512;
constexpr size_t kMostOutcomesInOneSync = 2048;
constexpr std::chrono::milliseconds kSyncs{250};
constexpr size_t kJobsReadAhead = 64;
constexpr size_t kBytesReadAhead = size_t{1} << 20;
// Longer than a parent waits for its turn on a busy processor, or records what came back.
constexpr std::chrono::milliseconds kAhead{25};
// A worker of real JAX loads and compiles before it greets: seconds, and many on a busy machine.
constexpr std::chrono::minutes kStartTimeout{2};

class Executor {
 public:
  Executor(const PlanOnBuild& chosen, Archive& archive, const TakeOutcome& take)
      : chosen_(chosen), archive_(archive), take_(take) {}

  Result<std::string> run(ProcessHost& host) {
    WorkerPoolOptions poolOptions;
    poolOptions.command = chosen_.build.start->worker;
    poolOptions.workers = static_cast<int>(std::min<size_t>(
        static_cast<size_t>(std::max(1, chosen_.options.workers)), chosen_.plan.jobs.size()));
    poolOptions.ahead = kAhead;
    poolOptions.timeout = chosen_.options.timeout;
    poolOptions.startTimeout = kStartTimeout;
    poolOptions.memoryLimitBytes = chosen_.options.memoryLimitBytes;
    poolOptions.sandbox = sandboxFor(chosen_.build, chosen_.options.sandbox);
    WorkerPool pool(poolOptions, host);
    // Workers start while this process reads the first artifacts.
    if (Status status = pool.start(); !status) return status.error().message;
    if (Status status = readAhead(); !status) return status.error().message;
    auto hello = pool.greet();
    if (!hello) return hello.error().message;
    if (Status status = checkGreeting(chosen_.build, hello->build); !status)
      return status.error().message;
    // Its environment was made just now, and nobody knew more of it than its name.
    if (chosen_.build.kind == kRecipeKind)
      RETURN_IF_ERROR(archive_.putBuild(knownBy(chosen_.build, hello->build)));
    const Status status = pool.run([this] { return nextRequest(); },
                                   [this](WorkerResult result) { return take(std::move(result)); });
    RETURN_IF_ERROR(flush());
    if (archiveProblem_) return tl::unexpected<Error>(*archiveProblem_);
    if (!status) return status.error().message;
    return std::string();
  }

 private:
  Result<std::optional<ExecuteRequest>> nextRequest() {
    while (ready_.empty() && next_ < chosen_.plan.jobs.size()) RETURN_IF_ERROR(readAhead());
    if (ready_.empty()) return std::nullopt;
    ExecuteRequest request = std::move(ready_.front());
    ready_.pop_front();
    return request;
  }

  // Reads the next jobs at once, so that locks are taken for many; a large one comes alone.
  Status readAhead() {
    std::vector<std::pair<size_t, std::string>> unread;
    const Status status = archive_.readTogether([&]() -> Status {
      const PhaseMeter::Busy busy(chosen_.options.phases, "read from the archive");
      for (size_t bytes = 0; next_ < chosen_.plan.jobs.size() && ready_.size() < kJobsReadAhead;
           ++next_) {
        bytes += static_cast<size_t>(chosen_.plan.jobs[next_].records.front()->bytes);
        if (bytes > kBytesReadAhead && !ready_.empty()) break;
        if (auto read = readJob(next_); !read) unread.emplace_back(next_, read.error().message);
      }
      return {};
    });
    for (const auto& [number, what] : unread)
      RETURN_IF_ERROR(
          finish(chosen_.plan.jobs[number], OutcomeKind::kRunnerError, Stage::kLoad, what, 0));
    return status;
  }

  Status readJob(size_t number) {
    const ReplayJob& job = chosen_.plan.jobs[number];
    const ArtifactRecord& record = *job.records.front();
    ASSIGN_OR_RETURN(auto bytes, archive_.read(record.id));
    // A consumer that only compiles needs none.
    Golden golden;
    if (!record.golden.empty()) {
      ASSIGN_OR_RETURN(golden, archive_.readGolden(record));
    }
    ExecuteRequest request =
        requestOf(record, job.platform, chosen_.choice.mode, std::move(bytes), golden.inputs);
    request.id = number;
    goldens_.emplace(number, std::move(golden));
    ready_.push_back(std::move(request));
    return {};
  }

  Status take(WorkerResult result) {
    const ReplayJob& job = chosen_.plan.jobs[result.id];
    const auto golden = goldens_.extract(result.id);
    if (chosen_.options.phases) chosen_.options.phases->add("workers", result.seconds);
    if (result.outcome != OutcomeKind::kPass)
      return finish(job, result.outcome, result.stage, result.detail, result.seconds);
    Judged judged = compare(job, golden.mapped(), result.outputs);
    if (!result.detail.empty())
      judged.detail += (judged.detail.empty() ? "" : "\n") + result.detail;
    return finish(job, judged.outcome, Stage::kCompare, judged.detail, result.seconds);
  }

  Judged compare(const ReplayJob& job, const Golden& golden, std::span<const Tensor> outputs) {
    const PhaseMeter::Busy busy(chosen_.options.phases, "compare");
    if (chosen_.options.accuracy != nullptr)
      chosen_.options.accuracy->add(*job.records.front(),
                                    recordedPlatform(job.platform, job.emulated),
                                    chosen_.choice.mode, golden, outputs);
    return compareWithGolden(golden, outputs, chosen_.build);
  }

  Status finish(const ReplayJob& job, OutcomeKind kind, Stage stage, const std::string& detail,
                double seconds) {
    const ArtifactRecord& first = *job.records.front();
    OutcomeRecord outcome;
    outcome.artifact = first.id;
    outcome.golden = first.golden;
    outcome.build = chosen_.build.name;
    outcome.platform = recordedPlatform(job.platform, job.emulated);
    outcome.mode = chosen_.choice.mode;
    outcome.run = chosen_.run;
    outcome.outcome = kind;
    outcome.stage = stage;
    outcome.detail = detail;
    outcome.seconds = seconds;
    outcome.limitation = limitationOf(job, outcome);
    take_(job, outcome);
    outcomes_.push_back(std::move(outcome));
    return isTimeToFlush() ? flush() : Status();
  }

  bool isTimeToFlush() const {
    if (outcomes_.size() < kOutcomesInOneSync) return false;
    return outcomes_.size() >= kMostOutcomesInOneSync ||
           std::chrono::steady_clock::now() - flushed_ >= kSyncs;
  }

  // The id of the limitation that covers it, of the plan or of the build; empty: none.
  std::string limitationOf(const ReplayJob& job, const OutcomeRecord& outcome) const {
    for (const std::span<const Limitation> limitations :
         {chosen_.choice.limitations, chosen_.declared})
      for (const SharedRecord& record : job.records)
        if (const auto* found = match(limitations, *record, outcome, chosen_.choice.today))
          return found->id;
    return "";
  }

  Status flush() {
    if (outcomes_.empty()) return {};
    const PhaseMeter::Busy busy(chosen_.options.phases, "record");
    Status status = archive_.putOutcomes(outcomes_);
    outcomes_.clear();
    flushed_ = std::chrono::steady_clock::now();
    if (!status) archiveProblem_ = status.error();
    return status;
  }

  const PlanOnBuild& chosen_;
  Archive& archive_;
  const TakeOutcome& take_;

  size_t next_ = 0;
  std::deque<ExecuteRequest> ready_;              // Read already, up to next_.
  std::unordered_map<uint64_t, Golden> goldens_;  // Of those, and of the jobs in flight.
  std::vector<OutcomeRecord> outcomes_;
  std::chrono::steady_clock::time_point flushed_ = std::chrono::steady_clock::now();
  std::optional<Error> archiveProblem_;
};

// A build may be registered under another name than it gives itself.
const std::string& ownName(const BuildRecord& build) {
  return build.details.said ? build.details.said->name : build.name;
}

}  // namespace

Result<std::string> executePlan(const PlanOnBuild& chosen, Archive& archive, ProcessHost& host,
                                const TakeOutcome& take) {
  return Executor(chosen, archive, take).run(host);
}

Judged compareWithGolden(const Golden& golden, std::span<const Tensor> actual,
                         const BuildRecord& build) {
  const Comparison comparison = compareWith(golden, golden.expected, actual);
  if (!comparison.same) {
    if (golden.second && productOf(golden.second->by) != productOf(ownName(build)) &&
        compareWith(golden, golden.second->outputs, actual).same)
      return {OutcomeKind::kNotComparable,
              fmt::format("{}{} gives these values too: {}", kGoldenInDoubt, golden.second->by,
                          comparison.firstDifference)};
    return {OutcomeKind::kMismatch, comparison.firstDifference};
  }
  int64_t elements = 0;
  for (const Tensor& output : golden.expected) elements += output.size();
  std::vector<std::string> details;
  if (!comparison.permittedDifference.empty())
    details.push_back(fmt::format("{}{}", kDiffersWhereItMay, comparison.permittedDifference));
  if (comparison.notComparable > 0)
    details.push_back(fmt::format("{} of {} elements are not comparable: {}",
                                  comparison.notComparable, elements,
                                  comparison.firstNotComparable));
  if (golden.second) details.push_back(fmt::format("{}{}", kGoldenInDoubt, doubtOf(golden)));
  const bool isCompared = comparison.notComparable < std::max<int64_t>(elements, 1);
  return {isCompared ? OutcomeKind::kPass : OutcomeKind::kNotComparable,
          fmt::format("{}", fmt::join(details, "; "))};
}

}  // namespace vintage::harness
