// Both copies of every dictionary: what was packed with one is lost without it.
#include <fmt/format.h>

#include "archive/integrity/healing.h"
#include "golden/base/content_hash.h"

namespace vintage::archive::integrity {
namespace {

struct Kept {
  int64_t id = 0;
  ContentId content;
};

Result<std::vector<Kept>> allDictionaries(Database& database) {
  auto query = database.query(
      "SELECT d.id, b.hash FROM dictionary AS d JOIN blob AS b ON b.id = d.blob ORDER BY d.id");
  if (!query) return tl::unexpected(query.error());
  std::vector<Kept> dictionaries;
  while (true) {
    const auto row = query->step();
    if (!row) return tl::unexpected(row.error());
    if (!*row) return dictionaries;
    dictionaries.push_back({query->integer(0), hashText(query->blob(1))});
  }
}

Status checkCopy(FsckPasses& checker, const Kept& dictionary) {
  BlobStore& blobs = checker.archive.blobs;
  const std::string path = blobs.filePath(dictionary.content);
  constexpr uint64_t kLargest = uint64_t{1} << 24;
  const auto copy = blobs.files().read(path, kLargest);
  if (copy && contentHash(*copy) == dictionary.content) return {};
  FsckFinding finding{
      copy ? FsckFinding::Kind::kDamagedContent : FsckFinding::Kind::kMissingContent, path,
      fmt::format("the second copy of dictionary {} is {}", dictionary.id,
                  copy ? "damaged" : copy.error().message)};
  finding.content = dictionary.content;
  finding.remedy = "run 'vintage fsck --repair', which makes it anew from the first";
  if (checker.mayRepair()) {
    const auto first = blobs.read(dictionary.content);
    if (first) {
      if (Status written = blobs.writeCopy(dictionary.content, *first); !written) return written;
      finding.healed = true;
      finding.remedy = "healed: made anew from the first";
    }
  }
  return checker.tell(std::move(finding));
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
  return healing.tell(std::move(finding), true);
}

}  // namespace

Status checkDictionaries(FsckPasses& checker) {
  const auto dictionaries = allDictionaries(checker.database());
  if (!dictionaries) return tl::unexpected(dictionaries.error());
  Healing healing(checker);
  for (const Kept& dictionary : *dictionaries) {
    if (Status status = checkFirst(checker, dictionary, healing); !status) return status;
  }
  // The second copies are made of the first.
  if (Status status = healing.finish(); !status) return status;
  for (const Kept& dictionary : *dictionaries) {
    if (Status status = checkCopy(checker, dictionary); !status) return status;
  }
  return {};
}

}  // namespace vintage::archive::integrity
