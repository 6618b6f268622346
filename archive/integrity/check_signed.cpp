// Signed lists: the archive's own, and those that came along with copies.
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "archive/integrity/fsck_passes.h"
#include "archive/integrity/signing.h"
#include "archive/integrity/travelling_list.h"
#include "golden/base/failures.h"

namespace vintage::archive {
namespace {

Status addSignatureFinding(FsckPasses& checker, const std::string& who, const std::string& problem,
                           std::string remedy) {
  return checker.add({.kind = FsckFinding::Kind::kSignature,
                      .place = checker.indexPath(),
                      .problem = fmt::format("{}: {}", who, problem),
                      .remedy = std::move(remedy)});
}

bool isUnreadable(const Status& read) {
  return !read && (read.error().kind == Error::Kind::kBadInput ||
                   read.error().kind == Error::Kind::kNotFound);
}

// A list that came along with a copy of another archive, as it was read.
struct CopiedList {
  const TravellingList* list;
  std::unique_ptr<ListCheck> check;
  Status read;
};

// Whether the key signed the list or one of its predecessors. The lists of a chain come first, so
// the lines behind them need not be read.
Result<bool> concerns(const Archive& archive, const TravellingList& list, const SigningKey& key) {
  bool found = list.key == key.fingerprint();
  if (found) return true;
  const Status read = visitLines(archive, list, [&](const nlohmann::json& line) -> Status {
    found = textIn(line, "kind") == "list" && textIn(line, "key") == key.fingerprint();
    return found ? usageError("there is no need to read on") : Status();
  });
  if (!found && !read) return tl::unexpected(read.error());
  return found;
}

// None where the list is none of the key's. One that cannot be read may be.
Result<std::optional<CopiedList>> readList(const Archive& archive, const TravellingList& list,
                                           const SigningKey& key) {
  CopiedList copied{&list, {}, {}};
  const auto concerned = concerns(archive, list, key);
  if (concerned && !*concerned) return std::nullopt;
  if (!concerned) {
    copied.read = tl::unexpected(concerned.error());
  } else if (!list.parts.empty()) {  // The archive's own lists are checked otherwise.
    ASSIGN_OR_RETURN(copied.check, ListCheck::make());
    copied.read = visitLines(archive, list,
                             [&](const nlohmann::json& line) { return copied.check->add(line); });
  }
  if (!copied.read && !isUnreadable(copied.read)) return tl::unexpected(copied.read.error());
  return copied;
}

Status checkCopied(FsckPasses& checker, const CopiedList& copied, bool isPinned) {
  const SigningKey& trusted = *checker.options.publicKey;
  const TravellingList& list = *copied.list;
  const std::string who =
      fmt::format("list {} of {} from {}", list.counter, list.date, list.source);
  constexpr const char* kRemedy =
      "run the same push, pull or mirror again, and compare with the source if it stays";
  if (!copied.read) return addSignatureFinding(checker, who, copied.read.error().message, kRemedy);
  ListCheck& check = *copied.check;
  ASSIGN_OR_RETURN(std::string problem, check.problemOf(list, &trusted));
  if (problem.empty() && isPinned && checker.options.pinned)
    problem = check.rollback(*checker.options.pinned);
  if (!problem.empty()) return addSignatureFinding(checker, who, problem, kRemedy);
  Status added;
  ASSIGN_OR_RETURN(
      auto copy, compareWithList(checker.archive, list, check,
                                 [&](const std::string& artifact, const std::string& what) {
                                   if (added)
                                     added = addSignatureFinding(checker, artifact,
                                                                 fmt::format("{} ({})", what, who),
                                                                 kRemedy);
                                 }));
  checker.summary.copied.push_back({list, copy});
  if (isPinned) checker.summary.signatures.seen = list;
  return added;
}

}  // namespace

Status checkSigned(FsckPasses& checker) {
  if (checker.options.publicKey == nullptr) return {};
  ASSIGN_OR_RETURN(const auto lists, travellingLists(checker.archive));
  std::vector<CopiedList> copied;
  bool isOwn = false;
  for (const TravellingList& list : lists) {
    ASSIGN_OR_RETURN(auto read, readList(checker.archive, list, *checker.options.publicKey));
    if (list.parts.empty())
      isOwn |= read.has_value();
    else if (read)
      copied.push_back(std::move(*read));
    else
      ++checker.summary.otherKeys;
  }
  // A pin belongs to one history.
  const bool isPinned = copied.size() == 1 && !isOwn;
  for (const CopiedList& list : copied) RETURN_IF_ERROR(checkCopied(checker, list, isPinned));
  // The key signed only copied lists here, none of this archive.
  if (!copied.empty() && !isOwn) return {};
  Status added;
  ASSIGN_OR_RETURN(
      checker.summary.signatures,
      checkSignatures(checker.archive, *checker.options.publicKey, checker.options.pinned,
                      [&](const std::string& who, const std::string& problem) {
                        if (added)
                          added = addSignatureFinding(
                              checker, who, problem,
                              "the archive was changed by other means than Vintage: "
                              "compare it with another copy");
                      }));
  return added;
}

}  // namespace vintage::archive
