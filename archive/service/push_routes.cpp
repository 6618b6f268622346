// Many contents and records in one request, as frames.
#include <algorithm>
#include <future>
#include <memory>

#include <fmt/format.h>

#include "archive/service/application.h"
#include "archive/service/keeping.h"
#include "archive/service/request_values.h"
#include "archive/store/batch_put.h"
#include "archive/store/content_reader.h"
#include "archive/store/frame_stream.h"
#include "archive/store/records.h"

namespace vintage::archive {
namespace {

using nlohmann::json;

// The contents and records of a push, before any of them is kept. Views into the body.
struct Batch : FrameVisitor {
  explicit Batch(size_t mostRecords) : mostRecords(mostRecords) {}

  const size_t mostRecords;
  size_t records = 0;
  struct Stated {
    uint64_t frame;
    ContentId id;
    std::span<const std::byte> bytes;
  };
  std::vector<Stated> contents;
  std::vector<ArtifactRecord> artifacts;
  std::vector<uint64_t> artifactFrames;
  std::vector<std::pair<uint64_t, BuildRecord>> builds;
  std::vector<std::pair<uint64_t, RunWithLimitations>> runs;
  std::vector<OutcomeRecord> outcomes;
  uint64_t firstOutcome = 0;
  std::optional<Refusal> refusal;

  Status frame(uint64_t number, std::string_view type, const json& header) override {
    if (type == "content") {
      contents.push_back({number, header["id"].get<ContentId>(), {}});
      return {};
    }
    if (type == "error")
      return refuseAll(badRequest(fmt::format("frame {}: a push takes no error frames", number),
                                  "leave out what could not be read"));
    if (++records > mostRecords) return refuseAll(tooManyRecords(mostRecords));
    const json& record = header["record"];
    if (type == "artifact") {
      artifactFrames.push_back(number);
      return take(number, artifactOfJson(record),
                  [&](auto&& it) { artifacts.push_back(std::move(it)); });
    }
    if (type == "build")
      return take(number, buildOfClient(record),
                  [&](auto&& it) { builds.emplace_back(number, it); });
    if (type == "run")
      return take(number, runOfJson(record), [&](auto&& it) { runs.emplace_back(number, it); });
    if (outcomes.empty()) firstOutcome = number;
    return take(number, outcomeOfJson(record),
                [&](auto&& it) { outcomes.push_back(std::move(it)); });
  }

  // The body is fed as one piece, so a content is one piece of it.
  Status bytes(std::span<const std::byte> piece, bool last) override {
    if (last) contents.back().bytes = piece;
    return {};
  }

  // Hashes every content, once. A problem where one does not fit its stated id.
  Answer<std::vector<HashedContent>> verify() const {
    std::vector<std::span<const std::byte>> views;
    for (const Stated& stated : contents) views.push_back(stated.bytes);
    auto hashed = hashContents(views);
    for (size_t index = 0; index < contents.size(); ++index) {
      const auto& [frame, id, bytes] = contents[index];
      if (hashed[index].id() != id)
        return checksumMismatch(fmt::format("the content in frame {}", frame), hashed[index].id(),
                                id);
    }
    return hashed;
  }

 private:
  Status refuseAll(Refusal reason) {
    refusal = std::move(reason);
    return failure(Error::Kind::kBadInput, refusal->value().message);
  }
  template <typename Record, typename Take>
  Status take(uint64_t number, Result<Record> record, const Take& keep) {
    if (!record)
      return refuseAll(invalid(fmt::format("frame {}: {}", number, record.error().message),
                               "correct the record; nothing of the request was kept"));
    keep(std::move(*record));
    return {};
  }
};

// From its frames to its answer. Contents and the artifacts that name them are kept at once; a
// failure of the archive itself refuses the request, and nothing of these is kept.
class Push {
 public:
  explicit Push(const Call& call)
      : call_(call),
        holder_(std::string(kImplicitHolder) + leaseHolder(call)),
        batch_(call.application.options.limits.records) {
    const std::string* lease = call.request.parameter("lease");
    if (lease != nullptr) lease_ = *lease;
  }

  // A problem where nothing of it can be kept.
  Answer<void> prepare() {
    FrameStreamReader reader(batch_);
    Status read = reader.feed(std::as_bytes(std::span(call_.request.body)));
    if (read) read = reader.finish();
    if (!read && batch_.refusal) return *batch_.refusal;
    if (!read)
      return badRequest(read.error().message, "send the whole stream again; nothing was kept");
    auto contents = batch_.verify();
    if (!contents) {
      call_.application.metrics.checksumMismatches.fetch_add(1);
      return tl::unexpected(contents.error());
    }
    contents_ = std::move(*contents);
    ASSIGN_OR_RETURN(const auto archive, borrowAs(call_));
    auto prepared = PreparedBatch::prepare(
        *archive, {contents_, batch_.artifacts, lease_, holder_, kImplicitLease, kImplicitHolder});
    if (!prepared) return tl::unexpected(problemOfKeeping(prepared.error()));
    prepared_.emplace(std::move(*prepared));
    return {};
  }

