// Shared by the routes that keep contents and records: leases (archive/store/lease.cpp), the name
// of the author, and the reasons for a refusal.
#pragma once

#include <chrono>
#include <span>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "archive/service/application.h"
#include "archive/service/problem.h"
#include "archive/store/archive.h"

namespace vintage::archive {

// The duration of a lease that is made because a request names none.
inline constexpr std::chrono::seconds kImplicitLease = std::chrono::hours(1);
// The beginning of its holder: it ends for a content when a record names that.
inline constexpr std::string_view kImplicitHolder = "until it is registered: ";

// The holder of leases that are made for this request.
std::string leaseHolder(const Call& call);

// The named lease with `ids` under it, or a new one. 404 where it is gone. A lease that the request
// named has nothing but its id here.
Answer<Lease> leaseFor(const Call& call, Archive& archive, const std::string& named,
                       std::span<const ContentId> ids);

// "lease" and, for one that was made here, "lease_expires".
void addLease(nlohmann::json& answer, const Lease& lease);

// A kNotFound of a call that writes under a lease means that the lease is gone.
Problem leaseProblem(const Error& error, const std::string& lease);
template <typename T>
Answer<T> underLease(const std::string& lease, Result<T> result) {
  return std::move(result).map_error(
      [&](const Error& error) { return leaseProblem(error, lease); });
}

// An archive that notes changes under the name of the request's token, lets only an admin's replace
// what is kept, and keeps what a reporter's adds under that name.
Result<ArchivePool::Loan> borrowAs(const Call& call);

// Why a record was refused (archive/store/batch_put.h). Content that is not kept is
// `missing_content` and listed.
Problem refusal(Archive& archive, const ArtifactRecord& record, const Error& error);

// The answer where the archive lacks these contents, or some of them.
Problem missingContent(Archive& archive, std::span<const ContentId> named, const Error& error);

}  // namespace vintage::archive
