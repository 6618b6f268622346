#include "archive/store/collect.h"

#include <algorithm>

#include <fmt/format.h>

#include "archive/store/archive_implementation.h"
#include "archive/store/index_check.h"
#include "archive/store/row_values.h"
#include "golden/base/content_hash.h"

namespace vintage::archive {
namespace {

// Rows that one query covers, and removals that share a transaction: writers
// wait for one group at most.
constexpr int64_t kSpan = 5000;
constexpr size_t kGroup = 200;

struct Content {
  int64_t row = 0, storedBytes = 0;
  ContentId id;
  bool inFile = false, hasOutcomes = false, isEmptied = false;
};

class Collection {
 public:
  Collection(Archive& archive, const CollectOptions& options)
      : whole_(archive),
        archive_(archive.implementation()),
        database_(*archive_.database),
        options_(options) {}

  Result<CollectReport> run() {
    RETURN_IF_ERROR(removeLeases());
    RETURN_IF_ERROR(removeContents());
    RETURN_IF_ERROR(removePacks());
    RETURN_IF_ERROR(removeFiles());
    if (!options_.dryRun) {
      ASSIGN_OR_RETURN(report_.temporaries, archive_.blobs.removeAbandoned(&report_.stuck));
    }
    return report_;
  }

 private:
  Status removeLeases() {
    if (options_.dryRun) {
      ASSIGN_OR_RETURN(report_.leases,
                       database_.integer(fmt::format(
                           "SELECT count(*) FROM lease WHERE expires < {}", archive_.seconds())));
      return {};
    }
    return archive_.inTransaction([&]() -> Status {
      ASSIGN_OR_RETURN(report_.leases, removeExpiredLeases(database_, archive_.clock.now()));
      return {};
    });
  }

  Result<std::vector<Content>> unnamed(std::string_view condition, int64_t first, int64_t second) {
    const std::string sql = fmt::format(
        "SELECT b.id, b.stored_bytes, b.hash, b.in_file, EXISTS (SELECT 1 FROM outcome AS o WHERE "
        "o.blob = b.id), b.codec = 3 FROM blob AS b WHERE {} AND NOT {} AND NOT EXISTS (SELECT 1 "
        "FROM lease_content AS l WHERE l.hash = b.hash)",
        condition, isNamed("b.id"));
    ASSIGN_OR_RETURN(
        auto contents,
        selectMembers<&Content::row, &Content::storedBytes, &Content::id, &Content::inFile,
                      &Content::hasOutcomes, &Content::isEmptied>(database_, sql, first, second));
    // Emptied before, and still named by outcomes: there is nothing to do.
    std::erase_if(contents, [](const Content& one) { return one.isEmptied && one.hasOutcomes; });
    return contents;
  }

  Status removeContents() {
    ASSIGN_OR_RETURN(const auto last, database_.integer("SELECT coalesce(max(id), 0) FROM blob"));
    for (int64_t first = 1; first <= last; first += kSpan) {
      ASSIGN_OR_RETURN(const auto candidates,
                       unnamed("b.id BETWEEN ? AND ?", first, first + kSpan - 1));
      for (size_t begin = 0; begin < candidates.size(); begin += kGroup) {
        const auto group =
            std::span(candidates).subspan(begin, std::min(kGroup, candidates.size() - begin));
        RETURN_IF_ERROR(removeGroup(group));
      }
      progress("contents", std::min(first + kSpan, last), last);
    }
    return {};
  }

  // A damaged index may miss the row that names a content, and collection would
  // remove that content. Checks once, before the first removal.
  Status checkIndex() {
    if (indexIsWhole_) return {};
    RETURN_IF_ERROR(checkNamingTables(whole_));
    indexIsWhole_ = true;
    return {};
  }

  Status removeGroup(std::span<const Content> group) {
    RETURN_IF_ERROR(checkIndex());
    if (options_.dryRun) {
      for (const Content& content : group) count(content);
      return {};
    }
    std::vector<ContentId> files;
    const Status removed = archive_.inTransaction([&]() -> Status {
      for (const Content& candidate : group) {
        // As it is under the lock; the row's number may be another content's by now.
        ASSIGN_OR_RETURN(const auto now, unnamed("b.id = ? AND ?", candidate.row, 1));
        if (now.empty() || now.front().id != candidate.id) continue;
        RETURN_IF_ERROR(removeRow(now.front()));
        if (now.front().inFile) files.push_back(candidate.id);
        count(now.front());
      }
      return {};
    });
    return removed ? removeUnused(files, nullptr) : removed;
  }

  void count(const Content& content) {
    ++(content.hasOutcomes ? report_.emptied : report_.contents);
    report_.bytes += content.storedBytes;
  }

