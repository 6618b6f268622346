// What opening and asking cost where there are very many artifacts.
#include <fstream>
#include <string>

#include <benchmark/benchmark.h>

#include "archive/store/archive.h"
#include "bench/large_archive.h"
#include "tests/rooms.h"

namespace vintage::tests {
namespace {

// Of this process, in MB: what 'VmRSS:' tells.
double residentMemory() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    double kilobytes = 0;
    if (word == "VmRSS:" && status >> kilobytes) return kilobytes / 1024;
  }
  return 0;
}

void OpenLarge(benchmark::State& state) {
  const std::string path = largeArchive().folder;
  for (auto _ : state) {
    if (!Archive::open(path, Archive::Mode::kReadWrite)) state.SkipWithError("open fails");
  }
  state.counters["artifacts"] = static_cast<double>(largeArchive().artifacts);
  state.counters["resident_MB"] = residentMemory();
}
BENCHMARK(OpenLarge)->UseRealTime()->Unit(benchmark::kMicrosecond);

// A restart as a user sees it: opened, and the first question answered.
void OpenLargeAndFind(benchmark::State& state) {
  const std::string path = largeArchive().folder;
  for (auto _ : state) {
    const auto archive = Archive::open(path, Archive::Mode::kReadWrite);
    if (!archive || !archive->find("dot_general_f32[4,777]")) state.SkipWithError("find fails");
  }
}
BENCHMARK(OpenLargeAndFind)->UseRealTime()->Unit(benchmark::kMicrosecond);

ArtifactFilter lastDays(int64_t days) {
  ArtifactFilter filter;
  filter.builtFrom = Date(std::chrono::days(20'180 - days));
  filter.builtUntil = Date(std::chrono::days(20'179));
  return filter;
}

// Some of 180 days, counted.
void CountWindow(benchmark::State& state) {
  const auto archive = Archive::open(largeArchive().folder, Archive::Mode::kReadOnly);
  const ArtifactFilter filter = lastDays(state.range(0));
  int64_t found = 0;
  for (auto _ : state) found = archive->count(filter).value_or(0);
  state.counters["found"] = static_cast<double>(found);
  state.SetItemsProcessed(state.iterations() * found);
}
BENCHMARK(CountWindow)->ArgName("days")->Arg(1)->Arg(7)->UseRealTime()
    ->Unit(benchmark::kMicrosecond);

// Some of 180 days and one custom-call target of every 50th artifact.
void WindowQuery(benchmark::State& state) {
  const auto archive = Archive::open(largeArchive().folder, Archive::Mode::kReadOnly);
  ArtifactFilter filter = lastDays(state.range(0));
  filter.customCallTargets = {"lapack_spotrf_ffi"};
  int64_t found = 0;
  for (auto _ : state) {
    const auto records = archive->list(filter);
    found = records ? static_cast<int64_t>(records->size()) : 0;
  }
  state.counters["found"] = static_cast<double>(found);
  state.SetItemsProcessed(state.iterations() * found);
}
BENCHMARK(WindowQuery)->ArgName("days")->Arg(1)->Arg(7)->Arg(60)->UseRealTime()
    ->Unit(benchmark::kMicrosecond);

void StreamAll(benchmark::State& state) {
  const auto archive = Archive::open(largeArchive().folder, Archive::Mode::kReadOnly);
  int64_t seen = 0;
  for (auto _ : state)
    (void)archive->forEach({}, [&](const ArtifactRecord&) { return ++seen, true; });
  state.SetItemsProcessed(seen);
  state.counters["resident_MB"] = residentMemory();
}
BENCHMARK(StreamAll)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace vintage::tests
