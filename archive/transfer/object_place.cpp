// An archive as objects, in a bucket or in a registry.
#include "archive/transfer/place.h"

#include <algorithm>
#include <cctype>
#include <map>

#include <fmt/format.h>

#include "archive/store/record_json.h"
#include "archive/store/records.h"
#include "archive/transfer/object_store.h"
#include "archive/transfer/record_objects.h"
#include "golden/base/failures.h"

namespace vintage::archive {
namespace {

constexpr int kObjectsFormat = 1;

// A run's id as a part of a key.
std::string keyPart(std::string text) {
  const auto isOther = [](unsigned char c) { return !std::isalnum(c) && c != '-' && c != '.'; };
  std::ranges::replace_if(text, isOther, '_');
  return text;
}

class ObjectPlace final : public Place {
 public:
  explicit ObjectPlace(std::unique_ptr<ArchiveObjects> store)
      : store_(std::move(store)), objects_(*store_) {}

  Status open(PlaceUse use) {
    const auto marker = store_->readSmall(
        kArchiveMarker, [&](const std::string& text) { return checkMarker(text); });
    if (marker) return {};
    if (marker.error().kind != Error::Kind::kNotFound) return tl::unexpected(marker.error());
    if (marker.error().message.find("NoSuchBucket") != std::string::npos)
      return notFound(
          "{}: there is no such bucket; create it first, with the rights and the place that it "
          "should have",
          name());
    if (use == PlaceUse::kRead)
      return notFound(
          "{}: there is no archive; 'vintage push' or 'vintage mirror' makes one ({} is missing)",
          name(), kArchiveMarker);
    auto object =
        objectOfText(fmt::format("{{\"vintage\":\"archive\",\"format\":{}}}\n", kObjectsFormat));
    object->key = kArchiveMarker;
    return store_->put([&] { return std::move(object); });
  }

  const std::string& name() const override { return store_->name(); }

  Status forEachArtifact(const ArtifactFilter& filter, const ArtifactVisitor& visit) override {
    days_.clear();  // Damaged objects may have been removed since.
    ASSIGN_OR_RETURN(auto dates, days(filter.builtFrom, filter.builtUntil));
    for (const Date date : dates) {
      ASSIGN_OR_RETURN(auto records, day(date));
      const DayRecords taken = std::move(*records);
      days_.erase(date);
      for (const auto& [key, record] : taken) {
        if (!fitsFilter(filter, record)) continue;
        RETURN_IF_ERROR(visit(record));
      }
    }
    return {};
  }

  Result<std::vector<ArtifactRecord>> artifactsOf(std::span<const ContentId> ids, Date from,
                                                  Date until) override {
    // Batches come in the order of build dates: earlier days are done with.
    days_.erase(days_.begin(), days_.lower_bound(from));
    ASSIGN_OR_RETURN(auto dates, days(from, until));
    const std::set<ContentId> wanted(ids.begin(), ids.end());
    std::vector<ArtifactRecord> found;
    for (const Date date : dates) {
      ASSIGN_OR_RETURN(auto records, day(date));
      for (const auto& [key, record] : *records)
        if (wanted.contains(record.id)) found.push_back(record);
    }
    return found;
  }

  Status readContents(std::span<const WantedContent> wanted, const ContentVisitor& take,
                      const LostVisitor& lost) override {
    return store_->read(blobObjects(wanted), take, lost);
  }

  Result<std::vector<BuildRecord>> builds() override {
    auto records = objects_.readAll("builds/", buildOfJson);
    if (!records) return records;
    // Two writers at the same time may have put one name with two dates: the earlier
    // one counts for everybody.
    std::ranges::sort(*records, {}, [](const BuildRecord& build) {
      return std::tie(build.buildDate, build.name);
    });
    std::set<std::string> names;
    std::erase_if(*records,
                  [&](const BuildRecord& build) { return !names.insert(build.name).second; });
    return records;
  }

  // A run is written when it is taken up and again when it is complete; the
  // latter counts. Memory holds the reports of one object at a time.
  Result<std::vector<RunRecord>> runs() override {
    ASSIGN_OR_RETURN(auto records,
                     objects_.readAll<RunWithLimitations>("runs/", runOfJson, [](auto& run) {
                       run.run.verdict = std::string();
                       run.limitations = {};
                     }));
    std::map<std::string, RunRecord> newest;
    for (RunWithLimitations& run : records) {
      const auto [place, isNew] = newest.try_emplace(run.run.id, run.run);
      if (!isNew && place->second.finished < run.run.finished) place->second = std::move(run.run);
    }
    std::vector<RunRecord> runs;
    for (auto& [id, run] : newest) runs.push_back(std::move(run));
    return runs;
  }

