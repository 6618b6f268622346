// Signed lists: the archive's own, and those that came along with copies.
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "archive/integrity/fsck_passes.h"
#include "archive/integrity/signing.h"
#include "archive/integrity/travelling_list.h"

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

// Reads a list's lines; `check` gets those of a list that the key signed, or one of those before
// it. Lists of a chain come first: what is behind them is known to concern nobody.
class ListReading {
 public:
  // Without a check it only says whether the list concerns the key.
  ListReading(const TravellingList& list, const SigningKey& key, ListCheck* check)
      : fingerprint_(key.fingerprint()), check_(check), concerns_(list.key == fingerprint_) {}

  Status add(const nlohmann::json& line) {
    const bool isList = line.value("kind", "") == "list";
    const bool concerned = concerns_;
    concerns_ |= isList && line.value("key", "") == fingerprint_;
    if (check_ == nullptr) return {};
    if (!concerns_) {
      if (isList)
        waiting_.push_back(line);
      else
        leftOut_ = true;
      return {};
    }
    if (!concerned) {
      for (const nlohmann::json& before : std::exchange(waiting_, {}))
        RETURN_IF_ERROR(check_->add(before));
    }
    return check_->add(line);
  }
  bool concerns() const { return concerns_; }
  // A list's line stood behind others, which the check lacks.
  bool leftOut() const { return concerns_ && leftOut_; }

 private:
  const std::string fingerprint_;
  ListCheck* check_;
  bool concerns_, leftOut_ = false;
  std::vector<nlohmann::json> waiting_;
};

// None where the list is none of the key's. One that cannot be read may be.
Result<std::optional<CopiedList>> readList(const Archive& archive, const TravellingList& list,
                                           const SigningKey& key) {
  CopiedList copied{&list, {}, {}};
  // The archive's own lists are checked otherwise.
  if (!list.parts.empty()) {
    ASSIGN_OR_RETURN(copied.check, ListCheck::make());
  }
  ListReading reading(list, key, copied.check.get());
  copied.read =
      visitLines(archive, list, [&](const nlohmann::json& line) { return reading.add(line); });
  if (copied.read && !reading.concerns()) return std::nullopt;
  if (copied.read && reading.leftOut()) {
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
  ListCheck& check = *copied.check;
  const std::string who =
      fmt::format("list {} of {} from {}", list.counter, list.date, list.source);
  constexpr const char* kRemedy =
      "run the same push, pull or mirror again, and compare with the "
      "source if it stays";
  if (!copied.read) return addSignatureFinding(checker, who, copied.read.error().message, kRemedy);
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
  if (isPinned) checker.summary.signatures.seen = Pin{list.counter, list.list, list.key, list.date};
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
  // A pin is of one history.
  const bool isPinned = copied.size() == 1 && !isOwn;
  for (const CopiedList& list : copied)
    RETURN_IF_ERROR(checkCopied(checker, list, isPinned));
  // A copy that nobody has signed himself.
  if (!copied.empty() && !isOwn) return {};
  Status added;
  ASSIGN_OR_RETURN(
      checker.summary.signatures,
      checkSignatures(checker.archive, *checker.options.publicKey, checker.options.pinned,
                      [&](const std::string& who, const std::string& problem) {
                        if (added)
                          added = addSignatureFinding(
                              checker, who, problem,
                              "somebody changed the archive otherwise than through Vintage: "
                              "compare it with another copy");
                      }));
  return added;
}

}  // namespace vintage::archive
