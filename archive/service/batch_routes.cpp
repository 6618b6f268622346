// Many contents and records in one request or one response, as frames.
#include <deque>
#include <unordered_set>

#include <fmt/format.h>

#include "archive/service/application.h"
#include "archive/service/exchange.h"
#include "archive/service/leases.h"
#include "archive/service/query_parameters.h"
#include "archive/service/record_puts.h"
#include "archive/service/request_json.h"
#include "archive/store/archive_implementation.h"
#include "archive/store/artifact_query.h"
#include "archive/store/batch_put.h"
#include "archive/store/content_reader.h"
#include "archive/store/frame_stream.h"
#include "archive/store/hashed_content.h"
#include "archive/store/row_values.h"

namespace vintage::archive::service {
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
  FrameResponse(Application& application, std::string holder, BodyWriter& writer)
      : application_(application),
        holder_(std::move(holder)),
        writer_(writer),
        frames_(writer_.text()) {}

  Status content(Archive& archive, const ContentId& id) {
    if (!sent_.add(id)) return {};
    BudgetShare memory(application_.responses(), holder_);
    const auto kept = archive.implementation().blobs.keptRow(id);
    if (kept && static_cast<uint64_t>(kept->bytes) > kHeldWhole)
      return contentInPieces(archive, id, static_cast<uint64_t>(kept->bytes), memory);
    // Small ones are not worth a lock. A stream that is cut off is asked for again, without what
    // arrived.
    if (kept && kept->bytes >= kCounted && !memory.grow(static_cast<uint64_t>(kept->bytes)))
      return failure(Error::Kind::kResource, "too many large contents are under way");
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
    RETURN_IF_ERROR(content(archive, record.id));
    if (!record.golden.empty()) {
      RETURN_IF_ERROR(content(archive, record.golden));
    }
    frames_.artifact(record);
    return writer_.spill();
  }
  Status end() {
    frames_.end();
    return writer_.flush();
  }

 private:
  static constexpr int64_t kCounted = 1 << 20;

  // Read twice: a damaged content is an error frame, and its first bytes are not sent.
  Status contentInPieces(Archive& archive, const ContentId& id, uint64_t bytes,
                         BudgetShare& memory) {
    if (!memory.grow(kBytesOfReader))
      return failure(Error::Kind::kResource, "too many large contents are under way");
    const Status whole = visitContent(archive, id, [](auto) { return Status(); });
    if (!whole) {
      frames_.error(id, problemJson(problemOf(whole.error())));
      return writer_.spill();
    }
    application_.metrics().contentsRead.fetch_add(1, std::memory_order_relaxed);
    frames_.contentLine(id, bytes);
    return visitContent(archive, id, [&](std::span<const std::byte> piece) {
      writer_.text().append(reinterpret_cast<const char*>(piece.data()), piece.size());
      return writer_.spill();
    });
  }

  Application& application_;
  const std::string holder_;
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

// What a push brings: nothing of it is kept yet. Views into the body.
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
  std::optional<Problem> problem;

  Status frame(uint64_t number, std::string_view type, const json& header) override {
    if (type == "content") {
      contents.push_back({number, header["id"].get<ContentId>(), {}});
      return {};
    }
    if (type == "error")
      return refuse(badRequest(fmt::format("frame {}: a push takes no error frames", number),
                               "leave out what could not be read"));
    if (++records > mostRecords) return refuse(tooManyRecords(mostRecords));
    const json& record = header["record"];
    if (type == "artifact") {
      artifactFrames.push_back(number);
      return take(number, artifactOfJson(record),
                  [&](auto&& it) { artifacts.push_back(std::move(it)); });
    }
    if (type == "build")
      return take(number, buildOfJson(record), [&](auto&& it) { builds.emplace_back(number, it); });
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
        return tl::unexpected(checksumMismatch(fmt::format("the content in frame {}", frame),
                                               hashed[index].id(), id));
    }
    return hashed;
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
};

