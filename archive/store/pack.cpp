#include "archive/store/pack.h"

#include <algorithm>

#include "archive/store/blob_codec.h"
#include "golden/base/failures.h"

namespace vintage::archive::store {
namespace {

// Contents are read by those who go through them, and neighbours lie in one pack.
constexpr size_t kKept = 8;

}  // namespace

Result<std::shared_ptr<const std::vector<std::byte>>> PackTable::read(int64_t id) {
  // A pack never changes, and its number is not given twice.
  const auto found = std::ranges::find(last_, id, &Unpacked::id);
  if (found != last_.end()) {
    Unpacked unpacked = std::move(*found);
    last_.erase(found);
    last_.push_front(std::move(unpacked));
    return last_.front().bytes;
  }
  ASSIGN_OR_RETURN(auto query,
                   database_.query("SELECT codec, bytes, content FROM pack WHERE id = ?"));
  ASSIGN_OR_RETURN(const auto there, query.bind(id).step());
  if (!there) return badInput("its pack {} is missing", id);
  const int64_t codec = query.integer(0), bytes = query.integer(1);
  if (bytes < 0 || bytes > static_cast<int64_t>(kLargestPack))
    return badInput("its pack {} is said to have {} bytes", id, bytes);
  const auto stored = query.blob(2);
  const Dictionary* dictionary = nullptr;
  if (codec == static_cast<int64_t>(BlobCodec::kZstdDictionary)) {
    ASSIGN_OR_RETURN(dictionary, dictionaries_.find(dictionaryOf(stored)));
  }
  ASSIGN_OR_RETURN(auto content,
                   decodeBlob(codec, stored, static_cast<uint64_t>(bytes), dictionary));
  last_.push_front({id, std::make_shared<const std::vector<std::byte>>(std::move(content))});
  if (last_.size() > kKept) last_.pop_back();
  return last_.front().bytes;
}

Status removeEmptyPacks(Database& database) {
  return database.execute(
      "DELETE FROM pack WHERE id NOT IN (SELECT pack FROM blob WHERE pack IS NOT NULL)");
}

}  // namespace vintage::archive::store
