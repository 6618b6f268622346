#include "harness/speed/compare_builds.h"

#include <sched.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <map>
#include <vector>

#include <fmt/format.h>

#include "golden/base/failures.h"
#include "golden/compare/golden.h"
#include "harness/runtimes/worker_pool.h"
#include "harness/speed/ratio.h"

namespace vintage::harness {
using namespace golden;
using namespace archive;

namespace {

using Clock = std::chrono::steady_clock;

// Differences below these are of the clock, of a call and of the allocator: smaller values count
// as these.
constexpr double kLeastRunSeconds = 5e-6, kLeastCompileSeconds = 1e-3;
constexpr double kLeastCompilerBytes = 4096, kLeastProcessBytes = 8 << 20;

// This thread, and the workers that it starts meanwhile, stay on one core.
class OnOneCore {
 public:
  static Result<OnOneCore> choose(std::optional<int> core) {
    OnOneCore chosen;
    if (::sched_getaffinity(0, sizeof(chosen.before_), &chosen.before_) != 0)
      return ioError("cannot read which cores this process may use: {}", strerror(errno));
    int last = CPU_SETSIZE - 1;
    while (last > 0 && !CPU_ISSET(last, &chosen.before_)) --last;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(std::clamp(core.value_or(last), 0, CPU_SETSIZE - 1), &one);
    if (::sched_setaffinity(0, sizeof(one), &one) != 0)
      return usageError(
          "--core {}: this process cannot be kept on it: {}; the last that it may "
          "use is {}",
          core.value_or(last), strerror(errno), last);
    chosen.changed_ = true;
    return chosen;
  }
  OnOneCore(OnOneCore&& other) noexcept
      : before_(other.before_), changed_(std::exchange(other.changed_, false)) {}
  ~OnOneCore() {
    if (changed_) ::sched_setaffinity(0, sizeof(before_), &before_);
  }

 private:
  OnOneCore() = default;
  cpu_set_t before_{};
  bool changed_ = false;
};

// A device's work takes no time of the processor. On the CPU it is what counts: it hardly changes
// where others use the core, and no shorter wall time is possible on one core.
double secondsOf(const Duration& duration, const std::string& platform) {
  return platform == "cpu" ? duration.processor : duration.wall;
}

std::map<Quantity, double> valuesOf(const Measurement& measured, const std::string& platform) {
  std::map<Quantity, double> values;
  double run = secondsOf(measured.runs.front(), platform);
  for (const Duration& one : measured.runs) run = std::min(run, secondsOf(one, platform));
  values[Quantity::kRun] = std::max(run, kLeastRunSeconds);
  // A compiler works on the host, whatever it compiles for.
  values[Quantity::kCompile] = std::max(measured.compile.processor, kLeastCompileSeconds);
  if (measured.compiler)
    values[Quantity::kMemory] =
        std::max(static_cast<double>(measured.compiler->atOnce()), kLeastCompilerBytes);
  else if (measured.processGrowth)
    values[Quantity::kMemory] =
        std::max(static_cast<double>(*measured.processGrowth), kLeastProcessBytes);
  return values;
}

// Both workers and what one artifact showed so far.
class Comparison {
 public:
  Comparison(const BuildRecord& before, const BuildRecord& after, const SpeedOptions& options,
             ProcessHost& host)
      : options_(options),
        names_{before.name, after.name},
        pools_{WorkerPool(poolOptions(before), host), WorkerPool(poolOptions(after), host)} {}

  // Work that a process does once in its life belongs to no artifact.
  Status warmUp(const ExecuteRequest& request) {
    for (WorkerPool& pool : pools_) RETURN_IF_ERROR(pool.execute(request));
    return {};
  }

