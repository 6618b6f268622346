#include "archive/backup/backup.h"

#include <array>
#include <charconv>
#include <fstream>
#include <set>
#include <unordered_map>

#include <fmt/format.h>

#include "archive/store/index_copy.h"
#include "golden/base/failures.h"

namespace vintage::archive {
namespace {

// Small enough that a day's changes leave most pieces of the index as they were.
constexpr size_t kPieceBytes = size_t{256} << 10;
// Bounds of one group of objects that is held in memory and put at once.
constexpr size_t kGroupBytes = size_t{32} << 20, kGroupObjects = 512;
// Files of an archive's folder, beside the index and the blobs, that cannot be made again.
constexpr std::array kCompanions = {"limitations.json", "service/tokens.json"};
constexpr uint64_t kLargestCompanion = uint64_t{64} << 20;

class Backup {
 public:
  Backup(Archive& archive, ObjectStore& store, const BackupProgress& progress)
      : archive_(archive), store_(store), progress_(progress) {}

  Result<BackupReport> run() {
    ASSIGN_OR_RETURN(const auto keys, store_.list("objects/"));
    present_.insert(keys.begin(), keys.end());
    RETURN_IF_ERROR(store_.settle());
    ASSIGN_OR_RETURN(snapshot_.archive, archive_.identity());
    RETURN_IF_ERROR(readLast());
    snapshot_.made = timeText(archive_.clock().now());
    snapshot_.archiveFormat = formatVersion();
    ASSIGN_OR_RETURN(auto copy, IndexCopy::make(archive_, "backup to " + store_.name()));
    RETURN_IF_ERROR(addFiles(copy));
    RETURN_IF_ERROR(addIndex(copy));
    RETURN_IF_ERROR(addCompanions());
    RETURN_IF_ERROR(flush());
    std::vector<StoredObject> last;
    last.push_back(writeSnapshot(snapshot_));
    report_.snapshot = snapshotName(last.front().key);
    report_.artifacts = snapshot_.artifacts;
    report_.files = snapshot_.fileCount;
    // Last: a snapshot that is listed has all its objects.
    RETURN_IF_ERROR(store_.putAll(std::move(last)));
    RETURN_IF_ERROR(store_.finish());
    return std::move(report_);
  }

 private:
  // Reads the newest whole snapshot: its contents need not be read again.
  Status readLast() {
    ASSIGN_OR_RETURN(const auto names, listSnapshots(store_));
    snapshot_.number = 1;
    if (names.empty()) return {};
    const std::string& newest = names.back();
    std::from_chars(newest.data(), newest.data() + newest.size(), snapshot_.number);
    ++snapshot_.number;
    Result<Snapshot> last = failure(Error::Kind::kNotFound, "");
    // The newest one may be damaged; any of them names the archive of the backup.
    for (auto name = names.rbegin(); name != names.rend() && !last; ++name) {
      last = readSnapshot(store_, *name);
      if (!last && last.error().kind != Error::Kind::kBadInput &&
          last.error().kind != Error::Kind::kNotFound)
        return tl::unexpected(last.error());
    }
    if (!last) return {};  // All are damaged: everything is read.
    if (!last->archive.empty() && last->archive != snapshot_.archive)
      return conflict(
          "{}: is the backup of the archive {}, and {} is the archive {}; a backup belongs to one "
          "archive: name another folder or prefix",
          store_.name(), last->archive, archive_.folder(), snapshot_.archive);
    auto files = readFileList(store_, *last);
    if (!files) return {};
    for (BackedUpFile& file : *files)
      if (present_.contains(objectKey(file.object))) known_.emplace(file.id, std::move(file));
    return {};
  }

  Status add(StoredObject object) {
    if (!present_.insert(object.key).second) return {};
    ++report_.newObjects;
    report_.newBytes += static_cast<int64_t>(object.bytes.size());
    waitingBytes_ += object.bytes.size();
    waiting_.push_back(std::move(object));
    return waitingBytes_ < kGroupBytes && waiting_.size() < kGroupObjects ? Status() : flush();
  }

  Status flush() {
    waitingBytes_ = 0;
    return waiting_.empty() ? Status() : store_.putAll(std::exchange(waiting_, {}));
  }

  Result<Piece> addPiece(std::span<const std::byte> bytes) {
    StoredObject object;
    ASSIGN_OR_RETURN(auto piece, packPiece(bytes, object));
    RETURN_IF_ERROR(add(std::move(object)));
    return piece;
  }

  Status addFiles(IndexCopy& copy) {
    std::string lines;
    const auto addLines = [&]() -> Status {
      ASSIGN_OR_RETURN(snapshot_.files.emplace_back(), addPiece(std::as_bytes(std::span(lines))));
      lines.clear();
      return {};
    };
    size_t total = 0;
    if (progress_) {
      RETURN_IF_ERROR(copy.forEachFile([&](const FiledContent&) -> Status {
        ++total;
        return {};
      }));
    }
    size_t done = 0;
    RETURN_IF_ERROR(copy.forEachFile([&](const FiledContent& content) -> Status {
      ASSIGN_OR_RETURN(const auto line, addFile(copy, content));
      lines += line;
      if (++done % kGroupObjects == 0) RETURN_IF_ERROR(copy.renewLease());
      if (progress_) progress_("files", done, total);
      return lines.size() < kPieceBytes ? Status() : addLines();
    }));
    return lines.empty() ? Status() : addLines();
  }

