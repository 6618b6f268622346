// The index's tables, their version, and the way from an older version.
//
// The version is SQLite's user_version. Step n turns version n into n + 1;
// creating an index is migrating from version 0. A step never changes once a
// release wrote archives with it. The tables are described in
// docs/archive_format.md.
#pragma once

#include <span>
#include <string_view>

#include "archive/store/database.h"
#include "archive/store/room.h"
#include "golden/base/result.h"

namespace vintage::archive::store {

// "Vntg" as SQLite's application_id.
inline constexpr int kApplicationId = 0x566e7467;

// What this build reads and writes: the number of its steps.
int formatVersion();
std::span<const std::string_view> schemaSteps();

// kBadInput where the file is another program's database; kUnsupported, with both
// versions, where it is newer than this build.
Status checkIndexIdentity(Database& database, int newestVersion = formatVersion());

// Applies the steps that are missing, all of them or none. Safe while other
// processes do the same. Needs an index that checkIndexIdentity accepts, or an
// empty file.
Status migrateIndex(Database& database, std::span<const std::string_view> steps = schemaSteps());

}  // namespace vintage::archive::store
