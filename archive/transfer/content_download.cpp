// GET of one content, continued with a range after each interruption and checked against its id.
#include "archive/transfer/exchanges.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <optional>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "golden/base/content_hash.h"
#include "golden/base/failures.h"

namespace vintage::archive {
namespace {

// The first byte of "bytes 100-199/200".
std::optional<uint64_t> rangeStart(std::string_view value) {
  constexpr std::string_view kUnit = "bytes ";
  if (!value.starts_with(kUnit)) return std::nullopt;
  uint64_t start = 0;
  const char* first = value.data() + kUnit.size();
  const auto [end, problem] = std::from_chars(first, value.data() + value.size(), start);
  if (problem != std::errc() || end == value.data() + value.size() || *end != '-')
    return std::nullopt;
  return start;
}

// The part of a large content that has arrived, kept so that a later run can
// continue where this one was interrupted. Only a help: what is wrong with it
// shows when the whole is hashed, and every failure to write it is harmless.
class PartialFile {
 public:
  // Null where `folder` is empty or cannot be used, or another process is at
  // the same content.
  static std::unique_ptr<PartialFile> open(const std::string& folder, const ContentId& id) {
    if (folder.empty()) return nullptr;
    std::error_code problem;
    std::filesystem::create_directories(folder, problem);
    if (problem) return nullptr;
    std::string path = pathOf(folder, id);
    const int descriptor = ::open(
        path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, S_IRUSR | S_IWUSR);
    if (descriptor < 0) return nullptr;
    if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
      ::close(descriptor);
      return nullptr;
    }
    return std::unique_ptr<PartialFile>(new PartialFile(descriptor, std::move(path)));
  }

  // Whether one was left behind.
  static bool exists(const std::string& folder, const ContentId& id) {
    std::error_code problem;
    return !folder.empty() && std::filesystem::exists(pathOf(folder, id), problem);
  }
  ~PartialFile() { ::close(descriptor_); }
  PartialFile(const PartialFile&) = delete;

  // Reads the part that is there, at most `limit` bytes.
  Bytes read(uint64_t limit) const {
    std::error_code problem;
    const uint64_t size = std::filesystem::file_size(path_, problem);  // Of regular files only.
    if (problem) return {};
    std::ifstream stream(path_, std::ios::binary);
    Bytes bytes(std::min(limit, size));
    stream.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    bytes.resize(static_cast<size_t>(stream.gcount()));
    return bytes;
  }

  void append(std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
      const ssize_t count = ::write(descriptor_, bytes.data(), bytes.size());
      if (count <= 0) return clear();  // A gap would make the rest worthless.
      bytes = bytes.subspan(static_cast<size_t>(count));
    }
  }

  void clear() { static_cast<void>(::ftruncate(descriptor_, 0)); }
  void remove() { static_cast<void>(::unlink(path_.c_str())); }

 private:
  PartialFile(int descriptor, std::string path) : descriptor_(descriptor), path_(std::move(path)) {}
  static std::string pathOf(const std::string& folder, const ContentId& id) {
    return folder + "/" + id + ".part";
  }

  int descriptor_;
  std::string path_;
};

class ContentDownload final : public HttpExchange {
 public:
  ContentDownload(DownloadTarget target, Place::ContentVisitor take, Place::LostVisitor lost)
      : HttpExchange("read " + target.url),
        target_(std::move(target)),
        take_(std::move(take)),
        lost_(std::move(lost)) {
    const int64_t whole = target_.content.bytes;
    // Its size shows when it arrives, or in what an earlier run left of it.
    if (whole < 0 ? !PartialFile::exists(target_.partialFolder, target_.content.id)
                  : whole < kLargeContent)
      return;
    partial_ = PartialFile::open(target_.partialFolder, target_.content.id);
    if (partial_ == nullptr) return;
    // One byte less than the whole, so that there is always something to ask for.
    bytes_ = partial_->read(whole < 0 ? UINT64_MAX : static_cast<uint64_t>(whole - 1));
    if (whole >= 0 && bytes_.size() + 1 == static_cast<size_t>(whole)) startOver();
    atLastQuestion_ = bytes_.size();
  }

