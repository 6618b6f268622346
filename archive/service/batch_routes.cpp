// Many contents and records in one request or one response, as frames.
#include <deque>
#include <unordered_set>

#include <fmt/format.h>

#include "archive/artifact_query.h"
#include "archive/frame_stream.h"
#include "archive/service/application.h"
#include "archive/service/gathered_writer.h"
#include "archive/service/kept_content.h"
#include "archive/service/leases.h"
#include "archive/service/query_parameters.h"
#include "archive/service/record_puts.h"
#include "archive/service/request_json.h"
#include "golden/content_hash.h"

namespace vintage::service {
namespace {

using nlohmann::json;

// Content that several artifacts share is sent once where they follow each
// other; what is remembered for that is bounded.
class RecentlySent {
 public:
  bool add(const ContentId& id) {
    if (!known_.insert(id).second) return false;
    order_.push_back(id);
    if (order_.size() > kMost) {
      known_.erase(order_.front());
      order_.pop_front();
    }
    return true;
  }

 private:
  static constexpr size_t kMost = 8192;
  std::unordered_set<ContentId> known_;
  std::deque<ContentId> order_;
};

class FrameResponse {
 public:
  FrameResponse(Application& application, BodyWriter& writer)
      : application_(application), writer_(writer), frames_(writer_.text()) {}

  Status content(Archive& archive, const ContentId& id) {
    if (!sent_.add(id)) return {};
    const auto bytes = archive.read(id);
    if (bytes) {
      application_.metrics().contentsRead.fetch_add(1, std::memory_order_relaxed);
      frames_.content(id, *bytes);
    } else {
      frames_.error(id, problemJson(problemOf(bytes.error())));
    }
    return writer_.spill();
  }
  Status artifact(Archive& archive, const ArtifactRecord& record) {
    if (Status status = content(archive, record.id); !status) return status;
    if (!record.golden.empty()) {
      if (Status status = content(archive, record.golden); !status) return status;
    }
    frames_.artifact(record);
    return writer_.spill();
  }
  Status end() {
    frames_.end();
    return writer_.flush();
  }

 private:
  Application& application_;
  GatheredWriter writer_;
  FrameStreamWriter frames_;
  RecentlySent sent_;
};

Response streamFrames(std::function<Status(BodyWriter&)> stream) {
  Response response;
  response.contentType = kFramesMediaType;
  response.stream = std::move(stream);
  return response;
}

// What a push brings, checked: nothing of it is kept yet. Views into the body.
struct Batch : FrameVisitor {
  std::vector<std::pair<ContentId, std::span<const std::byte>>> contents;
  std::vector<ArtifactRecord> artifacts;
  std::vector<uint64_t> artifactFrames;
  std::vector<std::pair<uint64_t, BuildRecord>> builds;
  std::vector<std::pair<uint64_t, RunWithLimitations>> runs;
  std::vector<OutcomeRecord> outcomes;
  uint64_t firstOutcome = 0;
  std::optional<Problem> problem;

  Status frame(uint64_t number, std::string_view type, const json& header) override {
    if (type == "content") {
      contents.emplace_back(header["id"].get<ContentId>(), std::span<const std::byte>());
      contentFrame_ = number;
      return {};
    }
    if (type == "error")
      return refuse(badRequest(fmt::format("frame {}: an error cannot be pushed", number),
                               "leave out what could not be read"));
    const json& record = header["record"];
    if (type == "artifact") {
      artifactFrames.push_back(number);
      return take(number, artifactOfJson(record), [&](auto&& it) { artifacts.push_back(it); });
    }
    if (type == "build")
      return take(number, buildOfJson(record), [&](auto&& it) { builds.emplace_back(number, it); });
    if (type == "run")
      return take(number, runOfJson(record), [&](auto&& it) { runs.emplace_back(number, it); });
    if (outcomes.empty()) firstOutcome = number;
    return take(number, outcomeOfJson(record), [&](auto&& it) { outcomes.push_back(it); });
  }

  // The body is fed as one piece, so a content is one piece of it.
  Status bytes(std::span<const std::byte> piece, bool last) override {
    if (!last) return {};
    auto& [id, content] = contents.back();
    content = piece;
    const std::string actual = contentHash(piece);
    if (actual == id) return {};
    return refuse(checksumMismatch(fmt::format("the content in frame {}", contentFrame_), actual, id));
  }