  // Its line of the list; none where it is not whole.
  Result<std::string> addFile(const IndexCopy& copy, const FiledContent& content) {
    const auto found = known_.find(content.id);
    if (found != known_.end() && found->second.codec == content.codec &&
        found->second.storedBytes == content.storedBytes) {
      ++snapshot_.fileCount;
      return fileLine(found->second);
    }
    auto stored = copy.readFile(content);
    if (!stored && stored.error().kind == Error::Kind::kBadInput) {
      snapshot_.missing.push_back(content.id);
      report_.missing.push_back(stored.error());
      return std::string();
    }
    if (!stored) return tl::unexpected(stored.error());
    StoredObject object = objectOf(std::move(*stored));
    const BackedUpFile file{content, object.hash};
    RETURN_IF_ERROR(add(std::move(object)));
    ++snapshot_.fileCount;
    return fileLine(file);
  }

  Status addIndex(const IndexCopy& copy) {
    ASSIGN_OR_RETURN(const auto count, copy.countArtifacts());
    snapshot_.artifacts = static_cast<int>(count);
    std::ifstream stream(copy.path(), std::ios::binary);
    std::vector<std::byte> piece(kPieceBytes);
    while (true) {
      stream.read(reinterpret_cast<char*>(piece.data()), static_cast<std::streamsize>(kPieceBytes));
      const auto got = static_cast<size_t>(stream.gcount());
      if (stream.bad()) return ioError("{}: cannot be read back", copy.path());
      if (got == 0) break;
      ASSIGN_OR_RETURN(snapshot_.index.emplace_back(), addPiece(std::span(piece).first(got)));
      report_.indexBytes += static_cast<int64_t>(got);
      if (progress_) progress_("index", static_cast<size_t>(report_.indexBytes), 0);
    }
    if (report_.indexBytes == 0) return ioError("{}: cannot be read back", copy.path());
    return {};
  }

  Status addCompanions() {
    for (const char* name : kCompanions) {
      const auto bytes =
          archive_.files().read(fmt::format("{}/{}", archive_.folder(), name), kLargestCompanion);
      if (!bytes && bytes.error().kind == Error::Kind::kNotFound) continue;
      if (!bytes && bytes.error().kind == Error::Kind::kResource)
        return tl::unexpected(bytes.error());
      if (!bytes) {
        report_.missing.push_back(bytes.error());
        continue;
      }
      ASSIGN_OR_RETURN(auto piece, addPiece(*bytes));
      snapshot_.companions.push_back({std::move(piece), name});
    }
    return {};
  }

  Archive& archive_;
  ObjectStore& store_;
  const BackupProgress& progress_;
  std::set<std::string> present_;  // Keys.
  std::unordered_map<ContentId, BackedUpFile> known_;
  std::vector<StoredObject> waiting_;
  size_t waitingBytes_ = 0;
  Snapshot snapshot_;
  BackupReport report_;
};

}  // namespace

Result<BackupReport> backUp(Archive& archive, ObjectStore& store, const BackupProgress& progress) {
  return Backup(archive, store, progress).run();
}

Result<BackupCheck> checkBackup(ObjectStore& store, const std::string& name,
                                const BackupProgress& progress) {
  ASSIGN_OR_RETURN(const auto snapshot, readSnapshot(store, name));
  BackupCheck check;
  check.snapshot = snapshot.name;
  std::set<std::string> hashes;
  for (const auto* pieces : {&snapshot.index, &snapshot.files})
    for (const Piece& piece : *pieces) hashes.insert(piece.object);
  for (const Piece& piece : snapshot.companions) hashes.insert(piece.object);
  // Where the list itself is damaged the objects that it names are not known.
  if (const auto files = readFileList(store, snapshot)) {
    for (const BackedUpFile& file : *files) hashes.insert(file.object);
  } else if (files.error().kind != Error::Kind::kBadInput &&
             files.error().kind != Error::Kind::kNotFound) {
    return tl::unexpected(files.error());
  }
  std::vector<WantedObject> wanted;
  for (const std::string& hash : hashes) wanted.push_back(wantedObject(hash));
  size_t done = 0;
  const auto step = [&] {
    ++done;
    if (progress) progress("objects", done, wanted.size());
  };
  RETURN_IF_ERROR(store.read(
      wanted,
      [&](const ContentId&, const Bytes& bytes) -> Status {
        ++check.objects;
        check.bytes += static_cast<int64_t>(bytes.size());
        step();
        return {};
      },
      [&](const ContentId& hash, const Error& error) -> Status {
        check.damaged.push_back(within(objectKey(hash), error).value());
        step();
        return {};
      }));
  return check;
}

}  // namespace vintage::archive
