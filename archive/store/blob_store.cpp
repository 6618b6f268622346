#include "archive/store/blob_store.h"

#include <algorithm>
#include <random>

#include <unistd.h>

#include <fmt/format.h>

#include "archive/store/archive_implementation.h"
#include "archive/store/row_values.h"
#include "golden/base/content_hash.h"
#include "golden/base/failures.h"
#include "golden/base/file.h"

namespace vintage::archive {
namespace {

constexpr auto kAbandonedAfter = std::chrono::hours(24);

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

// Grows with what comes and not with what a row or a frame claims; once, where that is true.
Result<std::vector<std::byte>> readWhole(ContentReader& reader) {
  std::vector<std::byte> content, piece(kPieceBytes);
  for (;;) {
    ASSIGN_OR_RETURN(const auto count, reader.read(piece));
    if (count == 0) return content;
    // Reserved memory that nobody writes to costs nothing.
    if (content.empty()) content.reserve(reader.bytes());
    content.insert(content.end(), piece.begin(), piece.begin() + static_cast<ptrdiff_t>(count));
  }
}

// As readFile() says. Where descriptors or memory ran out, the process is at fault and not the
// file.
tl::unexpected<Error> unreadable(const std::string& path, const ContentId& id, const Error& error) {
  if (error.kind == Error::Kind::kResource) return tl::unexpected(error);
  return damagedBlob(path, id,
                     error.kind == Error::Kind::kNotFound ? "its file is missing" : error.message);
}

// Stored bytes in memory, as a source for a decoder.
BlobDecoder::Stored storedIn(std::vector<std::byte> bytes) {
  return [bytes = std::make_shared<const std::vector<std::byte>>(std::move(bytes)),
          used = size_t{0}](std::span<std::byte> piece) mutable -> Result<size_t> {
    const size_t count = std::min(piece.size(), bytes->size() - used);
    std::copy_n(bytes->begin() + static_cast<ptrdiff_t>(used), count, piece.begin());
    used += count;
    return count;
  };
}

}  // namespace

std::string hashIs(std::string_view column, std::string_view value) {
  return fmt::format("substr({0}, 1, 3) = substr({1}, 1, 3) AND {0} = {1}", column, value);
}

std::string hashIsFrom(std::string_view column, std::string_view first, std::string_view last) {
  return fmt::format(
      "substr({0}, 1, 3) BETWEEN substr({1}, 1, 3) AND substr({2}, 1, 3) AND {0} BETWEEN {1} "
      "AND {2}",
      column, first, last);
}

std::string isNamed(std::string_view row) {
  return fmt::format(
      "(EXISTS (SELECT 1 FROM artifact AS a WHERE a.blob = {0}) OR EXISTS (SELECT 1 FROM artifact "
      "AS a WHERE a.golden = {0}) OR EXISTS (SELECT 1 FROM dictionary AS d WHERE d.blob = {0}) OR "
      "EXISTS (SELECT 1 FROM travelling_list_part AS t WHERE t.blob = {0}))",
      row);
}

Result<std::optional<int64_t>> rowOfHash(Database& database, std::span<const std::byte> hash) {
  static const std::string kSql = "SELECT min(id) FROM blob WHERE " + hashIs("hash");
  return firstInteger(database, kSql, hash);
}

std::string BlobStore::incomingFolder() const {
  return fmt::format("{}/blobs/{}", folder_, kIncomingFolder);
}

std::string BlobStore::filePath(const ContentId& id) const {
  return fmt::format("{}/blobs/{}/{}.zst", folder_, id.substr(0, 2), id);
}

Result<std::optional<BlobStore::Row>> BlobStore::findRow(const ContentId& id) {
  static const std::string kSql =
      "SELECT id, bytes, codec, stored_bytes, in_file, place FROM blob WHERE " + hashIs("hash");
  Row row;
  ASSIGN_OR_RETURN(const bool found, firstRow(database_, kSql,
                                              std::tie(row.id, row.bytes, row.codec,
                                                       row.storedBytes, row.inFile, row.place),
                                              hashBytes(id)));
  if (!found || row.codec == static_cast<int64_t>(BlobCodec::kRemoved)) return std::nullopt;
  return row;
}

Result<std::vector<std::byte>> BlobStore::readPacked(const Row& row) {
  if (row.place < 0 || row.bytes < 0)
    return badInput("its row says {} bytes at place {} of a pack", row.bytes, row.place);
  return packs_.read(packOf(row.place), static_cast<uint64_t>(startOf(row.place)),
                     static_cast<uint64_t>(row.bytes));
}

Result<std::vector<std::byte>> BlobStore::readRow(const ContentId& id, const Row& row) {
  const auto damaged = [&](const std::string& what) {
    return damagedBlob(row.inFile ? filePath(id) : database_.path(), id, what);
  };
  if (row.bytes < 0 || static_cast<uint64_t>(row.bytes) > kLargestBlob)
    return damaged(fmt::format("its row says {} bytes", row.bytes));
  if (row.inFile && static_cast<uint64_t>(row.bytes) > kHeldWhole) {
    ASSIGN_OR_RETURN(auto reader, openRow(id, row));
    return readWhole(reader);
  }
  Result<std::vector<std::byte>> content;
  if (row.inFile) {
    ASSIGN_OR_RETURN(const auto stored, readFile(id));
    content = decode(row.codec, stored, static_cast<uint64_t>(row.bytes));
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

Result<std::vector<std::byte>> BlobStore::read(const ContentId& id) {
  ASSIGN_OR_RETURN(const auto row, rowOf(id));
  return readRow(id, row);
}

Result<ContentReader> BlobStore::openRow(const ContentId& id, const Row& row) {
  const std::string place = row.inFile ? filePath(id) : database_.path();
  const auto bytes = static_cast<uint64_t>(row.bytes);
  int64_t codec = row.codec;
  BlobDecoder::Stored stored;
  if (row.inFile) {
    auto file = files_.open(place);
    if (!file) return unreadable(place, id, file.error());
    stored = [file = std::shared_ptr<ReadableFile>(std::move(*file))](
                 std::span<std::byte> piece) -> Result<size_t> {
      auto count = file->read(piece);
      if (!count && count.error().kind == Error::Kind::kIo)
        count.error().kind = Error::Kind::kBadInput;  // As readFile() says.
      return count;
    };
  } else if (codec == static_cast<int64_t>(BlobCodec::kZstd) && bytes > kHeldWhole) {
    // Some kilobytes may unpack to anything.
    ASSIGN_OR_RETURN(auto query,
                     database_.query("SELECT content FROM blob_content WHERE blob = ?"));
    ASSIGN_OR_RETURN(const auto found, query.bind(row.id).step());
    if (!found) return damagedBlob(place, id, "its content is missing");
    stored = storedIn({query.blob(0).begin(), query.blob(0).end()});
  } else {
    ASSIGN_OR_RETURN(auto content, readRow(id, row));
    stored = storedIn(std::move(content));
    codec = static_cast<int64_t>(BlobCodec::kRaw);
  }
  auto decoder = BlobDecoder::make(codec, std::move(stored), bytes);
  if (!decoder) return damagedBlob(place, id, decoder.error().message);
  return ContentReader(id, bytes, std::move(*decoder), place);
}

Result<ContentReader> BlobStore::open(const ContentId& id) {
  ASSIGN_OR_RETURN(const auto row, rowOf(id));
  if (row.bytes < 0 || static_cast<uint64_t>(row.bytes) > kLargestBlob)
    return damagedBlob(database_.path(), id, fmt::format("its row says {} bytes", row.bytes));
  return openRow(id, row);
}

Result<std::vector<std::byte>> BlobStore::readFile(const ContentId& id) {
  auto stored = files_.read(filePath(id), kLargestBlob);
  if (!stored) return unreadable(filePath(id), id, stored.error());
  return stored;
}

Status BlobStore::writeFile(const ContentId& id, std::string_view lease, const WriteFile& write) {
  const std::string incoming = incomingFolder(), path = filePath(id);
  RETURN_IF_ERROR(files_.createFolders(incoming));
  RETURN_IF_ERROR(files_.createFolders(parentFolder(path)));
  return writeWhole(files_, fmt::format("{}/{}", incoming, temporaryName(id, lease)), path, write);
}

// Packs the content on the way. A source is hashed on the way too: another process may write to it
// while it is read.
Status BlobStore::writeInPieces(StagedBlob& blob, WritableFile& file) {
  ASSIGN_OR_RETURN(auto encoder,
                   BlobEncoder::make(blob.size(), [&](std::span<const std::byte> piece) {
                     return file.append(piece);
                   }));
  if (blob.source == nullptr) {
    RETURN_IF_ERROR(encoder.write(blob.content));
  } else {
    ContentHasher hasher;
    RETURN_IF_ERROR(blob.source->read([&](std::span<const std::byte> piece) {
      hasher.update(piece);
      return encoder.write(piece);
    }));
    if (const ContentId actual = hasher.finish(); actual != blob.id)
      return badInput("content {} hashes to {}: it changed while it was read", blob.id, actual);
  }
  ASSIGN_OR_RETURN(blob.storedInPieces, encoder.finish());
  return {};
}

Status BlobStore::settle(std::span<StagedBlob> blobs, std::string_view lease) {
  std::set<std::string> folders;
  for (StagedBlob& blob : blobs) {
    if (!blob.inFile()) continue;
    RETURN_IF_ERROR(writeFile(blob.id, lease, [&](WritableFile& file) {
      return blob.inPieces ? writeInPieces(blob, file) : file.append(blob.encoded->bytes);
    }));
    folders.insert(parentFolder(filePath(blob.id)));
  }
  // Also where the folder was there already: the process that made it may not have synced it yet.
  if (!folders.empty()) folders.insert(folder_ + "/blobs");
  return syncFolders(folders);
}

Status BlobStore::syncFolders(const std::set<std::string>& folders) {
  for (const std::string& folder : folders) RETURN_IF_ERROR(files_.syncFolder(folder));
  return {};
}

Status BlobStore::writeCopy(const ContentId& id, std::span<const std::byte> content) {
  ASSIGN_OR_RETURN(const auto frame, encodeFrame(content, nullptr));
  RETURN_IF_ERROR(writeFile(id, {}, [&](WritableFile& file) { return file.append(frame); }));
  return syncFolders({parentFolder(filePath(id)), folder_ + "/blobs"});
}

Result<std::vector<std::byte>> BlobStore::readDictionary(const ContentId& id) {
  ASSIGN_OR_RETURN(const auto row, rowOf(id));
  // Packed with itself, or with a dictionary that is packed with it: Vintage never writes that.
  if (row.codec == static_cast<int64_t>(BlobCodec::kZstdDictionary))
    return badInput("its row says that it is packed with a dictionary");
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
  return notFound("what is stored does not hash to it");
}

Result<std::vector<std::byte>> BlobStore::readCopy(const ContentId& id) {
  ASSIGN_OR_RETURN(const auto stored, files_.read(filePath(id), kLargestBlob));
  auto content = decodeLoose(id, stored);
  if (content || content.error().kind != Error::Kind::kNotFound) return content;
  return badInput("{}: {}", filePath(id), content.error().message);
}

Result<std::vector<std::byte>> BlobStore::readLoose(const ContentId& id) {
  if (const auto stored = files_.read(filePath(id), kLargestBlob))
    if (auto content = decodeLoose(id, *stored)) return content;
  ASSIGN_OR_RETURN(auto row, findRow(id));
  if (row && row->place != 0) {
    const auto content = readPacked(*row);
    if (content && contentHash(*content) == id) return content;
  }
  static const std::string kSql =
      "SELECT c.content FROM blob AS b JOIN blob_content AS c ON c.blob = b.id WHERE " +
      hashIs("b.hash");
  ASSIGN_OR_RETURN(auto query, database_.query(kSql));
  ASSIGN_OR_RETURN(const auto found, query.bindBlob(hashBytes(id)).step());
  if (found) return decodeLoose(id, query.blob(0));
  return notFound("this archive holds no whole copy of it");
}

Result<FileUse> BlobStore::fileUse(const ContentId& id) {
  static const std::string kSql = fmt::format(
      "SELECT EXISTS (SELECT 1 FROM blob AS b WHERE {} AND (b.in_file = 1 OR EXISTS (SELECT 1 FROM "
      "dictionary AS d WHERE d.blob = b.id))), EXISTS (SELECT 1 FROM lease_content WHERE hash = "
      "?1)",
      hashIs("b.hash"));
  bool byRow = false, leased = false;
  RETURN_IF_ERROR(firstRow(database_, kSql, std::tie(byRow, leased), hashBytes(id)));
  return byRow ? FileUse::kRow : leased ? FileUse::kLeased : FileUse::kNone;
}

Result<bool> BlobStore::isAbandoned(const std::string& name) {
  if (const std::string_view lease = leaseOf(name); !lease.empty())
    return isLeaseOver(database_, lease, clock_.now());
  const auto status = files_.status(fmt::format("{}/{}", incomingFolder(), name));
  return status && *status && clock_.now() - (*status)->changed >= kAbandonedAfter;
}

Result<int64_t> BlobStore::removeAbandoned(std::vector<Error>* stuck) {
  const auto isStuck = [&](const Error& error) {
    // Somebody else may have been faster.
    if (stuck != nullptr && error.kind != Error::Kind::kNotFound) stuck->push_back(error);
  };
  const auto names = files_.list(incomingFolder());
  if (!names) {
    isStuck(names.error());
    return 0;
  }
  int64_t removed = 0;
  for (const std::string& name : *names) {
    ASSIGN_OR_RETURN(const auto abandoned, isAbandoned(name));
    if (!abandoned) continue;
    const Status gone = files_.remove(fmt::format("{}/{}", incomingFolder(), name));
    if (gone)
      ++removed;
    else
      isStuck(gone.error());
  }
  return removed;
}

}  // namespace vintage::archive
