#include "archive/store/lease.h"

#include <random>

#include <fmt/format.h>

#include "archive/store/blob_store.h"
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
      "one and bring what is missing again",
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

Status addToLease(Database& database, std::string_view lease,
                  std::span<const ContentId> contents) {
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

Result<Lease> renewLeaseRow(Database& database, std::string_view lease, LeaseTime now,
                            std::chrono::seconds duration) {
  ASSIGN_OR_RETURN(const auto expires, expiry(now, duration));
  ASSIGN_OR_RETURN(auto query,
                   database.query("UPDATE lease SET expires = ? WHERE id = ? RETURNING holder"));
  ASSIGN_OR_RETURN(const auto found, query.bind(expires).bind(lease).step());
  if (!found) return gone(database, lease);
  Lease renewed{std::string(lease), query.text(0), timeOf(expires)};
  const auto end = query.step();  // The update ends with its last row.
  if (!end) return tl::unexpected(end.error());
  return renewed;
}

Status checkLease(Database& database, std::string_view lease) {
  ASSIGN_OR_RETURN(auto query, database.query("SELECT 1 FROM lease WHERE id = ?"));
  ASSIGN_OR_RETURN(const auto found, query.bind(lease).step());
  if (!found) return gone(database, lease);
  return {};
}

Result<bool> isLeaseOver(Database& database, std::string_view lease, LeaseTime now) {
  ASSIGN_OR_RETURN(auto query, database.query("SELECT expires < ? FROM lease WHERE id = ?"));
  ASSIGN_OR_RETURN(const auto found, query.bind(secondsOf(now)).bind(lease).step());
  return !found || query.integer(0) != 0;
}

Status removeLease(Database& database, std::string_view lease) {
  return runWith(database, "DELETE FROM lease WHERE id = ?", lease);  // Its contents go with it.
}

Result<int64_t> removeExpiredLeases(Database& database, LeaseTime now) {
  RETURN_IF_ERROR(runWith(database, "DELETE FROM lease WHERE expires < ?", secondsOf(now)));
  return database.changes();
}

}  // namespace vintage::archive
