#include "archive/service/keeping.h"

#include <fmt/format.h>

#include "archive/store/records.h"

namespace vintage::archive {

std::string leaseHolder(const Call& call) {
  const std::string& token = call.request.identity.token;
  return fmt::format("service: {} at {}", token.empty() ? "anonymous" : token, call.request.peer);
}

Answer<HeldLease> leaseFor(const Call& call, Archive& archive, const std::string& named,
                           std::span<const ContentId> ids) {
  if (!named.empty()) {
    RETURN_IF_ERROR(underLease(named, archive.extendLease(named, ids)));
    return HeldLease{named, ""};
  }
  ASSIGN_OR_RETURN(const auto lease, archive.acquireLease(ids, leaseHolder(call), kImplicitLease));
  return HeldLease{lease.id, timeText(lease.expires)};
}

void addLease(nlohmann::json& answer, const HeldLease& lease) {
  answer["lease"] = lease.id;
  if (!lease.expires.empty()) answer["lease_expires"] = lease.expires;
}

Problem leaseProblem(const Error& error, const std::string& lease) {
  if (error.kind != Error::Kind::kNotFound) return error;
  return notFound(fmt::format("there is no lease '{}'; it ended or expired", lease.substr(0, 80)),
                  "make one with POST /v1/leases, then ask again which contents are kept");
}

Result<ArchivePool::Loan> borrowAs(const Call& call) {
  const Identity& identity = call.request.identity;
  ASSIGN_OR_RETURN(auto archive, call.application.archives().borrow());
  archive->actAs(identity.token.empty() ? "anonymous" : "token " + identity.token,
                 identity.role >= Role::kAdmin);
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

}  // namespace vintage::archive
