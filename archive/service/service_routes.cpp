// What the service reports about itself, and its tokens.
#include <fmt/format.h>

#include "archive/service/application.h"
#include "archive/service/openapi.h"
#include "archive/service/request_json.h"
#include "archive/store/lease.h"
#include "golden/base/own_program.h"

namespace vintage::archive::service {

OptionalResponse showHealth(const Call& call) {
  auto archive = call.application.archives().borrow();
  if (!archive) return respond(problemOf(archive.error()));
  // A query through an index, whatever the archive holds.
  const auto missing = (*archive)->missing(std::vector<ContentId>{ContentId(64, '0')});
  if (!missing) {
    Problem problem = problemOf(missing.error());
    problem.status = 503;
    return respond(problem);
  }
  return respondJson(200, {{"status", "ok"}});
}

OptionalResponse showMetrics(const Call& call) {
  Response response;
  response.contentType = "text/plain; version=0.0.4; charset=utf-8";
  response.text = call.application.metrics().text(call.application.clock().now());
  return response;
}

OptionalResponse showOpenApi(const Call& call) {
  Response response;
  response.contentType = "application/json";
  response.text = openApiText();
  return response;
}

OptionalResponse showStatus(const Call& call) {
  const Limits& limits = call.application.limits();
  return respondJson(200, {{"service", "vintage"},
                           {"version", vintageVersion()},
                           {"api", 1},
                           {"archive_format", call.application.archiveFormat()},
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
  const auto tokens = readTokens(call.application.folder());
  if (!tokens) return respond(problemOf(tokens.error()));
  // What this process has counted too.
  if (const Status flushed = call.application.usage().flush(); !flushed)
    return respond(problemOf(flushed.error()));
  const auto usage = readUsage(call.application.folder());
  if (!usage) return respond(problemOf(usage.error()));
  nlohmann::json list = nlohmann::json::array();
  for (const TokenRecord& token : *tokens) {
    list.push_back({{"name", token.name},
                    {"role", roleName(token.role)},
                    {"created", token.created},
                    {"expires", token.expires}});
    if (!token.quota.isSet()) continue;
    const auto used = usage->find(token.hash);
    const Usage none, &now = used == usage->end() ? none : used->second;
    list.back()["quota"] = {{"bytes_per_day", token.quota.bytesPerDay},
                            {"bytes", token.quota.bytes},
                            {"requests_per_day", token.quota.requestsPerDay}};
    list.back()["used"] = {{"day", now.day},
                           {"bytes_of_day", now.bytesOfDay},
                           {"requests_of_day", now.requestsOfDay},
                           {"bytes", now.bytes}};
  }
  return respondJson(200, {{"tokens", list}});
}

OptionalResponse addToken(const Call& call) {
  const auto body = jsonBody(call.request);
  if (!body) return respond(body.error());
  const auto name = textField(*body, "name");
  if (!name) return respond(name.error());
  const auto roleText = textField(*body, "role");
  if (!roleText) return respond(roleText.error());
  const auto role = parseRole(*roleText);
  if (!role || *role == Role::kNone)
    return respond(invalid(fmt::format("'{}' is not a role; there are: read, push, admin",
                                       roleText->substr(0, 40))));
  constexpr uint64_t kNever = UINT64_MAX;
  const auto days = numberField(*body, "days", kNever);
  if (!days) return respond(days.error());
  std::optional<int> until;
  if (*days != kNever) until = static_cast<int>(std::min<uint64_t>(*days, 1'000'000));
  Quota quota;
  const std::pair<const char*, uint64_t*> kQuotas[] = {{"bytes_per_day", &quota.bytesPerDay},
                                                       {"bytes", &quota.bytes},
                                                       {"requests_per_day", &quota.requestsPerDay}};
  for (const auto& [field, place] : kQuotas) {
    const auto number = numberField(*body, field, 0);
    if (!number) return respond(number.error());
    *place = *number;
  }
  const auto made =
      makeToken(call.application.folder(), call.application.clock(), *name, *role, until, quota);
  if (!made) return respond(problemOf(made.error()));
  return respondJson(201, {{"name", made->record.name},
                           {"role", roleName(made->record.role)},
                           {"expires", made->record.expires},
                           {"token", made->token}});
}

OptionalResponse removeToken(const Call& call) {
  const Status revoked = revokeToken(call.application.folder(), call.request.pathValue("name"));
  if (!revoked) return respond(problemOf(revoked.error()));
  Response response;
  response.status = 204;
  return response;
}

}  // namespace vintage::archive::service
