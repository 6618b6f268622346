#include "archive/service/token_store.h"

#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "archive/service/service_folder.h"
#include "archive/store/record_json.h"
#include "golden/base/date.h"
#include "golden/base/failures.h"

namespace vintage::archive {
namespace {

constexpr auto kFlushEvery = std::chrono::seconds(5);
constexpr uint64_t kFlushAfter = uint64_t{16} << 20;

std::string usagePath(const std::string& archive) { return archive + "/service/usage.json"; }

nlohmann::json usageJson(const Usage& usage) {
  return {{"day", usage.day},
          {"bytes_of_day", usage.bytesOfDay},
          {"requests_of_day", usage.requestsOfDay},
          {"bytes", usage.bytes}};
}

}  // namespace

Result<UsageByToken> readUsage(const std::string& archiveFolder) {
  UsageByToken usage;
  const std::string path = usagePath(archiveFolder);
  ASSIGN_OR_RETURN(const auto read, readServiceFile(path));
  if (!read) return usage;
  const nlohmann::json& document = *read;
  if (!document.is_object() || !document.value("usage", nlohmann::json()).is_object())
    return badInput("{}: is not what tokens have used; remove it, and all of them begin anew",
                    path);
  for (const auto& [hash, entry] : document.at("usage").items())
    usage[hash] = {textIn(entry, "day"), countIn(entry, "bytes_of_day"),
                   countIn(entry, "requests_of_day"), countIn(entry, "bytes")};
  return usage;
}

nlohmann::json tokenJson(const TokenRecord& token, const UsageByToken& usage) {
  nlohmann::json json{{"name", token.name},
                      {"role", roleName(token.role)},
                      {"created", token.created},
                      {"expires", token.expires}};
  if (!token.quota.isSet()) return json;
  json["quota"] = quotaJson(token.quota);
  json["used"] = usageJson(usageOf(token, usage));
  return json;
}

Usage usageOf(const TokenRecord& token, const UsageByToken& usage) {
  const auto used = usage.find(token.hash);
  return used == usage.end() ? Usage() : used->second;
}

std::string UsageStore::today() const {
  return formatDate(std::chrono::floor<std::chrono::days>(clock_.now()));
}

int64_t UsageStore::secondsOfDayLeft() const {
  const auto now = clock_.now();
  const auto next = std::chrono::floor<std::chrono::days>(now) + std::chrono::days(1);
  return std::chrono::ceil<std::chrono::seconds>(next - now).count();
}

void UsageStore::moveTo(const std::string& day, Usage& usage) {
  if (usage.day == day) return;
  usage.day = day;
  usage.bytesOfDay = usage.requestsOfDay = 0;
}

Status UsageStore::load() {
  if (loaded_) return {};
  ASSIGN_OR_RETURN(known_, readUsage(folder_));
  flushed_ = clock_.steady();
  loaded_ = true;
  return {};
}

std::optional<Problem> UsageStore::take(const TokenRecord& token, uint64_t requests,
                                        uint64_t bytes) {
  const Quota& quota = token.quota;
  if (!quota.isSet()) return std::nullopt;
  const std::lock_guard lock(mutex_);
  if (const Status loaded = load(); !loaded) return loaded.error();
  Usage &known = known_[token.hash], &pending = pending_[token.hash];
  moveTo(today(), known);
  moveTo(today(), pending);
  constexpr const char* kAskOwner =
      "ask the archive's owner; 'vintage token list' shows what was used";
  if (quota.bytes > 0 && bytes > 0 && known.bytes + bytes > quota.bytes)
    return Problem{507, "quota",
                   fmt::format("the token '{}' may send {} bytes in all; it has sent {}, and this "
                               "is {} more",
                               token.name, quota.bytes, known.bytes, bytes),
                   kAskOwner};
  const auto ofDay = [&](std::string_view what, uint64_t most, uint64_t used, uint64_t more) {
    return Problem{429, "quota",
                   fmt::format("the token '{}' may {} {} a day (UTC); today it has {}, and this is "
                               "{} more",
                               token.name, what, most, used, more),
                   kAskOwner};
  };
  if (quota.bytesPerDay > 0 && bytes > 0 && known.bytesOfDay + bytes > quota.bytesPerDay)
    return ofDay("send bytes:", quota.bytesPerDay, known.bytesOfDay, bytes);
  if (quota.requestsPerDay > 0 && known.requestsOfDay + requests > quota.requestsPerDay)
    return ofDay("make requests:", quota.requestsPerDay, known.requestsOfDay, requests);
  for (Usage* usage : {&known, &pending}) {
    usage->bytesOfDay += bytes;
    usage->bytes += bytes;
    usage->requestsOfDay += requests;
  }
  pendingBytes_ += bytes;
  return std::nullopt;
}

bool UsageStore::isDue() {
  const std::lock_guard lock(mutex_);
  return !pending_.empty() &&
         (pendingBytes_ >= kFlushAfter || clock_.steady() - flushed_ >= kFlushEvery);
}

Status UsageStore::flush() {
  const std::lock_guard lock(mutex_);
  if (pending_.empty()) return {};
  ASSIGN_OR_RETURN(const auto held, ServiceLock::take(folder_));
  ASSIGN_OR_RETURN(auto kept, readUsage(folder_));
  for (const auto& [hash, more] : pending_) {
    Usage& usage = kept[hash];
    // A day in the future comes from a wrong clock, in the file as in this process.
    moveTo(std::min(std::max(usage.day, more.day), today()), usage);
    usage.bytes += more.bytes;
    if (usage.day != more.day) continue;
    usage.bytesOfDay += more.bytesOfDay;
    usage.requestsOfDay += more.requestsOfDay;
  }
  // A revoked token leaves nothing.
  ASSIGN_OR_RETURN(const auto tokens, readTokens(folder_));
  std::set<std::string> hashes;
  for (const TokenRecord& token : tokens) hashes.insert(token.hash);
  std::erase_if(kept, [&](const auto& entry) { return !hashes.contains(entry.first); });
  nlohmann::json list = nlohmann::json::object();
  for (const auto& [hash, usage] : kept) list[hash] = usageJson(usage);
  RETURN_IF_ERROR(
      writeServiceFile(usagePath(folder_), nlohmann::json{{"usage", list}}.dump(1) + "\n"));
  known_ = std::move(kept);
  pending_.clear();
  pendingBytes_ = 0;
  flushed_ = clock_.steady();
  return {};
}

}  // namespace vintage::archive
