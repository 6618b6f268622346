// Queries of fsck (archive/integrity/fsck.h) on an index that may be damaged. An error of kind
// kBadInput means that SQLite could not read on.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "archive/store/archive.h"
#include "archive/store/content_reader.h"

namespace vintage::archive {

std::string indexPath(const Archive& archive);

// SQLite's own report on the index; empty where it finds nothing.
Result<std::vector<std::string>> pageProblems(const Archive& archive);
// Makes SQLite's indexes anew where that loses nothing, or says why it would; empty: done.
Result<std::string> remakeIndexes(Archive& archive);
// kBadInput with SQLite's first finding in the tables by which collection decides.
Status checkNamingTables(const Archive& archive);

// The table that serves searching by the terms of lists, against the lists.
struct TermDifferences {
  int64_t missing = 0, surplus = 0;
};
Result<TermDifferences> compareTerms(const Archive& archive);
Status remakeTerms(Archive& archive);

// A row that names another one which is not there.
struct BrokenReference {
  std::string table, parent;
  int64_t row = 0;  // 0: of a table without numbers.
  // It serves only the row that it names: without that it can go.
  bool isDependent = false;
  bool operator==(const BrokenReference&) const = default;
};
Result<std::vector<BrokenReference>> brokenReferences(const Archive& archive);
// False where a dependent row stays: it may be the only copy of content that a record names.
Result<bool> removeDependent(Archive& archive, const BrokenReference& reference);

// A family that covers no artifact's row, or one that another covers too: SQLite knows of no such
// reference.
struct BadFamily {
  std::optional<int64_t> row;  // None: the table as a whole.
  std::string problem;
};
Result<std::vector<BadFamily>> badFamilies(const Archive& archive);
// Whether a family covers this artifact's row.
Result<bool> hasFamily(const Archive& archive, int64_t row);

struct ArtifactRow {
  int64_t id = 0;
  std::string name, producer;
};
// Pages of rows, as far as SQLite can read them (archive/store/database.h); `total` is for
// progress, 0 where it is not known.
using VisitArtifactRows = std::function<Status(std::span<const ArtifactRow>, int64_t total)>;
Status visitArtifactRows(const Archive& archive, const VisitArtifactRows& visit);
Result<std::optional<ArtifactRow>> artifactRow(const Archive& archive, int64_t id);
Result<ArtifactRecord> artifactOfRow(const Archive& archive, int64_t row);
Result<std::optional<int64_t>> rowOfArtifact(const Archive& archive, std::string_view name,
                                             std::string_view producer);
Result<std::optional<ArtifactRecord>> artifactNamed(const Archive& archive, std::string_view name,
                                                    std::string_view producer);

// A content's row, and the bytes stored beside it.
struct ContentRow {
  int64_t id = 0, bytes = 0, storedBytes = 0;
  ContentId content;
  bool inFile = false, isPacked = false;
  bool isRemoved = false;               // By retention; outcomes still name it.
  std::optional<int64_t> contentBytes;  // In the index, on its own.
  int64_t pack = 0, start = 0;
  std::optional<int64_t> packBytes;
};
using VisitContentRows = std::function<Status(std::span<const ContentRow>, int64_t total)>;
Status visitContentRows(const Archive& archive, const VisitContentRows& visit);
// As it is now: others may have put, healed or collected it meanwhile.
Result<std::optional<ContentRow>> contentRow(const Archive& archive, int64_t id);
// Reads find the first row of a hash.
Result<std::optional<int64_t>> firstRowOf(const Archive& archive, const ContentId& id);

struct ContentUse {
  bool named = false;  // By a record, a golden, a list, or as a dictionary.
  bool leased = false;
  bool outcomes = false;
};
Result<ContentUse> useOf(const Archive& archive, const ContentRow& row);
// The kinds of content that its users expect.
struct ContentRoles {
  bool exported = false, portable = false, golden = false;
};
Result<ContentRoles> rolesOf(const Archive& archive, const ContentRow& row);

struct AffectedRecords {
  // "NAME (PRODUCER)", "the golden of NAME (PRODUCER)", "every content that is packed with
  // dictionary 7": the first of them.
  std::vector<std::string> users;
  int64_t outcomes = 0;
};
Result<AffectedRecords> affectedBy(const Archive& archive, const ContentId& id, size_t longest);

struct KeptDictionary {
  int64_t id = 0;
  ContentId content;
};
Result<std::vector<KeptDictionary>> keptDictionaries(const Archive& archive);
// Of the second copy, which lies in a file. kBadInput where that is damaged.
Status checkCopy(const Archive& archive, const KeptDictionary& dictionary);
// Makes it of the first.
Status remakeCopy(Archive& archive, const KeptDictionary& dictionary);

// As Archive::read(), and damage names no artifact.
Result<std::vector<std::byte>> readStored(const Archive& archive, const ContentId& id);
// Where its row does not lead to it: what is stored, if it hashes to `id`. kNotFound.
Result<std::vector<std::byte>> readLoose(const Archive& archive, const ContentId& id);
std::string contentFile(const Archive& archive, const ContentId& id);
// The users of this content's file, at one moment.
Result<FileUse> fileUse(const Archive& archive, const ContentId& id);
// Of a temporary file, by its name.
Result<bool> isAbandoned(const Archive& archive, const std::string& name);

}  // namespace vintage::archive
