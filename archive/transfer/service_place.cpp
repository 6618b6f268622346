#include "archive/transfer/place.h"

#include <algorithm>
#include <chrono>

#include "archive/store/record_json.h"
#include "archive/transfer/exchanges.h"
#include "archive/transfer/http_client.h"
#include "archive/transfer/proofs.h"
#include "archive/transfer/service_client.h"
#include "golden/base/failures.h"

namespace vintage::archive {
namespace {

using nlohmann::json;

// Digits of an id in a query: enough to mean one content, and short enough for many in
// one address.
constexpr size_t kIdInQuery = 20;
constexpr size_t kIdsInQuery = 200;
constexpr std::chrono::minutes kRenewLease{10};
constexpr int kLeaseSeconds = 3600;

std::string queryOf(const ArtifactFilter& filter) {
  std::string query = "artifacts";
  for (const auto& [name, list] : kFilterLists)
    for (const std::string& value : filter.*list) addParameter(query, name, value);
  if (filter.builtFrom) addParameter(query, "built_from", formatDate(*filter.builtFrom));
  if (filter.builtUntil) addParameter(query, "built_until", formatDate(*filter.builtUntil));
  if (filter.oldestCallingConvention)
    addParameter(query, "oldest_calling_convention",
                 std::to_string(*filter.oldestCallingConvention));
  if (filter.newestCallingConvention)
    addParameter(query, "newest_calling_convention",
                 std::to_string(*filter.newestCallingConvention));
  return query;
}

// {"kind", "message", "next"} as an Error.
Error errorOfJson(const json& object) {
  if (!object.is_object())
    return {Error::Kind::kBadInput, "the service refused it without a reason"};
  return {textIn(object, "kind") == "conflict" ? Error::Kind::kConflict : Error::Kind::kBadInput,
          reasonIn(object)};
}

class ServicePlace final : public Place {
 public:
  ServicePlace(std::string location, PlaceUse use, const PlaceOptions& options)
      : client_(std::move(location), options), writes_(use == PlaceUse::kWrite) {}

  Status open() { return client_.greet(); }

  const std::string& name() const override { return client_.base(); }
  Status forEachArtifact(const ArtifactFilter& filter, const ArtifactVisitor& visit) override {
    return client_.list(queryOf(filter), [&](const json& line) -> Status {
      const auto record = artifactOfJson(line);
      return record ? visit(*record) : within(name(), record.error());
    });
  }

  Result<std::vector<ArtifactRecord>> artifactsOf(std::span<const ContentId> ids, Date,
                                                  Date) override {
    const std::set<ContentId> wanted(ids.begin(), ids.end());
    std::vector<ArtifactRecord> found;
    for (auto next = wanted.begin(); next != wanted.end();) {
      ArtifactFilter filter;
      for (; next != wanted.end() && filter.ids.size() < kIdsInQuery; ++next)
        filter.ids.push_back(next->substr(0, kIdInQuery));
      RETURN_IF_ERROR(forEachArtifact(filter, [&](const ArtifactRecord& record) -> Status {
        if (wanted.contains(record.id)) found.push_back(record);
        return {};
      }));
    }
    return found;
  }

  Status readContents(std::span<const WantedContent> wanted, const ContentVisitor& take,
                      const LostVisitor& lost) override {
    return client_.read(wanted, take, lost);
  }
  Result<std::vector<BuildRecord>> builds() override { return listAll("builds", buildOfJson); }
  Result<std::vector<RunRecord>> runs() override {
    ASSIGN_OR_RETURN(auto listed, listAll("runs", runOfJson));
    std::vector<RunRecord> runs;
    for (RunWithLimitations& run : listed) runs.push_back(std::move(run.run));
    return runs;
  }
  Result<RunWithLimitations> run(const std::string& id) override {
    ASSIGN_OR_RETURN(const auto whole, client_.get("runs/" + percentEncoded(id)));
    auto run = runOfJson(whole);
    if (!run) return within(name(), run.error());
    return run;
  }
  Result<std::vector<OutcomeRecord>> outcomes(const std::string& run) override {
    std::string path = "outcomes?latest=false";
    addParameter(path, "run", run);
    return listAll(path, outcomeOfJson);
  }

  Result<std::vector<TravellingList>> lists() override {
    return listAllKnown("lists", travellingListOfJson);
  }
  Status readList(const TravellingList& list, const LineVisitor& visit) override {
    return client_.list("lists/" + list.list,
                        [&](const json& line) { return within(name(), visit(line)); });
  }