 private:
  Status refuse(Problem reason) {
    problem = std::move(reason);
    return failure(Error::Kind::kBadInput, problem->message);
  }
  template <typename Record, typename Take>
  Status take(uint64_t number, Result<Record> record, const Take& keep) {
    if (!record)
      return refuse(invalid(fmt::format("frame {}: {}", number, record.error().message),
                            "correct the record; nothing of the request was kept"));
    keep(std::move(*record));
    return {};
  }
  uint64_t contentFrame_ = 0;
};

struct Refusals {
  void add(uint64_t frame, std::string_view type, const Problem& problem, json names = json::object()) {
    names["frame"] = frame;
    names["type"] = type;
    names["error"] = problemJson(problem);
    list.push_back(std::move(names));
  }
  json list = json::array();
};

// Whether a record of the batch names each of its contents: then no lease is needed
// once the records are kept.
bool allNamed(const Batch& batch) {
  std::unordered_set<ContentId> named;
  for (const ArtifactRecord& record : batch.artifacts) {
    named.insert(record.id);
    named.insert(record.golden);
  }
  for (const auto& [id, bytes] : batch.contents) {
    if (!named.contains(id)) return false;
  }
  return true;
}

// Contents first, then what names them. A failure of the archive itself refuses
// the request; contents that it kept before stay under the lease.
Response keep(const Call& call, Archive& archive, Batch& batch) {
  const std::string* parameter = call.request.parameter("lease");
  const std::string named = parameter != nullptr ? *parameter : "";
  std::optional<HeldLease> lease;
  if (!batch.contents.empty()) {
    std::vector<ContentId> ids;
    std::vector<std::span<const std::byte>> contents;
    for (const auto& [id, bytes] : batch.contents) {
      ids.push_back(id);
      contents.push_back(bytes);
    }
    auto held = leaseFor(call, archive, named, ids);
    if (!held) return respond(held.error());
    lease = std::move(*held);
    if (const Status put = putContents(archive, lease->id, contents); !put)
      return respond(leaseProblem(put.error(), lease->id));
    call.application.metrics().contentsKept.fetch_add(contents.size());
  }
  Refusals refused;
  size_t builds = 0, artifacts = 0, runs = 0;
  for (const auto& [frame, build] : batch.builds) {
    const Status put = archive.putBuild(build);
    if (put)
      ++builds;
    else
      refused.add(frame, "build", problemOf(put.error()), {{"name", build.name}});
  }
  const auto refusals = registerEach(archive, batch.artifacts);
  for (size_t index = 0; index < refusals.size(); ++index) {
    const ArtifactRecord& record = batch.artifacts[index];
    if (!refusals[index])
      ++artifacts;
    else
      refused.add(batch.artifactFrames[index], "artifact", *refusals[index],
                  {{"name", record.name}, {"producer", record.producer}});
  }
  for (const auto& [frame, run] : batch.runs) {
    const auto put = archive.putRun(run.run, run.limitations);
    if (put)
      ++runs;
    else
      refused.add(frame, "run", problemOf(put.error()), {{"name", run.run.id}});
  }
  size_t outcomes = batch.outcomes.size();
  if (const Status put = outcomes > 0 ? archive.putOutcomes(batch.outcomes) : Status(); !put) {
    refused.add(batch.firstOutcome, "outcome", problemOf(put.error()));
    outcomes = 0;
  }
  json answer = {{"contents", batch.contents.size()}, {"artifacts", artifacts}, {"builds", builds},
                 {"runs", runs},                      {"outcomes", outcomes},   {"refused", refused.list}};
  if (lease && named.empty()) {
    if (refused.list.empty() && allNamed(batch))
      (void)archive.releaseLease(lease->id);  // It would run out by itself.
    else
      addLease(answer, *lease);
  }
  return respondJson(refused.list.empty() ? 200 : 207, answer);
}

}  // namespace

OptionalResponse pushFrames(const Call& call) {
  Batch batch;
  FrameStreamReader reader(batch);
  Status read = reader.feed(call.request.body);
  if (read) read = reader.finish();
  if (!read) {
    if (batch.problem && batch.problem->status == 422)
      call.application.metrics().checksumMismatches.fetch_add(
          batch.problem->kind == "checksum_mismatch" ? 1 : 0);
    return respond(batch.problem ? *batch.problem
                                 : badRequest(read.error().message,
                                              "send the whole stream again; nothing was kept"));
  }
  auto archive = call.application.archives().borrow();
  if (!archive) return respond(problemOf(archive.error()));
  return keep(call, **archive, batch);
}

OptionalResponse pullArtifacts(const Call& call) {
  const auto filter = artifactFilterOf(call.request);
  if (!filter) return respond(badRequest(filter.error().message, "correct the parameter"));
  if (const auto query = makeArtifactQuery(*filter); !query)
    return respond(badRequest(query.error().message, "correct the parameter"));
  return streamFrames([&application = call.application, filter = *filter](BodyWriter& writer) -> Status {
    auto archive = application.archives().borrow();
    if (!archive) return tl::unexpected(archive.error());
    FrameResponse frames(application, writer);
    Status written;
    const Status listed = (*archive)->forEach(filter, [&](const ArtifactRecord& record) {
      written = frames.artifact(**archive, record);
      return written.has_value();
    });
    if (!listed) return listed;
    if (!written) return written;
    return frames.end();
  });
}

OptionalResponse pullContents(const Call& call) {
  const auto body = jsonBody(call.request);
  if (!body) return respond(body.error());
  auto ids = idsField(*body, "ids", call.application.limits().ids);
  if (!ids) return respond(ids.error());
  return streamFrames([&application = call.application, ids = std::move(*ids)](BodyWriter& writer) -> Status {
    auto archive = application.archives().borrow();
    if (!archive) return tl::unexpected(archive.error());
    FrameResponse frames(application, writer);
    for (const ContentId& id : ids) {
      if (Status status = frames.content(**archive, id); !status) return status;
    }
    return frames.end();
  });
}

}  // namespace vintage::service
