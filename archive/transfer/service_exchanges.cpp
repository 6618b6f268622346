// Exchanges with a service only: contents in one stream, a content in chunks.
#include "archive/transfer/exchanges.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "archive/store/frame_stream.h"
#include "archive/store/record_json.h"
#include "golden/base/content_hash.h"
#include "golden/base/failures.h"

namespace vintage::archive {
namespace {

// At most so much is sent again where the connection breaks.
constexpr int64_t kLongestChunk = 2 << 20;

class ContentStream final : public HttpExchange, private FrameVisitor {
 public:
  ContentStream(std::string url, const std::vector<ContentId>& ids, Place::ContentVisitor take,
                Place::LostVisitor lost, std::vector<WantedContent>& large)
      : HttpExchange("read contents from " + url),
        url_(std::move(url)),
        remaining_(ids.begin(), ids.end()),
        take_(std::move(take)),
        lost_(std::move(lost)),
        large_(large) {}

  Result<HttpRequest> request() override {
    if (!current_.empty() && currentBytes_ >= kLargeContent && remaining_.erase(current_) > 0)
      large_.push_back({current_, currentBytes_});
    current_.clear();
    bytes_.clear();
    reader_.emplace(static_cast<FrameVisitor&>(*this));
    body_ = nlohmann::json({{"ids", remaining_}}).dump();
    return HttpRequest{"POST", url_, {"Content-Type: application/json"}, body_};
  }

  Status receive(HttpResponse&, std::span<const std::byte> piece) override {
    const Status status = reader_->feed(piece);
    return status ? status : within(what(), status.error());
  }

  Result<Next> finish(HttpResponse& response) override {
    if (response.status != 200) return tl::unexpected(errorOfResponse(what(), response));
    RETURN_IF_ERROR(within(what(), reader_->finish()));
    if (remaining_.empty()) return Next::kDone;
    return badInput("{}: the stream ended without {} contents, {} among them", what(),
                    remaining_.size(), *remaining_.begin());
  }

  bool progressed() override { return std::exchange(progressed_, false); }

 private:
  Status frame(uint64_t number, std::string_view type, const nlohmann::json& header) override {
    if (type == "error") {
      const auto id = header.find("id");
      if (id == header.end() || !id->is_string() || !remaining_.contains(id->get<std::string>()))
        return badInput("frame {}: an error for a content that Vintage did not request", number);
      remaining_.erase(id->get<std::string>());
      progressed_ = true;
      const std::string reason = reasonIn(header.value("error", nlohmann::json()));
      return lost_(
          id->get<std::string>(),
          {Error::Kind::kBadInput,
           fmt::format("{}: {}", url_, reason.empty() ? "the service gives no reason" : reason)});
    }
    if (type != "content")
      return badInput("frame {}: expected a content, found a frame of type {}", number, type);
    current_ = header["id"].get<std::string>();
    const uint64_t bytes = header["bytes"].get<uint64_t>();
    constexpr uint64_t kLongest = uint64_t{1} << 40;
    if (!remaining_.contains(current_) || bytes > kLongest) {
      const std::string id = std::exchange(current_, {});
      return badInput("frame {}: Vintage did not request content {:.12} of {} bytes", number, id,
                      bytes);
    }
    currentBytes_ = static_cast<int64_t>(bytes);
    bytes_.clear();
    bytes_.reserve(std::min<uint64_t>(bytes, kLargeContent));
    return {};
  }

  Status bytes(std::span<const std::byte> piece, bool last) override {
    bytes_.insert(bytes_.end(), piece.begin(), piece.end());
    if (!last) return {};
    const ContentId id = std::exchange(current_, {});
    const std::string hash = contentHash(bytes_);
    if (hash != id) {
      Error error{Error::Kind::kBadInput,
                  fmt::format("{}: content {} hashes to {} as it arrived", url_, id, hash)};
      if (++wrongHashes_[id] < 3) return tl::unexpected(error);
      remaining_.erase(id);
      progressed_ = true;
      return lost_(id, error);
    }
    remaining_.erase(id);
    progressed_ = true;
    return take_(id, std::move(bytes_));
  }

  std::string url_;
  std::set<ContentId> remaining_;
  Place::ContentVisitor take_;
  Place::LostVisitor lost_;
  std::vector<WantedContent>& large_;
  std::string body_;
  std::optional<FrameStreamReader> reader_;
  // The content that is arriving; empty between them.
  ContentId current_;
  int64_t currentBytes_ = 0;
  Bytes bytes_;
  std::map<ContentId, int> wrongHashes_;
  bool progressed_ = false;
};

class UploadExchange final : public HttpExchange {
 public:
  UploadExchange(std::string base, const ContentUpload& upload, std::string lease,
                 int64_t chunkBytes)
      : HttpExchange(fmt::format("upload {} to {}", upload.id, base)),
        base_(std::move(base)),
        id_(upload.id),
        bytes_(*upload.bytes),
        lease_(std::move(lease)),
        chunkBytes_(static_cast<size_t>(std::clamp<int64_t>(chunkBytes, 1, kLongestChunk))),
        again_(upload.again) {}

