#include "archive/transfer/place.h"

#include <algorithm>
#include <unordered_map>

#include "archive/store/records.h"

namespace vintage::archive {

Result<std::vector<bool>> PlaceReader::hasArtifacts(std::span<const ArtifactRecord> records) {
  std::vector<ContentId> ids;
  Date from = records.front().buildDate, until = from;
  for (const ArtifactRecord& record : records) {
    ids.push_back(record.id);
    from = std::min(from, record.buildDate);
    until = std::max(until, record.buildDate);
  }
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  ASSIGN_OR_RETURN(const auto kept, artifactsOf(ids, from, until));
  std::unordered_multimap<ContentId, const ArtifactRecord*> byId;
  for (const ArtifactRecord& record : kept) byId.emplace(record.id, &record);
  std::vector<bool> there;
  for (const ArtifactRecord& record : records) {
    const auto [first, last] = byId.equal_range(record.id);
    there.push_back(std::any_of(
        first, last, [&](const auto& entry) { return covers(*entry.second, record); }));
  }
  return there;
}

Status Place::verifyByReading(std::span<const WantedContent> wanted, const VerifiedVisitor& take,
                              const LostVisitor& lost) {
  return readContents(
      wanted,
      [&](const ContentId& id, const Bytes& bytes) {
        return take(id, static_cast<int64_t>(bytes.size()), false);
      },
      lost);
}

}  // namespace vintage::archive
