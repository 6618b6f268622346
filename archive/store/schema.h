// The index's tables, their version, and the way from an older version.
//
// The version is SQLite's user_version. The first step creates the tables of the oldest format
// that is read, each further one turns a format into the next. A step never changes once an
// archive was written with it. The tables are described in docs/archive_format.md.
#pragma once

#include <span>
#include <string_view>

#include "golden/base/result.h"

namespace vintage::archive {

class Database;

// "Vntg" as SQLite's application_id.
inline constexpr int kApplicationId = 0x566e7467;
inline constexpr int kOldestFormat = 11;

using SchemaSteps = std::span<const std::string_view>;
SchemaSteps schemaSteps();
// What this build reads and writes: the format after the last step.
int formatVersion(SchemaSteps steps = schemaSteps());

// kBadInput where the file is another program's database; kUnsupported, with both
// versions, where it is newer than this build, or older than the oldest format.
Status checkIndexIdentity(Database& database, int newestVersion = formatVersion());

// Applies the steps that are missing, all of them or none. Safe while other
// processes do the same. Needs an index that checkIndexIdentity accepts, or an
// empty file.
Status migrateIndex(Database& database, SchemaSteps steps = schemaSteps());

}  // namespace vintage::archive
