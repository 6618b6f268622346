// Content together with its SHA-256.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "archive/store/records.h"
#include "golden/base/content_hash.h"
#include "golden/base/result.h"

namespace vintage::archive {

// Whoever holds one knows that the id is the bytes': what is below need not hash
// them again. A view; the bytes are the caller's.
class HashedContent {
 public:
  explicit HashedContent(std::span<const std::byte> bytes)
      : bytes_(bytes), id_(contentHash(bytes)) {}

  std::span<const std::byte> bytes() const { return bytes_; }
  const ContentId& id() const { return id_; }

 private:
  friend std::vector<HashedContent> hashContents(
      std::span<const std::span<const std::byte>> contents);
  HashedContent(std::span<const std::byte> bytes, ContentId id)
      : bytes_(bytes), id_(std::move(id)) {}

  std::span<const std::byte> bytes_;
  ContentId id_;
};

// Content that is not in memory: it is read from its first byte each time.
struct ContentSource {
  using Visit = std::function<Status(std::span<const std::byte>)>;
  ContentId id;
  uint64_t bytes = 0;
  std::function<Status(const Visit&)> read;
};

// All of them, in their order, on several cores where there are many.
std::vector<HashedContent> hashContents(std::span<const std::span<const std::byte>> contents);

}  // namespace vintage::archive
