#include "golden/base/content_hash.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <climits>
#include <cstdio>
#include <cstdlib>

#include <openssl/evp.h>

namespace vintage {
namespace {

constexpr size_t kDigestBytes = 32;

std::string hexadecimal(std::span<const unsigned char> bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  text.reserve(bytes.size() * 2);
  for (const unsigned char byte : bytes) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

// OpenSSL fails here only if memory is short or it was built without SHA-256.
void require(int success) {
  if (success == 1) return;
  std::fputs("vintage: OpenSSL cannot compute SHA-256\n", stderr);
  std::abort();
}

// Looked up once: each use of EVP_sha256() would look it up again, under a lock.
const EVP_MD* sha256() {
  static const EVP_MD* const fetched = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  require(fetched != nullptr);
  return fetched;
}

}  // namespace

struct ContentHasher::State {
  EVP_MD_CTX* context = EVP_MD_CTX_new();
  State() {
    require(context != nullptr);
    restart();
  }
  ~State() { EVP_MD_CTX_free(context); }
  void restart() { require(EVP_DigestInit_ex(context, sha256(), nullptr)); }
};

ContentHasher::ContentHasher() : state_(std::make_unique<State>()) {}
ContentHasher::~ContentHasher() = default;
ContentHasher::ContentHasher(ContentHasher&&) noexcept = default;
ContentHasher& ContentHasher::operator=(ContentHasher&&) noexcept = default;

void ContentHasher::update(std::span<const std::byte> bytes) {
  require(EVP_DigestUpdate(state_->context, bytes.data(), bytes.size()));
}

void ContentHasher::update(std::string_view text) {
  update(std::as_bytes(std::span(text.data(), text.size())));
}

std::string ContentHasher::finish() {
  std::array<unsigned char, kDigestBytes> digest;
  require(EVP_DigestFinal_ex(state_->context, digest.data(), nullptr));
  state_->restart();
  return hexadecimal(digest);
}

std::string contentHash(std::span<const std::byte> bytes) {
  std::array<unsigned char, kDigestBytes> digest;
  require(EVP_Digest(bytes.data(), bytes.size(), digest.data(), nullptr, sha256(), nullptr));
  return hexadecimal(digest);
}

std::string contentHash(std::string_view text) {
  return contentHash(std::as_bytes(std::span(text.data(), text.size())));
}

std::string base64Text(std::span<const std::byte> bytes) {
  std::string text((bytes.size() + 2) / 3 * 4, '=');
  EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()),
                  reinterpret_cast<const unsigned char*>(bytes.data()),
                  static_cast<int>(bytes.size()));
  return text;
}

// OpenSSL counts in int, and ignores spaces and '-' around the text.
std::optional<std::vector<std::byte>> bytesOfBase64(std::string_view text) {
  const auto isDigit = [](unsigned char c) {
    return std::isalnum(c) || c == '+' || c == '/' || c == '=';
  };
  if (text.size() > INT_MAX || text.size() % 4 != 0 || !std::ranges::all_of(text, isDigit))
    return std::nullopt;
  std::vector<std::byte> bytes(text.size() / 4 * 3);
  if (EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()),
                      reinterpret_cast<const unsigned char*>(text.data()),
                      static_cast<int>(text.size())) < 0)
    return std::nullopt;
  // It writes the padding too.
  bytes.resize(bytes.size() - (text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0));
  return bytes;
}

bool isContentHash(std::string_view text) {
  return text.size() == 2 * kDigestBytes && std::ranges::all_of(text, [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

}  // namespace vintage
