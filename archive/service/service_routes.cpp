// The routes for the service's own state and for its tokens.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "archive/service/application.h"
#include "archive/service/request_values.h"
#include "archive/service/routes.h"
#include "golden/base/own_program.h"

namespace vintage::archive {

// A service without its archive lives: a new process would not have it either.
OptionalResponse showLife(const Call&) { return respondJson(200, {{"status", "ok"}}); }

OptionalResponse showHealth(const Call& call) {
  ASSIGN_OR_RETURN(auto archive, call.application.archives.borrow());
  // A query through an index, whatever the archive holds.
  const auto missing = archive->missing(std::vector<ContentId>{ContentId(64, '0')});
  if (!missing) {
    Problem problem = missing.error();
    problem.status = 503;
    return tl::unexpected(std::move(problem));
  }
  // Without them every request with a token fails.
  if (const auto tokens = call.application.tokensAreReadable(); !tokens) {
    Problem problem = tokens.error();
    problem.status = 503;
    return tl::unexpected(std::move(problem));
  }
  return respondJson(200, {{"status", "ok"}});
}

OptionalResponse showMetrics(const Call& call) {
  return respondText("text/plain; version=0.0.4; charset=utf-8",
                     call.application.metrics.text(call.application.clock.now()));
}

OptionalResponse showOpenApi(const Call&) { return respondText("application/json", openApiText()); }

OptionalResponse showStatus(const Call& call) {
  const Limits& limits = call.application.options.limits;
  return respondJson(200, {{"service", "vintage"},
                           {"version", vintageVersion()},
                           {"api", 1},
                           {"archive_format", formatVersion()},
                           {"limits",
                            {{"body_bytes", limits.bodyBytes},
                             {"push_bytes", limits.pushBytes},
                             {"upload_bytes", limits.uploadBytes},
                             {"chunk_bytes", limits.chunkBytes},
                             {"ids", limits.ids},
                             {"proof_ids", limits.proofIds},
                             {"proof_bytes", limits.proofBytes},
                             {"records", limits.records},
                             {"header_bytes", limits.headerBytes},
                             {"lease_seconds", kLongestLease.count()},
                             {"requests_per_second", limits.requestsPerSecond}}}});
}

OptionalResponse listTokens(const Call& call) {
  ASSIGN_OR_RETURN(const auto tokens, readTokens(call.application.options.folder));
  // Includes the counts that this process has not written yet.
  RETURN_IF_ERROR(call.application.usage.flush());
  ASSIGN_OR_RETURN(const auto usage, readUsage(call.application.options.folder));
  nlohmann::json list = nlohmann::json::array();
  for (const TokenRecord& token : tokens) list.push_back(tokenJson(token, usage));
  return respondJson(200, {{"tokens", list}});
}

OptionalResponse addToken(const Call& call) {
  ASSIGN_OR_RETURN(const auto body, jsonBody(call.request));
  ASSIGN_OR_RETURN(const auto name, textField(body, "name"));
  ASSIGN_OR_RETURN(const auto roleText, textField(body, "role"));
  const auto role = parseRole(roleText);
  if (!role || *role == Role::kNone)
    return invalid(fmt::format("'{}' is not a role; there are: {}", roleText.substr(0, 40),
                               fmt::join(kTokenRoleNames, ", ")));
  constexpr uint64_t kNever = UINT64_MAX;
  ASSIGN_OR_RETURN(const auto days, numberField(body, "days", kNever));
  std::optional<int> until;
  if (days != kNever) until = static_cast<int>(std::min<uint64_t>(days, 1'000'000));
  ASSIGN_OR_RETURN(const auto bytesPerDay, numberField(body, "bytes_per_day", 0));
  ASSIGN_OR_RETURN(const auto bytes, numberField(body, "bytes", 0));
  ASSIGN_OR_RETURN(const auto requestsPerDay, numberField(body, "requests_per_day", 0));
  ASSIGN_OR_RETURN(const auto made,
                   makeToken(call.application.options.folder, call.application.clock, name, *role,
                             until, {bytesPerDay, bytes, requestsPerDay}));
  return respondJson(201, {{"name", made.record.name},
                           {"role", roleName(made.record.role)},
                           {"expires", made.record.expires},
                           {"token", made.token}});
}

OptionalResponse removeToken(const Call& call) {
  RETURN_IF_ERROR(revokeToken(call.application.options.folder, call.request.pathValue("name")));
  return respondEmpty(204);
}

}  // namespace vintage::archive
