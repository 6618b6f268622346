// Leases keep content safe from garbage collection between its upload and the record that names it.
//
// Garbage collection removes content that neither a record nor a lease names. A client that brings
// content without a record yet takes a lease on its id first, renews the lease while it works, and
// releases it after the record is kept. A lease protects as long as its row is there: collection
// removes the row once the lease has expired, and only then its content. A holder that was
// suspended for longer than its lease gets an error (kNotFound) instead of losing content without
// notice: each call below that writes content checks the row inside the transaction that makes the
// content visible.
#include <random>

#include <fmt/format.h>

#include "archive/store/archive_implementation.h"
#include "archive/store/row_values.h"
#include "golden/base/content_hash.h"
#include "golden/base/failures.h"

namespace vintage::archive {
namespace {

std::string randomId() {
  std::random_device random;
  return fmt::format("{:08x}{:08x}{:08x}{:08x}", random(), random(), random(), random());
}

int64_t secondsOf(LeaseTime time) {
  return std::chrono::floor<std::chrono::seconds>(time.time_since_epoch()).count();
}
LeaseTime timeOf(int64_t seconds) { return LeaseTime(std::chrono::seconds(seconds)); }

Result<int64_t> expiry(LeaseTime now, std::chrono::seconds duration) {
  if (duration <= std::chrono::seconds::zero() || duration > kLongestLease)
    return usageError("a lease of {} seconds; it can last 1 to {}, and be renewed",
                      duration.count(), kLongestLease.count());
  return secondsOf(now + duration);
}

tl::unexpected<Error> gone(Database& database, std::string_view lease) {
  return notFound(
      "{}: there is no lease '{}': it was released, or it expired and was collected; take a new "
      "one and bring the missing contents again",
      database.path(), lease);
}

}  // namespace

Result<Lease> insertLease(Database& database, std::string_view holder, LeaseTime now,
                          std::chrono::seconds duration) {
  ASSIGN_OR_RETURN(const auto expires, expiry(now, duration));
  Lease lease{randomId(), std::string(holder), timeOf(expires)};
  RETURN_IF_ERROR(runWith(database, "INSERT INTO lease (id, holder, expires) VALUES (?, ?, ?)",
                          lease.id, holder, expires));
  return lease;
}

Status addToLease(Database& database, std::string_view lease, std::span<const ContentId> contents) {
  RETURN_IF_ERROR(checkLease(database, lease));
  for (const ContentId& id : contents) {
    if (!isContentHash(id))
      return usageError("'{}' is not an id; ids are 64 lower-case hexadecimal digits", id);
    RETURN_IF_ERROR(runWith(database,
                            "INSERT OR IGNORE INTO lease_content (hash, lease) VALUES (?, ?)",
                            hashBytes(id), lease));
  }
  return {};
}

Status checkLease(Database& database, std::string_view lease) {
  ASSIGN_OR_RETURN(const auto found,
                   firstInteger(database, "SELECT 1 FROM lease WHERE id = ?", lease));
  return found ? Status() : gone(database, lease);
}

Result<bool> isLeaseOver(Database& database, std::string_view lease, LeaseTime now) {
  ASSIGN_OR_RETURN(
      const auto over,
      firstInteger(database, "SELECT expires < ? FROM lease WHERE id = ?", secondsOf(now), lease));
  return over.value_or(1) != 0;
}

Status removeLease(Database& database, std::string_view lease) {
  return runWith(database, "DELETE FROM lease WHERE id = ?", lease);  // Its contents go with it.
}

Result<int64_t> removeExpiredLeases(Database& database, LeaseTime now) {
  RETURN_IF_ERROR(runWith(database, "DELETE FROM lease WHERE expires < ?", secondsOf(now)));
  return database.changes();
}

Result<Lease> Archive::acquireLease(std::span<const ContentId> contents, std::string_view holder,
                                    std::chrono::seconds duration) {
  Implementation& self = *implementation_;
  Lease lease;
  RETURN_IF_ERROR(self.inUnsyncedTransaction([&]() -> Status {
    ASSIGN_OR_RETURN(lease, insertLease(*self.database, holder, self.clock.now(), duration));
    return addToLease(*self.database, lease.id, contents);
  }));
  return lease;
}

Status Archive::extendLease(std::string_view lease, std::span<const ContentId> contents) {
  return implementation_->inUnsyncedTransaction(
      [&] { return addToLease(*implementation_->database, lease, contents); });
}

Result<Lease> Archive::renewLease(std::string_view lease, std::chrono::seconds duration) {
  Implementation& self = *implementation_;
  Lease renewed{std::string(lease), {}, {}};
  RETURN_IF_ERROR(self.inUnsyncedTransaction([&]() -> Status {
    ASSIGN_OR_RETURN(const auto expires, expiry(self.clock.now(), duration));
    renewed.expires = timeOf(expires);
    ASSIGN_OR_RETURN(
        const bool found,
        firstRow(*self.database, "UPDATE lease SET expires = ? WHERE id = ? RETURNING holder",
                 std::tie(renewed.holder), expires, lease));
    return found ? Status() : gone(*self.database, lease);
  }));
  return renewed;
}

Status Archive::releaseLease(std::string_view lease) {
  return implementation_->inUnsyncedTransaction(
      [&] { return removeLease(*implementation_->database, lease); });
}

}  // namespace vintage::archive
