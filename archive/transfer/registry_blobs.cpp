// Blobs of a registry: put where they are not there, and read in parts.
#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "archive/transfer/registry_client.h"
#include "golden/base/content_hash.h"
#include "golden/base/failures.h"

namespace vintage::archive {
namespace {

using Next = HttpExchange::Next;

// How often bytes that do not hash to their id are read or sent.
constexpr int kMostWrong = 3;

std::string blobUrl(const std::string& repositoryUrl, const std::string& hash) {
  return fmt::format("{}/blobs/sha256:{}", repositoryUrl, hash);
}

uint64_t numberAfter(std::string_view text, char mark) {
  uint64_t number = 0;
  const size_t at = text.find(mark) + 1;  // 0 where there is none.
  std::from_chars(text.data() + at, text.data() + text.size(), number);
  return number;
}

class BlobUpload final : public HttpExchange {
 public:
  BlobUpload(const std::string& repositoryUrl, std::string_view bytes, const std::string& hash,
             size_t chunkBytes)
      : HttpExchange("write " + blobUrl(repositoryUrl, hash)),
        repositoryUrl_(repositoryUrl),
        bytes_(bytes),
        hash_(hash),
        chunkBytes_(chunkBytes) {}

  Result<HttpRequest> request() override {
    // The attempt before ended without an answer: how far did it get?
    if (std::exchange(isSending_, false)) step_ = isChunked() ? Step::kAsk : Step::kLook;
    switch (step_) {
      case Step::kLook:
        return HttpRequest{"HEAD", blobUrl(repositoryUrl_, hash_), {}, {}, true};
      case Step::kBegin:
        return HttpRequest{"POST", repositoryUrl_ + "/blobs/uploads/", {}, {}};
      case Step::kAsk:
        return HttpRequest{"GET", session_, {}, {}};
      case Step::kSend:
        break;
    }
    isSending_ = true;
    const std::string type = "Content-Type: application/octet-stream";
    if (isChunked() && sent_ < bytes_.size()) {
      const std::string_view chunk = bytes_.substr(sent_, chunkBytes_);
      return HttpRequest{
          "PATCH",
          session_,
          {type, fmt::format("Content-Range: {}-{}", sent_, sent_ + chunk.size() - 1)},
          chunk};
    }
    std::string url = session_;
    addParameter(url, "digest", "sha256:" + hash_);
    return HttpRequest{"PUT", url, {type}, isChunked() ? std::string_view() : bytes_};
  }

  Result<Next> finish(HttpResponse& response) override {
    isSending_ = false;
    const int status = response.status;
    if (step_ == Step::kLook) {
      if (status == 200) return Next::kDone;
      if (status != 404) return tl::unexpected(errorOfResponse(what(), response));
      step_ = Step::kBegin;
      return Next::kContinue;
    }
    if (status == 201) return Next::kDone;
    // The registry forgot the upload, or has ended it: libcurl repeats a request whose answer was
    // lost.
    if (step_ != Step::kBegin && status == 404) {
      step_ = Step::kLook;
      return Next::kRetry;
    }
    if (step_ == Step::kSend && status == 416) {
      step_ = Step::kAsk;
      return Next::kRetry;
    }
    if (status == 400 && response.body.find("DIGEST_INVALID") != std::string::npos &&
        ++wrong_ < kMostWrong) {
      step_ = Step::kBegin;
      return Next::kRetry;
    }
    if (status == 413)
      return noResource("{}; it, or a proxy before it, takes no body of {} bytes: raise that limit",
                        errorOfResponse(what(), response).message,
                        std::min(bytes_.size(), chunkBytes_));
    if (status < 200 || status >= 300) return tl::unexpected(errorOfResponse(what(), response));
    if (std::string location = response.header("location"); !location.empty())
      session_ = location.starts_with('/')
                     ? repositoryUrl_.substr(0, repositoryUrl_.find("/v2/")) + location
                     : std::move(location);
    if (session_.empty())
      return unsupported("{}: the registry did not say where the upload goes (Location)", what());
    if (step_ == Step::kBegin) {
      sent_ = 0;
    } else if (const std::string& range = response.header("range"); !range.empty()) {
      // "0-1023"; "0-0" also of nothing.
      const uint64_t last = numberAfter(range, '-');
      sent_ = std::min<size_t>(last == 0 ? 0 : last + 1, bytes_.size());
    }
    step_ = Step::kSend;
    return Next::kContinue;
  }

  // An upload that begins anew is no progress.
  bool progressed() override {
    const bool more = sent_ > mostSent_;
    mostSent_ = std::max(mostSent_, sent_);
    return more;
  }

 private:
  enum class Step { kLook, kBegin, kAsk, kSend };
  bool isChunked() const { return bytes_.size() > chunkBytes_; }

