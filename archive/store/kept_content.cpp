#include "archive/store/kept_content.h"

#include <algorithm>

#include "archive/store/archive_implementation.h"
#include "archive/store/blob_store.h"
#include "golden/base/content_hash.h"
#include "golden/base/failures.h"

namespace vintage::archive::store {

Result<std::optional<KeptContent>> lookAt(const Archive& archive, const ContentId& id) {
  if (!isContentHash(id))
    return usageError("'{}' is not an id; ids are 64 lower-case hexadecimal digits",
                      id.substr(0, 80));
  static const std::string kSql =
      "SELECT b.bytes, EXISTS (SELECT 1 FROM artifact AS a WHERE a.blob = b.id), EXISTS (SELECT 1 "
      "FROM artifact AS a WHERE a.golden = b.id) FROM blob AS b WHERE " +
      hashIs("b.hash") + " AND b.codec <> ?2";
  ASSIGN_OR_RETURN(auto query, archive.implementation().database->query(kSql));
  query.bindBlob(hashBytes(id)).bind(static_cast<int64_t>(BlobCodec::kRemoved));
  ASSIGN_OR_RETURN(const auto found, query.step());
  if (!found) return std::nullopt;
  return KeptContent{static_cast<uint64_t>(std::max<int64_t>(query.integer(0), 0)),
                     query.integer(1) != 0, query.integer(2) != 0};
}

Result<std::optional<uint64_t>> keptBytes(const Archive& archive, const ContentId& id) {
  const auto kept = archive.implementation().blobs.keptRow(id);
  if (!kept && kept.error().kind != Error::Kind::kNotFound) return tl::unexpected(kept.error());
  return kept ? std::optional(static_cast<uint64_t>(kept->bytes)) : std::nullopt;
}

}  // namespace vintage::archive::store
