#include "archive/store/pack.h"

#include <algorithm>

#include <fmt/format.h>

#include "archive/store/blob_codec.h"
#include "golden/base/failures.h"

namespace vintage::archive {
namespace {

// Contents are read by those who go through them, and neighbours lie in one frame; who asks for
// them in another order comes back to a frame later.
constexpr size_t kKeptBytes = size_t{4} << 20;

}  // namespace

Status PackTable::unpack(int64_t id, uint64_t start, Unpacked& unpacked) {
  ASSIGN_OR_RETURN(auto query,
                   database_.query("SELECT codec, bytes, content FROM pack WHERE id = ?"));
  ASSIGN_OR_RETURN(const auto there, query.bind(id).step());
  if (!there) return badInput("its pack {} is missing", id);
  const int64_t codec = query.integer(0), bytes = query.integer(1);
  const auto stored = query.blob(2);
  StoredFrame frame{stored, 0, static_cast<uint64_t>(std::max<int64_t>(bytes, 0))};
  if (codec != static_cast<int64_t>(BlobCodec::kRaw)) {
    ASSIGN_OR_RETURN(frame, within(fmt::format("its pack {}", id), frameAt(stored, start)));
  }
  if (frame.bytes > kLargestFrame)
    return badInput("its pack {} has a frame of {} bytes", id, frame.bytes);
  const Dictionary* dictionary = nullptr;
  if (codec == static_cast<int64_t>(BlobCodec::kZstdDictionary)) {
    ASSIGN_OR_RETURN(dictionary, dictionaries_.find(dictionaryOf(frame.stored)));
  }
  // Until it is whole nobody finds it.
  unpacked.pack = 0;
  if (codec == static_cast<int64_t>(BlobCodec::kRaw)) {
    ASSIGN_OR_RETURN(unpacked.bytes, decodeBlob(codec, frame.stored, frame.bytes));
  } else {
    RETURN_IF_ERROR(within(fmt::format("its pack {}", id),
                           decodeFrameInto(frame.stored, frame.bytes, dictionary, unpacked.bytes)));
  }
  unpacked.start = frame.start;
  unpacked.pack = id;
  return {};
}

Result<std::vector<std::byte>> PackTable::read(int64_t id, uint64_t start, uint64_t bytes) {
  // A pack never changes, and its number is not given twice.
  const auto found = std::ranges::find_if(
      last_, [&](const Unpacked& unpacked) { return unpacked.covers(id, start); });
  if (found == last_.end()) {
    // Into the memory of the one that goes.
    Unpacked unpacked;
    while (lastBytes_ > kKeptBytes - kLargestFrame) {
      unpacked = std::move(last_.back());
      last_.pop_back();
      lastBytes_ -= unpacked.bytes.size();
    }
    RETURN_IF_ERROR(unpack(id, start, unpacked));
    lastBytes_ += unpacked.bytes.size();
    last_.push_front(std::move(unpacked));
  } else if (found != last_.begin()) {
    Unpacked unpacked = std::move(*found);
    last_.erase(found);
    last_.push_front(std::move(unpacked));
  }
  const Unpacked& frame = last_.front();
  const uint64_t from = start - frame.start;
  if (from > frame.bytes.size() || bytes > frame.bytes.size() - from)
    return badInput("its row says {} bytes from {} on in pack {}, whose frame there ends at {}",
                    bytes, start, id, frame.start + frame.bytes.size());
  const auto first = frame.bytes.begin() + static_cast<std::ptrdiff_t>(from);
  return std::vector<std::byte>(first, first + static_cast<std::ptrdiff_t>(bytes));
}

Status removeEmptyPacks(Database& database) {
  return database.execute(
      fmt::format("DELETE FROM pack WHERE id NOT IN (SELECT {} FROM blob WHERE place IS NOT NULL)",
                  kPackOfPlace));
}

}  // namespace vintage::archive
