// Both copies of every dictionary: what was packed with one is lost without it.
#include <fmt/format.h>

#include "archive/integrity/fsck_passes.h"

namespace vintage::archive {
namespace {

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

Status checkDictionaries(FsckPasses& checker) {
  ASSIGN_OR_RETURN(const auto dictionaries, keptDictionaries(checker.archive));
  Healing healing(checker);
  for (const KeptDictionary& dictionary : dictionaries) {
    RETURN_IF_ERROR(checkFirst(checker, dictionary, healing));
  }
  // The second copies are made of the first.
  RETURN_IF_ERROR(healing.finish());
  for (const KeptDictionary& dictionary : dictionaries) {
    RETURN_IF_ERROR(checkSecond(checker, dictionary));
  }
  return {};
}

}  // namespace vintage::archive
