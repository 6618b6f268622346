#include "archive/store/hashed_content.h"

#include "golden/base/parallel.h"

namespace vintage::archive::store {

std::vector<HashedContent> hashContents(std::span<const std::span<const std::byte>> contents) {
  // Of some kilobytes each: what takes longer than to start a thread.
  constexpr size_t kWorthAThread = 32;
  std::vector<ContentId> ids(contents.size());
  inParallel(contents.size(), kWorthAThread,
             [&](size_t index) { ids[index] = contentHash(contents[index]); });
  std::vector<HashedContent> hashed;
  hashed.reserve(contents.size());
  for (size_t index = 0; index < contents.size(); ++index)
    hashed.push_back(HashedContent(contents[index], std::move(ids[index])));
  return hashed;
}

}  // namespace vintage::archive::store
