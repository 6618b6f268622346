#include "archive/transfer/record_list.h"

#include "archive/store/outside_json.h"

#include <fmt/format.h>

namespace vintage::archive::transfer {

Result<HttpRequest> RecordList::request() {
  RETURN_IF_ERROR(spool_.clear());
  lines_ = 0;
  lastLine_.clear();
  partial_.clear();
  HttpRequest request;
  request.url = url_;
  return request;
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
    return failure(Error::Kind::kBadInput,
                   fmt::format("{}: line {} is longer than {} bytes", what(), lines_ + 1,
                               kLongestLine));
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
    why = fmt::format("the server failed midway: {:.300}", last["error"].dump(
        -1, ' ', false, nlohmann::json::error_handler_t::replace));
  return failure(Error::Kind::kBadInput, fmt::format("{}: after {} lines {}", what(), lines_, why));
}

}  // namespace vintage::archive::transfer
