// Every blob's row: its content is there, of the stored size; where data is
// read, it hashes to its id and is what its users take it for.
#include <fmt/format.h>

#include "archive/integrity/healing.h"
#include "archive/integrity/table_walk.h"

namespace vintage::archive::integrity {
namespace {

constexpr int64_t kContentPage = 200;

struct BlobRow {
  int64_t id = 0, bytes = 0, codec = 0, storedBytes = 0;
  std::vector<std::byte> hash;
  bool inFile = false;
  std::optional<int64_t> contentBytes;  // In blob_content.
  int64_t pack = 0, start = 0;
  std::optional<int64_t> packBytes;
};

constexpr std::string_view kSelect =
    "SELECT b.id, b.bytes, b.codec, b.stored_bytes, b.hash, b.in_file, length(c.content), "
    "b.place, k.bytes FROM blob AS b LEFT JOIN blob_content AS c ON c.blob = b.id LEFT JOIN pack "
    "AS "
    "k ON k.id = b.place >> 21";
static_assert(kPackOfPlace == "place >> 21");

BlobRow rowOf(const Query& query) {
  BlobRow row{query.integer(0),
              query.integer(1),
              query.integer(2),
              query.integer(3),
              {},
              query.integer(5) != 0,
              std::nullopt,
              packOf(query.integer(7)),
              startOf(query.integer(7)),
              std::nullopt};
  const auto hash = query.blob(4);
  row.hash.assign(hash.begin(), hash.end());
  if (!query.isNull(6)) row.contentBytes = query.integer(6);
  if (!query.isNull(8)) row.packBytes = query.integer(8);
  return row;
}

// As it is now: others may have put, healed or collected it meanwhile.
Result<std::optional<BlobRow>> rowNow(Database& database, int64_t id) {
  ASSIGN_OR_RETURN(auto query, database.query(std::string(kSelect) + " WHERE b.id = ?"));
  ASSIGN_OR_RETURN(const auto found, query.bind(id).step());
  if (!found) return std::nullopt;
  return rowOf(query);
}

struct Use {
  bool named = false;  // By a record, a golden, a list, or as a dictionary.
  bool leased = false;
  bool outcomes = false;
};
Result<Use> useOf(Database& database, const BlobRow& blob) {
  ASSIGN_OR_RETURN(auto query,
                   database.query("SELECT EXISTS (SELECT 1 FROM artifact WHERE blob = ?1) OR "
                                  "EXISTS (SELECT 1 FROM artifact WHERE golden = ?1) OR "
                                  "EXISTS (SELECT 1 FROM dictionary WHERE blob = ?1) OR "
                                  "EXISTS (SELECT 1 FROM travelling_list_part WHERE blob = ?1), "
                                  "EXISTS (SELECT 1 FROM lease_content WHERE hash = ?2), "
                                  "EXISTS (SELECT 1 FROM outcome WHERE blob = ?1)"));
  ASSIGN_OR_RETURN(const auto row, query.bind(blob.id).bindBlob(blob.hash).step());
  if (!row) return Use{};
  return Use{query.integer(0) != 0, query.integer(1) != 0, query.integer(2) != 0};
}

class BlobCheck {
 public:
  explicit BlobCheck(FsckPasses& checker) : checker_(checker), healing_(checker) {}

  Status finish() { return healing_.finish(); }

  Status check(const BlobRow& row) {
    ++checker_.summary.blobs;
    ASSIGN_OR_RETURN(const bool alone, isAlone(row));
    if (!alone) return {};
    if (row.codec == static_cast<int64_t>(BlobCodec::kRemoved)) return checkRemoved(row);
    auto problem = problemOf(row, false);
    if (!problem) return tl::unexpected(problem.error());
    if (problem->kind) {
      ASSIGN_OR_RETURN(const auto now, rowNow(checker_.database(), row.id));
      if (!now || now->codec == static_cast<int64_t>(BlobCodec::kRemoved)) return {};
      problem = problemOf(*now, true);
      if (!problem) return tl::unexpected(problem.error());
    }
    if (problem->kind) return addProblem(row, std::move(*problem));
    return checkUse(row);
  }

 private:
  struct Problem {
    std::optional<FsckFinding::Kind> kind;
    std::string place, text;
  };

