// Bearer tokens of an archive's service, by their hashes.
//
// `service/tokens.json` in the archive's folder:
//   {"tokens": [{"name", "role", "hash", "created", "expires", "bytes_per_day", "bytes",
//                "requests_per_day"}, …]}
// `hash` is the SHA-256 of the token; a token is 32 random bytes, so no salt or
// slow hash is needed to keep it from being guessed. Times are UTC,
// "2026-11-20T21:50:00Z"; an empty `expires` never comes. Changes are made under
// a lock on `service/tokens.lock` and replace the file in one step, so that
// several processes may make and revoke tokens at once.
//
// `service/usage.json` in the archive's folder holds, by the hashes of tokens with a quota, how
// much each has used.
//
// Processes that serve one archive share the file. Each adds its own counts every few seconds or
// megabytes; only then do others see them, and a killed process loses that much.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "archive/service/exchange.h"
#include "archive/service/problem.h"
#include "golden/base/clock.h"
#include "golden/base/result.h"

namespace vintage::archive {

nlohmann::json quotaJson(const Quota& quota);

// Reads the file; empty where there is none.
Result<std::vector<TokenRecord>> readTokens(const std::string& archiveFolder);

struct NewToken {
  TokenRecord record;
  std::string token;  // Shown once.
};
// kUsage for a name that is not 1 to 64 of [A-Za-z0-9._@-], kConflict for one that
// is taken. `days` counts from now.
Result<NewToken> makeToken(const std::string& archiveFolder, Clock& clock, const std::string& name,
                           Role role, std::optional<int> days, const Quota& quota = {});
// kNotFound for an unknown name.
Status revokeToken(const std::string& archiveFolder, const std::string& name);

// Finds the owner of a token. Any thread.
class TokenStore {
 public:
  TokenStore(std::string archiveFolder, Clock& clock)
      : folder_(std::move(archiveFolder)), clock_(clock) {}

  enum class Standing { kKnown, kUnknown, kExpired };
  struct Answer {
    Standing standing = Standing::kUnknown;
    TokenRecord token;
  };
  // An error if the file cannot be read: then no token is valid.
  Result<Answer> identify(std::string_view token);

 private:
  struct Entry {
    TokenRecord record;
    std::chrono::system_clock::time_point expires;
  };
  using Table = std::map<std::string, Entry, std::less<>>;  // By hash.
  // Looks at the file at most once a second, or at once, and reads it where it changed.
  Result<std::shared_ptr<const Table>> table(bool atOnce);

  const std::string folder_;
  Clock& clock_;
  std::mutex mutex_;
  std::shared_ptr<const Table> table_;
  std::string seenVersion_;  // The file's inode, size and time of change.
  std::chrono::steady_clock::time_point looked_;
};

struct Usage {
  std::string day;  // The day of the next two: "2026-11-20".
  uint64_t bytesOfDay = 0, requestsOfDay = 0;
  uint64_t bytes = 0;  // In all.
};
using UsageByToken = std::map<std::string, Usage>;  // By the token's hash.

// Reads the file; empty where there is none.
Result<UsageByToken> readUsage(const std::string& archiveFolder);
Usage usageOf(const TokenRecord& token, const UsageByToken& usage);
// The token as lists show it: with its quota and what it used of it, where it has one.
nlohmann::json tokenJson(const TokenRecord& token, const UsageByToken& usage);

// Any thread.
class UsageStore {
 public:
  UsageStore(std::string archiveFolder, Clock& clock)
      : folder_(std::move(archiveFolder)), clock_(clock) {}
  ~UsageStore() { static_cast<void>(flush()); }

  // Counts a request and its body, or says which quota it would go over: 429 for one of the day,
  // 507 for one that does not come back.
  std::optional<Problem> take(const TokenRecord& token, uint64_t requests, uint64_t bytes);
  // Seconds until a day's quota begins anew.
  int64_t secondsOfDayLeft() const;
  // Whether flush() is worth its time.
  bool isDue();
  Status flush();

 private:
  std::string today() const;
  static void moveTo(const std::string& day, Usage& usage);
  Status load();

  const std::string folder_;
  Clock& clock_;
  std::mutex mutex_;
  bool loaded_ = false;
  UsageByToken known_;    // With what is not on the disk yet.
  UsageByToken pending_;  // That alone.
  uint64_t pendingBytes_ = 0;
  std::chrono::steady_clock::time_point flushed_;
};

}  // namespace vintage::archive
