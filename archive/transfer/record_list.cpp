#include "archive/transfer/service_exchanges.h"

#include <cerrno>
#include <cstring>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include "archive/store/record_json.h"
#include "golden/base/failures.h"

namespace vintage::archive {
namespace {

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
  std::vector<char> buffer(1 << 16);
  std::string line;
  while (const size_t count = std::fread(buffer.data(), 1, buffer.size(), file_.get())) {
    std::string_view rest(buffer.data(), count);
    for (size_t end; (end = rest.find('\n')) != std::string_view::npos;
         rest.remove_prefix(end + 1)) {
      line += rest.substr(0, end);
      RETURN_IF_ERROR(visit(line));
      line.clear();
    }
    line += rest;
  }
  if (std::ferror(file_.get()) != 0) return fileError("read");
  return line.empty() ? Status() : visit(line);
}

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
    why = fmt::format("the server failed midway: {:.300}", last["error"].dump(
        -1, ' ', false, nlohmann::json::error_handler_t::replace));
  return badInput("{}: after {} lines {}", what(), lines_, why);
}

}  // namespace vintage::archive
