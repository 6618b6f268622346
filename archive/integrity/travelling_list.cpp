#include "archive/integrity/travelling_list.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "archive/store/index_check.h"
#include "archive/store/record_json.h"
#include "archive/store/signature_table.h"
#include "golden/base/content_hash.h"
#include "golden/base/failures.h"

namespace vintage::archive {
namespace {

using nlohmann::json;

constexpr size_t kMostParts = 100'000;
constexpr size_t kLongestSource = 4096;

// The list with this hash and all that it follows, the oldest first. A missing link is reported
// where the chain is checked.
std::vector<SignedList> chainTo(const std::map<std::string, const SignedList*>& byHash,
                                const std::string& hash) {
  std::vector<SignedList> chain;
  for (auto at = byHash.find(hash); at != byHash.end() && chain.size() <= byHash.size();
       at = byHash.find(at->second->previous))
    chain.push_back(*at->second);
  std::ranges::reverse(chain);
  return chain;
}

// The chains of an archive's own lists.
Result<std::vector<std::vector<SignedList>>> ownChains(const Archive& archive) {
  ASSIGN_OR_RETURN(const auto lists, keptLists(archive));
  std::map<std::string, const SignedList*> byHash;
  std::set<std::string> followed;
  for (const SignedList& list : lists) {
    byHash[list.hash()] = &list;
    followed.insert(list.previous);
  }
  std::vector<std::vector<SignedList>> chains;
  for (const auto& [hash, list] : byHash)
    if (!followed.contains(hash)) chains.push_back(chainTo(byHash, hash));
  return chains;
}

json listLine(const SignedList& list) {
  return {{"kind", "list"},
          {"key", list.key},
          {"text", list.text},
          {"signature", hashText(list.signature)}};
}

json listedLine(const ListedArtifact& artifact) {
  json line{{"kind", "artifact"},
            {"id", artifact.id},
            {"date", formatDate(artifact.date)},
            {"name", artifact.name},
            {"producer", artifact.producer}};
  if (artifact.signature.empty())
    line["signature_hash"] = artifact.signatureHash;
  else
    line["signature"] = hashText(artifact.signature);
  if (!artifact.facts.empty())
    if (auto facts = parseOutsideJson(artifact.facts)) line["record"] = std::move(*facts);
  return line;
}

Status visitOwnLines(const Archive& archive, const TravellingList& wanted,
                     const LineVisitor& visit) {
  ASSIGN_OR_RETURN(const auto chains, ownChains(archive));
  const auto chain = std::ranges::find_if(
      chains, [&](const auto& lists) { return lists.back().hash() == wanted.list; });
  if (chain == chains.end())
    return notFound("{}: list {} of {} is not the newest one any more; ask again",
                    indexPath(archive), wanted.counter, wanted.date);
  for (const SignedList& list : *chain) RETURN_IF_ERROR(visit(listLine(list)));
  ASSIGN_OR_RETURN(const auto statements, signedStatements(archive));
  for (const SignedStatement& one : statements)
    RETURN_IF_ERROR(
        visit({{"kind", "statement"}, {"text", one.text}, {"signature", hashText(one.signature)}}));
  const SignedList& newest = chain->back();
  RETURN_IF_ERROR(visitLog(archive, Log::kRemovals, newest.lastRemoval, [&](const json& row) {
    return visit({{"kind", "removal"}, {"row", row}});
  }));
  RETURN_IF_ERROR(visitLog(archive, Log::kChanges, newest.lastChange, [&](const json& row) {
    return visit({{"kind", "change"}, {"row", row}});
  }));
  return visitListed(archive, newest.key, newest.id, newest.lastRemoval, ListedOrder::kByDay,
                     [&](const ListedArtifact& artifact) { return visit(listedLine(artifact)); });
}

// The chain of a kept list, which its first parts hold.
Result<ListChain> chainOf(const Archive& archive, const TravellingList& list) {
  ListChain chain;
  for (const ContentId& id : list.parts) {
    ASSIGN_OR_RETURN(const auto part, readStored(archive, id));
    bool others = false;
    const Status read = visitPart(part, id, [&](const json& line) -> Status {
      others |= textIn(line, "kind") != "list";
      return chain.add(line);
    });
    // The part comes from a client, and may hold anything.
    if (!read)
      return usageError("list {} of {}: {}", list.counter, list.date, read.error().message);
    if (others) break;
  }
  return chain;
}

// With their rows.
Result<std::vector<std::pair<int64_t, TravellingList>>> keptRows(const Archive& archive) {
  ASSIGN_OR_RETURN(const auto records, travellingRecords(archive));
  std::vector<std::pair<int64_t, TravellingList>> rows;
  for (const KeptRecord& record : records) {
    const std::string place = fmt::format("{}: travelling list {}", indexPath(archive), record.row);
    ASSIGN_OR_RETURN(const auto fields, within(place, parseOutsideJson(record.text)));
    ASSIGN_OR_RETURN(auto list, within(place, travellingListOfJson(fields)));
    rows.push_back({record.row, std::move(list)});
  }
  return rows;
}

}  // namespace

json recordJson(const TravellingList& list) {
  return {{"list", list.list},   {"history", list.history}, {"counter", list.counter},
          {"key", list.key},     {"date", list.date},       {"source", list.source},
          {"whole", list.whole}, {"parts", list.parts}};
}

Result<TravellingList> travellingListOfJson(const json& value) {
  if (!value.is_object()) return badInput("a JSON object is expected");
  TravellingList list;
  list.list = textIn(value, "list");
  list.history = textIn(value, "history");
  list.key = textIn(value, "key");
  list.date = textIn(value, "date");
  list.source = textIn(value, "source");
  const json counter = value.value("counter", json());
  if (!isContentHash(list.list) || !isContentHash(list.history) || list.key.empty() ||
      list.key.size() > 64 || !parseDate(list.date) || !counter.is_number_unsigned() ||
      list.source.size() > kLongestSource)
    return badInput(
        "fields 'list' and 'history' have to be hashes, 'key', 'date' and 'source' "
        "texts, and 'counter' a number");
  list.counter = counter;
  list.whole = value.value("whole", json(false)) == json(true);
  const json parts = value.value("parts", json::array());
  if (!parts.is_array() || parts.size() > kMostParts)
    return badInput("field 'parts' has to be a list of at most {} ids", kMostParts);
  for (const json& part : parts) {
    if (!part.is_string() || !isContentHash(part.get_ref<const std::string&>()))
      return badInput("field 'parts' has to be a list of ids");
    list.parts.push_back(part);
  }
  return list;
}

Result<std::vector<TravellingList>> travellingLists(const Archive& archive) {
  std::vector<TravellingList> lists;
  ASSIGN_OR_RETURN(const auto chains, ownChains(archive));
  for (const auto& chain : chains)
    lists.push_back({pinOf(chain.back()), chain.front().hash(), "", true, {}});
  ASSIGN_OR_RETURN(auto rows, keptRows(archive));
  for (auto& [row, list] : rows) lists.push_back(std::move(list));
  return lists;
}

Status visitLines(const Archive& archive, const TravellingList& list, const LineVisitor& visit) {
  // One state of all tables.
  if (list.parts.empty())
    return archive.readTogether([&] { return visitOwnLines(archive, list, visit); });
  for (const ContentId& id : list.parts) {
    ASSIGN_OR_RETURN(const auto part, archive.read(id));
    RETURN_IF_ERROR(visitPart(part, id, visit));
  }
  return {};
}

Status visitPart(std::span<const std::byte> part, const std::string& name,
                 const LineVisitor& visit) {
  std::string_view rest(reinterpret_cast<const char*>(part.data()), part.size());
  while (!rest.empty()) {
    const size_t end = rest.find('\n');
    const auto line = parseOutsideJson(rest.substr(0, end));
    if (!line || !line->is_object())
      return badInput("part {} of a signed list: a line is not a JSON object: {:.80}", name,
                      rest.substr(0, end));
    RETURN_IF_ERROR(visit(*line));
    if (end == std::string_view::npos) break;
    rest.remove_prefix(end + 1);
  }
  return {};
}

Status putTravellingList(Archive& archive, const TravellingList& list) {
  if (list.parts.empty()) return usageError("a list of another archive comes with its parts");
  return archive.writeTogether([&]() -> Status {
    ASSIGN_OR_RETURN(const auto missing, archive.missing(list.parts));
    if (!missing.empty())
      return notFound("a signed list: content {} is not kept; put it first", missing.front());
    ASSIGN_OR_RETURN(const auto chain, chainOf(archive, list));
    if (const std::string problem = chain.problemFor(list); !problem.empty())
      return usageError("list {} of {}: {}", list.counter, list.date, problem);
    ASSIGN_OR_RETURN(const auto own, ownChains(archive));
    for (const auto& lists : own)
      for (const SignedList& one : lists)
        if (one.hash() == list.list) return {};  // It came home.
    ASSIGN_OR_RETURN(const auto rows, keptRows(archive));
    for (const auto& [row, kept] : rows) {
      if (kept.history != list.history) continue;
      const bool same = kept.list == list.list;
      if (same && kept.whole && !list.whole) return {};
      if (!same) {
        const auto keptChain = chainOf(archive, kept);
        if (keptChain && keptChain->contains(list.list)) return {};
      }
      if (same || chain.contains(kept.list)) RETURN_IF_ERROR(removeTravellingRecord(archive, row));
    }
    return putTravellingRecord(archive, jsonText(recordJson(list)), list.parts);
  });
}

Status ListChain::add(const json& line) {
  if (textIn(line, "kind") != "list") return {};
  const auto signature = signatureOfDigits(textIn(line, "signature"));
  if (!signature) return badInput("a signed list whose signature is not 128 digits");
  ASSIGN_OR_RETURN(lists_.emplace_back(),
                   listOfText(textIn(line, "text"), textIn(line, "key"), *signature));
  return {};
}

std::string ListChain::problemFor(const TravellingList& list) const {
  const SignedList* before = nullptr;
  for (const SignedList& one : lists_) {
    if (std::string problem = problemOfLink(before, one); !problem.empty()) return problem;
    before = &one;
  }
  if (before == nullptr) return "it came without its text";
  if (pinOf(*before) != list || lists_.front().hash() != list.history)
    return "the texts that came with it are those of another list";
  return {};
}

bool ListChain::contains(const std::string& hash) const {
  return std::ranges::any_of(lists_, [&](const SignedList& list) { return list.hash() == hash; });
}

}  // namespace vintage::archive
