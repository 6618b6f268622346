// Objects that hold records: a JSON array of at most 1,000 of them,
// under a key that ends in the SHA-256 of its bytes.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "archive/integrity/fsck.h"
#include "archive/store/record_json.h"
#include "archive/store/records.h"
#include "archive/transfer/object_store.h"
#include "archive/transfer/place.h"
#include "golden/base/content_hash.h"
#include "golden/base/failures.h"

namespace vintage::archive {

// "…/HASH.json" -> HASH; empty for a key that is not like that.
inline ContentId hashInRecordKey(const std::string& key) {
  constexpr std::string_view kEnding = ".json";
  if (!key.ends_with(kEnding)) return {};
  const std::string name = key.substr(key.rfind('/') + 1);
  const ContentId hash = name.substr(0, name.size() - kEnding.size());
  return isContentHash(hash) ? hash : ContentId();
}

template <typename Record>
using ParseRecord = Result<Record> (*)(const nlohmann::json&);

// Appends them to `records`; the error names `place` and the record.
template <typename Record>
Status parseRecords(const std::string& place, std::span<const std::byte> bytes,
                    ParseRecord<Record> parse, std::vector<Record>& records) {
  const auto array = parseOutsideJson({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  if (!array) return within(place, array.error());
  if (!array->is_array())
    return failure(Error::Kind::kBadInput, place + ": it is not a JSON array of records");
  for (size_t index = 0; index < array->size(); ++index) {
    ASSIGN_OR_RETURN(auto record,
                     within(fmt::format("{}: record {}", place, index), parse((*array)[index])));
    records.push_back(std::move(record));
  }
  return {};
}

// Without its key, which may need its hash.
inline std::unique_ptr<StoredObject> objectOfText(std::string_view text) {
  auto object = std::make_unique<StoredObject>();
  object->hash = contentHash(text);
  const auto bytes = std::as_bytes(std::span(text));
  object->bytes.assign(bytes.begin(), bytes.end());
  return object;
}

template <typename Record>
Status putRecords(ArchiveObjects& store, const std::string& folder,
                  std::span<const Record> records) {
  constexpr size_t kRecordsInObject = 1000;
  return store.put([&]() -> std::unique_ptr<StoredObject> {
    if (records.empty()) return nullptr;
    const size_t count = std::min(records.size(), kRecordsInObject);
    nlohmann::json array = nlohmann::json::array();
    for (const Record& record : records.first(count)) array.push_back(recordJson(record));
    auto object = objectOfText(jsonText(array));
    object->key = fmt::format("{}{}.json", folder, object->hash);
    records = records.subspan(count);
    return object;
  });
}

// The records of one build date, by (name, producer). Objects are only added, so the fuller of
// several records of one artifact counts. Several of one are here only where writers at the same
// time contradicted each other, or each knew what the other did not.
using DayRecords = std::multimap<std::pair<std::string, std::string>, ArtifactRecord>;
void addRecord(DayRecords& day, ArtifactRecord record);
// How `record` contradicts the records of its name and producer; empty where it does not.
std::string contradiction(const DayRecords& day, const ArtifactRecord& record);

// The layout of docs/howto/mirroring.md.
inline constexpr const char* kArchiveMarker = "vintage-archive.json";
std::string blobKey(const ContentId& id);
std::vector<WantedObject> blobObjects(std::span<const WantedContent> contents);

// Records that lie as objects, without an index over them (archive/transfer/scrub.h). The store
// distrusts each damaged object until it was put again. Lives no longer than the store.
class RecordObjects {
 public:
  explicit RecordObjects(ArchiveObjects& store) : store_(store) {}

  // All below a folder, but for what is damaged. `adapt` sees each before it is kept.
  template <typename Record>
  Result<std::vector<Record>> readAll(
      const std::string& folder, ParseRecord<Record> parse,
      const std::function<void(Record&)>& adapt = [](Record&) {}) {
    ASSIGN_OR_RETURN(auto keys, store_.list(folder));
    const std::set<std::string>& without = damaged();
    std::vector<WantedObject> wanted;
    for (const std::string& key : keys) {
      const ContentId hash = hashInRecordKey(key);
      if (!hash.empty() && !without.contains(key)) wanted.push_back({key, {hash, -1}});
    }
    std::vector<Record> records;
    RETURN_IF_ERROR(store_.read(
        wanted,
        [&](const ContentId& id, Bytes bytes) {
          const size_t before = records.size();
          Status parsed = parseRecords(fmt::format("{}: {}{}.json", store_.name(), folder, id),
                                       bytes, parse, records);
          std::for_each(records.begin() + static_cast<std::ptrdiff_t>(before), records.end(),
                        adapt);
          return parsed;
        },
        [&](const ContentId&, const Error& error) -> Status {
          return within(store_.name(), error);
        }));
    return records;
  }

  // Checks objects of records one by one. Every later read leaves damaged ones out, and a put
  // replaces them.
  Result<std::vector<FsckFinding>> checkRecords();
  // Restores earlier versions of objects, where they still exist and are whole: contents, and
  // records that checkRecords() found damaged.
  Status readEarlierVersions(std::span<const WantedContent> wanted,
                             const Place::ContentVisitor& take) {
    return store_.readVersions(blobObjects(wanted), take);
  }
  Status restoreRecords();
  // Removes objects that are still damaged, after their records were put elsewhere. The result is
  // the objects that stay, and why.
  Result<std::map<std::string, std::string>> dropDamagedRecords();
  // For a person.
  Result<std::string> protection() { return store_.protection(); }

  // Keys of objects that checkRecords() found damaged and that were not put again since.
  const std::set<std::string>& damaged();
  // Keys of the contents that checkRecords() listed.
  const std::set<std::string>& listedContents() const { return listed_; }

 private:
  ArchiveObjects& store_;
  std::set<std::string> damaged_, listed_;
};

}  // namespace vintage::archive
