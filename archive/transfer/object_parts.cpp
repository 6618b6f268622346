#include "archive/transfer/object_parts.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <openssl/evp.h>

namespace vintage::archive::transfer {
namespace {

constexpr size_t kMostParts = 10'000;
constexpr size_t kMd5Bytes = 16;

// False where there is no MD5 here: some machines are set up without it.
bool md5Of(std::string_view bytes, std::array<unsigned char, kMd5Bytes>& digest) {
  unsigned int length = 0;
  return EVP_Digest(bytes.data(), bytes.size(), digest.data(), &length, EVP_md5(), nullptr) == 1 &&
         length == kMd5Bytes;
}

}  // namespace

ObjectParts::ObjectParts(std::string_view bytes, size_t partBytes)
    : bytes_(bytes),
      partBytes_(std::max(partBytes, (bytes.size() + kMostParts - 1) / kMostParts)) {}

std::string contentMd5(std::string_view bytes) {
  std::array<unsigned char, kMd5Bytes> digest;
  if (!md5Of(bytes, digest)) return {};
  unsigned char text[(kMd5Bytes + 2) / 3 * 4 + 1];
  EVP_EncodeBlock(text, digest.data(), static_cast<int>(digest.size()));
  return reinterpret_cast<const char*>(text);
}

EtagSays whatEtagSays(std::string_view etag, std::string_view bytes) {
  if (etag.size() >= 2 && etag.front() == '"' && etag.back() == '"')
    etag = etag.substr(1, etag.size() - 2);
  const bool isHex = std::all_of(etag.begin(), etag.end(), [](char letter) {
    return (letter >= '0' && letter <= '9') || (letter >= 'a' && letter <= 'f') ||
           (letter >= 'A' && letter <= 'F');
  });
  std::array<unsigned char, kMd5Bytes> digest;
  if (etag.size() != 2 * kMd5Bytes || !isHex || !md5Of(bytes, digest)) return EtagSays::kNothing;
  std::string lower(etag), ours;
  std::transform(lower.begin(), lower.end(), lower.begin(), [](char letter) {
    return letter >= 'A' && letter <= 'F' ? static_cast<char>(letter - 'A' + 'a') : letter;
  });
  for (const unsigned char byte : digest) ours += fmt::format("{:02x}", byte);
  return lower == ours ? EtagSays::kTheseBytes : EtagSays::kOtherBytes;
}

}  // namespace vintage::archive::transfer
