#include "harness/importer/import.h"

#include <algorithm>
#include <map>
#include <set>
#include <thread>
#include <tuple>

#include "golden/base/content_hash.h"
#include "golden/base/failures.h"
#include "golden/base/file.h"
#include "harness/importer/measure_noise.h"

namespace vintage::harness {
using namespace archive;

namespace {

namespace fs = std::filesystem;

const std::set<std::string> kArtifactSuffixes{".bin",  ".exported", ".jax",
                                              ".mlir", ".mlirbc",   ".bc"};

Status search(const fs::path& folder, std::vector<ImportEntry>& entries) {
  std::error_code problem;
  if (fs::exists(folder / "meta.json", problem)) {
    entries.push_back({folder, true});
    return {};
  }
  std::vector<fs::path> inside;
  for (fs::directory_iterator place(folder, problem), end; !problem && place != end;
       place.increment(problem))
    inside.push_back(place->path());
  if (problem) return ioError("{}: cannot read the folder: {}", folder.string(), problem.message());
  std::sort(inside.begin(), inside.end());
  for (const fs::path& path : inside) {
    // Links to folders are not followed: they could lead in a circle.
    if (fs::is_directory(fs::symlink_status(path, problem))) {
      RETURN_IF_ERROR(search(path, entries));
    } else if (fs::is_regular_file(path, problem) &&
               kArtifactSuffixes.contains(path.extension().string())) {
      entries.push_back({path, false});
    }
  }
  return {};
}

Result<ReadEntry> finishSingleFile(const fs::path& path, const ImportOptions& options,
                                   Inspection inspection) {
  RETURN_IF_ERROR(refuseText(inspection, path.string()));
  if (!options.buildDate)
    return usageError(
        "{}: the build date of its producer is not known, and decides which promise covers it; "
        "give it with --build-date YYYY-MM-DD",
        path.string());
  ReadEntry entry;
  Archive::Put& put = entry.put;
  put.record = std::move(inspection.record);
  put.record.name = path.filename().string();
  put.record.buildDate = *options.buildDate;
  put.record.producer =
      options.producer ? *options.producer : producerOf(inspection, *options.buildDate);
  if (put.record.platforms.empty()) put.record.platforms = options.platforms;
  return entry;
}

Result<OpenedEntry> openSingleFile(const fs::path& path, const ImportOptions& options) {
  OpenedEntry entry;
  entry.name = path.string();
  ASSIGN_OR_RETURN(entry.bytes, readFile(path));
  entry.inspect.emplace();
  entry.finish = [path, options](Inspection inspection) {
    return finishSingleFile(path, options, std::move(inspection));
  };
  return entry;
}

}  // namespace

Status refuseText(const Inspection& inspection, const std::string& file) {
  if (inspection.record.format != ArtifactRecord::Format::kPortableArtifact ||
      !inspection.record.stablehloVersion.empty())
    return {};
  return usageError(
      "{}: StableHLO text is not an artifact; write it as one with 'vintage convert {} --target "
      "1.0.0 -o FILE'",
      file, file);
}

std::string producerOf(const Inspection& inspection, Date buildDate) {
  const std::string release = inspection.details.value("jax_version", "");
  return "jax " + (release.empty() ? formatDate(buildDate) : release);
}

Result<std::vector<ImportEntry>> findImportEntries(std::span<const std::string> paths) {
  std::vector<ImportEntry> entries;
  for (const std::string& text : paths) {
    const fs::path path = fs::path(text).lexically_normal();
    std::error_code problem;
    const size_t before = entries.size();
    if (!fs::exists(path, problem)) return notFound("{}: no such file or folder", text);
    if (fs::is_directory(path, problem))
      RETURN_IF_ERROR(search(path, entries));
    else
      entries.push_back({path, false});
    if (entries.size() == before)
      return usageError(
          "{}: the folder holds nothing to import; folders with a meta.json, and files named "
          "*.bin, *.exported, *.jax, *.mlir, *.mlirbc or *.bc are taken",
          text);
  }
  return entries;
}

std::vector<Result<ReadEntry>> readImportEntries(std::span<const ImportEntry> entries,
                                                 const ImportOptions& options) {
  std::vector<Result<OpenedEntry>> opened;
  std::vector<ArtifactToInspect> programs;
  for (const ImportEntry& entry : entries)
    opened.push_back(entry.isFolder ? openCompatibilityTest(entry.path)
                                    : openSingleFile(entry.path, options));
  for (const auto& entry : opened)
    if (entry && entry->inspect) programs.push_back({entry->bytes, entry->name, *entry->inspect});
  const int processors = static_cast<int>(std::thread::hardware_concurrency());
  auto inspections = inspectArtifacts(programs, processors);

  std::vector<Result<ReadEntry>> complete;
  auto next = inspections.begin();
  for (auto& entry : opened) {
    Result<Inspection> inspection = Inspection{};
    if (entry && entry->inspect) inspection = std::move(*next++);
    complete.push_back(!entry        ? tl::unexpected<Error>(entry.error())
                       : !inspection ? tl::unexpected<Error>(inspection.error())
                                     : entry->finish(std::move(*inspection)));
    if (complete.back()) complete.back()->put.bytes = std::move(entry->bytes);
  }
  return complete;
}

Result<ImportReport> importPaths(std::span<const std::string> paths, const ImportOptions& options,
                                 Archive& archive) {
  ASSIGN_OR_RETURN(auto entries, findImportEntries(paths));
  std::map<std::tuple<ContentId, std::string, std::string>, ArtifactRecord> kept;
  RETURN_IF_ERROR(archive.forEach({}, [&](const ArtifactRecord& record) {
    kept.emplace(std::tuple(record.id, record.name, record.producer), record);
    return true;
  }));
  ImportReport report;
  std::vector<Archive::Put> puts;
  std::vector<bool> measured;
  auto read = readImportEntries(entries, options);
  for (size_t i = 0; i < entries.size(); ++i) {
    if (!read[i]) {
      report.refused.push_back(read[i].error());
      continue;
    }
    Archive::Put& put = read[i]->put;
    put.record.id = contentHash(put.bytes);
    const auto known = kept.find({put.record.id, put.record.name, put.record.producer});
    ImportReport::Line line;
    line.path = entries[i].path.string();
    line.record = put.record;
    line.isNew = known == kept.end();
    line.hasGolden = put.golden.has_value();
    line.oracleSays = std::move(read[i]->oracleSays);
    if (!line.isNew) takeNoise(archive, known->second, put);
    measured.push_back(!line.isNew);
    report.taken.push_back(std::move(line));
    puts.push_back(std::move(put));
  }
  std::vector<Archive::Put*> unmeasured;
  std::vector<ImportReport::Line*> lines;
  for (size_t i = 0; i < puts.size(); ++i) {
    if (measured[i]) continue;
    unmeasured.push_back(&puts[i]);
    lines.push_back(&report.taken[i]);
  }
  NoiseOptions noise = options.noise;
  noise.jobs = static_cast<int>(std::thread::hardware_concurrency());
  auto problems = measureNoise(unmeasured, noise);
  for (size_t i = 0; i < lines.size(); ++i) {
    lines[i]->notMeasured = std::move(problems[i]);
    if (unmeasured[i]->golden) lines[i]->inDoubt = golden::doubtOf(*unmeasured[i]->golden);
  }
  RETURN_IF_ERROR(archive.putAll(puts));
  return report;
}

}  // namespace vintage::harness
