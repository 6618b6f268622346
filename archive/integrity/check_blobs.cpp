// Every blob's row: its content is there, of the stored size; where data is
// read, it hashes to its id and is what its users take it for.
#include <fmt/format.h>

#include "archive/integrity/fsck_passes.h"
#include "golden/exported/exported.h"

namespace vintage::archive {
using namespace golden;

namespace {

// Empty where the content is only newer than this build, or of a kind that it cannot read: that is
// no damage.
std::string damageIn(const Error& error) {
  return error.kind == Error::Kind::kBadInput ? error.message : std::string();
}

std::string checkPortable(const FsckPasses& checker, std::span<const std::byte> bytes,
                          std::string_view name) {
  if (!checker.options.checkPortableArtifact) return {};
  const Status status = checker.options.checkPortableArtifact(bytes, name);
  return status ? std::string() : damageIn(status.error());
}

// The problem of content with the right hash: whether it is what its users expect, artifacts of
// their format or a golden. Empty: none.
Result<std::string> checkStructure(const FsckPasses& checker, const ContentRow& row,
                                   std::span<const std::byte> bytes) {
  ASSIGN_OR_RETURN(const auto roles, rolesOf(checker.archive, row));
  std::string problem;
  if (roles.exported) {
    const auto exported = readExported(bytes, "as an Exported");
    problem = exported ? checkPortable(checker, exported->module, "the module in the Exported")
                       : damageIn(exported.error());
  }
  if (problem.empty() && roles.portable)
    problem = checkPortable(checker, bytes, "as a portable artifact");
  if (problem.empty() && roles.golden) {
    const auto golden = readGolden(bytes, "as a golden");
    if (!golden) problem = damageIn(golden.error());
  }
  return problem;
}

class BlobCheck {
 public:
  explicit BlobCheck(FsckPasses& checker) : checker_(checker), healing_(checker) {}

  Status finish() { return healing_.finish(); }

  Status check(const ContentRow& row) {
    ++checker_.summary.blobs;
    ASSIGN_OR_RETURN(const bool alone, isAlone(row));
    if (!alone) return {};
    if (row.isRemoved) return checkRemoved(row);
    ASSIGN_OR_RETURN(auto problem, problemOf(row, false));
    if (problem) {
      ASSIGN_OR_RETURN(const auto now, contentRow(checker_.archive, row.id));
      if (!now || now->isRemoved) return {};
      ASSIGN_OR_RETURN(problem, problemOf(*now, true));
    }
    if (problem) return addProblem(row, std::move(*problem));
    return checkUse(row);
  }

 private:
  // None where the row and its content are whole.
  Result<std::optional<FsckFinding>> problemOf(const ContentRow& row, bool again) {
    using Kind = FsckFinding::Kind;
    const std::string file = contentFile(checker_.archive, row.content);
    const std::string place = row.inFile ? file : checker_.rowPlace("blob", row.id);
    const auto problem = [&](Kind kind, std::string text) {
      return FsckFinding{kind, place, std::move(text), row.content};
    };
    if (row.isPacked && !row.packBytes)
      return problem(Kind::kMissingContent, fmt::format("its pack {} is missing", row.pack));
    if (row.isPacked && (row.bytes < 0 || row.start < 0 || row.start > *row.packBytes ||
                         row.bytes > *row.packBytes - row.start))
      return problem(Kind::kDamagedContent,
                     fmt::format("its row says {} bytes from {} on in pack {}, which has {}",
                                 row.bytes, row.start, row.pack, *row.packBytes));
    std::optional<int64_t> stored = row.isPacked ? row.storedBytes : row.contentBytes;
    if (row.inFile) {
      const auto status = checker_.archive.files().status(file);
      if (!status && status.error().kind == Error::Kind::kIo)
        return problem(Kind::kDamagedContent, status.error().message);
      if (!status) return tl::unexpected(status.error());
      stored.reset();
      if (*status) stored = static_cast<int64_t>((*status)->bytes);
    }
    if (!stored)
      return problem(Kind::kMissingContent,
                     row.inFile ? "its file is missing" : "its content is missing in the index");
    if (*stored != row.storedBytes)
      return problem(Kind::kDamagedContent, fmt::format("{} bytes are stored; the index says {}",
                                                        *stored, row.storedBytes));
    if (!checker_.options.readData || !checker_.options.part.holds(hashBytes(row.content)))
      return std::nullopt;
    const auto content = readStored(checker_.archive, row.content);
    if (!content && content.error().kind == Error::Kind::kNotFound) return std::nullopt;
    if (!content && content.error().kind != Error::Kind::kBadInput)
      return tl::unexpected(content.error());
    if (!content) return problem(Kind::kDamagedContent, content.error().message);
    if (!again) {
      ++checker_.summary.blobsRead;
      checker_.summary.bytesRead += static_cast<int64_t>(content->size());
    }
    ASSIGN_OR_RETURN(auto structure, checkStructure(checker_, row, *content));
    if (!structure.empty()) return problem(Kind::kStructure, structure);
    return std::nullopt;
  }

