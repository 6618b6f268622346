// Many contents and records in one response, as frames.
#include <unordered_set>

#include "archive/service/application.h"
#include "archive/service/exchange.h"
#include "archive/service/request_values.h"
#include "archive/store/content_reader.h"
#include "archive/store/frame_stream.h"
#include "golden/base/memory_pages.h"

namespace vintage::archive {
namespace {

using nlohmann::json;

class FrameResponse {
 public:
  FrameResponse(Application& application, std::string holder, const BodyWriter& write)
      : application_(application),
        holder_(std::move(holder)),
        writer_(write),
        frames_(writer_.text()) {}

  Status content(Archive& archive, const ContentId& id) {
    if (!sent_.insert(id).second) return {};
    if (sent_.size() > kRemembered) sent_.clear();
    BudgetShare memory(application_.responses, holder_);
    const uint64_t size = lookAt(archive, id).value_or(std::nullopt).value_or(KeptContent()).bytes;
    if (size > kHeldWhole) return contentInPieces(archive, id, size, memory);
    // Small ones are not worth a lock. A stream that is cut off is asked for again, without what
    // arrived.
    if (size >= kCounted && !memory.grow(size))
      return failure(Error::Kind::kResource, "too many large contents are under way");
    const auto bytes = archive.read(id);
    if (bytes) {
      application_.metrics.contentsRead.fetch_add(1, std::memory_order_relaxed);
      frames_.content(id, *bytes);
    } else {
      frames_.error(id, problemJson(bytes.error()));
    }
    return writer_.spill();
  }
  Status artifact(Archive& archive, const ArtifactRecord& record) {
    RETURN_IF_ERROR(content(archive, record.id));
    if (!record.golden.empty()) RETURN_IF_ERROR(content(archive, record.golden));
    frames_.artifact(record);
    return writer_.spill();
  }
  Status end() {
    frames_.end();
    return writer_.flush();
  }

 private:
  static constexpr uint64_t kCounted = 1 << 20;
  static constexpr size_t kRemembered = 8192;

  // Read twice: a damaged content is an error frame, and its first bytes are not sent.
  Status contentInPieces(Archive& archive, const ContentId& id, uint64_t bytes,
                         BudgetShare& memory) {
    if (!memory.grow(kBytesOfReader))
      return failure(Error::Kind::kResource, "too many large contents are under way");
    const Status whole = visitContent(archive, id, [](auto) { return Status(); });
    if (!whole) {
      frames_.error(id, problemJson(whole.error()));
      return writer_.spill();
    }
    application_.metrics.contentsRead.fetch_add(1, std::memory_order_relaxed);
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
  // Content that several artifacts share is sent once where they follow each other.
  std::unordered_set<ContentId> sent_;
};

// `produce(archive, frames)` runs while the response is sent.
template <typename Produce>
Response streamFrames(const Call& call, Produce produce) {
  Response response;
  response.contentType = kFramesMediaType;
  response.stream = [&application = call.application, holder = Application::holderOf(call.request),
                     produce = std::move(produce)](const BodyWriter& write) -> Status {
    ASSIGN_OR_RETURN(auto archive, application.archives.borrow());
    FrameResponse frames(application, holder, write);
    RETURN_IF_ERROR(produce(*archive, frames));
    return frames.end();
  };
  return response;
}

}  // namespace

OptionalResponse pullArtifacts(const Call& call) {
  ASSIGN_OR_RETURN(const auto filter, artifactFilterOf(call.request));
  return streamFrames(call, [filter](Archive& archive, FrameResponse& frames) {
    Status written;
    const Status listed = archive.forEach(filter, [&](const ArtifactRecord& record) {
      written = frames.artifact(archive, record);
      return written.has_value();
    });
    return listed ? written : listed;
  });
}

OptionalResponse pullContents(const Call& call) {
  ASSIGN_OR_RETURN(const auto body, jsonBody(call.request));
  ASSIGN_OR_RETURN(auto ids, idsField(body, "ids", call.application.options.limits.ids));
  return streamFrames(call,
                      [ids = std::move(ids)](Archive& archive, FrameResponse& frames) -> Status {
                        for (const ContentId& id : ids)
                          RETURN_IF_ERROR(frames.content(archive, id));
                        return {};
                      });
}

}  // namespace vintage::archive