  // A chunk that was tried before may have arrived in part: the service is asked
  // anew, which takes the upload up where it stands.
  Result<HttpRequest> request() override {
    if (asked_) step_ = Step::kBegin;
    asked_ = true;
    if (step_ == Step::kBegin) {
      nlohmann::json body{{"id", id_}, {"bytes", bytes_.size()}, {"lease", lease_}};
      if (again_) body["again"] = true;
      body_ = body.dump();
      return HttpRequest{"POST", base_ + "/v1/uploads", {"Content-Type: application/json"}, body_};
    }
    const std::string_view bytes(reinterpret_cast<const char*>(bytes_.data()), bytes_.size());
    return HttpRequest{
        "PATCH",
        base_ + "/v1/uploads/" + percentEncoded(upload_),
        {"Content-Type: application/octet-stream", fmt::format("Upload-Offset: {}", offset_)},
        bytes.substr(offset_, chunkBytes_)};
  }

  Result<Next> finish(HttpResponse& response) override {
    const std::string kind = response.status >= 400 ? errorKindOf(response) : "";
    if (response.status == 409 && kind == "busy") return Next::kRetry;
    return step_ == Step::kBegin ? begun(response) : sent(response);
  }
  bool progressed() override {
    const bool more = offset_ > atLastQuestion_;
    atLastQuestion_ = std::max(atLastQuestion_, offset_);
    return more;
  }

 private:
  enum class Step { kBegin, kSend };

  Result<Next> begun(const HttpResponse& response) {
    if (response.status != 200 && response.status != 201)
      return tl::unexpected(errorOfResponse(what(), response));
    const auto answer = parseOutsideJson(response.body).value_or(nlohmann::json());
    if (response.status == 200) return Next::kDone;  // It is kept already.
    if (!answer.is_object() || !answer.contains("upload") || !answer["upload"].is_string() ||
        !answer.contains("offset") || !answer["offset"].is_number_unsigned())
      return failure(Error::Kind::kBadInput, what() + ": the answer names no upload and offset");
    upload_ = answer["upload"].get<std::string>();
    return goOnAt(std::to_string(answer["offset"].get<uint64_t>()));
  }

  Result<Next> sent(const HttpResponse& response) {
    if (response.status == 201) return Next::kDone;
    if (response.status == 204 ||
        (response.status == 409 && errorKindOf(response) == "offset_mismatch"))
      return goOnAt(response.header("upload-offset"));
    // It was given up there, or the bytes changed on the way: from the beginning.
    if ((response.status == 404 || response.status == 422) && ++startedOver_ < 3) {
      step_ = Step::kBegin;
      asked_ = false;
      return Next::kRetry;
    }
    return tl::unexpected(errorOfResponse(what(), response));
  }

  Result<Next> goOnAt(const std::string& offset) {
    size_t at = 0;
    const auto [end, problem] = std::from_chars(offset.data(), offset.data() + offset.size(), at);
    if (problem != std::errc() || end != offset.data() + offset.size() || at > bytes_.size())
      return badInput("{}: the service says that it stands at '{}' of {} bytes", what(), offset,
                      bytes_.size());
    const bool moved = step_ == Step::kBegin || at != offset_;
    offset_ = at;
    step_ = Step::kSend;
    asked_ = false;
    return moved ? Next::kContinue : Next::kRetry;
  }

  std::string base_;
  ContentId id_;
  const Bytes& bytes_;
  std::string lease_;
  size_t chunkBytes_;
  bool again_;
  Step step_ = Step::kBegin;
  bool asked_ = false;  // Whether the present step was tried before: something went wrong.
  std::string body_, upload_;
  size_t offset_ = 0, atLastQuestion_ = 0;
  int startedOver_ = 0;
};

}  // namespace

std::unique_ptr<HttpExchange> streamContents(std::string url, const std::vector<ContentId>& ids,
                                             Place::ContentVisitor take, Place::LostVisitor lost,
                                             std::vector<WantedContent>& large) {
  return std::make_unique<ContentStream>(std::move(url), ids, std::move(take), std::move(lost),
                                         large);
}

std::unique_ptr<HttpExchange> uploadContent(std::string base, const ContentUpload& upload,
                                            std::string lease, int64_t chunkBytes) {
  return std::make_unique<UploadExchange>(std::move(base), upload, std::move(lease), chunkBytes);
}

}  // namespace vintage::archive