  Result<Problem> problemOf(const BlobRow& row, bool again) {
    using Kind = FsckFinding::Kind;
    const ContentId id = hashText(row.hash);
    const std::string file = checker_.archive.blobs.filePath(id);
    const std::string place =
        row.inFile ? file : fmt::format("{}, table blob, row {}", checker_.indexPath(), row.id);
    const auto problem = [&](Kind kind, std::string text) {
      return Problem{kind, place, std::move(text)};
    };
    const bool packed = row.codec == static_cast<int64_t>(BlobCodec::kPacked);
    if (packed && !row.packBytes)
      return problem(Kind::kMissingContent, fmt::format("its pack {} is missing", row.pack));
    if (packed && (row.bytes < 0 || row.start < 0 || row.start > *row.packBytes ||
                   row.bytes > *row.packBytes - row.start))
      return problem(Kind::kDamagedContent,
                     fmt::format("its row says {} bytes from {} on in pack {}, which has {}",
                                 row.bytes, row.start, row.pack, *row.packBytes));
    std::optional<int64_t> stored = packed ? row.storedBytes : row.contentBytes;
    if (row.inFile) {
      ASSIGN_OR_RETURN(const auto status, checker_.archive.blobs.files().status(file));
      stored.reset();
      if (status) stored = static_cast<int64_t>(status->bytes);
    }
    if (!stored)
      return problem(Kind::kMissingContent,
                     row.inFile ? "its file is missing" : "its content is missing in the index");
    if (*stored != row.storedBytes)
      return problem(Kind::kDamagedContent, fmt::format("{} bytes are stored; the index says {}",
                                                        *stored, row.storedBytes));
    if (!checker_.options.readData || !checker_.isPart(row.hash)) return Problem{};
    const auto content = checker_.archive.blobs.read(id);
    if (!content && content.error().kind == Error::Kind::kNotFound) return Problem{};
    if (!content && content.error().kind != Error::Kind::kBadInput)
      return tl::unexpected(content.error());
    if (!content) return problem(Kind::kDamagedContent, content.error().message);
    if (!again) {
      ++checker_.summary.blobsRead;
      checker_.summary.bytesRead += static_cast<int64_t>(content->size());
    }
    ASSIGN_OR_RETURN(auto structure, checkStructure(checker_, row.id, *content));
    if (!structure.empty()) return problem(Kind::kStructure, structure);
    return Problem{};
  }

  Status addProblem(const BlobRow& row, Problem problem) {
    FsckFinding finding{*problem.kind, std::move(problem.place), std::move(problem.text)};
    finding.content = hashText(row.hash);
    if (finding.kind == FsckFinding::Kind::kStructure) {
      finding.remedy =
          "the archive holds exactly these bytes: put the intended artifact under another "
          "name";
      return checker_.add(std::move(finding));
    }
    ASSIGN_OR_RETURN(const auto use, useOf(checker_.database(), row));
    finding.remedy = use.leased ? "an unfinished upload names it: send it again"
                                : "nothing names it: 'vintage gc' removes it";
    return healing_.add(std::move(finding), use.named || use.outcomes);
  }

  Status checkUse(const BlobRow& row) {
    ASSIGN_OR_RETURN(const auto use, useOf(checker_.database(), row));
    if (use.named) return {};
    if (use.leased) {
      ++checker_.summary.inFlight;
      return {};
    }
    return addUnreferenced(row, "neither a record nor a lease names it");
  }

  // Reads find one row of a hash. The index of hashes holds their beginnings, so that SQLite does
  // not refuse a second row by itself.
  Result<bool> isAlone(const BlobRow& row) {
    ASSIGN_OR_RETURN(const auto first, rowOfHash(checker_.database(), row.hash));
    if (!first || *first == row.id) return true;
    FsckFinding finding{FsckFinding::Kind::kReference,
                        fmt::format("{}, table blob, row {}", checker_.indexPath(), row.id),
                        fmt::format("row {} has the same hash", *first)};
    finding.content = hashText(row.hash);
    finding.remedy = "restore the index";
    RETURN_IF_ERROR(checker_.add(std::move(finding)));
    return false;
  }

  // The row of removed content stays for as long as outcomes name it.
  Status checkRemoved(const BlobRow& row) {
    ASSIGN_OR_RETURN(const auto use, useOf(checker_.database(), row));
    if (use.named) {
      Problem problem{FsckFinding::Kind::kMissingContent,
                      fmt::format("{}, table blob, row {}", checker_.indexPath(), row.id),
                      "its row says that retention removed it, but a record names it"};
      return addProblem(row, std::move(problem));
    }
    if (use.outcomes || use.leased) return {};
    return addUnreferenced(row, "retention removed its content, and no outcome names its row");
  }

  Status addUnreferenced(const BlobRow& row, std::string problem) {
    // Collected since the page was read.
    ASSIGN_OR_RETURN(const auto now, rowNow(checker_.database(), row.id));
    if (!now) return {};
    FsckFinding finding{FsckFinding::Kind::kUnreferenced,
                        fmt::format("{}, table blob, row {}", checker_.indexPath(), row.id),
                        std::move(problem)};
    finding.content = hashText(row.hash);
    finding.remedy = "'vintage gc' removes it";
    return checker_.add(std::move(finding));
  }

  FsckPasses& checker_;
  Healing healing_;
};

}  // namespace

Status checkBlobs(FsckPasses& checker) {
  const int64_t total = checker.rowsOf("blob");
  BlobCheck check(checker);
  TableWalk walk(checker.database(), kSelect, "b.id", kContentPage);
  std::vector<BlobRow> rows;
  while (true) {
    rows.clear();
    ASSIGN_OR_RETURN(const auto more,
                     walk.next([&](const Query& query) { rows.push_back(rowOf(query)); }));
    if (!more) return check.finish();
    for (const BlobRow& row : rows) {
      Status checked = check.check(row);
      if (!checked)
        checked = checker.addUnreadable(fmt::format("table blob, row {}", row.id), checked.error());
      if (!checked) return checked;
    }
    checker.progress("contents", checker.summary.blobs, total);
  }
}

}  // namespace vintage::archive::integrity
