#include "archive/transfer/open_place.h"

#include <optional>

#include "archive/store/archive.h"

namespace vintage::archive::transfer {
namespace {

class FolderPlace final : public Place {
 public:
  FolderPlace(Archive archive, PlaceUse use) : archive_(std::move(archive)), use_(use) {}
  ~FolderPlace() override { static_cast<void>(finish()); }

  const std::string& name() const override { return archive_.folder(); }

  Status forEachArtifact(const ArtifactFilter& filter, const ArtifactVisitor& visit) override {
    Status outcome;
    const Status status = archive_.forEach(filter, [&](const ArtifactRecord& record) {
      outcome = visit(record);
      return outcome.has_value();
    });
    return status ? outcome : status;
  }

  Result<std::vector<ArtifactRecord>> artifactsOf(std::span<const ContentId> ids, Date,
                                                  Date) override {
    ArtifactFilter filter;
    filter.ids.assign(ids.begin(), ids.end());
    if (filter.ids.empty()) return std::vector<ArtifactRecord>();
    return archive_.list(filter);
  }

  Status readContents(std::span<const WantedContent> wanted, const ContentVisitor& take,
                      const LostVisitor& lost) override {
    for (const WantedContent& content : wanted) {
      auto bytes = archive_.read(content.id);
      if (bytes) {
        RETURN_IF_ERROR(take(content.id, std::move(*bytes)));
        continue;
      }
      const Error::Kind kind = bytes.error().kind;
      if (kind != Error::Kind::kBadInput && kind != Error::Kind::kNotFound)
        return tl::unexpected(bytes.error());
      RETURN_IF_ERROR(lost(content.id, bytes.error()));
    }
    return {};
  }

  Result<std::vector<BuildRecord>> builds() override { return archive_.builds(); }

  Result<std::vector<RunRecord>> runs() override { return archive_.runs(); }

  Result<RunWithLimitations> run(const std::string& id) override {
    ASSIGN_OR_RETURN(auto record, archive_.run(id));
    ASSIGN_OR_RETURN(auto limitations, archive_.limitations(id));
    return RunWithLimitations{std::move(record), std::move(limitations)};
  }

  Result<std::vector<OutcomeRecord>> outcomes(const std::string& run) override {
    OutcomeFilter filter;
    filter.runs = {run};
    filter.latestOnly = false;
    return archive_.outcomes(filter);
  }

  Result<std::vector<TravellingList>> lists() override { return travellingLists(archive_); }
  Status readList(const TravellingList& list, const LineVisitor& visit) override {
    return visitLines(archive_, list, visit);
  }

  Result<std::set<ContentId>> missing(std::span<const ContentId> contents) override {
    if (use_ == PlaceUse::kWrite) {
      RETURN_IF_ERROR(protect(contents));
    }
    ASSIGN_OR_RETURN(auto missing, archive_.missing(contents));
    return std::set<ContentId>(missing.begin(), missing.end());
  }

  Result<std::vector<RefusedRecord>> put(ArtifactBatch batch) override;

  Status putBuilds(std::span<const BuildRecord> builds) override {
    for (const BuildRecord& build : builds) {
      RETURN_IF_ERROR(archive_.putBuild(build));
    }
    return {};
  }
  Status putRun(const RunWithLimitations& run) override {
    RETURN_IF_ERROR(archive_.putRun(run.run, run.limitations));
    return {};
  }
  Status putOutcomes(std::span<const OutcomeRecord> outcomes) override {
    return archive_.putOutcomes(outcomes);
  }

  Status putContents(std::unordered_map<ContentId, Bytes> contents) override {
    std::vector<ContentId> ids;
    for (const auto& [id, bytes] : contents) ids.push_back(id);
    RETURN_IF_ERROR(protect(ids));
    for (const auto& [id, bytes] : contents) {
      RETURN_IF_ERROR(archive_.putContent(lease_->id, bytes));
    }
    return {};
  }
  Status putList(const TravellingList& list) override { return putTravellingList(archive_, list); }

  Result<std::vector<TravellingHold>> holds() override { return travellingHolds(archive_); }
  Status putHolds(std::span<const TravellingHold> holds) override {
    for (const TravellingHold& hold : holds) {
      const Status put = putTravellingHold(archive_, hold);
      if (!put && put.error().kind != Error::Kind::kNotFound) return put;
    }
    return {};
  }

  Status finish() override {
    if (!lease_) return {};
    const std::string id = lease_->id;
    lease_.reset();
    return archive_.releaseLease(id);
  }

 private:
  Status protect(std::span<const ContentId> contents);
  Status putNew(std::vector<Archive::Put>& puts, std::vector<RefusedRecord>& refused);
  Status putKept(const std::vector<ArtifactRecord>& records, std::vector<RefusedRecord>& refused);

