#include "harness/importer/import.h"

#include <set>
#include <tuple>

#include <fmt/format.h>

#include "golden/base/content_hash.h"
#include "harness/importer/compatibility_test.h"
#include "golden/base/file.h"
#include "harness/importer/inspect.h"

namespace vintage::harness::importer {
namespace {

Result<Archive::Put> readSingleFile(const std::filesystem::path& path,
                                    const ImportOptions& options) {
  ASSIGN_OR_RETURN(auto bytes, readFile(path));
  ASSIGN_OR_RETURN(auto inspection, inspectArtifact(bytes, path.string(), {}));
  if (inspection.record.format == ArtifactRecord::Format::kPortableArtifact &&
      inspection.record.stablehloVersion.empty())
    return failure(Error::Kind::kUsage,
                   fmt::format("{}: StableHLO text is not an artifact; write it as one with "
                               "'vintage convert {} --target 1.0.0 -o FILE'",
                               path.string(), path.string()));
  if (!options.buildDate)
    return failure(Error::Kind::kUsage,
                   fmt::format("{}: the build date of its producer is not known, and decides which "
                               "promise covers it; give it with --build-date YYYY-MM-DD",
                               path.string()));
  Archive::Put put;
  put.record = std::move(inspection.record);
  put.record.name = path.filename().string();
  put.record.buildDate = *options.buildDate;
  const std::string version = inspection.details.value("jax_version", "");
  put.record.producer = options.producer ? *options.producer
                        : !version.empty()
                            ? "jax " + version
                            : "jax " + formatDate(*options.buildDate);
  if (put.record.platforms.empty()) put.record.platforms = options.platforms;
  put.bytes = std::move(bytes);
  return put;
}

using Identity = std::tuple<ContentId, std::string, std::string>;

Result<std::set<Identity>> keptAlready(const Archive& archive) {
  std::set<Identity> kept;
  Status status = archive.forEach({}, [&](const ArtifactRecord& record) {
    kept.emplace(record.id, record.name, record.producer);
    return true;
  });
  if (!status) return tl::unexpected<Error>(status.error());
  return kept;
}

}  // namespace

Result<Archive::Put> readImportEntry(const ImportEntry& entry, const ImportOptions& options) {
  return entry.isFolder ? readCompatibilityTest(entry.path) : readSingleFile(entry.path, options);
}

Result<ImportReport> importPaths(std::span<const std::string> paths, const ImportOptions& options,
                                 Archive& archive) {
  ASSIGN_OR_RETURN(auto entries, findImportEntries(paths));
  ASSIGN_OR_RETURN(auto kept, keptAlready(archive));

  ImportReport report;
  std::vector<Archive::Put> puts;
  for (const ImportEntry& entry : entries) {
    auto put = readImportEntry(entry, options);
    if (!put) {
      report.refused.push_back(put.error());
      continue;
    }
    put->record.id = contentHash(put->bytes);
    ImportReport::Line line;
    line.path = entry.path.string();
    line.record = put->record;
    line.isNew = !kept.contains({put->record.id, put->record.name, put->record.producer});
    line.hasGolden = put->golden.has_value();
    report.taken.push_back(std::move(line));
    puts.push_back(std::move(*put));
  }
  RETURN_IF_ERROR(archive.putAll(puts));
  return report;
}

}  // namespace vintage::harness::importer
