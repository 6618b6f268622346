// Exchanges with a service only: lists of records, contents in one stream, a content in chunks.
#include "archive/transfer/exchanges.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>
#include <openssl/evp.h>
#include <openssl/sha.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include "archive/store/frame_stream.h"
#include "archive/store/record_json.h"
#include "golden/base/content_hash.h"
#include "golden/base/failures.h"

namespace vintage::archive {
namespace {

// At most so much is sent again where the connection breaks.
constexpr int64_t kLongestChunk = 2 << 20;

tl::unexpected<Error> fileError(const char* what) {
  return ioError(
      "a temporary file for a list of records cannot be {}: {}; TMPDIR chooses where it lies", what,
      std::strerror(errno));
}

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

// GET of a list of records into a temporary file.
class RecordList final : public HttpExchange {
 public:
  RecordList(const std::string& url, std::FILE* file)
      : HttpExchange("list " + url), url_(url), file_(file) {}

  Result<HttpRequest> request() override {
    std::rewind(file_);
    if (::ftruncate(::fileno(file_), 0) != 0) return fileError("emptied");
    lines_ = 0;
    lastLine_.clear();
    partial_.clear();
    return HttpRequest{"GET", url_, {}, {}};
  }

  Status receive(HttpResponse&, std::span<const std::byte> piece) override {
    std::string_view text(reinterpret_cast<const char*>(piece.data()), piece.size());
    for (size_t end; (end = text.find('\n')) != std::string_view::npos;
         text.remove_prefix(end + 1)) {
      partial_ += text.substr(0, end);
      lastLine_ = std::move(partial_);
      partial_.clear();
      ++lines_;
    }
    partial_ += text;
    // A record's texts are bounded, so a line is: what is longer is no list.
    constexpr size_t kLongestLine = size_t{16} << 20;
    if (partial_.size() > kLongestLine)
      return badInput("{}: line {} is longer than {} bytes", what(), lines_ + 1, kLongestLine);
    if (std::fwrite(piece.data(), 1, piece.size(), file_) != piece.size())
      return fileError("written");
    return {};
  }

  Result<Next> finish(HttpResponse& response) override {
    if (response.status != 200) return tl::unexpected(errorOfResponse(what(), response));
    const auto last = parseOutsideJson(lastLine_).value_or(nlohmann::json());
    if (partial_.empty() && last.is_object() && isEnd(last) && last["count"].is_number_integer() &&
        last["count"].get<int64_t>() == static_cast<int64_t>(lines_) - 1)
      return Next::kDone;
    std::string why = "it was cut off: its last line is missing";
    if (last.is_object() && last.contains("error"))
      why = fmt::format("the server failed midway: {:.300}", jsonText(last["error"]));
    return badInput("{}: after {} lines {}", what(), lines_, why);
  }

  // The line that ends a list: {"end": true, "count": N}.
  static bool isEnd(const nlohmann::json& line) {
    return line.size() == 2 && line.contains("end") && line.contains("count");
  }

 private:
  std::string url_;
  std::FILE* file_;
  uint64_t lines_ = 0;
  std::string lastLine_, partial_;
};

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

Status listRecords(HttpClient& http, const std::string& url,
                   const std::function<Status(const nlohmann::json&)>& visit) {
  const std::unique_ptr<std::FILE, CloseFile> file(std::tmpfile());
  if (file == nullptr) return fileError("made");
  RETURN_IF_ERROR(http.perform(std::make_unique<RecordList>(url, file.get())));
  if (std::fflush(file.get()) != 0) return fileError("written");
  std::rewind(file.get());
  char* line = nullptr;
  size_t capacity = 0;
  Status visited;
  for (ssize_t bytes; visited && (bytes = ::getline(&line, &capacity, file.get())) >= 0;) {
    std::string_view text(line, static_cast<size_t>(bytes));
    if (text.ends_with('\n')) text.remove_suffix(1);
    const auto record = parseOutsideJson(text);
    if (!record || !record->is_object())
      visited = badInput("{}: {}: {:.80}", url,
                         record ? "a line is not a JSON object" : record.error().message, text);
    else if (!RecordList::isEnd(*record))
      visited = visit(*record);
  }
  std::free(line);
  if (visited && std::ferror(file.get()) != 0) return fileError("read");
  return visited;
}

std::string contentDigestHeader(std::string_view body) {
  unsigned char hash[SHA256_DIGEST_LENGTH];
  ::SHA256(reinterpret_cast<const unsigned char*>(body.data()), body.size(), hash);
  unsigned char text[(SHA256_DIGEST_LENGTH + 2) / 3 * 4 + 1];
  ::EVP_EncodeBlock(text, hash, sizeof(hash));
  return fmt::format("Content-Digest: sha-256=:{}:", reinterpret_cast<const char*>(text));
}

}  // namespace vintage::archive
