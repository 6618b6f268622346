// Objects of a bucket that hold records: a JSON array of at most 1,000 of them,
// under a key that ends in the SHA-256 of its bytes.
#pragma once

#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include <fmt/format.h>

#include "archive/record_json.h"
#include "archive/transfer/place.h"
#include "golden/content_hash.h"

namespace vintage {

// "…/HASH.json" -> HASH; empty for a key that is not like that.
inline ContentId hashInRecordKey(const std::string& key) {
  constexpr std::string_view kEnding = ".json";
  if (!key.ends_with(kEnding)) return {};
  const std::string name = key.substr(key.rfind('/') + 1);
  const ContentId hash = name.substr(0, name.size() - kEnding.size());
  return isContentHash(hash) ? hash : ContentId();
}

template <typename Record>
std::string recordsText(std::span<const Record> records) {
  nlohmann::json array = nlohmann::json::array();
  for (const Record& record : records) array.push_back(recordJson(record));
  return jsonText(array);
}

template <typename Record>
Result<Record> recordOfJson(const nlohmann::json& json) {
  if constexpr (std::is_same_v<Record, ArtifactRecord>)
    return artifactOfJson(json);
  else if constexpr (std::is_same_v<Record, BuildRecord>)
    return buildOfJson(json);
  else if constexpr (std::is_same_v<Record, OutcomeRecord>)
    return outcomeOfJson(json);
  else
    return runOfJson(json);
}

// Appends them to `records`; the error names `place` and the record.
template <typename Record>
Status parseRecords(const std::string& place, std::span<const std::byte> bytes,
                    std::vector<Record>& records) {
  const char* text = reinterpret_cast<const char*>(bytes.data());
  const auto array = nlohmann::json::parse(text, text + bytes.size(), nullptr, false);
  if (!array.is_array())
    return failure(Error::Kind::kBadInput, place + ": it is not a JSON array of records");
  for (size_t index = 0; index < array.size(); ++index) {
    auto record = recordOfJson<Record>(array[index]);
    if (!record) return within(fmt::format("{}: record {}", place, index), record.error());
    records.push_back(std::move(*record));
  }
  return {};
}

}  // namespace vintage
