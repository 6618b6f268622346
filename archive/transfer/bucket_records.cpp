#include "archive/transfer/bucket_records.h"

#include <algorithm>
#include <map>
#include <memory>
#include <span>
#include <string_view>

#include <fmt/format.h>

#include "archive/store/records.h"

namespace vintage::archive {
namespace {

// Why an object of records is none, by its folder; the folders are those of the layout.
Status checkObject(const std::string& key, std::span<const std::byte> bytes) {
  const auto parses = [&]<typename Record>(std::vector<Record> records) {
    return parseRecords(key, bytes, records);
  };
  if (key.starts_with("artifacts/")) return parses(std::vector<ArtifactRecord>());
  if (key.starts_with("builds/")) return parses(std::vector<BuildRecord>());
  if (key.starts_with("runs/")) return parses(std::vector<RunWithLimitations>());
  if (key.starts_with("outcomes/")) return parses(std::vector<OutcomeRecord>());
  if (key.starts_with("holds/")) return parses(std::vector<TravellingHold>());
  return parses(std::vector<TravellingList>());
}

bool isRecordKey(const std::string& key) {
  constexpr std::string_view kFolders[] = {"artifacts/", "builds/", "runs/",
                                           "outcomes/",  "lists/",  "holds/"};
  return std::ranges::any_of(kFolders, [&](auto folder) { return key.starts_with(folder); }) &&
         !hashInRecordKey(key).empty();
}

}  // namespace

std::string blobKey(const ContentId& id) { return fmt::format("blobs/{:.2}/{}", id, id); }

// One listing of everything says which contents are there: a request for a thousand.
Status BucketCheck::readAll(const RecordObjects::ProblemVisitor& report,
                            const std::function<void(const std::string&)>& content) {
  ASSIGN_OR_RETURN(const auto keys, bucket_.list(""));
  std::vector<BucketClient::Wanted> wanted;
  std::map<ContentId, std::string> keyOf;
  for (const std::string& key : keys) {
    if (key == kBucketMarker) continue;
    const std::string name = key.substr(key.rfind('/') + 1);
    if (isContentHash(name) && key == blobKey(name)) {
      content(key);
    } else if (isRecordKey(key)) {
      wanted.push_back({key, {hashInRecordKey(key)}});
      keyOf.emplace(hashInRecordKey(key), key);
    } else {
      RETURN_IF_ERROR(report({key, "it is no object of the layout in docs/mirroring.md", true}));
    }
  }
  return bucket_.read(
      wanted,
      [&](const ContentId& id, const Bytes& bytes) -> Status {
        const std::string& key = keyOf.at(id);
        const Status parsed = checkObject(key, bytes);
        return parsed ? Status() : noteDamaged(key, parsed.error().message, report);
      },
      [&](const ContentId& id, const Error& error) -> Status {
        return noteDamaged(keyOf.at(id), error.message, report);
      });
}

Status BucketCheck::noteDamaged(const std::string& key, const std::string& why,
                                const RecordObjects::ProblemVisitor& report) {
  damaged_.insert(key);
  bucket_.distrust(key);
  return report({key, why});
}

const std::set<std::string>& BucketCheck::damaged() {
  std::erase_if(damaged_, [&](const std::string& key) { return !bucket_.distrusts(key); });
  return damaged_;
}

Status BucketCheck::restore() {
  for (const std::string& key : std::set<std::string>(damaged())) {
    const BucketClient::Wanted wanted{key, {hashInRecordKey(key)}};
    auto object = std::make_unique<BucketObject>();
    RETURN_IF_ERROR(
        bucket_.readVersions(std::span(&wanted, 1), [&](const ContentId& id, Bytes bytes) {
          if (checkObject(key, bytes)) *object = {key, id, std::move(bytes)};
          return Status();
        }));
    if (object->key.empty()) continue;
    RETURN_IF_ERROR(bucket_.put([&] { return std::move(object); }));
  }
  return {};
}

Status BucketCheck::remove(const RecordObjects::ProblemVisitor& report) {
  for (const std::string& key : std::set<std::string>(damaged())) {
    if (const Status removed = bucket_.remove(key); !removed)
      RETURN_IF_ERROR(report({key, removed.error().message}));
  }
  return {};
}

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
    if (std::string what = archive::contradiction(kept->second, record); !what.empty()) return what;
  }
  return {};
}

}  // namespace vintage::archive
