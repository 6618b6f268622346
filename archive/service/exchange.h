// A request, its client and its response as the routes see them: plain data, without
// sockets and without a library's types.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "archive/service/budget.h"
#include "golden/base/result.h"

namespace vintage::archive {

// Each may do what those before it may. kReport adds runs, outcomes and builds under the token's
// name (RunRecord::reporter); from kPush on they are the archive's own.
enum class Role { kNone, kRead, kReport, kPush, kAdmin };

inline constexpr std::array<std::string_view, 5> kRoleNames{"none", "read", "report", "push",
                                                            "admin"};
// Those of tokens: "none" is nobody's.
inline constexpr std::span kTokenRoleNames = std::span(kRoleNames).subspan<1>();

constexpr std::string_view roleName(Role role) { return kRoleNames[static_cast<size_t>(role)]; }

inline std::optional<Role> parseRole(std::string_view name) {
  const auto found = std::ranges::find(kRoleNames, name);
  if (found == kRoleNames.end()) return std::nullopt;
  return static_cast<Role>(found - kRoleNames.begin());
}

// A token's quota; 0: no limit.
struct Quota {
  uint64_t bytesPerDay = 0;     // Sent in one UTC day.
  uint64_t bytes = 0;           // Sent in all.
  uint64_t requestsPerDay = 0;  // Of all kinds.
  bool isSet() const { return bytesPerDay + bytes + requestsPerDay > 0; }
};

struct TokenRecord {
  std::string name;
  Role role = Role::kNone;
  std::string hash;  // A hash of the token's text; a new token of the same name has another one.
  std::string created, expires;
  Quota quota;
};

struct Route;  // routes.h

struct Request {
  std::string id;    // Answered as X-Request-Id.
  std::string peer;  // "127.0.0.1:51234"
  std::string method;
  std::string target;  // As it was sent.
  // Names in lower case; one that was sent several times is joined by ", ".
  std::vector<std::pair<std::string, std::string>> headers;
  std::optional<uint64_t> contentLength;
  bool chunked = false;

  // Filled in by Application::admit.
  const Route* route = nullptr;
  std::vector<std::pair<std::string_view, std::string>> pathValues;  // By the route's names.
  std::vector<std::pair<std::string, std::string>> parameters;       // Decoded, in order.
  TokenRecord identity;                                              // Without a name: nobody's.
  std::string contentDigest;  // Stated SHA-256, 64 hexadecimal digits; empty: none.

  std::string body;

  const std::string* header(std::string_view lowerCaseName) const {
    return first(headers, lowerCaseName);
  }
  const std::string& pathValue(std::string_view name) const {
    static const std::string none;
    const std::string* value = first(pathValues, name);
    return value != nullptr ? *value : none;
  }
  const std::string* parameter(std::string_view name) const { return first(parameters, name); }
  bool hasBody() const { return chunked || contentLength.value_or(0) > 0; }

 private:
  // Null where none has this name.
  template <typename Pairs>
  static const std::string* first(const Pairs& pairs, std::string_view name) {
    for (const auto& [key, value] : pairs)
      if (key == name) return &value;
    return nullptr;
  }
};

// Where a streamed body goes, piece by piece. Blocks until the client took the piece; fails
// once it is gone or too slow.
using BodyWriter = std::function<Status(std::string_view piece)>;

using SharedBytes = std::shared_ptr<const std::vector<std::byte>>;

// One of: text; a part of shared bytes; a source; a stream; nothing.
struct Response {
  int status = 200;
  std::string contentType;  // Empty: no body.
  std::vector<std::pair<std::string_view, std::string>> headers;
  std::string text;
  SharedBytes bytes;
  size_t offset = 0, length = 0;  // Within `bytes`.
  // Fills a piece, less at the end, on any worker; `length` bytes come of it. No thread waits for
  // the client. A failure, also of a stream, cuts the connection, so that the client sees that it
  // is not whole.
  std::function<Result<size_t>(std::span<std::byte> piece)> source;
  std::function<Status(const BodyWriter&)> stream;
  // The length that a HEAD reports; no body follows.
  std::optional<uint64_t> statedLength;
  std::shared_ptr<BudgetShare> share;  // Of memory, until it was sent.
  std::string fault;                   // For the operator: why the service failed.
};

// Gathers small pieces of a streamed body into few writes.
class GatheredWriter {
 public:
  explicit GatheredWriter(const BodyWriter& write) : write_(write) {}

  std::string& text() { return text_; }
  // Writes where much was gathered.
  Status spill() { return text_.size() < kGathered ? Status() : flush(); }
  Status flush() {
    if (text_.empty()) return {};
    const Status status = write_(text_);
    text_.clear();
    return status;
  }

 private:
  static constexpr size_t kGathered = 128 * 1024;
  const BodyWriter& write_;
  std::string text_;
};

}  // namespace vintage::archive