  Status keep(BatchTransaction& transaction) {
    return prepared_->isEmpty() ? Status() : prepared_->keep(transaction);
  }

  // After the commit.
  Response respondTo(const Status& status) {
    if (!status) return respond(problemOfKeeping(status.error()));
    kept_ = prepared_->take();
    kept_.refusals.resize(batch_.artifacts.size());
    return respondKept();
  }

 private:
  Problem problemOfKeeping(const Error& error) const {
    return lease_.empty() ? error : leaseProblem(error, lease_);
  }

  Response respondKept() {
    call_.application.metrics.contentsKept.fetch_add(contents_.size());
    size_t builds = 0, artifacts = batch_.artifacts.size(), runs = 0, outcomes = 0;
    if (!batch_.builds.empty() || !batch_.runs.empty() || !batch_.outcomes.empty() ||
        std::ranges::any_of(kept_.refusals, [](const auto& each) { return each.has_value(); })) {
      const auto archive = borrowAs(call_);
      if (!archive) return respond(archive.error());
      builds = keepEach(batch_.builds, "build", [&](const BuildRecord& build) {
        return std::pair(build.name, (*archive)->putBuild(build));
      });
      artifacts -= refuseArtifacts(**archive);
      runs = keepEach(batch_.runs, "run", [&](const RunWithLimitations& run) {
        return std::pair(run.run.id, (*archive)->putRun(run.run, run.limitations));
      });
      outcomes = keepOutcomes(**archive);
    }
    json answer = {{"contents", batch_.contents.size()},
                   {"artifacts", artifacts},
                   {"builds", builds},
                   {"runs", runs},
                   {"outcomes", outcomes},
                   {"refused", refused_}};
    if (kept_.lease) addLease(answer, *kept_.lease);
    return respondJson(refused_.empty() ? 200 : 207, answer);
  }

  // How many were kept. `put` gives the record's name and what became of it.
  template <typename Record, typename Put>
  size_t keepEach(const std::vector<std::pair<uint64_t, Record>>& records, std::string_view type,
                  const Put& put) {
    size_t kept = 0;
    for (const auto& [frame, record] : records) {
      const auto [name, result] = put(record);
      if (result)
        ++kept;
      else
        refuse(frame, type, result.error(), {{"name", name}});
    }
    return kept;
  }
  // How many were refused.
  size_t refuseArtifacts(Archive& archive) {
    size_t count = 0;
    for (size_t index = 0; index < batch_.artifacts.size(); ++index) {
      if (!kept_.refusals[index]) continue;
      ++count;
      const ArtifactRecord& record = batch_.artifacts[index];
      refuse(batch_.artifactFrames[index], "artifact",
             refusal(archive, record, *kept_.refusals[index]),
             {{"name", record.name}, {"producer", record.producer}});
    }
    return count;
  }
  size_t keepOutcomes(Archive& archive) {
    if (batch_.outcomes.empty()) return 0;
    const Status put = archive.putOutcomes(batch_.outcomes);
    if (put) return batch_.outcomes.size();
    refuse(batch_.firstOutcome, "outcome", put.error());
    return 0;
  }

  void refuse(uint64_t frame, std::string_view type, const Problem& problem,
              json names = json::object()) {
    names["frame"] = frame;
    names["type"] = type;
    names["error"] = problemJson(problem);
    refused_.push_back(std::move(names));
  }

  const Call call_;
  const std::string holder_;
  std::string lease_;
  json refused_ = json::array();
  Batch batch_;
  std::vector<HashedContent> contents_;
  std::optional<PreparedBatch> prepared_;  // Has views of the others.
  BatchKept kept_;
};

struct Preparing {
  std::counting_semaphore<>& turns;
  ~Preparing() { turns.release(); }
};

}  // namespace

OptionalResponse pushFrames(const Call& call) {
  // Others wait for one that is small: it comes soon.
  constexpr size_t kSoonBytes = 256 * 1024;
  SharedCommit& commits = call.application.commits;
  std::optional<SharedCommit::Coming> coming;
  Push push(call);
  {
    call.application.preparing.acquire();
    const Preparing held{call.application.preparing};
    if (call.request.body.size() <= kSoonBytes) coming.emplace(commits);
    RETURN_IF_ERROR(push.prepare());
  }
  // Shared: the committing thread may still be in set_value() when the wait is over.
  const auto done = std::make_shared<std::promise<Status>>();
  auto committed = done->get_future();
  commits.handOver([&](BatchTransaction& transaction) { return push.keep(transaction); },
                   [done](const Status& status) { done->set_value(status); },
                   call.request.body.size(), coming ? &*coming : nullptr);
  return push.respondTo(committed.get());
}

}  // namespace vintage::archive
