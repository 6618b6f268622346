#include "archive/transfer/service_exchanges.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <openssl/evp.h>
#include <openssl/sha.h>

#include "archive/store/record_json.h"
#include "archive/transfer/url.h"
#include "golden/base/failures.h"

namespace vintage::archive {
namespace {

// At most so much is sent again where the connection breaks.
constexpr int64_t kLongestChunk = 2 << 20;

}  // namespace

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
  HttpRequest request;
  if (step_ == Step::kBegin) {
    nlohmann::json body{{"id", id_}, {"bytes", bytes_.size()}, {"lease", lease_}};
    if (again_) body["again"] = true;
    body_ = body.dump();
    request.method = "POST";
    request.url = base_ + "/v1/uploads";
    request.headers = {"Content-Type: application/json"};
    request.body = body_;
    return request;
  }
  request.method = "PATCH";
  request.url = base_ + "/v1/uploads/" + percentEncoded(upload_);
  request.headers = {"Content-Type: application/octet-stream",
                     fmt::format("Upload-Offset: {}", offset_)};
  request.body =
      std::string_view(reinterpret_cast<const char*>(bytes_.data()), bytes_.size())
          .substr(offset_, chunkBytes_);
  return request;
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
