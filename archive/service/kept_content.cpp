#include "archive/service/kept_content.h"

#include <algorithm>

#include <fmt/format.h>

#include "archive/archive_implementation.h"
#include "golden/content_hash.h"

namespace vintage::service {

Result<std::optional<KeptContent>> lookAt(const Archive& archive, const ContentId& id) {
  if (!isContentHash(id))
    return failure(Error::Kind::kUsage,
                   fmt::format("'{}' is not an id; ids are 64 lower-case hexadecimal digits",
                               id.substr(0, 80)));
  auto query = archive.implementation().database->query(
      "SELECT b.bytes, EXISTS (SELECT 1 FROM artifact AS a WHERE a.blob = b.id), "
      "EXISTS (SELECT 1 FROM artifact AS a WHERE a.golden = b.id) FROM blob AS b WHERE b.hash = ?");
  if (!query) return tl::unexpected(query.error());
  const auto found = query->bindBlob(hashBytes(id)).step();
  if (!found) return tl::unexpected(found.error());
  if (!*found) return std::nullopt;
  return KeptContent{static_cast<uint64_t>(std::max<int64_t>(query->integer(0), 0)),
                     query->integer(1) != 0, query->integer(2) != 0};
}

Status putContents(Archive& archive, std::string_view lease,
                   std::span<const std::span<const std::byte>> contents) {
  Archive::Implementation& self = archive.implementation();
  std::vector<StagedBlob> staged;
  std::vector<ContentId> ids;
  staged.reserve(contents.size());
  for (const auto& content : contents) {
    auto blob = self.blobs.stage(content);
    if (!blob) return tl::unexpected(blob.error());
    ids.push_back(blob->id);
    staged.push_back(std::move(*blob));
  }
  const auto join = [&] { return addToLease(*self.database, lease, ids); };
  if (std::ranges::any_of(staged, &StagedBlob::inFile)) {
    if (Status status = self.inUnsyncedTransaction(join); !status) return status;
    if (Status status = self.blobs.settle(staged, lease); !status) return status;
  }
  return self.inTransaction([&]() -> Status {
    if (Status held = join(); !held) return held;
    for (StagedBlob& blob : staged) {
      if (const auto row = self.blobs.insert(blob); !row) return tl::unexpected(row.error());
    }
    return {};
  });
}

}  // namespace vintage::service
