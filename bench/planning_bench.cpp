// The cost of planning a window, without running it. The archives have N artifacts, each with its
// own content, and B dated builds, one a day; N / 4 outcomes are known. A promise covers every
// artifact on about 200 of the builds.
//
// The counters: the examined pairs, and the peak memory of the process up to then, so the smaller
// archives come first.
//
// VINTAGE_BENCH_FOLDER is the folder of the archives (default: a temporary one in the current one),
// VINTAGE_BENCH_PLANNING the number of artifacts of the largest (a million), VINTAGE_BENCH_KEEP a
// folder that keeps them for the next time.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <sys/resource.h>
#include <unistd.h>

#include <benchmark/benchmark.h>

#include "archive/store/archive.h"
#include "harness/judge/window/run_window.h"
#include "harness/runtimes/builds/builds.h"

namespace vintage::tests {
using namespace golden;
using namespace archive;
using namespace harness;

namespace {

constexpr int kFirstDay = 20'000;
constexpr int kDays = 1000;  // Over which the producers lie.

template <typename T>
T must(Result<T> result) {
  if (result) return std::move(*result);
  std::fprintf(stderr, "%s\n", result.error().message.c_str());
  std::exit(3);
}
void must(const Status& status) {
  if (status) return;
  std::fprintf(stderr, "%s\n", status.error().message.c_str());
  std::exit(3);
}

// Made once for all benchmarks of a size.
std::string archiveOf(int64_t artifacts, int64_t builds) {
  static const std::string base = [] {
    if (const char* kept = std::getenv("VINTAGE_BENCH_KEEP")) return std::string(kept);
    const char* folder = std::getenv("VINTAGE_BENCH_FOLDER");
    std::string pattern = std::string(folder ? folder : ".") + "/planning-bench-XXXXXX";
    static std::string made = ::mkdtemp(pattern.data());
    std::atexit([] {
      std::error_code ignored;
      std::filesystem::remove_all(made, ignored);
    });
    return made;
  }();
  const std::string folder = base + "/" + std::to_string(artifacts) + "x" + std::to_string(builds);
  if (std::filesystem::exists(folder + "/whole")) return folder;
  ::setenv("XDG_STATE_HOME", base.c_str(), 1);
  Archive archive = must(Archive::open(folder, Archive::Mode::kCreate));
  for (int64_t i = 0; i < builds; ++i) {
    BuildRecord build;
    build.name = "consumer " + std::to_string(i);
    build.buildDate = Date(std::chrono::days(kFirstDay + i * kDays / builds));
    build.platforms = {"cpu"};
    build.modes = {"graph"};
    build.kind = "command";
    build.start.emplace().worker = {"/bin/true", std::to_string(i)};
    must(registerBuild(archive, build));
  }
  Golden golden;
  golden.inputs = golden.expected = {Tensor(ElementType::kF32, {1})};
  golden.comparators = {Comparator{}};
  golden.oracle = "none";
  constexpr int64_t kBatch = 10'000;
  for (int64_t first = 0; first < artifacts; first += kBatch) {
    std::vector<Archive::Put> puts;
    std::vector<OutcomeRecord> outcomes;
    for (int64_t number = first; number < std::min(artifacts, first + kBatch); ++number) {
      Archive::Put put;
      const int64_t day = number % kDays;
      put.record.name = "dot_general_f32[4," + std::to_string(number) + "]";
      put.record.producer = "producer " + std::to_string(day);
      put.record.buildDate = Date(std::chrono::days(kFirstDay + day));
      put.record.primitive = "primitive_" + std::to_string(number / kDays % 130);
      put.record.dtypes = {"f32"};
      put.record.platforms = {"cpu"};
      const std::string text = "content " + std::to_string(number);
      for (const char c : text) put.bytes.push_back(static_cast<std::byte>(c));
      put.golden = golden;
      puts.push_back(std::move(put));
    }
    const auto ids = must(archive.putAll(puts));
    for (size_t i = 0; i < ids.size(); i += 4) {
      OutcomeRecord outcome;
      outcome.artifact = ids[i];
      outcome.build = "consumer " + std::to_string((first + static_cast<int64_t>(i)) % builds);
      outcome.platform = "cpu";
      outcome.mode = "graph";
      outcome.run = "run";
      outcomes.push_back(std::move(outcome));
    }
    must(archive.putOutcomes(outcomes));
  }
  std::fclose(std::fopen((folder + "/whole").c_str(), "w"));
  return folder;
}

double megabytesHeld() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

WindowOptions options() {
  WindowOptions options;
  options.choice.policy = jaxPolicy();
  options.choice.today = Date(std::chrono::days(kFirstDay + kDays));
  return options;
}

void PlanWindow(benchmark::State& state) {
  const Archive archive =
      must(Archive::open(archiveOf(state.range(0), state.range(1)), Archive::Mode::kReadOnly));
  WindowPlan plan;
  for (auto _ : state) plan = must(planWindow(options(), archive));
  state.SetItemsProcessed(state.iterations() * state.range(0));
  state.counters["pairs"] = static_cast<double>(plan.known + plan.toRun);
  state.counters["known"] = static_cast<double>(plan.known);
  state.counters["MiB"] = megabytesHeld();
}

void JudgeWindow(benchmark::State& state) {
  const Archive archive =
      must(Archive::open(archiveOf(state.range(0), state.range(1)), Archive::Mode::kReadOnly));
  const WindowOptions wanted = options();
  int left = 0;
  const auto consumers =
      groupConsumers(must(registeredBuilds(archive)), wanted.choice.today, {}, false, left);
  int64_t pairs = 0;
  for (auto _ : state) {
    const WindowReport report = must(judgeWindow(wanted.choice, "A", archive, consumers, {}));
    pairs = 0;
    for (const PromiseReport& promise : report.promises) pairs += promise.tally.total();
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
  state.counters["pairs"] = static_cast<double>(pairs);
  state.counters["MiB"] = megabytesHeld();
}

void sizes(benchmark::internal::Benchmark* bench) {
  const char* largest = std::getenv("VINTAGE_BENCH_PLANNING");
  const int64_t most = largest ? std::atoll(largest) : 1'000'000;
  bench->ArgNames({"artifacts", "builds"});
  for (const int64_t artifacts : {most / 100, most / 10}) bench->Args({artifacts, 1000});
  bench->Args({most / 10, 100})->Args({most, 1000});
  bench->Iterations(1)->UseRealTime()->Unit(benchmark::kMillisecond);
}
BENCHMARK(PlanWindow)->Apply(sizes);
BENCHMARK(JudgeWindow)->Apply(sizes);

}  // namespace
}  // namespace vintage::tests

BENCHMARK_MAIN();
