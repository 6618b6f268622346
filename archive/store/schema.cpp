#include "archive/store/schema.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "archive/store/schema_steps.h"
#include "golden/base/failures.h"

namespace vintage::archive::store {
std::span<const std::string_view> schemaSteps() {
  static const std::string_view kSteps[] = {kVersion1, kVersion2,  kVersion3, kVersion4,
                                            kVersion5, kVersion6,  kVersion7, kVersion8,
                                            kVersion9, kVersion10, kVersion11, kVersion12,
                                            kVersion13};
  return kSteps;
}
int formatVersion() { return static_cast<int>(schemaSteps().size()); }

Status checkIndexIdentity(Database& database, int newestVersion) {
  ASSIGN_OR_RETURN(const auto application, database.integer("PRAGMA application_id"));
  ASSIGN_OR_RETURN(const auto version, database.integer("PRAGMA user_version"));
  if (application != kApplicationId)
    return badInput(
        "{}: application id {:#x} where an archive's index has {:#x}: the file belongs to another "
        "program, or the archive was never completely created",
        database.path(), application, kApplicationId);
  if (version > newestVersion)
    return unsupported(
        "{}: archive format {}; this build reads formats up to {}; use a newer Vintage",
        database.path(), version, newestVersion);
  if (version < 1)
    return badInput("{}: archive format {}; formats begin at 1: the index is damaged",
                    database.path(), version);
  return {};
}

Status migrateIndex(Database& database, std::span<const std::string_view> steps) {
  ASSIGN_OR_RETURN(auto transaction, Transaction::begin(database));
  // Read under the lock: another process may have migrated meanwhile.
  ASSIGN_OR_RETURN(const auto version, database.integer("PRAGMA user_version"));
  for (size_t step = static_cast<size_t>(std::max<int64_t>(version, 0)); step < steps.size();
       ++step) {
    RETURN_IF_ERROR(within(fmt::format("migrating from archive format {} to {}", step, step + 1),
                           database.execute(std::string(steps[step]))));
  }
  const std::string stamp =
      fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}", kApplicationId,
                  std::max<int64_t>(version, static_cast<int64_t>(steps.size())));
  RETURN_IF_ERROR(database.execute(stamp));
  return transaction.commit();
}

}  // namespace vintage::archive::store