  std::string repositoryUrl_;
  std::string_view bytes_;
  std::string hash_;
  size_t chunkBytes_;
  Step step_ = Step::kLook;
  std::string session_;
  size_t sent_ = 0, mostSent_ = 0;
  bool isSending_ = false;
  int wrong_ = 0;
};

class SegmentRead final : public HttpExchange {
 public:
  SegmentRead(const std::string& repositoryUrl, BlobSegment segment, TakePart take, LosePart lost)
      : HttpExchange("read " + blobUrl(repositoryUrl, segment.blob)),
        url_(blobUrl(repositoryUrl, segment.blob)),
        segment_(std::move(segment)),
        begin_(segment_.parts.front().offset),
        take_(std::move(take)),
        lost_(std::move(lost)) {
    for (const BlobPart& part : segment_.parts)
      size_ = std::max(size_, static_cast<size_t>(part.offset + part.bytes - begin_));
  }

  Result<HttpRequest> request() override {
    bodyBegan_ = false;
    return HttpRequest{
        "GET",
        url_,
        {fmt::format("Range: bytes={}-{}", begin_ + bytes_.size(), begin_ + size_ - 1)},
        {},
        true};
  }

  Status receive(HttpResponse& response, std::span<const std::byte> piece) override {
    if (!std::exchange(bodyBegan_, true)) {
      // A server may answer a range with the whole.
      skip_ = response.status == 206 ? 0 : begin_ + bytes_.size();
      const std::string& range = response.header("content-range");
      if (response.status == 206 && numberAfter(range, ' ') != begin_ + bytes_.size())
        return badInput("{}: Vintage requested the bytes from {} on; the server sent '{}'", what(),
                        begin_ + bytes_.size(), range);
    }
    const size_t skipped = std::min<uint64_t>(skip_, piece.size());
    skip_ -= skipped;
    piece = piece.subspan(skipped);
    piece = piece.first(std::min(piece.size(), size_ - bytes_.size()));
    bytes_.insert(bytes_.end(), piece.begin(), piece.end());
    return {};
  }

  Result<Next> finish(HttpResponse& response) override {
    if (response.status == 404) return giveUp(errorOfResponse(what(), response));
    const bool isShort = response.status == 416;  // Nothing of it is there.
    if (!isShort && response.status != 200 && response.status != 206)
      return tl::unexpected(errorOfResponse(what(), response));
    const bool isLast = ++wrong_ == kMostWrong;
    if (isShort || bytes_.size() < size_)
      return isLast || isShort
                 ? giveUp({Error::Kind::kBadInput,
                           fmt::format("{}: the layer is shorter than its table says", what())})
                 : Result<Next>(Next::kRetry);
    std::vector<BlobPart> others;
    for (BlobPart& part : segment_.parts) {
      const auto first = bytes_.begin() + static_cast<std::ptrdiff_t>(part.offset - begin_);
      Bytes own(first, first + static_cast<std::ptrdiff_t>(part.bytes));
      const std::string hash = part.id.empty() ? part.id : contentHash(own);
      const Error error{Error::Kind::kBadInput, fmt::format("{}: the {} bytes of {} hash to {}",
                                                            what(), part.bytes, part.key, hash)};
      if (hash == part.id)
        RETURN_IF_ERROR(take_(part, std::move(own)));
      else if (isLast)
        RETURN_IF_ERROR(lost_(part, error));
      else
        others.push_back(std::move(part));
    }
    segment_.parts = std::move(others);
    bytes_.clear();
    // The network may have changed them; a registry that keeps saying the same has nothing else.
    return segment_.parts.empty() ? Next::kDone : Next::kRetry;
  }

  bool progressed() override {
    const bool more = bytes_.size() > atLastQuestion_ && wrong_ == 0;
    atLastQuestion_ = bytes_.size();
    return more;
  }

 private:
  Result<Next> giveUp(const Error& error) {
    for (const BlobPart& part : segment_.parts) RETURN_IF_ERROR(lost_(part, error));
    return Next::kDone;
  }

  std::string url_;
  BlobSegment segment_;
  uint64_t begin_;
  size_t size_ = 0;
  TakePart take_;
  LosePart lost_;
  Bytes bytes_;
  uint64_t skip_ = 0;
  size_t atLastQuestion_ = 0;
  bool bodyBegan_ = false;
  int wrong_ = 0;
};

}  // namespace

std::unique_ptr<HttpExchange> uploadBlob(const std::string& repositoryUrl, std::string_view bytes,
                                         const std::string& hash, size_t chunkBytes) {
  return std::make_unique<BlobUpload>(repositoryUrl, bytes, hash, chunkBytes);
}

std::unique_ptr<HttpExchange> readSegment(const std::string& repositoryUrl, BlobSegment segment,
                                          TakePart take, LosePart lost) {
  return std::make_unique<SegmentRead>(repositoryUrl, std::move(segment), std::move(take),
                                       std::move(lost));
}

}  // namespace vintage::archive
