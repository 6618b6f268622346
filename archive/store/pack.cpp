#include "archive/store/pack.h"

#include <algorithm>

#include <zdict.h>

#include <fmt/format.h>

#include "archive/store/blob_store.h"
#include "archive/store/collect.h"
#include "archive/store/row_values.h"
#include "golden/base/failures.h"

namespace vintage::archive {
namespace {

// Readers usually walk over contents, and neighbours lie in one frame; a reader in another order
// comes back to a frame later.
constexpr size_t kKeptBytes = size_t{4} << 20;

}  // namespace

Dictionary::Dictionary(uint32_t id, std::span<const std::byte> bytes)
    : id_(id),
      reader_(ZSTD_createDDict(bytes.data(), bytes.size())),
      bytes_(bytes.begin(), bytes.end()) {}

const ZSTD_CDict* Dictionary::made(Writer& writer, int level) const {
  std::call_once(writer.asked, [&] {
    writer.digest.reset(ZSTD_createCDict(bytes_.data(), bytes_.size(), level));
  });
  return writer.digest.get();
}

Result<std::shared_ptr<const Dictionary>> Dictionary::make(std::span<const std::byte> bytes) {
  const uint32_t id = ZDICT_getDictID(bytes.data(), bytes.size());
  if (id == 0) return badInput("{} bytes that are no zstd dictionary with an id", bytes.size());
  std::shared_ptr<const Dictionary> made(new Dictionary(id, bytes));
  if (!made->reader_) return badInput("zstd does not accept the dictionary");
  return made;
}

Result<std::vector<std::byte>> Dictionary::train(std::span<const std::vector<std::byte>> samples,
                                                 size_t most) {
  std::vector<std::byte> joined;
  std::vector<size_t> sizes;
  for (const std::vector<std::byte>& sample : samples) {
    joined.insert(joined.end(), sample.begin(), sample.end());
    sizes.push_back(sample.size());
  }
  if (sizes.size() < kFewestDictionarySamples)
    return unsupported(
        "{} small contents are too few to find what they have in common; a dictionary needs {}",
        sizes.size(), kFewestDictionarySamples);
  std::vector<std::byte> dictionary(most);
  const size_t size = ZDICT_trainFromBuffer(dictionary.data(), dictionary.size(), joined.data(),
                                            sizes.data(), static_cast<unsigned>(sizes.size()));
  if (ZDICT_isError(size))
    return unsupported("zstd finds too little in common in {} contents: {}", sizes.size(),
                       ZDICT_getErrorName(size));
  dictionary.resize(size);
  return dictionary;
}

Result<const Dictionary*> DictionaryTable::newest() {
  ASSIGN_OR_RETURN(
      const auto id,
      database_.integer("SELECT id FROM dictionary ORDER BY made DESC, blob DESC LIMIT 1"));
  if (id == 0) return nullptr;
  return find(static_cast<uint32_t>(id));
}

Result<const Dictionary*> DictionaryTable::find(uint32_t id) {
  if (const auto loaded = loaded_.find(id); loaded != loaded_.end()) return loaded->second.get();
  ContentId content;
  ASSIGN_OR_RETURN(
      const bool kept,
      firstRow(database_,
               "SELECT b.hash FROM dictionary AS d JOIN blob AS b ON b.id = d.blob WHERE d.id = ?",
               std::tie(content), id));
  if (!kept) return badInput("it needs the dictionary {}, which the archive lacks", id);
  const std::string what = fmt::format("its dictionary {}", id);
  ASSIGN_OR_RETURN(const auto bytes, within(what, read_(content)));
  ASSIGN_OR_RETURN(auto made, within(what, Dictionary::make(bytes)));
  return (loaded_[id] = std::move(made)).get();
}

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
  // No reader finds the frame until it is whole.
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
    return badInput("its row says {} bytes from {} on in pack {}, but that frame ends at {}", bytes,
                    start, id, frame.start + frame.bytes.size());
  const auto first = frame.bytes.begin() + static_cast<std::ptrdiff_t>(from);
  return std::vector<std::byte>(first, first + static_cast<std::ptrdiff_t>(bytes));
}

Status removeEmptyPacks(Database& database) {
  return database.execute(
      fmt::format("DELETE FROM pack WHERE id NOT IN (SELECT {} FROM blob WHERE place IS NOT NULL)",
                  kPackOfPlace));
}

}  // namespace vintage::archive
