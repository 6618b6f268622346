// An archive of format 1, as the first release wrote it: its schema is the
// first step, and its rows are written here, without the code under test.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include "archive/store/blob_store.h"
#include "archive/store/database.h"
#include "archive/store/schema.h"
#include "tests/archive/store/sample.h"
#include "tests/rooms.h"

namespace vintage::tests {

// `count` artifacts with raw contents, "case 0" and so on.
inline void makeOlderArchive(const std::string& folder, int count) {
  std::filesystem::create_directories(folder + "/blobs");
  std::ofstream(folder + "/VINTAGE_ARCHIVE") << "vintage archive, format 1\n";
  auto database = must(Database::open(folder + "/index.sqlite", {.create = true}));
  must(database->execute("PRAGMA journal_mode = WAL; BEGIN"));
  must(database->execute(std::string(schemaSteps().front())));
  for (int number = 1; number <= count; ++number) {
    const auto bytes = content(static_cast<uint64_t>(number), 400);
    Query blob = must(database->query("INSERT INTO blob VALUES (?, ?, ?, 0, ?, 0)"));
    must(blob.bind(number)
             .bindBlob(hashBytes(contentHash(bytes)))
             .bind(static_cast<int64_t>(bytes.size()))
             .bind(static_cast<int64_t>(bytes.size()))
             .run());
    Query kept = must(database->query("INSERT INTO blob_content VALUES (?, ?)"));
    must(kept.bind(number).bindBlob(bytes).run());
    Query artifact = must(database->query(
        "INSERT INTO artifact VALUES (?1, ?1, NULL, 'case ' || ?1, 'producer', 20000, 2, 9, 3, "
        "'1.9.3', 'add', '', 'static', 1, '[\"f32\"]', '[\"cpu\"]', '[]', 1)"));
    must(artifact.bind(number).run());
    must(database->execute("INSERT INTO artifact_dtype VALUES ('f32', 20000, " +
                           std::to_string(number) + "); INSERT INTO artifact_platform VALUES "
                           "('cpu', 20000, " + std::to_string(number) + ")"));
  }
  must(database->execute("PRAGMA application_id = 0x566e7467; PRAGMA user_version = 1; COMMIT"));
}

}  // namespace vintage::tests
