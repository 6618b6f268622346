#include "archive/store/content_reader.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

namespace vintage::archive::store {

Error damagedBlob(const std::string& place, const ContentId& id, const std::string& what) {
  return {Error::Kind::kBadInput,
          fmt::format("{}: blob {} is damaged: {}; putting the same content again heals it", place,
                      id, what)};
}

Result<size_t> ContentReader::read(std::span<std::byte> piece) {
  auto count = decoder_.read(piece);
  if (!count && count.error().kind != Error::Kind::kBadInput) return count;
  if (!count) return tl::unexpected(damagedBlob(place_, id_, count.error().message));
  hasher_.update(piece.first(*count));
  given_ += *count;
  if (*count > 0 && given_ == bytes_)
    if (const ContentId actual = hasher_.finish(); actual != id_)
      return tl::unexpected(
          damagedBlob(place_, id_, fmt::format("its content hashes to {}", actual)));
  return count;
}

Status ContentReader::skip(uint64_t count) {
  std::vector<std::byte> piece(std::min<uint64_t>(count, kPieceBytes));
  while (count > 0) {
    ASSIGN_OR_RETURN(const auto read,
                     this->read(std::span(piece).first(std::min<uint64_t>(count, piece.size()))));
    if (read == 0) break;
    count -= read;
  }
  return {};
}

}  // namespace vintage::archive::store
