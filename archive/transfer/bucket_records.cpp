#include "archive/transfer/bucket_records.h"

#include "archive/store/artifact_match.h"

namespace vintage::archive::transfer {

void BucketDay::add(ArtifactRecord record) {
  std::pair<std::string, std::string> key{record.name, record.producer};
  const auto [first, last] = records_.equal_range(key);
  for (auto kept = first; kept != last; ++kept) {
    if (covers(kept->second, record)) return;
    if (!covers(record, kept->second)) continue;
    kept->second = std::move(record);
    return;
  }
  records_.emplace(std::move(key), std::move(record));
}

std::string BucketDay::contradiction(const ArtifactRecord& record) const {
  const auto [first, last] = records_.equal_range({record.name, record.producer});
  for (auto kept = first; kept != last; ++kept) {
    if (std::string what = store::contradiction(kept->second, record); !what.empty()) return what;
  }
  return {};
}

}  // namespace vintage::archive::transfer
