// A damaged archive: the input lies over the index of a small archive, or over
// its one file, at a place that the input says. Nothing may crash; what is
// returned as content has to hash to its id.
//
// The first bytes: what is damaged, and which sixteenth of the contents is read back; where
// (4 bytes); the rest lies over it. Reading all contents each time left a second for some ten
// inputs.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <unistd.h>

#include "archive/integrity/fsck.h"
#include "archive/store/archive.h"
#include "archive/store/collect.h"
#include "golden/base/content_hash.h"

namespace {

using namespace vintage;
using namespace vintage::archive;

std::vector<char> readAll(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void writeAll(const std::string& path, const std::vector<char>& bytes) {
  std::ofstream(path, std::ios::binary)
      .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

// A small archive in memory's file system where there is one, removed at the end.
struct Model {
  std::string folder, file;
  std::vector<char> index, content;

  Model() {
    std::string pattern = (std::filesystem::exists("/dev/shm") ? "/dev/shm" : "/tmp");
    pattern += "/vintage-fuzz-XXXXXX";
    if (::mkdtemp(pattern.data()) == nullptr) std::abort();
    folder = pattern + "/archive";
    {
      auto archive = Archive::open(folder, Archive::Mode::kCreate);
      if (!archive) std::abort();
      std::vector<Archive::Put> puts;
      for (int number = 0; number < 240; ++number) {
        ArtifactRecord record;
        record.name = "case[" + std::to_string(number) + "]";
        record.producer = "fuzz";
        record.buildDate = Date(std::chrono::days(20'000 + number % 9));
        record.dtypes = {"f32"};
        record.platforms = {"cpu"};
        record.customCallTargets = {"target"};
        const std::string text =
            "module @jit_main { func.func public @main(%arg0: tensor<4xf32>) " +
            std::to_string(number * 7919);
        const auto bytes = std::as_bytes(std::span(text.data(), text.size()));
        puts.push_back({record, {bytes.begin(), bytes.end()}, std::nullopt});
      }
      puts[0].bytes.resize(150'000);
      for (size_t at = 0; at < puts[0].bytes.size(); ++at)
        puts[0].bytes[at] = static_cast<std::byte>((at * 2654435761u) >> 13);
      if (!archive->putAll(puts) || !repackSmallContents(*archive)) std::abort();
      file = folder + "/blobs/" + contentHash(puts[0].bytes).substr(0, 2) + "/" +
             contentHash(puts[0].bytes) + ".zst";
    }
    index = readAll(folder + "/index.sqlite");
    content = readAll(file);
  }
  ~Model() {
    std::error_code ignored;
    std::filesystem::remove_all(std::filesystem::path(folder).parent_path(), ignored);
  }
};

void lieOver(std::vector<char>& bytes, uint32_t place, const uint8_t* data, size_t size) {
  if (bytes.empty()) return;
  place %= bytes.size();
  std::memcpy(bytes.data() + place, data, std::min(size, bytes.size() - place));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const Model model;
  if (size < 6) return 0;
  uint32_t place = 0;
  std::memcpy(&place, data + 1, sizeof(place));
  std::vector<char> index = model.index, content = model.content;
  const uint32_t sixteenth = data[0] / 4 % 16;
  lieOver(data[0] % 4 == 0 ? content : index, place, data + 5, size - 5);
  writeAll(model.folder + "/index.sqlite", index);
  writeAll(model.file, content);
  for (const char* suffix : {"-wal", "-shm"})
    std::filesystem::remove(model.folder + "/index.sqlite" + suffix);
  const auto archive = Archive::open(model.folder, Archive::Mode::kReadOnly);
  if (!archive) {
    if (archive.error().message.find(model.folder) == std::string::npos) std::abort();
    return 0;
  }
  for (const bool target : {false, true}) {
    ArtifactFilter filter;
    if (target) filter.customCallTargets = {"target"};
    uint32_t count = 0;
    (void)archive->forEach(filter, [&](const ArtifactRecord& record) {
      const bool chosen = record.bytes > 100'000 || count++ % 16 == sixteenth;
      if (!chosen) return true;
      const auto bytes = archive->read(record.id);
      if (bytes && contentHash(*bytes) != record.id) std::abort();
      return true;
    });
  }
  (void)archive->outcomes({});
  FsckOptions options;
  options.readData = true;
  options.part = {.part = sixteenth + 1, .parts = 16};
  (void)checkArchive(model.folder, options, [](const FsckFinding&) {});
  return 0;
}
