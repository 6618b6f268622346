// What tokens with a quota have used: `service/usage.json` in the archive's folder, by their
// hashes.
//
// Processes that serve one archive share the file; each adds to it what it counted, every few
// seconds or megabytes: others see it then, and a process that is killed forgets so much.
#pragma once

#include <chrono>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "archive/service/exchange.h"
#include "archive/service/problem.h"
#include "archive/service/token_store.h"
#include "golden/base/clock.h"
#include "golden/base/result.h"

namespace vintage::archive {

struct Usage {
  std::string day;  // That the next two are of: "2026-11-20".
  uint64_t bytesOfDay = 0, requestsOfDay = 0;
  uint64_t bytes = 0;  // In all.
};
using UsageByToken = std::map<std::string, Usage>;  // By the token's hash.

// What is on the disk; empty where there is none.
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