  Status addProblem(const ContentRow& row, FsckFinding finding) {
    if (finding.kind == FsckFinding::Kind::kStructure) {
      finding.remedy =
          "the archive holds exactly these bytes: put the intended artifact under another name";
      return checker_.add(std::move(finding));
    }
    ASSIGN_OR_RETURN(const auto use, useOf(checker_.archive, row));
    finding.remedy = use.leased ? "an unfinished upload names it: send it again"
                                : "nothing names it: 'vintage gc' removes it";
    return healing_.add(std::move(finding), use.named || use.outcomes);
  }

  Status checkUse(const ContentRow& row) {
    ASSIGN_OR_RETURN(const auto use, useOf(checker_.archive, row));
    if (use.named) return {};
    if (use.leased) {
      ++checker_.summary.inFlight;
      return {};
    }
    return addUnreferenced(row, "neither a record nor a lease names it");
  }

  // Reads find one row of a hash. The index of hashes holds their beginnings, so that SQLite does
  // not refuse a second row by itself.
  Result<bool> isAlone(const ContentRow& row) {
    ASSIGN_OR_RETURN(const auto first, firstRowOf(checker_.archive, row.content));
    if (!first || *first == row.id) return true;
    RETURN_IF_ERROR(checker_.add({.kind = FsckFinding::Kind::kReference,
                                  .place = checker_.rowPlace("blob", row.id),
                                  .problem = fmt::format("row {} has the same hash", *first),
                                  .content = row.content,
                                  .remedy = "restore the index"}));
    return false;
  }

  // The row of removed content stays for as long as outcomes name it.
  Status checkRemoved(const ContentRow& row) {
    ASSIGN_OR_RETURN(const auto use, useOf(checker_.archive, row));
    if (use.named)
      return addProblem(
          row, {FsckFinding::Kind::kMissingContent, checker_.rowPlace("blob", row.id),
                "its row says that retention removed it, but a record names it", row.content});
    if (use.outcomes || use.leased) return {};
    return addUnreferenced(row, "retention removed its content, and no outcome names its row");
  }

  Status addUnreferenced(const ContentRow& row, std::string problem) {
    // Collected since the page was read.
    ASSIGN_OR_RETURN(const auto now, contentRow(checker_.archive, row.id));
    if (!now) return {};
    return checker_.add({.kind = FsckFinding::Kind::kUnreferenced,
                         .place = checker_.rowPlace("blob", row.id),
                         .problem = std::move(problem),
                         .content = row.content,
                         .remedy = "'vintage gc' removes it"});
  }

  FsckPasses& checker_;
  Healing healing_;
};

// Both copies of every dictionary: what was packed with one is lost without it.
Status checkSecond(FsckPasses& checker, const KeptDictionary& dictionary) {
  const Status copy = checkCopy(checker.archive, dictionary);
  if (copy) return {};
  const bool damaged = copy.error().kind == Error::Kind::kBadInput;
  FsckFinding finding{
      .kind = damaged ? FsckFinding::Kind::kDamagedContent : FsckFinding::Kind::kMissingContent,
      .place = contentFile(checker.archive, dictionary.content),
      .problem = fmt::format("the second copy of dictionary {} is {}", dictionary.id,
                             damaged ? "damaged" : copy.error().message),
      .content = dictionary.content,
      .remedy = "run 'vintage fsck --repair', which copies the first"};
  if (checker.mayRepair() && readStored(checker.archive, dictionary.content)) {
    RETURN_IF_ERROR(remakeCopy(checker.archive, dictionary));
    finding.healed = true;
    finding.remedy = "healed: copied from the first";
  }
  return checker.add(std::move(finding));
}

// The row itself is also looked at with all others; here it is read although
// data is not asked for, since so much hangs on it.
Status checkFirst(FsckPasses& checker, const KeptDictionary& dictionary, Healing& healing) {
  const auto content = readStored(checker.archive, dictionary.content);
  if (content) return {};
  const bool missing = content.error().kind == Error::Kind::kNotFound;
  if (!missing && content.error().kind != Error::Kind::kBadInput)
    return tl::unexpected(content.error());
  return healing.add(
      {missing ? FsckFinding::Kind::kMissingContent : FsckFinding::Kind::kDamagedContent,
       checker.indexPath(), content.error().message, dictionary.content},
      true);
}

}  // namespace

Status checkBlobs(FsckPasses& checker) {
  BlobCheck check(checker);
  RETURN_IF_ERROR(visitContentRows(
      checker.archive, [&](std::span<const ContentRow> rows, int64_t total) -> Status {
        for (const ContentRow& row : rows) {
          if (const Status checked = check.check(row); !checked)
            RETURN_IF_ERROR(
                checker.addUnreadable(fmt::format("table blob, row {}", row.id), checked.error()));
        }
        checker.progress("contents", checker.summary.blobs, total);
        return {};
      }));
  return check.finish();
}

Status checkDictionaries(FsckPasses& checker) {
  ASSIGN_OR_RETURN(const auto dictionaries, keptDictionaries(checker.archive));
  Healing healing(checker);
  for (const KeptDictionary& dictionary : dictionaries)
    RETURN_IF_ERROR(checkFirst(checker, dictionary, healing));
  // The second copies are made of the first.
  RETURN_IF_ERROR(healing.finish());
  for (const KeptDictionary& dictionary : dictionaries)
    RETURN_IF_ERROR(checkSecond(checker, dictionary));
  return {};
}

}  // namespace vintage::archive
