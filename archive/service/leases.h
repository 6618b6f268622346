// Leases (archive/store/lease.h) as the routes use them.
#pragma once

#include <chrono>
#include <span>
#include <string>

#include <nlohmann/json.hpp>

#include "archive/service/room.h"
#include "archive/service/routes.h"
#include "archive/store/archive.h"

namespace vintage::archive::service {

// What is made where a request names none.
inline constexpr std::chrono::seconds kImplicitLease = std::chrono::hours(1);

// Who holds what is made for this request.
std::string leaseHolder(const Call& call);

struct HeldLease {
  std::string id;
  std::string expires;  // Empty where the request named it.
};

// The named lease with `ids` under it, or a new one. 404 where it is gone.
Answer<HeldLease> leaseFor(const Call& call, Archive& archive, const std::string& named,
                           std::span<const ContentId> ids);

// "lease" and, for one that was made here, "lease_expires".
void addLease(nlohmann::json& answer, const HeldLease& lease);

// A kNotFound of a call that writes under a lease means that the lease is gone.
Problem leaseProblem(const Error& error, const std::string& lease);

}  // namespace vintage::archive::service
