// The archive beside what it stands on: the disk's own rate of syncs, and
// files or SQLite alone for blobs of several sizes (which is where
// kFileThreshold comes from).
//
// Runs in a temporary folder below VINTAGE_BENCH_FOLDER, or the current one; the
// archive of a million artifacts has variables of its own (bench/large_archive.h).
// VINTAGE_BENCH_SET names an archive, such as that of a nightly run, whose
// artifacts' bytes on disk are compared; without it that is skipped.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#include <benchmark/benchmark.h>

#include "archive/store/archive.h"
#include "archive/store/blob_codec.h"
#include "archive/store/collect.h"
#include "archive/store/database.h"
#include "bench/large_archive.h"
#include "golden/base/file_system.h"

namespace vintage::tests {
using namespace archive;

namespace {

class Folder {
 public:
  Folder() {
    const char* base = std::getenv("VINTAGE_BENCH_FOLDER");
    path_ = std::string(base ? base : ".") + "/archive-bench-XXXXXX";
    if (::mkdtemp(path_.data()) == nullptr) std::perror(path_.c_str());
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::string path(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

// Compresses about as well as a portable artifact: to somewhat over a third.
std::vector<std::byte> content(uint64_t seed, size_t size) {
  std::mt19937_64 random(seed);
  std::vector<std::byte> bytes(size);
  for (size_t index = 0; index < size; ++index)
    bytes[index] = static_cast<std::byte>(index % 8 < 3 ? random() : "operand:"[index % 8]);
  return bytes;
}

std::vector<Archive::Put> batch(int64_t first, int64_t count, size_t size) {
  std::vector<Archive::Put> puts;
  for (int64_t number = first; number < first + count; ++number)
    puts.push_back({benchRecord(number), content(number, size), std::nullopt});
  return puts;
}

Archive fresh(benchmark::State& state, const Folder& folder) {
  auto archive = Archive::open(folder.path("archive"), Archive::Mode::kCreate);
  if (!archive) {
    std::fprintf(stderr, "%s\n", archive.error().message.c_str());
    std::exit(3);
  }
  return std::move(*archive);
}

void DiskSync(benchmark::State& state) {
  const Folder folder;
  const int file = ::open(folder.path("file").c_str(), O_CREAT | O_WRONLY, 0644);
  const auto bytes = content(1, 8192);
  for (auto _ : state) {
    if (::write(file, bytes.data(), bytes.size()) < 0 || ::fsync(file) != 0)
      state.SkipWithError("the disk fails");
  }
  ::close(file);
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(DiskSync)->UseRealTime();

void DurableSinglePut(benchmark::State& state) {
  const Folder folder;
  Archive archive = fresh(state, folder);
  int64_t number = 0;
  for (auto _ : state) {
    state.PauseTiming();
    const auto puts = batch(number++, 1, 8192);
    state.ResumeTiming();
    if (!archive.put(puts[0].record, puts[0].bytes, nullptr)) state.SkipWithError("put fails");
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(DurableSinglePut)->UseRealTime();

void BatchedIngest(benchmark::State& state) {
  const Folder folder;
  Archive archive = fresh(state, folder);
  const int64_t count = state.range(0);
  int64_t number = 0;
  for (auto _ : state) {
    state.PauseTiming();
    auto puts = batch(number, count, 8192);
    number += count;
    state.ResumeTiming();
    if (!archive.putAll(puts)) state.SkipWithError("put fails");
  }
  state.SetItemsProcessed(state.iterations() * count);
  state.SetBytesProcessed(state.iterations() * count * 8192);
}
BENCHMARK(BatchedIngest)->Arg(100)->Arg(1000)->UseRealTime();

// Baselines of the ingest: the same bytes as plain files, each synced, and as one file with one
// sync for all, as tar writes it.
void IngestPlainFiles(benchmark::State& state) {
  const Folder folder;
  const auto bytes = content(1, 8192);
  int64_t number = 0;
  for (auto _ : state) {
    for (int64_t count = 0; count < state.range(0); ++count) {
      auto file = realFileSystem().create(folder.path(std::to_string(number++)));
      if (!file || !(*file)->append(bytes) || !(*file)->sync()) state.SkipWithError("write fails");
    }
    if (!realFileSystem().syncFolder(folder.path(""))) state.SkipWithError("sync fails");
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(IngestPlainFiles)->Arg(1000)->UseRealTime();

void IngestOneFile(benchmark::State& state) {
  const Folder folder;
  const auto bytes = content(1, 8192);
  int64_t number = 0;
  for (auto _ : state) {
    auto file = realFileSystem().create(folder.path(std::to_string(number++)));
    for (int64_t count = 0; file && count < state.range(0); ++count) {
      if (!(*file)->append(bytes)) state.SkipWithError("write fails");
    }
    if (!file || !(*file)->sync() || !realFileSystem().syncFolder(folder.path("")))
      state.SkipWithError("write fails");
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(IngestOneFile)->Arg(1000)->UseRealTime();

void ReadVerified(benchmark::State& state) {
  const Folder folder;
  Archive archive = fresh(state, folder);
  const size_t size = static_cast<size_t>(state.range(0));
  auto puts = batch(0, 64, size);
  const auto ids = archive.putAll(puts);
  if (!ids) return state.SkipWithError("put fails");
  size_t next = 0;
  for (auto _ : state) {
    if (!archive.read((*ids)[next++ % ids->size()])) state.SkipWithError("read fails");
  }
  state.SetItemsProcessed(state.iterations());
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(size));
}
BENCHMARK(ReadVerified)->Arg(8192)->Arg(1 << 17)->Arg(1 << 20)->UseRealTime();

// The bytes of one command's output; 0 where it fails.
double outputBytes(const std::string& command) {
  std::FILE* pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) return 0;
  double bytes = 0;
  std::vector<char> buffer(1 << 16);
  while (const size_t count = std::fread(buffer.data(), 1, buffer.size(), pipe))
    bytes += static_cast<double>(count);
  return ::pclose(pipe) == 0 ? bytes : 0;
}

// A set of artifacts in an archive, packed again with a dictionary, and as
// tar | zstd -19, which nobody can read one artifact of.
void BytesOnDisk(benchmark::State& state) {
  const char* set = std::getenv("VINTAGE_BENCH_SET");
  if (set == nullptr) return state.SkipWithError("VINTAGE_BENCH_SET is not set");
  const Folder folder;
  const auto source = Archive::open(set, Archive::Mode::kReadOnly);
  Archive archive = fresh(state, folder);
  if (!source || !realFileSystem().createFolders(folder.path("plain")))
    return state.SkipWithError("cannot open");
  double content = 0, artifacts = 0;
  std::vector<Archive::Put> puts;
  const auto flush = [&] {
    const bool kept = archive.putAll(puts).has_value();
    puts.clear();
    return kept;
  };
  const Status copied = source->forEach({}, [&](const ArtifactRecord& record) {
    auto bytes = source->read(record.id);
    if (!bytes) return false;
    const std::string plain = folder.path("plain/" + record.id);
    if (!std::filesystem::exists(plain)) {  // Artifacts share it.
      auto file = realFileSystem().create(plain);
      if (!file || !(*file)->append(*bytes)) return false;
      content += static_cast<double>(bytes->size());
    }
    ++artifacts;
    puts.push_back({record, std::move(*bytes), std::nullopt});
    return puts.size() < 1000 || flush();
  });
  if (!copied || !flush()) return state.SkipWithError("cannot copy");
  // The index, and what lies beside it as files.
  const auto archiveBytes = [&] {
    auto database = Database::open(folder.path("archive/index.sqlite"), {});
    if (database) (void)(*database)->execute("PRAGMA wal_checkpoint(TRUNCATE)");
    auto bytes =
        static_cast<double>(std::filesystem::file_size(folder.path("archive/index.sqlite")));
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(folder.path("archive/blobs"))) {
      if (entry.is_regular_file()) bytes += static_cast<double>(entry.file_size());
    }
    return bytes;
  };
  state.counters["artifacts"] = artifacts;
  state.counters["content"] = content;
  state.counters["archive"] = archiveBytes();
  for (auto _ : state) {
    const auto packed = repackSmallContents(archive);
    if (!packed || !shrinkIndex(archive, packed->bytesBefore - packed->bytesAfter))
      return state.SkipWithError("repack fails");
    state.counters["stored_before"] = static_cast<double>(packed->bytesBefore);
    state.counters["stored_after"] = static_cast<double>(packed->bytesAfter);
  }
  state.counters["archive_repacked"] = archiveBytes();
  state.counters["tar_zstd_19"] =
      outputBytes("tar -C '" + folder.path("plain") + "' -cf - . | zstd -19 -q -c");
}
BENCHMARK(BytesOnDisk)->Iterations(1)->UseRealTime()->Unit(benchmark::kMillisecond);

// Small programs of a set that are read one by one: alone, each with the dictionary, and in
// packs, which are unpacked whole; as they come, and at random.
void ReadSmall(benchmark::State& state) {
  const char* set = std::getenv("VINTAGE_BENCH_SET");
  if (set == nullptr) return state.SkipWithError("VINTAGE_BENCH_SET is not set");
  constexpr size_t kTrained = 2000, kRead = 8000;
  const Folder folder;
  const auto source = Archive::open(set, Archive::Mode::kReadOnly);
  Archive archive = fresh(state, folder);
  std::vector<ContentId> ids;
  std::vector<Archive::Put> puts;
  bool kept = source.has_value();
  const auto flush = [&](bool repack) {
    kept = kept && archive.putAll(puts) && (!repack || repackSmallContents(archive));
    puts.clear();
  };
  int64_t seen = 0;
  const Status copied = !kept ? Status() : source->forEach({}, [&](const ArtifactRecord& record) {
    if (seen++ % 8 != 0) return true;
    auto bytes = source->read(record.id);
    kept = kept && bytes;
    if (!kept) return false;
    ids.push_back(record.id);
    puts.push_back({record, std::move(*bytes), std::nullopt});
    if (ids.size() == kTrained) flush(true);
    return ids.size() < kRead;
  });
  flush(state.range(0) != 0);
  if (!copied || !kept || ids.size() <= kTrained) return state.SkipWithError("cannot copy");
  ids.erase(ids.begin(), ids.begin() + kTrained);
  if (state.range(1) != 0) std::shuffle(ids.begin(), ids.end(), std::mt19937_64(1));
  size_t next = 0;
  for (auto _ : state) {
    if (!archive.read(ids[next++ % ids.size()])) state.SkipWithError("read fails");
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(ReadSmall)->ArgNames({"packs", "random"})->ArgsProduct({{0, 1}, {0, 1}})->UseRealTime();

// The same stored bytes in SQLite and as files, written one by one and durable,
// and read.
void BlobInSqlite(benchmark::State& state) {
  const Folder folder;
  const bool writing = state.range(1) != 0;
  auto database = Database::open(folder.path("blobs.sqlite"), {.create = true});
  if (!database ||
      !(*database)->execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA "
                            "secure_delete = OFF; CREATE TABLE b (id INTEGER PRIMARY KEY, c BLOB)"))
    return state.SkipWithError("SQLite fails");
  constexpr int kBlobs = 32;
  const auto bytes = content(7, static_cast<size_t>(state.range(0)));
  const auto insert = [&] {
    auto query = (*database)->query("INSERT INTO b (c) VALUES (?)");
    return query && query->bindBlob(bytes).run();
  };
  for (int number = 0; !writing && number < kBlobs; ++number) insert();
  int64_t next = 0;
  for (auto _ : state) {
    if (writing) {
      if (!insert()) state.SkipWithError("insert fails");
      continue;
    }
    auto query = (*database)->query("SELECT c FROM b WHERE id = ?");
    const auto row = query->bind(1 + next++ % kBlobs).step();
    std::vector<std::byte> copy(query->blob(0).begin(), query->blob(0).end());
    benchmark::DoNotOptimize(copy.data());
  }
  state.SetItemsProcessed(state.iterations());
}
void BlobAsFile(benchmark::State& state) {
  const Folder folder;
  const bool writing = state.range(1) != 0;
  constexpr int kBlobs = 32;
  const auto bytes = content(7, static_cast<size_t>(state.range(0)));
  FileSystem& files = realFileSystem();
  int64_t next = 0;
  const auto insert = [&] {
    return writeDurably(files, folder.path("temporary"), folder.path(std::to_string(next++)),
                        bytes);
  };
  for (int number = 0; !writing && number < kBlobs; ++number) (void)insert();
  for (auto _ : state) {
    if (writing) {
      if (!insert()) state.SkipWithError("write fails");
      continue;
    }
    benchmark::DoNotOptimize(files.read(folder.path(std::to_string(next++ % kBlobs)), 1 << 30));
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BlobInSqlite)
    ->ArgNames({"bytes", "writing"})
    ->ArgsProduct({{4096, 16384, 65536, 102400, 262144, 1 << 20}, {0, 1}})
    ->UseRealTime();
BENCHMARK(BlobAsFile)
    ->ArgNames({"bytes", "writing"})
    ->ArgsProduct({{4096, 16384, 65536, 102400, 262144, 1 << 20}, {0, 1}})
    ->UseRealTime();

}  // namespace
}  // namespace vintage::tests

BENCHMARK_MAIN();
