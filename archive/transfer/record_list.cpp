// A list of records, on the disk until it is whole.
#include "archive/transfer/exchanges.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include <fcntl.h>
#include <unistd.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "archive/store/record_json.h"
#include "golden/base/failures.h"

namespace vintage::archive {
namespace {

tl::unexpected<Error> fileError(const char* what) {
  return ioError("a temporary file for a list of records cannot be {}: {}; {}", what,
                 std::strerror(errno),
                 errno == EMFILE ? "raise the limit of open files (ulimit -n), or lower --jobs"
                                 : "TMPDIR chooses where it lies");
}

// Without a name. tmpfile() would make it in /tmp whatever TMPDIR says.
std::FILE* openTemporary() {
  std::error_code problem;
  std::string name = (std::filesystem::temp_directory_path(problem) / "vintage-XXXXXX").string();
  const int file = ::mkostemp(name.data(), O_CLOEXEC);
  if (file < 0) return nullptr;
  ::unlink(name.c_str());
  return ::fdopen(file, "w+");
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

}  // namespace

Status listRecords(HttpClient& http, const std::string& url,
                   const std::function<Status(const nlohmann::json&)>& visit) {
  const std::unique_ptr<std::FILE, CloseFile> file(openTemporary());
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

}  // namespace vintage::archive
