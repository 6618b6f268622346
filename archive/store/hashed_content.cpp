#include "archive/store/hashed_content.h"

#include "golden/base/parallel.h"

namespace vintage::archive {

std::vector<HashedContent> hashContents(std::span<const std::span<const std::byte>> contents) {
  constexpr size_t kWorthAThread = 256 * 1024;  // Bytes that take longer than to start a thread.
  size_t bytes = 0;
  for (const auto& content : contents) bytes += content.size();
  std::vector<ContentId> ids(contents.size());
  inParallel(contents.size(), callsOf(kWorthAThread, bytes, contents.size()),
             [&](size_t index) { ids[index] = contentHash(contents[index]); });
  std::vector<HashedContent> hashed;
  hashed.reserve(contents.size());
  for (size_t index = 0; index < contents.size(); ++index)
    hashed.push_back(HashedContent(contents[index], std::move(ids[index])));
  return hashed;
}

}  // namespace vintage::archive