  Result<HttpRequest> request() override {
    bodyBegan_ = false;
    HttpRequest request{"GET", target_.url, target_.headers, {}, target_.followsRedirects};
    if (!bytes_.empty()) request.headers.push_back(fmt::format("Range: bytes={}-", bytes_.size()));
    return request;
  }

  Status receive(HttpResponse& response, std::span<const std::byte> piece) override {
    if (!bodyBegan_) RETURN_IF_ERROR(beginBody(response));
    if (target_.content.bytes >= 0 &&
        bytes_.size() + piece.size() > static_cast<size_t>(target_.content.bytes)) {
      const size_t came = bytes_.size() + piece.size();
      startOver();
      ++wrongHashes_;
      return badInput("{}: it has {} bytes, and {} or more came", what(), target_.content.bytes,
                      came);
    }
    bytes_.insert(bytes_.end(), piece.begin(), piece.end());
    if (partial_ != nullptr) partial_->append(piece);
    return {};
  }

  Result<Next> finish(HttpResponse& response) override {
    if (response.status == 416) {  // Our part is no beginning of the content there.
      startOver();
      ++wrongHashes_;
      return Next::kRetry;
    }
    if (response.status == 404 || isDamaged(response))
      return giveUp(errorOfResponse(what(), response));
    if (response.status != 200 && response.status != 206)
      return tl::unexpected(errorOfResponse(what(), response));
    const std::string hash = contentHash(bytes_);
    if (hash != target_.content.id) {
      const Error error{Error::Kind::kBadInput,
                        fmt::format("{}: its {} bytes hash to {}", what(), bytes_.size(), hash)};
      startOver();
      // The network may have changed them; a server that keeps saying the same
      // has nothing else.
      if (++wrongHashes_ >= 3) return giveUp(error);
      return tl::unexpected(error);
    }
    if (partial_ != nullptr) partial_->remove();
    RETURN_IF_ERROR(take_(target_.content.id, std::move(bytes_)));
    return Next::kDone;
  }

  bool progressed() override {
    const bool more = bytes_.size() > atLastQuestion_ && wrongHashes_ == 0;
    atLastQuestion_ = bytes_.size();
    return more;
  }
  bool isTransient(const HttpResponse& response) override {
    return isTransientStatus(response.status) && !isDamaged(response);
  }

 private:
  // A server may answer a range with the whole.
  Status beginBody(const HttpResponse& response) {
    bodyBegan_ = true;
    if (response.status != 206) {
      if (!bytes_.empty()) startOver();
    } else if (rangeStart(response.header("content-range")) != bytes_.size()) {
      const Error error{
          Error::Kind::kBadInput,
          fmt::format("{}: Vintage requested the bytes from {} on; the server sent '{}'", what(),
                      bytes_.size(), response.header("content-range"))};
      startOver();
      return tl::unexpected(error);
    }
    if (partial_ == nullptr && target_.content.bytes < 0) {
      const std::string& length = response.header("content-length");
      int64_t bytes = 0;
      std::from_chars(length.data(), length.data() + length.size(), bytes);
      if (bytes >= kLargeContent) {
        partial_ = PartialFile::open(target_.partialFolder, target_.content.id);
        if (partial_ != nullptr) partial_->clear();
      }
    }
    return {};
  }

  void startOver() {
    bytes_.clear();
    if (partial_ != nullptr) partial_->clear();
    atLastQuestion_ = 0;
  }
  Result<Next> giveUp(const Error& error) {
    if (partial_ != nullptr) partial_->remove();
    RETURN_IF_ERROR(lost_(target_.content.id, error));
    return Next::kDone;
  }

  DownloadTarget target_;
  Place::ContentVisitor take_;
  Place::LostVisitor lost_;
  Bytes bytes_;
  std::unique_ptr<PartialFile> partial_;
  bool bodyBegan_ = false;
  size_t atLastQuestion_ = 0;
  int wrongHashes_ = 0;
};

}  // namespace

std::unique_ptr<HttpExchange> downloadContent(DownloadTarget target, Place::ContentVisitor take,
                                              Place::LostVisitor lost) {
  return std::make_unique<ContentDownload>(std::move(target), std::move(take), std::move(lost));
}

}  // namespace vintage::archive