  Status putContents(ArtifactBatch& batch, const std::vector<ArtifactRecord>& records);

  Archive archive_;
  PlaceUse use_;
  std::optional<Lease> lease_;
};

// Long enough for a batch on a slow disk; renewed with each.
constexpr std::chrono::hours kLease{6};

Status FolderPlace::protect(std::span<const ContentId> contents) {
  if (lease_) {
    auto renewed = archive_.renewLease(lease_->id, kLease);
    if (renewed) return archive_.extendLease(lease_->id, contents);
    if (renewed.error().kind != Error::Kind::kNotFound) return tl::unexpected(renewed.error());
  }
  ASSIGN_OR_RETURN(lease_, archive_.acquireLease(contents, "transfer", kLease));
  return {};
}

// Whether a record is to blame, rather than the archive.
bool isRefusal(const Error& error) {
  return error.kind == Error::Kind::kConflict || error.kind == Error::Kind::kUsage ||
         error.kind == Error::Kind::kNotFound || error.kind == Error::Kind::kBadInput;
}

Status FolderPlace::putNew(std::vector<Archive::Put>& puts, std::vector<RefusedRecord>& refused) {
  if (puts.empty()) return {};
  auto all = archive_.putAll(puts);
  if (all) return {};
  if (!isRefusal(all.error())) return tl::unexpected(all.error());
  // One of them spoils the rest: one by one, to find out which.
  for (Archive::Put& put : puts) {
    auto one = archive_.putAll(std::span(&put, 1));
    if (one) continue;
    if (!isRefusal(one.error())) return tl::unexpected(one.error());
    refused.push_back({describe(put.record), one.error()});
  }
  return {};
}

Status FolderPlace::putKept(const std::vector<ArtifactRecord>& records,
                            std::vector<RefusedRecord>& refused) {
  if (records.empty()) return {};
  const Status all = archive_.putRecords(records);
  if (all || !isRefusal(all.error())) return all;
  for (const ArtifactRecord& record : records) {
    const Status one = archive_.putRecords(std::span(&record, 1));
    if (one) continue;
    if (!isRefusal(one.error())) return one;
    refused.push_back({describe(record), one.error()});
  }
  return {};
}

// Under the lease, so that the records can follow.
Status FolderPlace::putContents(ArtifactBatch& batch, const std::vector<ArtifactRecord>& records) {
  std::vector<ContentId> ids;
  for (const ArtifactRecord& record : records) {
    for (const ContentId& id : {record.id, record.golden}) {
      if (batch.contents.contains(id)) ids.push_back(id);
    }
  }
  if (ids.empty()) return {};
  RETURN_IF_ERROR(protect(ids));
  for (const ContentId& id : ids) {
    const auto content = batch.contents.extract(id);
    if (content.empty()) continue;  // Another record's, put already.
    RETURN_IF_ERROR(archive_.putContent(lease_->id, content.mapped()));
  }
  return {};
}

// The golden as the archive takes it. Empty where it would not be written again
// as the same bytes; then it is put as bytes.
std::optional<Golden> parsedGolden(const ArtifactRecord& record, const Bytes& bytes) {
  auto golden = readGolden(bytes, describe(record));
  if (!golden) return std::nullopt;
  const auto written = writeGolden(*golden);
  if (!written || *written != bytes) return std::nullopt;
  return std::move(*golden);
}

// What comes with all of its contents is put in one go: many artifacts, one
// sync. A record beside contents that are kept already only needs its row.
Result<std::vector<RefusedRecord>> FolderPlace::put(ArtifactBatch batch) {
  std::vector<RefusedRecord> refused;
  std::vector<Archive::Put> fresh;
  std::vector<ArtifactRecord> others;
  for (ArtifactRecord& record : batch.records) {
    const auto bytes = batch.contents.find(record.id);
    const auto golden = batch.contents.find(record.golden);
    Archive::Put put;
    if (golden != batch.contents.end()) put.golden = parsedGolden(record, golden->second);
    if (bytes == batch.contents.end() || (!record.golden.empty() && !put.golden)) {
      others.push_back(std::move(record));
      continue;
    }
    put.bytes = bytes->second;
    put.record = std::move(record);
    fresh.push_back(std::move(put));
  }
  RETURN_IF_ERROR(putNew(fresh, refused));
  RETURN_IF_ERROR(putContents(batch, others));
  RETURN_IF_ERROR(putKept(others, refused));
  return refused;
}

}  // namespace

Result<std::unique_ptr<Place>> openFolderPlace(const std::string& folder, PlaceUse use) {
  ASSIGN_OR_RETURN(auto archive,
                   Archive::open(folder, use == PlaceUse::kRead ? Archive::Mode::kReadOnly
                                                                : Archive::Mode::kCreate));
  return std::make_unique<FolderPlace>(std::move(archive), use);
}

}  // namespace vintage::archive::transfer
