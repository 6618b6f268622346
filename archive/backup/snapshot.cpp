#include "archive/backup/backup.h"

#include <algorithm>
#include <map>
#include <sstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "archive/store/blob_codec.h"
#include "archive/store/record_json.h"
#include "golden/base/content_hash.h"
#include "golden/base/failures.h"
#include "golden/base/strict_json.h"

namespace vintage::archive {
namespace {

using nlohmann::json;

// 2: with the archive's identity.
constexpr int kFormat = 2;
constexpr const char* kFormatName = "vintage_backup";
constexpr std::string_view kFolder = "snapshots/", kEnding = ".json";
constexpr int kLargestPiece = 64 << 20;
// Pieces that are in memory at once.
constexpr size_t kPieces = 16;

constexpr auto kPieceFields = []<typename Fields>(Fields& fields, auto& piece) {
  fields.required("object", piece.object);
  fields.required("codec", piece.codec);
  fields.required("bytes", piece.bytes);
  if constexpr (!Fields::kWrites) {
    const bool isPiece =
        isContentHash(piece.object) && piece.bytes >= 0 && piece.bytes <= kLargestPiece;
    if (fields.isFine() && !isPiece)
      fields.fail("object", "expected a hash, and a size of at most 64 MiB");
  }
};
constexpr auto kCompanionFields = [](auto& fields, auto& companion) {
  fields.required("path", companion.path);
  kPieceFields(fields, companion);
};
constexpr auto kSnapshotFields = [](auto& fields, auto& snapshot) {
  fields.required("number", snapshot.number);
  fields.required("made", snapshot.made);
  fields.optional("archive", snapshot.archive);
  fields.required("archive_format", snapshot.archiveFormat);
  fields.required("artifacts", snapshot.artifacts);
  fields.required("file_count", snapshot.fileCount);
  fields.list("index", snapshot.index, kPieceFields);
  fields.list("files", snapshot.files, kPieceFields);
  fields.list("companions", snapshot.companions, kCompanionFields);
  fields.required("missing", snapshot.missing);
};

Result<Snapshot> parseSnapshot(const std::string& name, std::span<const std::byte> bytes) {
  ASSIGN_OR_RETURN(const auto value,
                   parseDocument({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, name,
                                 kFormatName, kFormat));
  Status status;
  JsonObject object(value, name, status);
  JsonFieldReader fields(object, status);
  Snapshot snapshot;
  snapshot.name = name;
  kSnapshotFields(fields, snapshot);
  object.finish();
  if (!status) return tl::unexpected(status.error());
  return snapshot;
}

}  // namespace

std::string fileLine(const BackedUpFile& file) {
  return fmt::format("{} {} {} {} {}\n", file.id, file.codec, file.bytes, file.storedBytes,
                     file.object);
}

std::string objectKey(const std::string& hash) {
  return fmt::format("objects/{}/{}", hash.substr(0, 2), hash);
}

WantedObject wantedObject(const std::string& hash) { return {objectKey(hash), {hash}}; }

StoredObject objectOf(std::vector<std::byte> bytes) {
  StoredObject object;
  object.hash = contentHash(bytes);
  object.key = objectKey(object.hash);
  object.bytes = std::move(bytes);
  return object;
}

Result<Piece> packPiece(std::span<const std::byte> bytes, StoredObject& object) {
  ASSIGN_OR_RETURN(auto encoded, encodeBlob(bytes));
  object = objectOf(std::move(encoded.bytes));
  return Piece{object.hash, static_cast<int>(encoded.codec), static_cast<int>(bytes.size())};
}

StoredObject writeSnapshot(const Snapshot& snapshot) {
  json value = JsonFieldWriter::write(snapshot, kSnapshotFields);
  value["format"] = kFormatName;
  value["version"] = kFormat;
  const std::string text = jsonText(value) + "\n";
  const auto bytes = std::as_bytes(std::span(text));
  StoredObject object = objectOf({bytes.begin(), bytes.end()});
  std::string time = snapshot.made;
  std::ranges::replace(time, ':', '-');
  object.key = fmt::format("{}{:06}-{}-{}{}", kFolder, snapshot.number, time, object.hash, kEnding);
  return object;
}

std::string snapshotName(const std::string& key) {
  if (!key.starts_with(kFolder) || !key.ends_with(kEnding)) return {};
  std::string name = key.substr(kFolder.size(), key.size() - kFolder.size() - kEnding.size());
  return isContentHash(name.substr(name.rfind('-') + 1)) ? name : std::string();
}

std::string shortSnapshotName(const std::string& name) { return name.substr(0, name.rfind('-')); }

Result<std::vector<std::string>> listSnapshots(ObjectStore& store) {
  ASSIGN_OR_RETURN(const auto keys, store.list(std::string(kFolder)));
  std::vector<std::string> names;
  for (const std::string& key : keys)
    if (std::string name = snapshotName(key); !name.empty()) names.push_back(std::move(name));
  std::ranges::sort(names);
  return names;
}

Result<Snapshot> readSnapshot(ObjectStore& store, const std::string& name) {
  ASSIGN_OR_RETURN(const auto names, listSnapshots(store));
  if (names.empty())
    return notFound("{}: there is no snapshot; 'vintage backup' makes one", store.name());
  std::string chosen = names.back();
  if (!name.empty()) {
    const auto fits = [&](const std::string& other) {
      return other.starts_with(name) || other.substr(other.find('-') + 1).starts_with(name);
    };
    const auto count = std::ranges::count_if(names, fits);
    if (count != 1)
      return notFound(
          "{}: {} snapshots have a number or a time that begins with '{}'; the newest is {}",
          store.name(), count, name, names.back());
    chosen = *std::ranges::find_if(names, fits);
  }
  Result<Snapshot> read = failure(Error::Kind::kIo, store.name() + ": nothing was read");
  const WantedObject wanted{fmt::format("{}{}{}", kFolder, chosen, kEnding),
                            {chosen.substr(chosen.rfind('-') + 1)}};
  RETURN_IF_ERROR(store.read(
      std::span(&wanted, 1),
      [&](const ContentId&, const Bytes& bytes) -> Status {
        read = parseSnapshot(chosen, bytes);
        return {};
      },
      [&](const ContentId&, const Error& error) -> Status {
        read = within("snapshot " + chosen, error);
        // A disk that does not give it back has damaged it.
        if (read.error().kind == Error::Kind::kIo) read.error().kind = Error::Kind::kBadInput;
        return {};
      }));
  return read;
}

Status readPieces(ObjectStore& store, std::span<const Piece> pieces,
                  const std::function<Status(std::span<const std::byte>)>& take) {
  for (size_t begin = 0; begin < pieces.size(); begin += kPieces) {
    const auto group = pieces.subspan(begin, std::min(kPieces, pieces.size() - begin));
    std::map<std::string, Bytes> stored;
    std::vector<WantedObject> wanted;
    for (const Piece& piece : group)
      if (stored.try_emplace(piece.object).second) wanted.push_back(wantedObject(piece.object));
    RETURN_IF_ERROR(store.read(
        wanted,
        [&](const ContentId& hash, Bytes bytes) -> Status {
          stored[hash] = std::move(bytes);
          return {};
        },
        [&](const ContentId& hash, const Error& error) -> Status {
          return within(fmt::format("{}: {}", store.name(), objectKey(hash)), error);
        }));
    for (const Piece& piece : group) {
      ASSIGN_OR_RETURN(const auto bytes, decodeBlob(piece.codec, stored.at(piece.object),
                                                    static_cast<uint64_t>(piece.bytes)));
      RETURN_IF_ERROR(take(bytes));
    }
  }
  return {};
}

Result<std::vector<BackedUpFile>> readFileList(ObjectStore& store, const Snapshot& snapshot) {
  std::stringstream lines;
  RETURN_IF_ERROR(
      readPieces(store, snapshot.files, [&](std::span<const std::byte> bytes) -> Status {
        lines.write(reinterpret_cast<const char*>(bytes.data()),
                    static_cast<std::streamsize>(bytes.size()));
        return {};
      }));
  std::vector<BackedUpFile> files;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    BackedUpFile file;
    words >> file.id >> file.codec >> file.bytes >> file.storedBytes >> file.object;
    // Written back it is the same, so nothing else stands there.
    if (!words || file.codec < 0 || file.bytes < 0 || file.storedBytes < 0 ||
        !isContentHash(file.id) || !isContentHash(file.object) || fileLine(file) != line + "\n")
      return badInput("snapshot {}: line {} of the list of files cannot be read", snapshot.name,
                      files.size() + 1);
    files.push_back(std::move(file));
  }
  return files;
}

}  // namespace vintage::archive
