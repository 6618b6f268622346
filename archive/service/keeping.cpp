#include "archive/service/keeping.h"

#include <fmt/format.h>

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
    return invalid(
        fmt::format("a lease of {} seconds; 1 to {} are accepted", seconds, kLongestLease.count()),
        "take a shorter one, and extend it while you work");
  ASSIGN_OR_RETURN(auto ids, idsField(body, "ids", call.application.options.limits.ids));
  return LeaseRequest{std::chrono::seconds(seconds), std::move(ids)};
}

Response respondLease(int status, const Lease& lease) {
  return respondJson(status, {{"lease", lease.id}, {"expires", timeText(lease.expires)}});
}

}  // namespace

std::string leaseHolder(const Call& call) {
  const std::string& token = call.request.identity.name;
  return fmt::format("service: {} at {}", token.empty() ? "anonymous" : token, call.request.peer);
}

Answer<Lease> leaseFor(const Call& call, Archive& archive, const std::string& named,
                       std::span<const ContentId> ids) {
  if (named.empty())
    return archive.acquireLease(ids, std::string(kImplicitHolder) + leaseHolder(call),
                                kImplicitLease);
  RETURN_IF_ERROR(underLease(named, archive.extendLease(named, ids)));
  return Lease{named, "", {}};
}

void addLease(nlohmann::json& answer, const Lease& lease) {
  answer["lease"] = lease.id;
  if (lease.expires != std::chrono::system_clock::time_point())
    answer["lease_expires"] = timeText(lease.expires);
}

Problem leaseProblem(const Error& error, const std::string& lease) {
  if (error.kind != Error::Kind::kNotFound) return error;
  return {404, "not_found",
          fmt::format("there is no lease '{}'; it ended or expired", lease.substr(0, 80)),
          "make one with POST /v1/leases, then ask again which contents are kept"};
}

Result<ArchivePool::Loan> borrowAs(const Call& call) {
  const TokenRecord& identity = call.request.identity;
  ASSIGN_OR_RETURN(auto archive, call.application.archives.borrow());
  archive->actAs(identity.name.empty() ? "anonymous" : "token " + identity.name,
                 identity.role >= Role::kAdmin,
                 identity.role == Role::kReport ? identity.name : std::string());
  return archive;
}

Problem refusal(Archive& archive, const ArtifactRecord& record, const Error& error) {
  if (error.kind != Error::Kind::kNotFound) return error;
  std::vector<ContentId> named{record.id};
  if (!record.golden.empty()) named.push_back(record.golden);
  return missingContent(archive, named, error);
}

Problem missingContent(Archive& archive, std::span<const ContentId> named, const Error& error) {
  const auto missing = archive.missing(named);
  if (!missing) return missing.error();
  return {409,
          "missing_content",
          error.message,
          "upload the content under a lease, then register again",
          {{"missing", *missing}}};
}

OptionalResponse makeLease(const Call& call) {
  ASSIGN_OR_RETURN(const auto asked, readLease(call));
  ASSIGN_OR_RETURN(auto archive, call.application.archives.borrow());
  ASSIGN_OR_RETURN(const auto lease,
                   archive->acquireLease(asked.ids, leaseHolder(call), asked.duration));
  return respondLease(201, lease);
}

OptionalResponse extendLease(const Call& call) {
  ASSIGN_OR_RETURN(const auto asked, readLease(call));
  const std::string& id = call.request.pathValue("lease");
  ASSIGN_OR_RETURN(auto archive, call.application.archives.borrow());
  if (!asked.ids.empty()) RETURN_IF_ERROR(underLease(id, archive->extendLease(id, asked.ids)));
  ASSIGN_OR_RETURN(const auto lease, underLease(id, archive->renewLease(id, asked.duration)));
  return respondLease(200, lease);
}

OptionalResponse endLease(const Call& call) {
  const std::string& id = call.request.pathValue("lease");
  ASSIGN_OR_RETURN(auto archive, call.application.archives.borrow());
  // Ending an unknown lease is a 404; it changes nothing.
  RETURN_IF_ERROR(underLease(id, archive->extendLease(id, {})));
  RETURN_IF_ERROR(archive->releaseLease(id));
  return respondEmpty(204);
}

}  // namespace vintage::archive
