#include "archive/service/record_puts.h"

#include <algorithm>

#include <fmt/format.h>

#include "golden/content_hash.h"

namespace vintage::service {
namespace {

// Whether it is this record's fault, so that others may still be kept.
bool ofRecord(const Error& error) {
  return error.kind == Error::Kind::kUsage || error.kind == Error::Kind::kNotFound ||
         error.kind == Error::Kind::kConflict;
}

std::optional<Problem> checkIds(const ArtifactRecord& record) {
  for (const auto& [what, id] : {std::pair("id", &record.id), std::pair("golden", &record.golden)}) {
    if (isContentHash(*id) || (id == &record.golden && id->empty())) continue;
    return invalid(fmt::format("the {} of {} is '{}'; 64 lower-case hexadecimal digits are expected",
                               what, record.name.substr(0, 80), id->substr(0, 80)));
  }
  return std::nullopt;
}

Problem refusal(Archive& archive, const ArtifactRecord& record, const Error& error) {
  if (error.kind != Error::Kind::kNotFound) return problemOf(error);
  std::vector<ContentId> named{record.id};
  if (!record.golden.empty()) named.push_back(record.golden);
  const auto missing = archive.missing(named);
  if (!missing) return problemOf(missing.error());
  return {409, "missing_content", error.message,
          "upload the content under a lease, then register again", {{"missing", *missing}}};
}

// Halves what cannot be kept at once, until the records are found that are to
// blame: a few of them cost a few more transactions.
void put(Archive& archive, std::span<const ArtifactRecord> records,
         std::span<std::optional<Problem>> refusals) {
  if (records.empty()) return;
  const Status status = archive.putRecords(records);
  if (status) return;
  if (!ofRecord(status.error())) {
    std::ranges::fill(refusals, problemOf(status.error()));
    return;
  }
  if (records.size() == 1) {
    refusals[0] = refusal(archive, records[0], status.error());
    return;
  }
  const size_t half = records.size() / 2;
  put(archive, records.first(half), refusals.first(half));
  put(archive, records.subspan(half), refusals.subspan(half));
}

}  // namespace

std::optional<Problem> problemOfStatus(const Status& status) {
  if (status) return std::nullopt;
  return problemOf(status.error());
}

std::vector<std::optional<Problem>> registerEach(Archive& archive,
                                                 std::span<const ArtifactRecord> records) {
  std::vector<std::optional<Problem>> refusals(records.size());
  // Runs of records whose ids can be read.
  for (size_t first = 0; first < records.size();) {
    size_t end = first;
    while (end < records.size() && !(refusals[end] = checkIds(records[end]))) ++end;
    put(archive, records.subspan(first, end - first),
        std::span(refusals).subspan(first, end - first));
    first = end + 1;
  }
  return refusals;
}

}  // namespace vintage::service