  Result<RunWithLimitations> run(const std::string& id) override {
    ASSIGN_OR_RETURN(auto records, objects_.readAll(runFolder("runs", id), runOfJson));
    std::erase_if(records, [&](const RunWithLimitations& run) { return run.run.id != id; });
    const auto newest = std::ranges::max_element(
        records, {}, [](const RunWithLimitations& run) { return run.run.finished; });
    if (newest == records.end())
      return failure(Error::Kind::kNotFound, name() + ": there is no run '" + id + "'");
    return std::move(*newest);
  }

  Result<std::vector<OutcomeRecord>> outcomes(const std::string& run) override {
    auto records = objects_.readAll(runFolder("outcomes", run), outcomeOfJson);
    if (!records) return records;
    std::erase_if(*records, [&](const OutcomeRecord& outcome) { return outcome.run != run; });
    return records;
  }

  // Nothing is replaced there: of each history the newest list counts, and any list outside its
  // chain, since the owner of the key decides.
  Result<std::vector<TravellingList>> lists() override {
    auto records = objects_.readAll("lists/", travellingListOfJson);
    if (!records) return records;
    std::map<std::string, int64_t> newest;
    for (const TravellingList& list : *records) {
      int64_t& counter = newest[list.history];
      counter = std::max(counter, list.counter);
    }
    std::map<std::string, TravellingList> byList;
    for (TravellingList& list : *records) {
      if (list.counter < newest[list.history]) continue;
      const auto [place, isNew] = byList.try_emplace(list.list, list);
      if (!isNew && list.whole) place->second = std::move(list);
    }
    std::vector<TravellingList> lists;
    for (auto& [hash, list] : byList) lists.push_back(std::move(list));
    return lists;
  }

  Status finish() override { return store_->finish(); }

  // Contents come in any order: a few at a time, put in theirs.
  Status readList(const TravellingList& list, const LineVisitor& visit) override {
    constexpr size_t kPartsAtOnce = 16;
    for (size_t at = 0; at < list.parts.size(); at += kPartsAtOnce) {
      std::vector<WantedContent> wanted;
      for (size_t index = at; index < std::min(at + kPartsAtOnce, list.parts.size()); ++index)
        wanted.push_back({list.parts[index]});
      std::unordered_map<ContentId, Bytes> parts;
      RETURN_IF_ERROR(readContents(
          wanted,
          [&](const ContentId& id, Bytes bytes) -> Status {
            parts[id] = std::move(bytes);
            return {};
          },
          [&](const ContentId& id, const Error& error) {
            return within(fmt::format("{}: part {} of a signed list", name(), id), error);
          }));
      for (const WantedContent& part : wanted)
        RETURN_IF_ERROR(within(name(), visitPart(parts[part.id], part.id, visit)));
    }
    return {};
  }

  Result<std::set<ContentId>> missing(std::span<const ContentId> contents) override {
    std::vector<std::string> keys;
    std::set<ContentId> ids;
    for (const ContentId& id : contents) {
      std::string key = blobKey(id);
      if (store_->distrusts(key))
        ids.insert(id);
      else if (!objects_.listedContents().contains(key))
        keys.push_back(std::move(key));
    }
    ASSIGN_OR_RETURN(auto missing, store_->missing(std::move(keys)));
    for (const std::string& key : missing) ids.insert(key.substr(key.rfind('/') + 1));
    return ids;
  }

  // In the order of their ids: the same contents make the same packs of a registry.
  Status putContents(std::unordered_map<ContentId, Bytes> contents) override {
    std::set<ContentId> ids;
    for (const auto& [id, bytes] : contents) ids.insert(id);
    return store_->put([&, next = ids.begin()]() mutable -> std::unique_ptr<StoredObject> {
      if (next == ids.end()) return nullptr;
      auto content = contents.extract(*next++);
      return std::make_unique<StoredObject>(blobKey(content.key()), content.key(),
                                            std::move(content.mapped()));
    });
  }

  Status putList(const TravellingList& list) override {
    return putRecords(*store_, fmt::format("lists/{}/", list.history), std::span(&list, 1));
  }

