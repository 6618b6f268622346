#include "archive/store/blob_store.h"

#include <algorithm>
#include <cstring>
#include <random>

#include <unistd.h>

#include <fmt/format.h>

#include "archive/store/lease.h"
#include "golden/base/content_hash.h"
#include "golden/base/failures.h"

namespace vintage::archive::store {
namespace {

constexpr auto kAbandonedAfter = std::chrono::hours(24);

std::byte nibble(char digit) {
  return static_cast<std::byte>(digit <= '9' ? digit - '0' : digit - 'a' + 10);
}

// LEASE.CONTENT.RANDOM.tmp; the process stands for the lease where there is none.
std::string temporaryName(const ContentId& id, std::string_view lease) {
  static thread_local std::mt19937_64 random{std::random_device{}()};
  return fmt::format("{}.{}.{:016x}.tmp", lease.empty() ? std::to_string(::getpid()) : lease,
                     id.substr(0, 16), random());
}

// The lease in a temporary file's name; empty where it has none.
std::string_view leaseOf(std::string_view name) {
  const std::string_view first = name.substr(0, name.find('.'));
  return first.size() == kLeaseDigits ? first : std::string_view();
}

}  // namespace

std::vector<std::byte> hashBytes(std::string_view id) {
  std::vector<std::byte> bytes(id.size() / 2);
  for (size_t index = 0; index < bytes.size(); ++index)
    bytes[index] = (nibble(id[2 * index]) << 4) | nibble(id[2 * index + 1]);
  return bytes;
}

ContentId hashText(std::span<const std::byte> hash) {
  static constexpr char kDigits[] = "0123456789abcdef";
  ContentId text;
  text.reserve(hash.size() * 2);
  for (const std::byte byte : hash) {
    text += kDigits[std::to_integer<unsigned>(byte >> 4)];
    text += kDigits[std::to_integer<unsigned>(byte & std::byte{15})];
  }
  return text;
}

Result<std::optional<int64_t>> rowOfHash(Database& database, std::span<const std::byte> hash) {
  ASSIGN_OR_RETURN(auto query, database.query("SELECT min(id) FROM blob WHERE substr(hash, 1, 3) = "
                                              "substr(?1, 1, 3) AND hash = ?1"));
  ASSIGN_OR_RETURN(const auto found, query.bindBlob(hash).step());
  if (!found || query.isNull(0)) return std::nullopt;
  return query.integer(0);
}

std::string BlobStore::incomingFolder() const {
  return fmt::format("{}/blobs/{}", folder_, kIncomingFolder);
}

std::string BlobStore::filePath(const ContentId& id) const {
  return fmt::format("{}/blobs/{}/{}.zst", folder_, id.substr(0, 2), id);
}

Result<std::optional<BlobStore::Row>> BlobStore::findRow(const ContentId& id) {
  ASSIGN_OR_RETURN(
      auto query,
      database_.query("SELECT id, bytes, codec, stored_bytes, in_file, place "
                      "FROM blob WHERE substr(hash, 1, 3) = substr(?1, 1, 3) AND hash = "
                      "?1"));
  query.bindBlob(hashBytes(id));
  ASSIGN_OR_RETURN(const auto found, query.step());
  if (!found || query.integer(2) == static_cast<int64_t>(BlobCodec::kRemoved)) return std::nullopt;
  return Row{query.integer(0), query.integer(1),      query.integer(2),
             query.integer(3), query.integer(4) != 0, query.integer(5)};
}

Result<std::vector<std::byte>> BlobStore::readPacked(const Row& row) {
  if (row.place < 0 || row.bytes < 0)
    return badInput("its row says {} bytes at place {} of a pack", row.bytes, row.place);
  return packs_.read(packOf(row.place), static_cast<uint64_t>(startOf(row.place)),
                     static_cast<uint64_t>(row.bytes));
}

Result<std::vector<std::byte>> BlobStore::readRow(const ContentId& id, const Row& row) {
  const auto damaged = [&](const std::string& what) {
    return badInput("{}: blob {} is damaged: {}; putting the same content again heals it",
                    row.inFile ? filePath(id) : database_.path(), id, what);
  };
  if (row.bytes < 0 || static_cast<uint64_t>(row.bytes) > kLargestBlob)
    return damaged(fmt::format("its row says {} bytes", row.bytes));
  Result<std::vector<std::byte>> content;
  if (row.inFile) {
    const auto stored = files_.read(filePath(id), kLargestBlob);
    if (!stored && stored.error().kind == Error::Kind::kNotFound)
      return damaged("its file is missing");
    if (!stored) return stored;
    content = decode(row.codec, *stored, static_cast<uint64_t>(row.bytes));
  } else if (row.codec == static_cast<int64_t>(BlobCodec::kPacked)) {
    content = readPacked(row);
  } else {
    ASSIGN_OR_RETURN(auto query,
                     database_.query("SELECT content FROM blob_content WHERE blob = ?"));
    ASSIGN_OR_RETURN(const auto found, query.bind(row.id).step());
    if (!found) return damaged("its content is missing");
    content = decode(row.codec, query.blob(0), static_cast<uint64_t>(row.bytes));
  }
  if (!content && content.error().kind != Error::Kind::kBadInput) return content;
  if (!content) return damaged(content.error().message);
  if (const ContentId actual = contentHash(*content); actual != id)
    return damaged(fmt::format("its content hashes to {}", actual));
  return content;
}

Result<BlobStore::Row> BlobStore::rowOf(const ContentId& id) {
  if (!isContentHash(id))
    return usageError("'{}' is not an id; ids are 64 lower-case hexadecimal digits",
                      id.substr(0, 80));
  ASSIGN_OR_RETURN(const auto row, findRow(id));
  if (!row) return notFound("{}: the archive has no content {}", folder_, id);
  return *row;
}

Result<BlobStore::Kept> BlobStore::keptRow(const ContentId& id) {
  ASSIGN_OR_RETURN(const auto row, rowOf(id));
  return Kept{row.id, row.bytes};
}

Result<std::vector<std::byte>> BlobStore::read(const ContentId& id) {
  ASSIGN_OR_RETURN(const auto row, rowOf(id));
  return readRow(id, row);
}

Status BlobStore::writeFile(const ContentId& id, std::span<const std::byte> stored,
                            std::string_view lease) {
  const std::string incoming = incomingFolder();
  const std::string path = filePath(id);
  RETURN_IF_ERROR(files_.createFolders(incoming));
  RETURN_IF_ERROR(files_.createFolders(parentFolder(path)));
  return writeWhole(files_, fmt::format("{}/{}", incoming, temporaryName(id, lease)), path, stored);
}

Status BlobStore::settle(std::span<const StagedBlob> blobs, std::string_view lease) {
  std::set<std::string> folders;
  for (const StagedBlob& blob : blobs) {
    if (!blob.inFile()) continue;
    RETURN_IF_ERROR(writeFile(blob.id, blob.encoded->bytes, lease));
    folders.insert(parentFolder(filePath(blob.id)));
  }
  // Also where the folder was there already: whoever made it may not have
  // synced it yet.
  if (!folders.empty()) folders.insert(folder_ + "/blobs");
  return syncFolders(folders);
}

Status BlobStore::syncFolders(const std::set<std::string>& folders) {
  for (const std::string& folder : folders) {
    RETURN_IF_ERROR(files_.syncFolder(folder));
  }
  return {};
}

Status BlobStore::writeCopy(const ContentId& id, std::span<const std::byte> content) {
  ASSIGN_OR_RETURN(const auto frame, encodeFrame(content, nullptr));
  RETURN_IF_ERROR(writeFile(id, frame, {}));
  return syncFolders({parentFolder(filePath(id)), folder_ + "/blobs"});
}

Result<std::vector<std::byte>> BlobStore::readDictionary(const ContentId& id) {
  ASSIGN_OR_RETURN(const auto row, rowOf(id));
  // Packed with itself, or with one that is packed with it: nobody writes that.
  if (row.codec == static_cast<int64_t>(BlobCodec::kZstdDictionary))
    return failure(Error::Kind::kBadInput, "its row says that it is packed with a dictionary");
  auto content = readRow(id, row);
  if (content || content.error().kind != Error::Kind::kBadInput) return content;
  auto copy = readLoose(id);
  return copy ? std::move(copy) : std::move(content);
}

Result<std::vector<std::byte>> BlobStore::decode(int64_t codec, std::span<const std::byte> stored,
                                                 uint64_t size) {
  if (codec != static_cast<int64_t>(BlobCodec::kZstdDictionary))
    return decodeBlob(codec, stored, size);
  ASSIGN_OR_RETURN(const auto dictionary, dictionaries_.find(dictionaryOf(stored)));
  return decodeBlob(codec, stored, size, dictionary);
}

Result<std::vector<std::byte>> BlobStore::decodeLoose(const ContentId& id,
                                                      std::span<const std::byte> stored) {
  if (contentHash(stored) == id) return std::vector<std::byte>(stored.begin(), stored.end());
  const Dictionary* dictionary = nullptr;
  if (const uint32_t named = dictionaryOf(stored); named != 0) {
    ASSIGN_OR_RETURN(dictionary, dictionaries_.find(named));
  }
  auto content = decodeFrame(stored, kLargestBlob, dictionary);
  if (content && contentHash(*content) == id) return content;
  return failure(Error::Kind::kNotFound, "what is stored does not hash to it");
}

Result<std::vector<std::byte>> BlobStore::readCopy(const ContentId& id) {
  ASSIGN_OR_RETURN(const auto stored, files_.read(filePath(id), kLargestBlob));
  auto content = decodeLoose(id, stored);
  if (content || content.error().kind != Error::Kind::kNotFound) return content;
  return badInput("{}: {}", filePath(id), content.error().message);
}

Result<std::vector<std::byte>> BlobStore::readLoose(const ContentId& id) {
  if (const auto stored = files_.read(filePath(id), kLargestBlob)) {
    if (auto content = decodeLoose(id, *stored)) return content;
  }
  ASSIGN_OR_RETURN(auto row, findRow(id));
  if (row && row->place != 0) {
    const auto content = readPacked(*row);
    if (content && contentHash(*content) == id) return content;
  }
  ASSIGN_OR_RETURN(auto query, database_.query("SELECT c.content FROM blob AS b JOIN blob_content "
                                               "AS c ON c.blob = b.id WHERE substr(b.hash, 1, 3) = "
                                               "substr(?1, 1, 3) AND b.hash = ?1"));
  ASSIGN_OR_RETURN(const auto found, query.bindBlob(hashBytes(id)).step());
  if (found) return decodeLoose(id, query.blob(0));
  return failure(Error::Kind::kNotFound, "this archive holds no whole copy of it");
}

Result<BlobStore::FileUse> BlobStore::fileUse(const ContentId& id) {
  ASSIGN_OR_RETURN(
      auto query,
      database_.query("SELECT EXISTS (SELECT 1 FROM blob AS b WHERE substr(b.hash, 1, 3) = "
                      "substr(?1, 1, 3) AND b.hash = ?1 AND (b.in_file = 1 OR EXISTS "
                      "(SELECT 1 FROM dictionary AS d WHERE d.blob = b.id))), "
                      "EXISTS (SELECT 1 FROM lease_content WHERE hash = ?1)"));
  ASSIGN_OR_RETURN(const auto row, query.bindBlob(hashBytes(id)).step());
  if (row && query.integer(0) != 0) return FileUse::kRow;
  return row && query.integer(1) != 0 ? FileUse::kLeased : FileUse::kNone;
}

Result<bool> BlobStore::isAbandoned(const std::string& name) {
  if (const std::string_view lease = leaseOf(name); !lease.empty())
    return isLeaseOver(database_, lease, clock_.now());
  ASSIGN_OR_RETURN(const auto status, files_.status(fmt::format("{}/{}", incomingFolder(), name)));
  return status && clock_.now() - status->changed >= kAbandonedAfter;
}

Result<int64_t> BlobStore::removeAbandoned() {
  const auto names = files_.list(incomingFolder());
  if (!names && names.error().kind == Error::Kind::kNotFound) return 0;
  if (!names) return tl::unexpected(names.error());
  int64_t removed = 0;
  for (const std::string& name : *names) {
    ASSIGN_OR_RETURN(const auto abandoned, isAbandoned(name));
    if (!abandoned) continue;
    // Somebody else may have been faster.
    removed += files_.remove(fmt::format("{}/{}", incomingFolder(), name)).has_value();
  }
  return removed;
}

}  // namespace vintage::archive::store