  // An error is a worker's that cannot be started.
  Result<MeasuredArtifact> measure(const ArtifactRecord& record, ExecuteRequest request) {
    MeasuredArtifact result;
    result.artifact = record.id;
    result.name = record.name;
    result.platform = request.platform;
    result.mode = request.mode;
    result.bytes = record.bytes;
    request.measure = options_.measure;
    rounds_.clear();
    exact_ = {true, true};
    const auto start = Clock::now();
    for (int round = 0; round < kMostRounds && !isKnown(); ++round) {
      const std::chrono::duration<double> taken = Clock::now() - start;
      if (round > 0 && taken.count() > options_.secondsForArtifact) break;
      std::array<std::map<Quantity, double>, 2> values;
      // The one that began ends the next round, so that a drift favours neither.
      for (const size_t turn : {0, 1}) {
        const size_t which = (static_cast<size_t>(round) + turn) % 2;
        ASSIGN_OR_RETURN(const auto done, within(names_[which], pools_[which].execute(request)));
        result.problem = problemOf(done, names_[which]);
        if (!result.problem.empty()) return result;
        exact_[which] = done.measured->compiler.has_value();
        values[which] = valuesOf(*done.measured, request.platform);
      }
      for (const auto& [quantity, before] : values[0])
        if (const auto after = values[1].find(quantity); after != values[1].end())
          rounds_[quantity].push_back({before, after->second});
    }
    for (const auto& [quantity, rounds] : rounds_)
      if (isComparable(quantity))
        result.quantities.push_back(
            {quantity, std::ranges::min(rounds, {}, &SpeedRound::before).before,
             std::ranges::min(rounds, {}, &SpeedRound::after).after, ratioFor(quantity, rounds)});
    return result;
  }

 private:
  WorkerPoolOptions poolOptions(const BuildRecord& build) const {
    WorkerPoolOptions pool;
    pool.command = build.start->worker;
    pool.timeout = options_.timeout;
    pool.memoryLimitBytes = options_.memoryLimitBytes;
    pool.sandbox = sandboxFor(build, options_.sandbox);
    return pool;
  }

  static std::string problemOf(const WorkerResult& done, const std::string& build) {
    if (done.outcome != OutcomeKind::kPass)
      return fmt::format("{}: {} in {}: {}", build, outcomeName(done.outcome),
                         stageName(done.stage), done.detail.substr(0, done.detail.find('\n')));
    return done.measured ? "" : build + ": its worker does not measure";
  }

  // A compiler's own numbers are the same each time, and are not held against a process's growth.
  bool isComparable(Quantity quantity) const {
    return quantity != Quantity::kMemory || exact_[0] == exact_[1];
  }
  Ratio ratioFor(Quantity quantity, const std::vector<SpeedRound>& rounds) const {
    Ratio ratio = ratioOf(rounds);
    if (quantity == Quantity::kMemory && exact_[0] && exact_[1])
      ratio = {ratio.value, ratio.value, ratio.value, 0};
    return ratio;
  }
  bool isKnown() const {
    return !rounds_.empty() && std::ranges::all_of(rounds_, [&](const auto& entry) {
      const Ratio ratio = ratioFor(entry.first, entry.second);
      return !isComparable(entry.first) || ratio.rounds == 0 ||
             std::ranges::all_of(options_.bounds,
                                 [&](double bound) { return isResolved(ratio, bound); });
    });
  }

  const SpeedOptions& options_;
  std::array<std::string, 2> names_;
  std::array<WorkerPool, 2> pools_;
  std::map<Quantity, std::vector<SpeedRound>> rounds_;
  std::array<bool, 2> exact_{};  // The memory is the compiler's own number.
};

}  // namespace

LoadRequest loadFrom(const Archive& archive, std::string platform, std::string mode) {
  return [&archive, platform = std::move(platform),
          mode = std::move(mode)](const ArtifactRecord& record) -> Result<ExecuteRequest> {
    ASSIGN_OR_RETURN(auto golden, archive.readGolden(record));
    ASSIGN_OR_RETURN(auto bytes, archive.read(record.id));
    return requestOf(record, platform, mode, std::move(bytes), std::move(golden.inputs));
  };
}

Result<BuildComparison> compareBuilds(const BuildRecord& before, const BuildRecord& after,
                                      std::span<const SharedRecord> artifacts,
                                      const LoadRequest& load, const SpeedOptions& options,
                                      ProcessHost& host, const SpeedProgress& progress) {
  const auto start = Clock::now();
  BuildComparison result;
  result.before = before.name;
  result.after = after.name;
  result.beforeDate = before.buildDate;
  result.afterDate = after.buildDate;
  ASSIGN_OR_RETURN(const auto core, OnOneCore::choose(options.core));
  Comparison comparison(before, after, options, host);
  for (const SharedRecord& record : artifacts) {
    ASSIGN_OR_RETURN(auto request, load(*record));
    Status started;
    if (result.artifacts.empty()) started = comparison.warmUp(request);
    auto measured =
        started ? comparison.measure(*record, std::move(request)) : tl::unexpected(started.error());
    if (!measured) {
      result.problem = measured.error().message;
      break;
    }
    result.artifacts.push_back(std::move(*measured));
    if (progress) progress(result.artifacts.size(), artifacts.size());
  }
  result.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  return result;
}

}  // namespace vintage::harness
