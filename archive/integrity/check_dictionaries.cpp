// Both copies of every dictionary: what was packed with one is lost without it.
#include <fmt/format.h>

#include "archive/integrity/healing.h"

namespace vintage::archive::integrity {
namespace {

struct Kept {
  int64_t id = 0;
  ContentId content;
};

Result<std::vector<Kept>> allDictionaries(Database& database) {
  ASSIGN_OR_RETURN(auto query, database.query("SELECT d.id, b.hash FROM dictionary AS d JOIN blob "
                                              "AS b ON b.id = d.blob ORDER BY d.id"));
  std::vector<Kept> dictionaries;
  while (true) {
    ASSIGN_OR_RETURN(const auto row, query.step());
    if (!row) return dictionaries;
    dictionaries.push_back({query.integer(0), hashText(query.blob(1))});
  }
}

Status checkCopy(FsckPasses& checker, const Kept& dictionary) {
  BlobStore& blobs = checker.archive.blobs;
  const auto copy = blobs.readCopy(dictionary.content);
  if (copy) return {};
  const bool damaged = copy.error().kind == Error::Kind::kBadInput;
  FsckFinding finding{
      damaged ? FsckFinding::Kind::kDamagedContent : FsckFinding::Kind::kMissingContent,
      blobs.filePath(dictionary.content),
      fmt::format("the second copy of dictionary {} is {}", dictionary.id,
                  damaged ? "damaged" : copy.error().message)};
  finding.content = dictionary.content;
  finding.remedy = "run 'vintage fsck --repair', which copies the first";
  if (checker.mayRepair()) {
    const auto first = blobs.read(dictionary.content);
    if (first) {
      RETURN_IF_ERROR(blobs.writeCopy(dictionary.content, *first));
      finding.healed = true;
      finding.remedy = "healed: copied from the first";
    }
  }
  return checker.add(std::move(finding));
}

// The row itself is also looked at with all others; here it is read although
// data is not asked for, since so much hangs on it.
Status checkFirst(FsckPasses& checker, const Kept& dictionary, Healing& healing) {
  const auto content = checker.archive.blobs.read(dictionary.content);
  if (content) return {};
  const bool missing = content.error().kind == Error::Kind::kNotFound;
  if (!missing && content.error().kind != Error::Kind::kBadInput)
    return tl::unexpected(content.error());
  FsckFinding finding{
      missing ? FsckFinding::Kind::kMissingContent : FsckFinding::Kind::kDamagedContent,
      checker.indexPath(), content.error().message};
  finding.content = dictionary.content;
  return healing.add(std::move(finding), true);
}

}  // namespace

Status checkDictionaries(FsckPasses& checker) {
  ASSIGN_OR_RETURN(const auto dictionaries, allDictionaries(checker.database()));
  Healing healing(checker);
  for (const Kept& dictionary : dictionaries) {
    RETURN_IF_ERROR(checkFirst(checker, dictionary, healing));
  }
  // The second copies are made of the first.
  RETURN_IF_ERROR(healing.finish());
  for (const Kept& dictionary : dictionaries) {
    RETURN_IF_ERROR(checkCopy(checker, dictionary));
  }
  return {};
}

}  // namespace vintage::archive::integrity
