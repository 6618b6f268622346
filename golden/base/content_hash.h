// SHA-256, the id of artifacts and blobs: 64 lower-case hex digits.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace vintage {

std::string contentHash(std::span<const std::byte> bytes);
std::string contentHash(std::string_view text);

// For content that arrives in pieces. One thread at a time.
class ContentHasher {
 public:
  ContentHasher();
  ~ContentHasher();
  ContentHasher(ContentHasher&&) noexcept;
  ContentHasher& operator=(ContentHasher&&) noexcept;

  void update(std::span<const std::byte> bytes);
  void update(std::string_view text);
  // The hash of everything so far; then starts a new hash.
  std::string finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Padded base64, the form of hashes in HTTP headers.
std::string base64Text(std::span<const std::byte> bytes);
// None where `text` is not padded base64.
std::optional<std::vector<std::byte>> bytesOfBase64(std::string_view text);

// Whether `text` is spelled like a hash: exactly 64 lower-case hex digits.
bool isContentHash(std::string_view text);

}  // namespace vintage
