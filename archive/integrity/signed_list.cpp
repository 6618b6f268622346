#include "archive/integrity/signing.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "archive/store/record_json.h"
#include "golden/base/content_hash.h"
#include "golden/base/failures.h"

namespace vintage::archive {
namespace {

using nlohmann::json;

constexpr std::string_view kListHead = "vintage list 2\n";

Status digestLog(const Archive& archive, Log log, int64_t last, int64_t& count,
                 std::string& digest) {
  ContentHasher hasher;
  RETURN_IF_ERROR(visitLog(archive, log, last, [&](const json& row) -> Status {
    ++count;
    hasher.update(rowLine(row));
    return {};
  }));
  digest = hasher.finish();
  return {};
}

}  // namespace

std::optional<std::vector<std::byte>> signatureOfDigits(const std::string& digits) {
  if (digits.size() != 128 || digits.find_first_not_of("0123456789abcdef") != std::string::npos)
    return std::nullopt;
  return hashBytes(digits);
}

Pin pinOf(const SignedList& list) {
  return {list.counter, list.hash(), list.key, formatDate(list.day)};
}

std::string artifactLine(const ListedArtifact& artifact) {
  return fmt::format("{} {} {}\t{}\t{}\n", artifact.signatureHash, artifact.id,
                     formatDate(artifact.date), artifact.name, artifact.producer);
}

std::string rowLine(const json& row) {
  return row.dump(-1, ' ', true, json::error_handler_t::replace) + "\n";
}

Result<ListContent> contentOf(const Archive& archive, const SignedList& list) {
  ListContent content;
  ContentHasher hasher;
  RETURN_IF_ERROR(visitListed(archive, list.key, list.id, list.lastRemoval, ListedOrder::kByName,
                              [&](const ListedArtifact& artifact) -> Status {
                                ++content.artifacts;
                                hasher.update(artifactLine(artifact));
                                return {};
                              }));
  content.artifactsDigest = hasher.finish();
  RETURN_IF_ERROR(digestLog(archive, Log::kRemovals, list.lastRemoval, content.removals,
                            content.removalsDigest));
  RETURN_IF_ERROR(
      digestLog(archive, Log::kChanges, list.lastChange, content.changes, content.changesDigest));
  return content;
}

std::string listText(const SignedList& list, const ListContent& content) {
  const json fields{{"key", list.key},
                    {"counter", list.counter},
                    {"previous", list.previous},
                    {"date", formatDate(list.day)},
                    {"artifacts", content.artifacts},
                    {"artifacts_digest", content.artifactsDigest},
                    {"removals", content.removals},
                    {"removals_digest", content.removalsDigest},
                    {"changes", content.changes},
                    {"changes_digest", content.changesDigest}};
  return std::string(kListHead) + fields.dump();
}

Result<SignedList> listOfText(std::string text, std::string key,
                              std::span<const std::byte> signature) {
  SignedList list;
  list.key = std::move(key);
  list.signature.assign(signature.begin(), signature.end());
  const auto fields = text.starts_with(kListHead)
                          ? parseOutsideJson(std::string_view(text).substr(kListHead.size()))
                          : Result<json>(json());
  const auto isText = [&](const char* name) {
    return fields->contains(name) && (*fields)[name].is_string();
  };
  const auto isNumber = [&](const char* name) {
    return fields->contains(name) && (*fields)[name].is_number_unsigned();
  };
  if (!fields || !fields->is_object() || !isText("key") || !isText("previous") || !isText("date") ||
      !isNumber("counter") || !isNumber("artifacts") || (*fields)["key"] != list.key)
    return badInput("a text that is no signed list: {:.80}", text);
  list.previous = (*fields)["previous"];
  list.counter = (*fields)["counter"];
  list.artifacts = (*fields)["artifacts"];
  ASSIGN_OR_RETURN(list.day,
                   within("a signed list", parseDate((*fields)["date"].get<std::string>())));
  list.text = std::move(text);
  return list;
}

Result<std::vector<SignedList>> listsOf(const Archive& archive, const Lineage& lineage) {
  ASSIGN_OR_RETURN(auto lists, keptLists(archive));
  std::erase_if(lists, [&](const SignedList& list) { return lineage.find(list.key) == nullptr; });
  return lists;
}

std::string problemOfLink(const SignedList* before, const SignedList& list) {
  if (before == nullptr) {
    if (list.counter == 1) return {};
    return fmt::format("its counter is {}, and no list stands before it", list.counter);
  }
  if (list.counter != before->counter + 1)
    return fmt::format("its counter is {}, and that of the list before it {}", list.counter,
                       before->counter);
  if (list.previous != before->hash()) return "it does not follow the list that stands before it";
  return {};
}

Result<std::string> problemOfChain(std::span<const SignedList> lists, const Lineage& lineage) {
  const SignedList* before = nullptr;
  for (const SignedList& list : lists) {
    const KeyTurn& turn = *lineage.find(list.key);
    if (!turn.key.verifies(list.text, list.signature))
      return std::string("its signature does not match");
    if (turn.until && list.counter > *turn.until)
      return fmt::format("key {} was {}, and signed it later", list.key, turn.ended);
    if (std::string problem = problemOfLink(before, list); !problem.empty()) return problem;
    before = &list;
  }
  return std::string();
}

std::string problemOfPin(std::span<const SignedList> lists, const Pin& pinned) {
  if (lists.back().counter < pinned.counter)
    return fmt::format(
        "its counter is {}, and number {} of {} was seen here before: this is an "
        "older state of the archive",
        lists.back().counter, pinned.counter, pinned.date);
  for (const SignedList& list : lists) {
    if (list.counter != pinned.counter) continue;
    return list.hash() == pinned.list
               ? std::string()
               : fmt::format(
                     "list number {} is not the one that was seen on {}: the history was "
                     "written anew",
                     pinned.counter, pinned.date);
  }
  return fmt::format("list number {} of {} was seen here before, and is gone", pinned.counter,
                     pinned.date);
}

std::string differencesOf(const SignedList& list, const ListContent& now) {
  const std::string text = listText(list, now);
  if (text == list.text && list.artifacts == now.artifacts) return std::string();
  const auto said = parseOutsideJson(std::string_view(list.text).substr(list.text.find('\n') + 1));
  const auto found = parseOutsideJson(std::string_view(text).substr(text.find('\n') + 1));
  std::string differences;
  if (said && found && said->is_object()) {
    for (const auto& [field, value] : found->items()) {
      const json signedValue = said->value(field, json());
      if (signedValue == value) continue;
      differences +=
          fmt::format("{}{} is {:.14}, signed was {:.14}", differences.empty() ? "" : "; ", field,
                      value.dump(), signedValue.dump());
    }
  }
  return differences.empty() ? std::string("its text is not the one that was signed") : differences;
}

}  // namespace vintage::archive
