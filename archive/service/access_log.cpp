#include "archive/service/server.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include "archive/service/routes.h"
#include "archive/store/record_json.h"
#include "archive/store/records.h"
#include "golden/base/failures.h"
#include "golden/base/visible_text.h"

namespace vintage::archive {
namespace {

constexpr size_t kGathered = 64 * 1024;
constexpr size_t kLongestTarget = 512, kLongestMethod = 40;

// Text that a client chose, escaped; most of it needs no escaping.
std::string quoted(std::string_view text) {
  const auto isPlain = [](unsigned char c) {
    return c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
  };
  return std::ranges::all_of(text, isPlain) ? fmt::format("\"{}\"", text)
                                            : visible(jsonText(std::string(text)));
}

Result<int> openFile(const std::string& path) {
  return within("the access log", openKept(path, O_WRONLY | O_APPEND, 0640));
}

}  // namespace

std::string journalPriority(int priority) {
  const char* journal = std::getenv("JOURNAL_STREAM");
  struct stat error{};
  if (journal == nullptr || ::fstat(STDERR_FILENO, &error) != 0 ||
      fmt::format("{}:{}", error.st_dev, error.st_ino) != journal)
    return "";
  return fmt::format("<{}>", priority);
}

Result<std::unique_ptr<AccessLog>> AccessLog::open(const std::string& path) {
  if (path.empty()) return std::unique_ptr<AccessLog>(new AccessLog("", -1));
  if (path == "-") return std::unique_ptr<AccessLog>(new AccessLog("", STDERR_FILENO));
  ASSIGN_OR_RETURN(const auto file, openFile(path));
  return std::unique_ptr<AccessLog>(new AccessLog(path, file));
}

AccessLog::~AccessLog() {
  flush();
  if (!path_.empty()) ::close(file_);
}

Status AccessLog::reopen() {
  if (path_.empty()) return {};
  ASSIGN_OR_RETURN(const auto file, openFile(path_));
  const std::lock_guard lock(mutex_);
  flushLocked();
  ::close(std::exchange(file_, file));
  return {};
}

void AccessLog::write(const Request& request, int status, uint64_t received, uint64_t sent,
                      double seconds) {
  if (!writes_) return;
  static const std::string kPriority = journalPriority(6);
  const auto now = std::chrono::system_clock::now();
  const auto milliseconds =
      std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count() % 1000;
  std::string time = timeText(now);
  time.pop_back();
  const std::string text = fmt::format(
      R"({}{{"time":"{}.{:03}Z","request":"{}","peer":"{}","token":"{}","method":{},"target":{},)"
      R"("route":"{}","status":{},"received":{},"sent":{},"seconds":{:.6f}}})"
      "\n",
      path_.empty() ? kPriority : "", time, milliseconds, request.id, request.peer,
      request.identity.name, quoted(std::string_view(request.method).substr(0, kLongestMethod)),
      quoted(std::string_view(request.target).substr(0, kLongestTarget)),
      request.route != nullptr ? request.route->operation : "", status, received, sent, seconds);
  const std::lock_guard lock(mutex_);
  gathered_ += text;
  if (gathered_.size() >= kGathered) flushLocked();
}

void AccessLog::flush() {
  const std::lock_guard lock(mutex_);
  flushLocked();
}

void AccessLog::flushLocked() {
  std::string_view rest = gathered_;
  while (!rest.empty()) {
    const ssize_t written = ::write(file_, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) break;  // A full disk must not stop the service.
    rest.remove_prefix(static_cast<size_t>(written));
  }
  gathered_.clear();
}

}  // namespace vintage::archive
