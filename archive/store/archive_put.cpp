// Artifacts that are put with their contents.
#include <algorithm>

#include <unistd.h>

#include <fmt/format.h>

#include "archive/store/archive_implementation.h"
#include "archive/store/artifact_table.h"
#include "archive/store/hashed_content.h"
#include "golden/base/failures.h"

namespace vintage::archive::store {
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
      ASSIGN_OR_RETURN(auto golden,
                       within(put.record.name, golden::compare::writeGolden(*put.golden)));
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
  Implementation& self = *implementation_;
  RETURN_IF_ERROR(self.checkWritable());
  PutContents together;
  for (Put& one : puts) {
    RETURN_IF_ERROR(normalize(one.record));
    RETURN_IF_ERROR(together.add(one));
  }
  const auto hashed = hashContents(together.contents);
  ASSIGN_OR_RETURN(auto staged, self.blobs.stageAll(hashed));
  std::vector<ContentId> ids;
  for (size_t index = 0; index < puts.size(); ++index) {
    const auto& [artifact, golden] = together.places[index];
    ArtifactRecord& record = puts[index].record;
    record.id = hashed[artifact].id();
    record.bytes = static_cast<int64_t>(puts[index].bytes.size());
    record.golden = golden ? hashed[*golden].id() : ContentId();
    ids.push_back(record.id);
  }
  ASSIGN_OR_RETURN(const auto lease,
                   self.settle(staged, fmt::format("put by process {}", ::getpid())));
  const Author author = self.author();
  const Status status = self.inTransaction([&]() -> Status {
    RETURN_IF_ERROR(self.settleAgain(staged, lease));
    ASSIGN_OR_RETURN(const auto rows, self.blobs.insertAll(staged));
    ArtifactWriter writer(*self.database);
    for (size_t index = 0; index < puts.size(); ++index) {
      const auto& [artifact, golden] = together.places[index];
      RETURN_IF_ERROR(putArtifact(writer, puts[index].record, rows[artifact],
                                  golden ? std::optional(rows[*golden]) : std::nullopt, author));
    }
    RETURN_IF_ERROR(writer.finish());
    return lease ? removeLease(*self.database, *lease) : Status();
  });
  if (!status) return tl::unexpected(status.error());
  return ids;
}

}  // namespace vintage::archive::store
