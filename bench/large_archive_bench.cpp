// The cost of opening and querying a very large archive.
#include <filesystem>
#include <fstream>
#include <string>

#include <benchmark/benchmark.h>

#include "archive/integrity/fsck.h"
#include "archive/store/archive.h"
#include "bench/large_archive.h"

namespace vintage::tests {
using namespace archive;

namespace {

// This process's resident set in MB.
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
BENCHMARK(CountWindow)
    ->ArgName("days")
    ->Arg(1)
    ->Arg(7)
    ->UseRealTime()
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
BENCHMARK(WindowQuery)
    ->ArgName("days")
    ->Arg(1)
    ->Arg(7)
    ->Arg(60)
    ->UseRealTime()
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

// One durable put of a new artifact, and of a hundred together, beside all the others. Other runs
// on the same archive find these and make others.
void PutIntoLarge(benchmark::State& state) {
  auto archive = Archive::open(largeArchive().folder, Archive::Mode::kReadWrite);
  const int64_t count = state.range(0);
  static int64_t number = archive ? archive->count({}).value_or(0) : 0;
  for (auto _ : state) {
    state.PauseTiming();
    std::vector<Archive::Put> puts;
    for (int64_t next = 0; next < count; ++next, ++number) {
      const auto* bytes = reinterpret_cast<const std::byte*>(&number);
      ArtifactRecord record = benchRecord(number);
      record.name += "/put";
      puts.push_back({record, {bytes, bytes + sizeof(number)}, std::nullopt});
    }
    state.ResumeTiming();
    if (!archive || !archive->putAll(puts)) state.SkipWithError("put fails");
  }
  state.SetItemsProcessed(state.iterations() * count);
  state.counters["resident_MB"] = residentMemory();
}
BENCHMARK(PutIntoLarge)
    ->ArgName("together")
    ->Arg(1)
    ->Arg(100)
    ->UseRealTime()
    ->Unit(benchmark::kMicrosecond);

// `vintage fsck --read-data=1/1000`: checks the whole index, and a thousandth of the contents.
// These are noise here, so their hashes are wrong.
void FsckLargeBySample(benchmark::State& state) {
  FsckOptions options;
  options.readData = true;
  options.part = {1, 1000};
  double blobs = 0, read = 0;
  for (auto _ : state) {
    const auto summary = checkArchive(largeArchive().folder, options, [](const FsckFinding&) {});
    if (!summary) return state.SkipWithError(summary.error().message.c_str());
    blobs = static_cast<double>(summary->blobs);
    read = static_cast<double>(summary->blobsRead);
  }
  state.counters["contents"] = blobs;
  state.counters["read"] = read;
  state.counters["resident_MB"] = residentMemory();
  state.counters["index_MB"] =
      static_cast<double>(std::filesystem::file_size(largeArchive().folder + "/index.sqlite")) /
      1e6;
}
BENCHMARK(FsckLargeBySample)->Iterations(1)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace vintage::tests
