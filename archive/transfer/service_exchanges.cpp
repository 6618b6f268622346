#include "archive/transfer/service_exchanges.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <fmt/format.h>
#include <openssl/evp.h>
#include <openssl/sha.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include "archive/store/record_json.h"
#include "archive/transfer/content_download.h"
#include "archive/transfer/http_client.h"
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

}  // namespace

Result<LineSpool> LineSpool::make() {
  std::FILE* file = std::tmpfile();
  if (file == nullptr) return fileError("made");
  return LineSpool(file);
}

Status LineSpool::append(std::span<const std::byte> bytes) {
  if (std::fwrite(bytes.data(), 1, bytes.size(), file_.get()) != bytes.size())
    return fileError("written");
  return {};
}

Status LineSpool::clear() {
  std::rewind(file_.get());
  if (::ftruncate(::fileno(file_.get()), 0) != 0) return fileError("emptied");
  return {};
}

Status LineSpool::forEach(const std::function<Status(std::string_view)>& visit) const {
  if (std::fflush(file_.get()) != 0) return fileError("written");
  std::rewind(file_.get());
  char* line = nullptr;
  size_t capacity = 0;
  Status visited;
  for (ssize_t bytes; visited && (bytes = ::getline(&line, &capacity, file_.get())) >= 0;) {
    std::string_view text(line, static_cast<size_t>(bytes));
    if (text.ends_with('\n')) text.remove_suffix(1);
    visited = visit(text);
  }
  std::free(line);
  if (visited && std::ferror(file_.get()) != 0) return fileError("read");
  return visited;
}

Result<HttpRequest> RecordList::request() {
  RETURN_IF_ERROR(spool_.clear());
  lines_ = 0;
  lastLine_.clear();
  partial_.clear();
  return HttpRequest{"GET", url_, {}, {}};
}

Status RecordList::receive(HttpResponse&, std::span<const std::byte> piece) {
  std::string_view text(reinterpret_cast<const char*>(piece.data()), piece.size());
  for (size_t end; (end = text.find('\n')) != std::string_view::npos; text.remove_prefix(end + 1)) {
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
  return spool_.append(piece);
}

Result<HttpExchange::Next> RecordList::finish(HttpResponse& response) {
  if (response.status != 200) return tl::unexpected(errorOfResponse(what(), response));
  const auto last = parseOutsideJson(lastLine_).value_or(nlohmann::json());
  if (partial_.empty() && last.is_object() && isEnd(last) && last["count"].is_number_integer() &&
      last["count"].get<int64_t>() == static_cast<int64_t>(lines_) - 1)
    return Next::kDone;
  std::string why = "it was cut off: its last line is missing";
  if (last.is_object() && last.contains("error"))
    why = fmt::format("the server failed midway: {:.300}",
                      last["error"].dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  return badInput("{}: after {} lines {}", what(), lines_, why);
}

ContentStream::ContentStream(std::string url, std::vector<ContentId> ids,
                             Place::ContentVisitor take, Place::LostVisitor lost,
                             std::vector<WantedContent>& large)
    : url_(std::move(url)),
      remaining_(ids.begin(), ids.end()),
      take_(std::move(take)),
      lost_(std::move(lost)),
      large_(large) {}

Result<HttpRequest> ContentStream::request() {
  if (!current_.empty() && currentBytes_ >= kLargeContent && remaining_.erase(current_) > 0)
    large_.push_back({current_, currentBytes_});
  current_.clear();
  bytes_.clear();
  reader_.emplace(static_cast<FrameVisitor&>(*this));
  body_ = nlohmann::json({{"ids", remaining_}}).dump();
  return HttpRequest{"POST", url_, {"Content-Type: application/json"}, body_};
}

Status ContentStream::receive(HttpResponse&, std::span<const std::byte> piece) {
  const Status status = reader_->feed(piece);
  return status ? status : within(what(), status.error());
}

Status ContentStream::frame(uint64_t number, std::string_view type, const nlohmann::json& header) {
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

Status ContentStream::bytes(std::span<const std::byte> piece, bool last) {
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

Result<HttpExchange::Next> ContentStream::finish(HttpResponse& response) {
  if (response.status != 200) return tl::unexpected(errorOfResponse(what(), response));
  RETURN_IF_ERROR(within(what(), reader_->finish()));
  if (remaining_.empty()) return Next::kDone;
  return badInput("{}: the stream ended without {} contents, {} among them", what(),
                  remaining_.size(), *remaining_.begin());
}

bool ContentStream::progressed() { return std::exchange(progressed_, false); }

std::string contentDigestHeader(std::string_view body) {
  unsigned char hash[SHA256_DIGEST_LENGTH];
  ::SHA256(reinterpret_cast<const unsigned char*>(body.data()), body.size(), hash);
  unsigned char text[(SHA256_DIGEST_LENGTH + 2) / 3 * 4 + 1];
  ::EVP_EncodeBlock(text, hash, sizeof(hash));
  return fmt::format("Content-Digest: sha-256=:{}:", reinterpret_cast<const char*>(text));
}

ContentUpload::ContentUpload(std::string base, ContentId id, const Bytes& bytes, std::string lease,
                             int64_t chunkBytes, bool again)
    : base_(std::move(base)),
      id_(std::move(id)),
      bytes_(bytes),
      lease_(std::move(lease)),
      chunkBytes_(static_cast<size_t>(std::clamp<int64_t>(chunkBytes, 1, kLongestChunk))),
      again_(again) {}

std::string ContentUpload::what() const { return fmt::format("upload {} to {}", id_, base_); }

// A chunk that was tried before may have arrived in part: the service is asked
// anew, which takes the upload up where it stands.
Result<HttpRequest> ContentUpload::request() {
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

Result<HttpExchange::Next> ContentUpload::finish(HttpResponse& response) {
  const std::string kind = response.status >= 400 ? errorKindOf(response) : "";
  if (response.status == 409 && kind == "busy") return Next::kRetry;
  return step_ == Step::kBegin ? begun(response) : sent(response);
}

Result<HttpExchange::Next> ContentUpload::begun(const HttpResponse& response) {
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

Result<HttpExchange::Next> ContentUpload::sent(const HttpResponse& response) {
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

Result<HttpExchange::Next> ContentUpload::goOnAt(const std::string& offset) {
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

bool ContentUpload::progressed() {
  const bool more = offset_ > atLastQuestion_;
  atLastQuestion_ = std::max(atLastQuestion_, offset_);
  return more;
}

}  // namespace vintage::archive
