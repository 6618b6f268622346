#include "archive/transfer/service_exchanges.h"

#include <algorithm>

#include <fmt/format.h>

#include "archive/transfer/content_download.h"
#include "golden/base/failures.h"

namespace vintage::archive {

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
  HttpRequest request;
  request.method = "POST";
  request.url = url_;
  request.headers = {"Content-Type: application/json"};
  request.body = body_;
  return request;
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
    std::string message = header.value("error", nlohmann::json::object()).dump(
        -1, ' ', false, nlohmann::json::error_handler_t::replace);
    const auto error = header.find("error");
    if (error != header.end() && error->is_object()) {
      const auto text = error->find("message");
      if (text != error->end() && text->is_string()) message = text->get<std::string>();
    }
    return lost_(id->get<std::string>(),
                 {Error::Kind::kBadInput, fmt::format("{}: {}", url_, message)});
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

}  // namespace vintage::archive