  Result<std::set<ContentId>> missing(std::span<const ContentId> contents) override {
    std::set<ContentId> missing;
    const size_t atOnce = static_cast<size_t>(client_.limits().ids);
    for (size_t at = 0; at < contents.size(); at += atOnce) {
      const auto some = contents.subspan(at, std::min(atOnce, contents.size() - at));
      json question = {{"ids", std::vector<ContentId>(some.begin(), some.end())}};
      if (writes_) {
        RETURN_IF_ERROR(holdLease());
        question["lease"] = lease_;
      }
      ASSIGN_OR_RETURN(const auto answer, client_.send("POST", "have", question.dump()));
      const json* list = listIn(answer, "missing");
      if (list == nullptr) return badInput("{}: the answer does not say what is missing", name());
      for (const json& id : *list)
        if (id.is_string()) missing.insert(id.get<std::string>());
    }
    return missing;
  }

  Result<std::vector<RefusedRecord>> put(ArtifactBatch batch) override {
    RETURN_IF_ERROR(holdLease());
    std::vector<ContentUpload> large;
    std::set<ContentId> sent;
    for (const auto& [id, bytes] : batch.contents) {
      if (static_cast<int64_t>(bytes.size()) < kLargeContent) continue;
      large.push_back({id, &bytes});
      sent.insert(id);
    }
    RETURN_IF_ERROR(client_.upload(lease_, large));
    PushBodies bodies(batch, std::move(sent), client_.limits().pushBytes);
    std::vector<RefusedRecord> refused;
    // A record that waits for a content in another body goes in a later round.
    while (!bodies.empty()) {
      RETURN_IF_ERROR(client_.push(
          lease_, [&] { return bodies.next(); },
          [&](const json& answer) -> Status {
            const json* list = listIn(answer, "refused");
            if (list == nullptr)
              return badInput("{}: the answer does not say what it kept", name());
            for (const json& one : *list) {
              if (!one.is_object()) continue;
              const auto error = one.find("error");
              refused.push_back({textIn(one, "name") + " of " + textIn(one, "producer"),
                                 errorOfJson(error == one.end() ? json() : *error)});
            }
            return {};
          }));
      bodies.roundEnded();
    }
    return refused;
  }

  Status putBuilds(std::span<const BuildRecord> builds) override {
    return sendLines("builds", builds);
  }
  Status putRun(const RunWithLimitations& run) override {
    return sendLines("runs", std::span(&run, 1));
  }
  Status putOutcomes(std::span<const OutcomeRecord> outcomes) override {
    return sendLines("outcomes", outcomes);
  }

  Status putContents(std::unordered_map<ContentId, Bytes> contents) override {
    RETURN_IF_ERROR(holdLease());
    std::vector<ContentUpload> uploads;
    for (const auto& [id, bytes] : contents)
      uploads.push_back({id, &bytes, distrusted_.contains(id)});
    return client_.upload(lease_, uploads);
  }

  // Reads contents that the source cannot read, or the service cannot prove.
  Status verifyContents(std::span<const WantedContent> wanted, Place* source,
                        const VerifiedVisitor& take, const LostVisitor& lost) override {
    std::vector<WantedContent> unproved;
    Status status;
    const auto keep = [&](Status next) {
      if (status) status = std::move(next);
    };
    if (source != nullptr && source->archive() != nullptr) {
      std::vector<ContentId> ids;
      for (const WantedContent& content : wanted) ids.push_back(content.id);
      RETURN_IF_ERROR(askForProofsOf(
          ids, *source->archive(), client_,
          [&](const ContentId& id, int64_t bytes) { keep(take(id, bytes, true)); },
          [&](const ProofFinding& finding) {
            if (finding.kind == ProofFinding::Kind::kMissing)
              keep(lost(finding.content, {Error::Kind::kNotFound, finding.problem}));
            else if (finding.kind == ProofFinding::Kind::kDamaged ||
                     finding.kind == ProofFinding::Kind::kDiffers)
              keep(lost(finding.content, {Error::Kind::kBadInput, finding.problem}));
            else
              unproved.push_back({finding.content});
          }));
      RETURN_IF_ERROR(status);
    } else {
      unproved.assign(wanted.begin(), wanted.end());
    }
    return Place::verifyContents(unproved, nullptr, take, lost);
  }

