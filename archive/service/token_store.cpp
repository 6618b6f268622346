#include "archive/service/token_store.h"

#include <algorithm>
#include <cctype>
#include <ctime>

#include <sys/stat.h>

#include <fmt/format.h>
#include <openssl/rand.h>
#include <nlohmann/json.hpp>

#include "archive/service/service_folder.h"
#include "archive/store/record_json.h"
#include "archive/store/records.h"
#include "golden/base/content_hash.h"
#include "golden/base/failures.h"
#include "golden/base/file_system.h"

namespace vintage::archive {
namespace {

using nlohmann::json;

constexpr auto kLookEvery = std::chrono::seconds(1);

std::string tokensPath(const std::string& archive) { return archive + "/service/tokens.json"; }

bool isTokenName(std::string_view name) {
  return !name.empty() && name.size() <= 64 && std::ranges::all_of(name, [](unsigned char c) {
    return std::isalnum(c) || c == '.' || c == '_' || c == '@' || c == '-';
  });
}

// "2026-11-20T21:50:00Z", as archive/store/row_values.h writes it.
std::optional<std::chrono::system_clock::time_point> parseUtcTime(const std::string& text) {
  std::tm utc{};
  if (::strptime(text.c_str(), "%Y-%m-%dT%H:%M:%SZ", &utc) == nullptr) return std::nullopt;
  const auto time = std::chrono::system_clock::from_time_t(::timegm(&utc));
  // Written again it is the same: nothing stands behind it, and there is such a day.
  return timeText(time) == text ? std::optional(time) : std::nullopt;
}

Status writeTokens(const std::string& archive, const std::vector<TokenRecord>& tokens) {
  json list = json::array();
  for (const TokenRecord& token : tokens) {
    json entry = quotaJson(token.quota);
    entry.update({{"name", token.name},
                  {"role", roleName(token.role)},
                  {"hash", token.hash},
                  {"created", token.created},
                  {"expires", token.expires}});
    list.push_back(std::move(entry));
  }
  return writeServiceFile(tokensPath(archive), json{{"tokens", list}}.dump(2) + "\n");
}

std::string fileVersion(const std::string& path) {
  struct stat status;
  if (::stat(path.c_str(), &status) != 0) return "none";
  return fmt::format("{} {} {} {}", status.st_ino, status.st_size, status.st_mtim.tv_sec,
                     status.st_mtim.tv_nsec);
}

}  // namespace

json quotaJson(const Quota& quota) {
  return {{"bytes_per_day", quota.bytesPerDay},
          {"bytes", quota.bytes},
          {"requests_per_day", quota.requestsPerDay}};
}

Result<std::vector<TokenRecord>> readTokens(const std::string& archiveFolder) {
  const std::string path = tokensPath(archiveFolder);
  std::vector<TokenRecord> tokens;
  // The folder first: a user who may write it can put another file in place between two calls.
  RETURN_IF_ERROR(checkOthersMayNotWrite(archiveFolder, parentFolder(path)));
  RETURN_IF_ERROR(checkOthersMayNotWrite(archiveFolder, path));
  ASSIGN_OR_RETURN(const auto read, readServiceFile(path));
  if (!read) return tokens;
  const json& document = *read;
  const auto damaged = [&] {
    return badInput(
        "{}: is not a list of tokens; remove it and make the tokens anew with 'vintage token add'",
        path);
  };
  const auto list = document.find("tokens");
  if (!document.is_object() || list == document.end() || !list->is_array()) return damaged();
  for (const json& entry : *list) {
    const auto role = parseRole(textIn(entry, "role"));
    TokenRecord token{textIn(entry, "name"),    role.value_or(Role::kNone), textIn(entry, "hash"),
                      textIn(entry, "created"), textIn(entry, "expires"),   {}};
    // Tokens from before quotas have none.
    token.quota = {countIn(entry, "bytes_per_day"), countIn(entry, "bytes"),
                   countIn(entry, "requests_per_day")};
    if (!role || !isTokenName(token.name) || !isContentHash(token.hash) ||
        (!token.expires.empty() && !parseUtcTime(token.expires)))
      return damaged();
    tokens.push_back(std::move(token));
  }
  return tokens;
}

Result<NewToken> makeToken(const std::string& archiveFolder, Clock& clock, const std::string& name,
                           Role role, std::optional<int> days, const Quota& quota) {
  if (!isTokenName(name))
    return usageError(
        "'{}' is not a name for a token; 1 to 64 letters, digits and ._@- are accepted",
        name.substr(0, 80));
  constexpr int kMostDays = 36'500;
  if (days && (*days < 1 || *days > kMostDays))
    return usageError("a token of {} days; 1 to {} are accepted", *days, kMostDays);
  unsigned char random[32];
  if (RAND_bytes(random, sizeof random) != 1)
    return failure(Error::Kind::kIo, "the system gives no random bytes for a token");
  ASSIGN_OR_RETURN(auto lock, ServiceLock::take(archiveFolder));
  ASSIGN_OR_RETURN(auto tokens, readTokens(archiveFolder));
  if (std::ranges::any_of(tokens, [&](const TokenRecord& token) { return token.name == name; }))
    return conflict("there is a token '{}' already; revoke it first, or take another name", name);
  NewToken made;
  made.token = "vintage_" + hashText(std::as_bytes(std::span(random)));
  made.record = {name,
                 role,
                 contentHash(made.token),
                 timeText(clock.now()),
                 days ? timeText(clock.now() + std::chrono::days(*days)) : "",
                 quota};
  tokens.push_back(made.record);
  RETURN_IF_ERROR(writeTokens(archiveFolder, tokens));
  return made;
}

Status revokeToken(const std::string& archiveFolder, const std::string& name) {
  ASSIGN_OR_RETURN(auto lock, ServiceLock::take(archiveFolder));
  ASSIGN_OR_RETURN(auto tokens, readTokens(archiveFolder));
  if (std::erase_if(tokens, [&](const TokenRecord& token) { return token.name == name; }) == 0)
    return vintage::notFound("there is no token '{}'", name);
  return writeTokens(archiveFolder, tokens);
}

Result<std::shared_ptr<const TokenStore::Table>> TokenStore::table(bool atOnce) {
  const std::lock_guard lock(mutex_);
  const auto now = clock_.steady();
  if (table_ && now - looked_ < kLookEvery && !atOnce) return table_;
  const std::string version = fileVersion(tokensPath(folder_));
  if (!table_ || version != seenVersion_) {
    const auto tokens = readTokens(folder_);
    if (!tokens) {
      table_.reset();  // Tokens that the broken change revoked must not stay valid.
      return tl::unexpected(tokens.error());
    }
    auto table = std::make_shared<Table>();
    for (const TokenRecord& token : *tokens)
      table->emplace(token.hash, Entry{token, token.expires.empty()
                                                  ? std::chrono::system_clock::time_point::max()
                                                  : *parseUtcTime(token.expires)});
    table_ = std::move(table);
    seenVersion_ = version;
  }
  looked_ = now;
  return table_;
}

Result<TokenStore::Answer> TokenStore::identify(std::string_view token) {
  ASSIGN_OR_RETURN(auto known, table(false));
  // The time of a look-up by hash reveals nothing about the token.
  auto found = known->find(contentHash(token));
  if (found == known->end()) {
    // It may have been made a moment ago.
    ASSIGN_OR_RETURN(known, table(true));
    found = known->find(contentHash(token));
  }
  if (found == known->end()) return Answer{};
  const auto& [record, expires] = found->second;
  const Standing standing = clock_.now() < expires ? Standing::kKnown : Standing::kExpired;
  return Answer{standing, record};
}

}  // namespace vintage::archive
