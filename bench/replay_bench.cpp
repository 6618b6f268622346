// Replays per second, with one and two workers, and how fast artifacts are
// loaded and upgraded.
//
// Beside it: 500 small artifacts a second on two workers is what the nightly
// run needs to replay a half-year window in minutes; upstream's interpreter,
// one process a program, runs about 20 programs a second on two cores.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include "archive/store/archive.h"
#include "golden/exported/exported.h"
#include "golden/program/program.h"
#include "harness/importer/import.h"
#include "harness/judge/nightly/generate.h"
#include "harness/replay/recorded_run.h"
#include "harness/runtimes/builds/builds.h"

namespace {

using namespace vintage;
using namespace vintage::archive;
using namespace vintage::golden;
using namespace vintage::harness;
using namespace vintage::primitives;

constexpr size_t kGeneratedCases = 600;
const Date kToday = *parseDate("2026-03-01");

[[noreturn]] void giveUp(const Error& error) {
  std::fprintf(stderr, "replay_bench: %s\n", error.message.c_str());
  std::exit(3);
}

template <typename T>
T need(Result<T> result) {
  if (!result) giveUp(result.error());
  return std::move(*result);
}

struct Bench {
  std::filesystem::path folder;
  Archive archive;
  BuildRecord build;
  std::vector<ArtifactRecord> records;

  static Bench make(const char* name) {
    std::string pattern = (std::filesystem::temp_directory_path() / name).string() + "_XXXXXX";
    std::filesystem::path folder = ::mkdtemp(pattern.data());
    Archive archive = need(Archive::open((folder / "A").string(), Archive::Mode::kCreate));
    BuildRecord build = engineBuild(VINTAGE_WORKER, kToday);
    if (Status status = archive.putBuild(build); !status) giveUp(status.error());
    return {std::move(folder), std::move(archive), std::move(build), {}};
  }
};

// Cases spread evenly over the catalogue.
Bench& generated() {
  static Bench bench = [] {
    Bench made = Bench::make("vintage_bench_generated");
    std::vector<const Case*> cases;
    const auto all = catalogue();
    const size_t step = std::max<size_t>(1, all.size() / kGeneratedCases);
    for (size_t i = 0; i < all.size(); i += step) cases.push_back(&all[i]);
    need(generateArtifacts(cases, made.build, {.threads = 2}, made.archive, {}));
    ArtifactFilter filter;
    filter.platforms = {"cpu"};
    made.records = need(made.archive.list(filter));
    return made;
  }();
  return bench;
}

Bench& corpus() {
  static Bench bench = [] {
    Bench made = Bench::make("vintage_bench_corpus");
    const std::string path = VINTAGE_SHARED "/corpus/jax-backcompat";
    if (!std::filesystem::exists(path)) return made;
    need(importPaths(std::span(&path, 1), {}, made.archive));
    ArtifactFilter filter;
    filter.platforms = {"cpu"};
    made.records = need(made.archive.list(filter));
    return made;
  }();
  return bench;
}

RunSummary replayOnce(Bench& bench, int workers) {
  ReplayOptions options;
  options.workers = workers;
  options.archiveArgument = bench.archive.folder();
  auto host = makePosixProcessHost();
  auto run =
      need(RecordedRun::begin("replay", "replay_bench", kToday, {}, options, bench.archive, *host));
  if (Status status = run.execute(shareRecords(bench.records), bench.build, {}, {}); !status)
    giveUp(status.error());
  for (const std::string& breakage : run.summary.breakages) giveUp({Error::Kind::kIo, breakage});
  return std::move(run.summary);
}

// Processor time of this process, or of its children that ended.
double processorSeconds(int who) {
  rusage usage{};
  ::getrusage(who, &usage);
  return static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         1e-6 * static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

// Everything counts: starting the workers, reading the archive, comparing,
// recording the outcomes.
void replaysPerSecond(benchmark::State& state, Bench& bench) {
  if (bench.records.empty()) return state.SkipWithError("the corpus is not here");
  size_t ran = 0, passed = 0;
  const double before = processorSeconds(RUSAGE_SELF),
               workersBefore = processorSeconds(RUSAGE_CHILDREN);
  for (auto _ : state) {
    const RunSummary summary = replayOnce(bench, static_cast<int>(state.range(0)));
    ran += summary.pairs.size();
    passed = static_cast<size_t>(
        std::count_if(summary.pairs.begin(), summary.pairs.end(),
                      [](const Pair& pair) { return pair.cell == Cell::kPass; }));
  }
  state.SetItemsProcessed(static_cast<int64_t>(ran));
  state.counters["artifacts"] = static_cast<double>(bench.records.size());
  state.counters["passed"] = static_cast<double>(passed);
  const auto milliseconds = [&](double seconds) {
    return benchmark::Counter(1e3 * seconds / static_cast<double>(state.iterations()));
  };
  state.counters["parent_ms"] = milliseconds(processorSeconds(RUSAGE_SELF) - before);
  state.counters["workers_ms"] = milliseconds(processorSeconds(RUSAGE_CHILDREN) - workersBefore);
}

void BM_ReplayGenerated(benchmark::State& state) { replaysPerSecond(state, generated()); }
void BM_ReplayCorpus(benchmark::State& state) { replaysPerSecond(state, corpus()); }

// Portable bytes to a verified, upgraded program, in one thread.
void loadAndUpgrade(benchmark::State& state, Bench& bench) {
  if (bench.records.empty()) return state.SkipWithError("the corpus is not here");
  std::vector<std::vector<std::byte>> modules;
  int64_t bytes = 0;
  for (const ArtifactRecord& record : bench.records) {
    if (record.format == ArtifactRecord::Format::kSavedModel) continue;
    auto content = need(bench.archive.read(record.id));
    if (record.format == ArtifactRecord::Format::kExported)
      content = need(readExported(content, record.name)).module;
    bytes += static_cast<int64_t>(content.size());
    modules.push_back(std::move(content));
  }
  int64_t programs = 0;
  for (auto _ : state) {
    ProgramContext context;
    for (const auto& module : modules) {
      auto program = context.readPortableArtifact(module, "bench");
      if (!program) giveUp(program.error());
      benchmark::DoNotOptimize(program);
    }
    programs += static_cast<int64_t>(modules.size());
  }
  state.SetBytesProcessed(bytes * static_cast<int64_t>(state.iterations()));
  state.SetItemsProcessed(programs);
}

void BM_LoadAndUpgradeGenerated(benchmark::State& state) { loadAndUpgrade(state, generated()); }
void BM_LoadAndUpgradeCorpus(benchmark::State& state) { loadAndUpgrade(state, corpus()); }

BENCHMARK(BM_ReplayGenerated)
    ->ArgName("workers")
    ->Arg(1)
    ->Arg(2)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(BM_ReplayCorpus)
    ->ArgName("workers")
    ->Arg(1)
    ->Arg(2)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(BM_LoadAndUpgradeGenerated)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_LoadAndUpgradeCorpus)->Unit(benchmark::kMillisecond);

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  for (Bench* bench : {&generated(), &corpus()}) {
    std::error_code ignored;
    std::filesystem::remove_all(bench->folder, ignored);
  }
  return 0;
}
