#include "archive/store/content_reader.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "archive/store/archive_implementation.h"
#include "archive/store/blob_store.h"
#include "archive/store/row_values.h"
#include "golden/base/content_hash.h"
#include "golden/base/failures.h"
#include "golden/base/parallel.h"

namespace vintage::archive {

tl::unexpected<Error> damagedBlob(const std::string& place, const ContentId& id,
                                  const std::string& what) {
  return badInput("{}: blob {} is damaged: {}; putting the same content again heals it", place, id,
                  what);
}

Result<size_t> ContentReader::read(std::span<std::byte> piece) {
  auto count = decoder_.read(piece);
  if (!count && count.error().kind != Error::Kind::kBadInput) return count;
  if (!count) return damagedBlob(place_, id_, count.error().message);
  hasher_.update(piece.first(*count));
  given_ += *count;
  if (*count > 0 && given_ == bytes_)
    if (const ContentId actual = hasher_.finish(); actual != id_)
      return damagedBlob(place_, id_, fmt::format("its content hashes to {}", actual));
  return count;
}

Status ContentReader::skip(uint64_t count) {
  std::vector<std::byte> piece(std::min<uint64_t>(count, kPieceBytes));
  while (count > 0) {
    ASSIGN_OR_RETURN(const auto read,
                     this->read(std::span(piece).first(std::min<uint64_t>(count, piece.size()))));
    if (read == 0) break;
    count -= read;
  }
  return {};
}

Result<std::optional<KeptContent>> lookAt(const Archive& archive, const ContentId& id) {
  if (!isContentHash(id))
    return usageError("'{}' is not an id; ids are 64 lower-case hexadecimal digits",
                      id.substr(0, 80));
  static const std::string kSql =
      "SELECT b.bytes, EXISTS (SELECT 1 FROM artifact AS a WHERE a.blob = b.id), EXISTS (SELECT 1 "
      "FROM artifact AS a WHERE a.golden = b.id) FROM blob AS b WHERE " +
      hashIs("b.hash") + " AND b.codec <> ?2";
  int64_t bytes = 0;
  KeptContent kept;
  ASSIGN_OR_RETURN(const bool found,
                   firstRow(indexOf(archive), kSql, std::tie(bytes, kept.ofArtifact, kept.ofGolden),
                            hashBytes(id), BlobCodec::kRemoved));
  if (!found) return std::nullopt;
  kept.bytes = static_cast<uint64_t>(std::max<int64_t>(bytes, 0));
  return kept;
}

std::vector<HashedContent> hashContents(std::span<const std::span<const std::byte>> contents) {
  constexpr size_t kWorthAThread = 256 * 1024;  // Bytes that take longer than to start a thread.
  size_t bytes = 0;
  for (const auto& content : contents) bytes += content.size();
  std::vector<HashedContent> hashed(contents.size());
  inParallel(contents.size(), callsOf(kWorthAThread, bytes, contents.size()),
             [&](size_t index) { hashed[index] = HashedContent(contents[index]); });
  return hashed;
}

}  // namespace vintage::archive
