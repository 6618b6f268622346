// What is put: artifacts with their contents, contents under a lease, and records of what is kept.
#include <algorithm>

#include <unistd.h>

#include <fmt/format.h>

#include "archive/store/archive_implementation.h"
#include "archive/store/artifact_table.h"
#include "archive/store/batch_put.h"
#include "golden/base/failures.h"

namespace vintage::archive {
using namespace golden;

namespace {

bool haveSameBits(const std::vector<Tensor>& some, const std::vector<Tensor>& others) {
  return std::ranges::equal(
      some, others, [](const Tensor& one, const Tensor& other) { return one.identical(other); });
}

// The bindings name every member: one that is new has to be compared, too.
bool areSame(const Comparator& some, const Comparator& other) {
  const auto& [kind, tolerance, roles, dimension] = some;
  const auto& [absolute, relative, ulps] = tolerance;
  return kind == other.kind && absolute == other.tolerance.absolute &&
         relative == other.tolerance.relative && ulps == other.tolerance.ulps &&
         roles == other.roles && dimension == other.dimension;
}
bool areSame(const Golden& some, const Golden& other) {
  const auto& [inputs, expected, comparators, oracle] = some;
  return oracle == other.oracle && haveSameBits(inputs, other.inputs) &&
         haveSameBits(expected, other.expected) &&
         std::ranges::equal(comparators, other.comparators,
                            [](const auto& one, const auto& two) { return areSame(one, two); });
}

// The contents of many puts. Neighbours, such as a case on its platforms, have one golden, which
// is written and hashed once.
class PutContents {
 public:
  struct Place {
    size_t artifact = 0;
    std::optional<size_t> golden{};
  };

  Status add(const Archive::Put& put) {
    Place place{.artifact = contents.size()};
    contents.push_back(put.bytes);
    if (put.golden && lastGolden_ != nullptr && areSame(*lastGolden_, *put.golden)) {
      place.golden = places.back().golden;
    } else if (put.golden) {
      ASSIGN_OR_RETURN(auto golden, within(put.record.name, golden::writeGolden(*put.golden)));
      written_.push_back(std::move(golden));
      place.golden = contents.size();
      contents.push_back(written_.back());
    }
    lastGolden_ = put.golden ? &*put.golden : nullptr;
    places.push_back(place);
    return {};
  }

  std::vector<std::span<const std::byte>> contents;
  std::vector<Place> places;  // In `contents`, of each put.

 private:
  std::vector<std::vector<std::byte>> written_;  // Their bytes stay where they are.
  const Golden* lastGolden_ = nullptr;
};

}  // namespace

Result<ContentId> Archive::put(ArtifactRecord record, std::span<const std::byte> bytes,
                               const Golden* golden) {
  std::vector<Put> puts(1);
  puts[0].record = std::move(record);
  puts[0].bytes.assign(bytes.begin(), bytes.end());
  if (golden != nullptr) puts[0].golden = *golden;
  ASSIGN_OR_RETURN(auto ids, putAll(puts));
  return std::move(ids.front());
}

Result<std::vector<ContentId>> Archive::putAll(std::span<Put> puts) {
  PutContents together;
  for (Put& one : puts) {
    RETURN_IF_ERROR(normalize(one.record));
    RETURN_IF_ERROR(together.add(one));
  }
  const auto hashed = hashContents(together.contents);
  std::vector<ContentId> ids;
  std::vector<ArtifactRecord> records;
  for (size_t index = 0; index < puts.size(); ++index) {
    const auto& [artifact, golden] = together.places[index];
    ArtifactRecord& record = records.emplace_back(puts[index].record);
    record.id = hashed[artifact].id();
    record.golden = golden ? hashed[*golden].id() : ContentId();
    ids.push_back(record.id);
  }
  const std::string holder = fmt::format("put by process {}", ::getpid());
  RETURN_IF_ERROR(putBatch(
      *this, {.contents = hashed, .records = records, .holder = holder, .together = true}));
  return ids;
}

Status Archive::putRecords(std::span<const ArtifactRecord> records) {
  RETURN_IF_ERROR(putBatch(*this, {.records = records, .together = true}));
  return {};
}

Result<ContentId> Archive::putContent(std::string_view lease, std::span<const std::byte> bytes) {
  RETURN_IF_ERROR(checkLease(*implementation_->database, lease));
  const HashedContent content(bytes);
  RETURN_IF_ERROR(putBatch(*this, {.contents = std::span(&content, 1), .lease = lease}));
  return content.id();
}

Result<ContentId> Archive::putContent(std::string_view lease, const ContentSource& source) {
  RETURN_IF_ERROR(checkLease(*implementation_->database, lease));
  RETURN_IF_ERROR(putBatch(*this, {.lease = lease, .source = &source}));
  return source.id;
}

}  // namespace vintage::archive
