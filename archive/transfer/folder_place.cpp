#include "archive/transfer/place.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "archive/store/archive.h"
#include "archive/store/batch_put.h"

namespace vintage::archive {
namespace {

// Long enough for a batch on a slow disk; renewed with each.
constexpr std::chrono::hours kLease{6};

class FolderPlace final : public Place {
 public:
  FolderPlace(Archive archive, PlaceUse use) : archive_(std::move(archive)), use_(use) {}
  ~FolderPlace() override { static_cast<void>(finish()); }

  const std::string& name() const override { return archive_.folder(); }
  const Archive* archive() const override { return &archive_; }

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
    if (use_ == PlaceUse::kWrite) RETURN_IF_ERROR(protect(contents));
    ASSIGN_OR_RETURN(const auto notKept, archive_.missing(contents));
    std::set<ContentId> missing(notKept.begin(), notKept.end());
    std::ranges::copy_if(contents, std::inserter(missing, missing.end()),
                         [&](const ContentId& id) { return distrusted_.contains(id); });
    return missing;
  }

  // Many artifacts, one sync. Contents that only refused records name stay for as long as the
  // lease.
  Result<std::vector<RefusedRecord>> put(ArtifactBatch batch) override {
    RETURN_IF_ERROR(protect({}));
    std::vector<std::span<const std::byte>> contents;
    std::set<ContentId> taken;  // In the order of their records, as they will be read.
    for (const ArtifactRecord& record : batch.records)
      for (const ContentId& id : {record.id, record.golden}) {
        const auto found = batch.contents.find(id);
        if (found != batch.contents.end() && taken.insert(id).second)
          contents.emplace_back(found->second);
      }
    const std::vector<HashedContent> hashed = hashContents(contents);
    ASSIGN_OR_RETURN(const auto kept, putBatch(archive_, {.contents = hashed,
                                                          .records = batch.records,
                                                          .lease = lease_->id,
                                                          .holder = "transfer"}));
    for (const HashedContent& content : hashed) distrusted_.erase(content.id());
    std::vector<RefusedRecord> refused;
    for (size_t index = 0; index < kept.refusals.size(); ++index)
      if (kept.refusals[index])
        refused.push_back({describe(batch.records[index]), *kept.refusals[index]});
    return refused;
  }

  Status putBuilds(std::span<const BuildRecord> builds) override {
    for (const BuildRecord& build : builds) RETURN_IF_ERROR(archive_.putBuild(build));
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
      distrusted_.erase(id);
    }
    return {};
  }

  Status putList(const TravellingList& list) override { return putTravellingList(archive_, list); }

  Result<std::vector<Hold>> holds() override { return allHolds(archive_); }

  Status putHolds(std::span<const Hold> holds) override {
    for (const Hold& hold : holds) {
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
  Status protect(std::span<const ContentId> contents) {
    if (lease_) {
      auto renewed = archive_.renewLease(lease_->id, kLease);
      if (renewed) return archive_.extendLease(lease_->id, contents);
      if (renewed.error().kind != Error::Kind::kNotFound) return tl::unexpected(renewed.error());
    }
    ASSIGN_OR_RETURN(lease_, archive_.acquireLease(contents, "transfer", kLease));
    return {};
  }

  Archive archive_;
  PlaceUse use_;
  std::optional<Lease> lease_;
};

}  // namespace

Result<std::unique_ptr<Place>> openFolderPlace(const std::string& folder, PlaceUse use,
                                               const PlaceOptions&) {
  ASSIGN_OR_RETURN(auto archive,
                   Archive::open(folder, use == PlaceUse::kRead ? Archive::Mode::kReadOnly
                                                                : Archive::Mode::kCreate));
  return std::make_unique<FolderPlace>(std::move(archive), use);
}

}  // namespace vintage::archive