  Status putList(const TravellingList& list) override {
    const Status put = sendLines("lists", std::span(&list, 1));
    if (put || put.error().kind != Error::Kind::kNotFound) return put;
    return unsupported("{}: this server is too old to keep signed lists; upgrade it", name());
  }
  Result<std::vector<Hold>> holds() override { return listAllKnown("holds", holdOfJson); }

  // One by one: the service refuses holds of artifacts that it lacks; a service that is too old for
  // holds refuses all.
  Status putHolds(std::span<const Hold> holds) override {
    for (const Hold& hold : holds) {
      const Status put = sendLines("holds", std::span(&hold, 1));
      if (!put && put.error().kind != Error::Kind::kNotFound) return put;
    }
    return {};
  }

  Status finish() override {
    if (lease_.empty()) return {};
    const std::string lease = std::exchange(lease_, {});
    const auto ended = client_.send("DELETE", "leases/" + percentEncoded(lease), "");
    if (!ended && ended.error().kind != Error::Kind::kNotFound)
      return tl::unexpected(ended.error());
    return {};
  }

  TransferCounts counts() const override { return client_.counts(); }

 private:
  template <typename Record>
  Result<std::vector<Record>> listAll(const std::string& path,
                                      Result<Record> (*parse)(const json&)) {
    std::vector<Record> records;
    RETURN_IF_ERROR(client_.list(path, [&](const json& line) -> Status {
      ASSIGN_OR_RETURN(auto record, within(name(), parse(line)));
      records.push_back(std::move(record));
      return {};
    }));
    return records;
  }

  // None from a service that is too old for such records.
  template <typename Record>
  Result<std::vector<Record>> listAllKnown(const std::string& path,
                                           Result<Record> (*parse)(const json&)) {
    auto records = listAll(path, parse);
    if (!records && records.error().kind == Error::Kind::kNotFound) return std::vector<Record>();
    return records;
  }

  template <typename Record>
  Status sendLines(const char* path, std::span<const Record> records) {
    constexpr size_t kLinesInBody = 2000;
    // The service takes more; a single record may have more.
    constexpr size_t kBytesInBody = 1 << 20;
    for (size_t at = 0; at < records.size();) {
      std::string body;
      for (size_t lines = 0; at < records.size() && lines < kLinesInBody; ++lines, ++at) {
        const std::string line = jsonText(recordJson(records[at])) + "\n";
        if (lines > 0 && body.size() + line.size() > kBytesInBody) break;
        body += line;
      }
      ASSIGN_OR_RETURN(const auto answer, client_.send("POST", path, std::move(body), true));
      const json* results = listIn(answer, "results");
      if (results == nullptr) continue;
      for (const json& result : *results)
        if (result.is_object() && textIn(result, "status") == "refused")
          return within(name(), errorOfJson(result.contains("error") ? result["error"] : json()));
    }
    return {};
  }

  Status holdLease() {
    const auto now = std::chrono::steady_clock::now();
    const std::string seconds = json({{"seconds", kLeaseSeconds}}).dump();
    if (!lease_.empty()) {
      if (now - leaseRenewed_ < kRenewLease) return {};
      const auto renewed = client_.send("PUT", "leases/" + percentEncoded(lease_), seconds);
      if (renewed) {
        leaseRenewed_ = now;
        return {};
      }
      if (renewed.error().kind != Error::Kind::kNotFound) return tl::unexpected(renewed.error());
    }
    ASSIGN_OR_RETURN(const auto made, client_.send("POST", "leases", seconds));
    lease_ = made.is_object() ? textIn(made, "lease") : "";
    if (lease_.empty())
      return failure(Error::Kind::kBadInput, name() + ": the answer names no lease");
    leaseRenewed_ = now;
    return {};
  }

  ServiceClient client_;
  bool writes_;
  std::string lease_;
  std::chrono::steady_clock::time_point leaseRenewed_;
};

}  // namespace

Result<std::unique_ptr<Place>> openServicePlace(const std::string& location, PlaceUse use,
                                                const PlaceOptions& options) {
  ASSIGN_OR_RETURN(auto base, checkedBaseUrl(location));
  auto place = std::make_unique<ServicePlace>(std::move(base), use, options);
  RETURN_IF_ERROR(place->open());
  return place;
}

}  // namespace vintage::archive