struct Refusals {
  void add(uint64_t frame, std::string_view type, const Problem& problem,
           json names = json::object()) {
    names["frame"] = frame;
    names["type"] = type;
    names["error"] = problemJson(problem);
    list.push_back(std::move(names));
  }
  json list = json::array();
};

// Contents and the artifacts that name them at once; a failure of the archive
// itself refuses the request, and nothing of these is kept.
Response keep(const Call& call, Archive& archive, Batch& batch,
              std::span<const HashedContent> contents) {
  const std::string* parameter = call.request.parameter("lease");
  const std::string named = parameter != nullptr ? *parameter : "";
  const std::string holder = leaseHolder(call);
  const auto kept = putBatch(archive, {contents, batch.artifacts, named, holder, kImplicitLease},
                             &call.application.commits());
  if (!kept) return respond(named.empty() ? problemOf(kept.error())
                                          : leaseProblem(kept.error(), named));
  call.application.metrics().contentsKept.fetch_add(contents.size());
  Refusals refused;
  size_t builds = 0, artifacts = 0, runs = 0;
  for (const auto& [frame, build] : batch.builds) {
    const Status put = archive.putBuild(build);
    if (put)
      ++builds;
    else
      refused.add(frame, "build", problemOf(put.error()), {{"name", build.name}});
  }
  for (size_t index = 0; index < batch.artifacts.size(); ++index) {
    const ArtifactRecord& record = batch.artifacts[index];
    if (!kept->refusals[index])
      ++artifacts;
    else
      refused.add(batch.artifactFrames[index], "artifact",
                  refusal(archive, record, *kept->refusals[index]),
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
  json answer = {{"contents", batch.contents.size()},
                 {"artifacts", artifacts},
                 {"builds", builds},
                 {"runs", runs},
                 {"outcomes", outcomes},
                 {"refused", refused.list}};
  if (kept->lease) addLease(answer, {kept->lease->id, timeText(kept->lease->expires)});
  return respondJson(refused.list.empty() ? 200 : 207, answer);
}

}  // namespace

OptionalResponse pushFrames(const Call& call) {
  Batch batch(call.application.limits().records);
  FrameStreamReader reader(batch);
  Status read = reader.feed(call.request.body);
  if (read) read = reader.finish();
  if (!read)
    return respond(batch.problem ? *batch.problem
                                 : badRequest(read.error().message,
                                              "send the whole stream again; nothing was kept"));
  const auto contents = batch.verify();
  if (!contents) {
    call.application.metrics().checksumMismatches.fetch_add(1);
    return respond(contents.error());
  }
  auto archive = borrowAs(call);
  if (!archive) return respond(problemOf(archive.error()));
  return keep(call, **archive, batch, *contents);
}

OptionalResponse pullArtifacts(const Call& call) {
  const auto filter = artifactFilterOf(call.request);
  if (!filter) return respond(badRequest(filter.error().message, "correct the parameter"));
  if (const auto query = makeArtifactQuery(*filter); !query)
    return respond(badRequest(query.error().message, "correct the parameter"));
  return streamFrames(
      [&application = call.application, holder = Application::holderOf(call.request),
       filter = *filter](BodyWriter& writer) -> Status {
        ASSIGN_OR_RETURN(auto archive, application.archives().borrow());
        FrameResponse frames(application, holder, writer);
        Status written;
        const Status listed = archive->forEach(filter, [&](const ArtifactRecord& record) {
          written = frames.artifact(*archive, record);
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
  return streamFrames([&application = call.application,
                       holder = Application::holderOf(call.request),
                       ids = std::move(*ids)](BodyWriter& writer) -> Status {
    ASSIGN_OR_RETURN(auto archive, application.archives().borrow());
    FrameResponse frames(application, holder, writer);
    for (const ContentId& id : ids) {
      RETURN_IF_ERROR(frames.content(*archive, id));
    }
    return frames.end();
  });
}

}  // namespace vintage::archive::service
