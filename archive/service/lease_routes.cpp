// Leases: content that no record names yet is safe from garbage collection.
#include <fmt/format.h>

#include "archive/service/application.h"
#include "archive/service/leases.h"
#include "archive/service/request_json.h"
#include "archive/store/records.h"

namespace vintage::archive::service {
namespace {

struct LeaseRequest {
  std::chrono::seconds duration;
  std::vector<ContentId> ids;
};

Answer<LeaseRequest> readLease(const Call& call) {
  ASSIGN_OR_RETURN(const auto body, jsonBody(call.request));
  ASSIGN_OR_RETURN(const auto seconds,
                   numberField(body, "seconds", static_cast<uint64_t>(kImplicitLease.count())));
  if (seconds < 1 || seconds > static_cast<uint64_t>(kLongestLease.count()))
    return tl::unexpected(invalid(
        fmt::format("a lease of {} seconds; 1 to {} are accepted", seconds, kLongestLease.count()),
        "take a shorter one, and extend it while you work"));
  ASSIGN_OR_RETURN(auto ids, idsField(body, "ids", call.application.limits().ids));
  return LeaseRequest{std::chrono::seconds(seconds), std::move(ids)};
}

Response respondLease(int status, const Lease& lease) {
  return respondJson(status, {{"lease", lease.id}, {"expires", timeText(lease.expires)}});
}

}  // namespace

std::string leaseHolder(const Call& call) {
  const std::string& token = call.request.identity.token;
  return fmt::format("service: {} at {}", token.empty() ? "anonymous" : token, call.request.peer);
}

Answer<HeldLease> leaseFor(const Call& call, Archive& archive, const std::string& named,
                           std::span<const ContentId> ids) {
  if (!named.empty()) {
    if (const Status extended = archive.extendLease(named, ids); !extended)
      return tl::unexpected(leaseProblem(extended.error(), named));
    return HeldLease{named, ""};
  }
  const auto lease = archive.acquireLease(ids, leaseHolder(call), kImplicitLease);
  if (!lease) return tl::unexpected(problemOf(lease.error()));
  return HeldLease{lease->id, timeText(lease->expires)};
}

void addLease(nlohmann::json& answer, const HeldLease& lease) {
  answer["lease"] = lease.id;
  if (!lease.expires.empty()) answer["lease_expires"] = lease.expires;
}

Problem leaseProblem(const Error& error, const std::string& lease) {
  if (error.kind != Error::Kind::kNotFound) return problemOf(error);
  return notFound(fmt::format("there is no lease '{}'; it ended or expired",
                              lease.substr(0, 80)),
                  "make one with POST /v1/leases, then ask again which contents are kept");
}

OptionalResponse makeLease(const Call& call) {
  const auto asked = readLease(call);
  if (!asked) return respond(asked.error());
  auto archive = call.application.archives().borrow();
  if (!archive) return respond(problemOf(archive.error()));
  const auto lease = (*archive)->acquireLease(asked->ids, leaseHolder(call), asked->duration);
  if (!lease) return respond(problemOf(lease.error()));
  return respondLease(201, *lease);
}

OptionalResponse extendLease(const Call& call) {
  const auto asked = readLease(call);
  if (!asked) return respond(asked.error());
  const std::string& id = call.request.pathValue("lease");
  auto archive = call.application.archives().borrow();
  if (!archive) return respond(problemOf(archive.error()));
  if (!asked->ids.empty()) {
    if (const Status extended = (*archive)->extendLease(id, asked->ids); !extended)
      return respond(leaseProblem(extended.error(), id));
  }
  const auto lease = (*archive)->renewLease(id, asked->duration);
  if (!lease) return respond(leaseProblem(lease.error(), id));
  return respondLease(200, *lease);
}

OptionalResponse endLease(const Call& call) {
  const std::string& id = call.request.pathValue("lease");
  auto archive = call.application.archives().borrow();
  if (!archive) return respond(problemOf(archive.error()));
  // Ending an unknown lease is a 404; it changes nothing.
  if (const Status held = (*archive)->extendLease(id, {}); !held)
    return respond(leaseProblem(held.error(), id));
  if (const Status ended = (*archive)->releaseLease(id); !ended)
    return respond(problemOf(ended.error()));
  Response response;
  response.status = 204;
  return response;
}

}  // namespace vintage::archive::service
