// Leases: content that no record names yet is safe from garbage collection.
#include <fmt/format.h>

#include "archive/service/application.h"
#include "archive/service/keeping.h"
#include "archive/service/request_values.h"
#include "archive/store/records.h"

namespace vintage::archive {
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

OptionalResponse makeLease(const Call& call) {
  ASSIGN_OR_RETURN(const auto asked, readLease(call));
  ASSIGN_OR_RETURN(auto archive, call.application.archives().borrow());
  ASSIGN_OR_RETURN(const auto lease,
                   archive->acquireLease(asked.ids, leaseHolder(call), asked.duration));
  return respondLease(201, lease);
}

OptionalResponse extendLease(const Call& call) {
  ASSIGN_OR_RETURN(const auto asked, readLease(call));
  const std::string& id = call.request.pathValue("lease");
  ASSIGN_OR_RETURN(auto archive, call.application.archives().borrow());
  if (!asked.ids.empty()) RETURN_IF_ERROR(underLease(id, archive->extendLease(id, asked.ids)));
  ASSIGN_OR_RETURN(const auto lease, underLease(id, archive->renewLease(id, asked.duration)));
  return respondLease(200, lease);
}

OptionalResponse endLease(const Call& call) {
  const std::string& id = call.request.pathValue("lease");
  ASSIGN_OR_RETURN(auto archive, call.application.archives().borrow());
  // Ending an unknown lease is a 404; it changes nothing.
  RETURN_IF_ERROR(underLease(id, archive->extendLease(id, {})));
  RETURN_IF_ERROR(archive->releaseLease(id));
  Response response;
  response.status = 204;
  return response;
}

}  // namespace vintage::archive
