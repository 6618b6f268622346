// A format that comes after this build's: its step writes the contents' rows anew, as a step that
// changes a table does, and leaves a table that says that it was applied.
#pragma once

#include <string_view>
#include <vector>

#include "archive/store/archive.h"
#include "tests/archive/store/sample.h"

namespace vintage::tests {

inline archive::SchemaSteps stepsToNextFormat() {
  static const std::vector<std::string_view> steps = [] {
    std::vector<std::string_view> all(archive::schemaSteps().begin(), archive::schemaSteps().end());
    all.push_back(
        "CREATE TABLE newer_content (blob INTEGER PRIMARY KEY REFERENCES blob (id), content BLOB "
        "NOT NULL) STRICT; INSERT INTO newer_content SELECT blob, content FROM blob_content; "
        "DROP TABLE blob_content; ALTER TABLE newer_content RENAME TO blob_content; "
        "CREATE TABLE next_format (steps INTEGER NOT NULL) STRICT; "
        "INSERT INTO next_format VALUES (1);");
    return all;
  }();
  return steps;
}

// Of this build's format: `count` small artifacts, "case 0" and so on.
inline void makeArchiveToMigrate(const std::string& folder, int count) {
  archive::Archive archive = must(archive::Archive::open(folder, archive::Archive::Mode::kCreate));
  std::vector<archive::Archive::Put> puts;
  for (int number = 0; number < count; ++number) {
    puts.push_back({sampleRecord("case " + std::to_string(number)),
                    content(static_cast<uint64_t>(number), 400), std::nullopt});
    puts.back().record.format =
        archive::ArtifactRecord::Format::kSavedModel;  // Which fsck does not parse.
  }
  must(archive.putAll(puts));
}

}  // namespace vintage::tests