  Result<std::vector<RefusedRecord>> put(ArtifactBatch batch) override {
    RETURN_IF_ERROR(putContents(std::move(batch.contents)));
    std::vector<RefusedRecord> refused;
    std::map<Date, std::vector<ArtifactRecord>> fresh;
    for (ArtifactRecord& record : batch.records) {
      ASSIGN_OR_RETURN(auto kept, day(record.buildDate));
      if (const std::string what = contradiction(*kept, record); !what.empty()) {
        refused.push_back(
            {describe(record),
             {Error::Kind::kConflict,
              fmt::format("{} is kept already in {}, and {}; give the new one another "
                          "name or producer",
                          describe(record), name(), what)}});
        continue;
      }
      addRecord(*kept, record);
      fresh[record.buildDate].push_back(std::move(record));
    }
    for (const auto& [date, records] : fresh)
      RETURN_IF_ERROR(putRecords(*store_, dayFolder(date), std::span(records)));
    return refused;
  }

  Status putBuilds(std::span<const BuildRecord> builds) override {
    return putRecords(*store_, "builds/", builds);
  }
  Status putRun(const RunWithLimitations& run) override {
    return putRecords(*store_, runFolder("runs", run.run.id), std::span(&run, 1));
  }

  Status putOutcomes(std::span<const OutcomeRecord> outcomes) override {
    std::map<std::string, std::vector<OutcomeRecord>> byRun;
    for (const OutcomeRecord& outcome : outcomes) byRun[outcome.run].push_back(outcome);
    for (const auto& [run, records] : byRun)
      RETURN_IF_ERROR(putRecords(*store_, runFolder("outcomes", run), std::span(records)));
    return {};
  }

  Result<std::vector<Hold>> holds() override { return objects_.readAll("holds/", holdOfJson); }
  Status putHolds(std::span<const Hold> holds) override {
    return putRecords(*store_, "holds/", holds);
  }
  RecordObjects* recordObjects() override { return &objects_; }
  Status distrust(std::span<const ContentId> contents) override {
    for (const ContentId& id : contents) store_->distrust(blobKey(id));
    return {};
  }
  TransferCounts counts() const override { return store_->counts(); }

 private:
  Status checkMarker(const std::string& text) const {
    ASSIGN_OR_RETURN(const auto json,
                     within(name() + ": " + kArchiveMarker, parseOutsideJson(text)));
    if (!json.is_object() || !json.contains("format") || !json["format"].is_number_integer())
      return unsupported("{}: {} is not what Vintage wrote", name(), kArchiveMarker);
    if (const int64_t format = json["format"].get<int64_t>(); format != kObjectsFormat)
      return unsupported(
          "{}: it has format {}, and this program reads format {}; use the Vintage that wrote it, "
          "or a newer one",
          name(), format, kObjectsFormat);
    return {};
  }

  static std::string runFolder(const char* kind, const std::string& run) {
    return fmt::format("{}/{}/", kind, keyPart(run));
  }
  static std::string dayFolder(Date date) { return fmt::format("artifacts/{}/", formatDate(date)); }

  Result<std::vector<Date>> days(const std::optional<Date>& from,
                                 const std::optional<Date>& until) {
    ASSIGN_OR_RETURN(auto folders, store_->folders("artifacts/"));
    std::vector<Date> days;
    for (std::string folder : folders) {
      folder.erase(0, std::string_view("artifacts/").size());
      if (folder.ends_with('/')) folder.pop_back();
      const auto date = parseDate(folder);
      if (!date || (from && *date < *from) || (until && *date > *until)) continue;
      days.push_back(*date);
    }
    std::sort(days.begin(), days.end());
    return days;
  }

  Result<DayRecords*> day(Date date) {
    const auto known = days_.find(date);
    if (known != days_.end()) return &known->second;
    ASSIGN_OR_RETURN(auto records, objects_.readAll(dayFolder(date), artifactOfJson));
    DayRecords day;
    for (ArtifactRecord& record : records) addRecord(day, std::move(record));
    return &(days_[date] = std::move(day));
  }

  std::unique_ptr<ArchiveObjects> store_;
  RecordObjects objects_;
  std::map<Date, DayRecords> days_;  // Those of the batch at hand.
};

}  // namespace

Result<std::unique_ptr<Place>> openObjectPlace(std::unique_ptr<ArchiveObjects> objects,
                                               PlaceUse use) {
  auto place = std::make_unique<ObjectPlace>(std::move(objects));
  RETURN_IF_ERROR(place->open(use));
  return place;
}

}  // namespace vintage::archive
