// Leases: what keeps content safe from garbage collection between its upload
// and the record that names it.
//
// Garbage collection removes content that neither a record nor a lease names.
// Whoever brings content without a record yet takes a lease on its id first,
// renews the lease while he works, and releases it after the record is kept. A
// lease protects as long as its row is there: collection removes the row once
// the lease has expired, and only then its content. So a holder who was
// suspended for longer than his lease learns it (kNotFound) instead of losing
// what he believed to be kept: each call below that writes content checks the
// row inside the transaction that the content becomes visible in.
//
// Free functions over the Database, for Archive and the collector; they belong
// inside the caller's transaction. Users take leases through Archive.
#pragma once

#include <chrono>
#include <span>
#include <string>
#include <string_view>

#include "archive/store/records.h"
#include "golden/base/result.h"

namespace vintage::archive {

class Database;

using LeaseTime = std::chrono::system_clock::time_point;

inline constexpr size_t kLeaseDigits = 32;

struct Lease {
  std::string id;      // Random hexadecimal digits: a caller that knows them holds it.
  std::string holder;  // For people: "push of alice@build7".
  LeaseTime expires;   // To the second.
};

// The longest that one call may ask for; a holder who works longer renews.
inline constexpr std::chrono::seconds kLongestLease = std::chrono::hours(24 * 7);

// A new lease with an id of its own. kUsage where the duration is not positive
// or longer than kLongestLease.
Result<Lease> insertLease(Database& database, std::string_view holder, LeaseTime now,
                          std::chrono::seconds duration);
// From now on the lease protects these as well. kUsage where an id is not
// spelled like one; kNotFound where the lease is gone.
Status addToLease(Database& database, std::string_view lease, std::span<const ContentId> contents);
// kNotFound where it was released, or expired and was collected.
Status checkLease(Database& database, std::string_view lease);
// Released, collected, or expired and not collected yet.
Result<bool> isLeaseOver(Database& database, std::string_view lease, LeaseTime now);
// What is not there is released already.
Status removeLease(Database& database, std::string_view lease);
// How many were removed.
Result<int64_t> removeExpiredLeases(Database& database, LeaseTime now);

}  // namespace vintage::archive