  Status removeRow(const Content& content) {
    RETURN_IF_ERROR(runWith(database_, "DELETE FROM blob_content WHERE blob = ?", content.row));
    if (!content.hasOutcomes)
      return runWith(database_, "DELETE FROM blob WHERE id = ?", content.row);
    return runWith(database_,
                   "UPDATE blob SET codec = ?, stored_bytes = 0, in_file = 0, place = NULL WHERE "
                   "id = ?",
                   BlobCodec::kRemoved, content.row);
  }

  // The files that nothing names, while no other process can write a row.
  // Sizes are added to the report where `counted`.
  Status removeUnused(std::span<const ContentId> ids, int64_t* counted) {
    if (ids.empty()) return {};
    RETURN_IF_ERROR(checkIndex());
    return archive_.inUnsyncedTransaction([&]() -> Status {
      for (const ContentId& id : ids) {
        ASSIGN_OR_RETURN(const auto use, archive_.blobs.fileUse(id));
        if (use != FileUse::kNone) continue;
        const std::string path = archive_.blobs.filePath(id);
        const auto status = archive_.files.status(path);
        // A killed put never wrote it, or another process removed it.
        if (status && !*status) continue;
        const Status removed = !status           ? tl::unexpected(status.error())
                               : options_.dryRun ? Status()
                                                 : archive_.files.remove(path);
        if (!removed && removed.error().kind == Error::Kind::kNotFound) continue;
        const auto bytes = status ? static_cast<int64_t>((*status)->bytes) : 0;
        if (!removed) {
          report_.stuck.push_back(removed.error());
          if (counted == nullptr) report_.bytes -= bytes;  // Its row went and was counted.
          continue;
        }
        if (counted == nullptr) continue;
        ++*counted;
        report_.bytes += bytes;
      }
      return {};
    });
  }

  // Removes packs without contents. A removed content's bytes stay in a pack that others share.
  Status removePacks() {
    if (options_.dryRun || report_.contents + report_.emptied == 0) return {};
    return archive_.inTransaction([&]() -> Status {
      constexpr const char* kBytes = "SELECT coalesce(sum(length(content)), 0) FROM pack";
      ASSIGN_OR_RETURN(const auto before, database_.integer(kBytes));
      RETURN_IF_ERROR(removeEmptyPacks(database_));
      ASSIGN_OR_RETURN(const auto after, database_.integer(kBytes));
      report_.bytes += before - after;
      return {};
    });
  }

  // Removes files that were settled and never got a row.
  Status removeFiles() {
    const std::string blobs = fmt::format("{}/blobs", archive_.folder);
    const auto folders = archive_.files.list(blobs);
    if (!folders && folders.error().kind == Error::Kind::kNotFound) return {};
    if (!folders) return tl::unexpected(folders.error());
    int64_t done = 0;
    for (const std::string& folder : *folders) {
      progress("files", ++done, static_cast<int64_t>(folders->size()));
      if (folder.size() != 2) continue;
      const auto names = archive_.files.list(fmt::format("{}/{}", blobs, folder));
      if (!names && names.error().kind != Error::Kind::kNotFound)
        report_.stuck.push_back(names.error());
      if (!names) continue;
      RETURN_IF_ERROR(removeFilesOf(*names));
    }
    return {};
  }

  Status removeFilesOf(const std::vector<std::string>& names) {
    std::vector<ContentId> stray;
    for (const std::string& name : names) {
      const ContentId id = name.substr(0, name.find('.'));
      if (!isContentHash(id) || !archive_.blobs.filePath(id).ends_with("/" + name)) continue;
      ASSIGN_OR_RETURN(const auto use, archive_.blobs.fileUse(id));
      if (use == FileUse::kNone) stray.push_back(id);
    }
    for (size_t begin = 0; begin < stray.size(); begin += kGroup) {
      const auto group = std::span(stray).subspan(begin, std::min(kGroup, stray.size() - begin));
      RETURN_IF_ERROR(removeUnused(group, &report_.files));
    }
    return {};
  }

  void progress(std::string_view what, int64_t done, int64_t total) const {
    if (options_.progress)
      options_.progress(what, static_cast<size_t>(done), static_cast<size_t>(total));
  }

  Archive& whole_;
  Archive::Implementation& archive_;
  Database& database_;
  const CollectOptions& options_;
  CollectReport report_;
  bool indexIsWhole_ = false;
};

}  // namespace

Result<CollectReport> collectGarbage(Archive& archive, const CollectOptions& options) {
  RETURN_IF_ERROR(archive.implementation().checkWritable());
  return Collection(archive, options).run();
}

}  // namespace vintage::archive
