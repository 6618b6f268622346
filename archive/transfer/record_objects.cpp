#include "archive/transfer/record_objects.h"

#include <algorithm>
#include <map>
#include <memory>
#include <span>
#include <string_view>

#include <fmt/format.h>

#include "archive/store/records.h"

namespace vintage::archive {
namespace {

template <auto parse>
Status checkWith(const std::string& key, std::span<const std::byte> bytes) {
  std::vector<typename decltype(parse(nlohmann::json()))::value_type> records;
  return parseRecords(key, bytes, parse, records);
}

// The folders of the layout, and what says why an object in one is none of records.
struct RecordFolder {
  std::string_view name;
  Status (*check)(const std::string& key, std::span<const std::byte> bytes);
};
constexpr RecordFolder kRecordFolders[] = {{"artifacts/", checkWith<artifactOfJson>},
                                           {"builds/", checkWith<buildOfJson>},
                                           {"runs/", checkWith<runOfJson>},
                                           {"outcomes/", checkWith<outcomeOfJson>},
                                           {"lists/", checkWith<travellingListOfJson>},
                                           {"holds/", checkWith<holdOfJson>}};

const RecordFolder* folderOf(const std::string& key) {
  const auto found = std::ranges::find_if(
      kRecordFolders, [&](const RecordFolder& folder) { return key.starts_with(folder.name); });
  return found != std::end(kRecordFolders) && !hashInRecordKey(key).empty() ? &*found : nullptr;
}

}  // namespace

std::string blobKey(const ContentId& id) { return fmt::format("blobs/{:.2}/{}", id, id); }

std::vector<WantedObject> blobObjects(std::span<const WantedContent> contents) {
  std::vector<WantedObject> objects;
  for (const WantedContent& content : contents) objects.push_back({blobKey(content.id), content});
  return objects;
}

// One listing of everything says which contents are there: a request for a thousand.
Result<std::vector<FsckFinding>> RecordObjects::checkRecords() {
  ASSIGN_OR_RETURN(const auto keys, store_.list(""));
  using Kind = FsckFinding::Kind;
  std::vector<FsckFinding> problems;
  std::vector<WantedObject> wanted;
  std::map<ContentId, std::string> keyOf;
  for (const std::string& key : keys) {
    if (key == kArchiveMarker) continue;
    const std::string name = key.substr(key.rfind('/') + 1);
    if (isContentHash(name) && key == blobKey(name)) {
      listed_.insert(key);
    } else if (folderOf(key) != nullptr) {
      wanted.push_back({key, {hashInRecordKey(key)}});
      keyOf.emplace(hashInRecordKey(key), key);
    } else {
      problems.push_back(
          {Kind::kUnknownObject, key, "it is no object of the layout in docs/howto/mirroring.md"});
    }
  }
  const auto noteDamaged = [&](const ContentId& id, const Error& error) -> Status {
    const std::string& key = keyOf.at(id);
    damaged_.insert(key);
    store_.distrust(key);
    problems.push_back({Kind::kDamagedRecords, key, error.message});
    return {};
  };
  RETURN_IF_ERROR(store_.read(
      wanted,
      [&](const ContentId& id, const Bytes& bytes) -> Status {
        const std::string& key = keyOf.at(id);
        const Status parsed = folderOf(key)->check(key, bytes);
        return parsed ? Status() : noteDamaged(id, parsed.error());
      },
      noteDamaged));
  return problems;
}

const std::set<std::string>& RecordObjects::damaged() {
  std::erase_if(damaged_, [&](const std::string& key) { return !store_.distrusts(key); });
  return damaged_;
}

Status RecordObjects::restoreRecords() {
  for (const std::string& key : std::set<std::string>(damaged())) {
    const WantedObject wanted{key, {hashInRecordKey(key)}};
    auto object = std::make_unique<StoredObject>();
    RETURN_IF_ERROR(
        store_.readVersions(std::span(&wanted, 1), [&](const ContentId& id, Bytes bytes) {
          if (folderOf(key)->check(key, bytes)) *object = {key, id, std::move(bytes)};
          return Status();
        }));
    if (object->key.empty()) continue;
    RETURN_IF_ERROR(store_.put([&] { return std::move(object); }));
  }
  return {};
}

Result<std::map<std::string, std::string>> RecordObjects::dropDamagedRecords() {
  std::map<std::string, std::string> stay;
  for (const std::string& key : std::set<std::string>(damaged()))
    if (const Status removed = store_.remove(key); !removed)
      stay.emplace(key, removed.error().message);
  return stay;
}

void addRecord(DayRecords& day, ArtifactRecord record) {
  std::pair<std::string, std::string> key{record.name, record.producer};
  const auto [first, last] = day.equal_range(key);
  for (auto kept = first; kept != last; ++kept) {
    if (covers(kept->second, record)) return;
    if (!covers(record, kept->second)) continue;
    kept->second = std::move(record);
    return;
  }
  day.emplace(std::move(key), std::move(record));
}

std::string contradiction(const DayRecords& day, const ArtifactRecord& record) {
  const auto [first, last] = day.equal_range({record.name, record.producer});
  for (auto kept = first; kept != last; ++kept)
    if (std::string what = contradiction(kept->second, record); !what.empty()) return what;
  return {};
}

}  // namespace vintage::archive
