#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include <openssl/evp.h>

#include "golden/base/failures.h"
#include "golden/base/utf8.h"
#include "harness/importer/inspect.h"

namespace vintage::harness {
using namespace archive;

namespace {

using Format = ArtifactRecord::Format;

constexpr size_t kLongestBase64 = size_t{1} << 30;

bool startsWith(std::span<const std::byte> bytes, std::string_view magic) {
  return bytes.size() >= magic.size() && std::memcmp(bytes.data(), magic.data(), magic.size()) == 0;
}

bool holds(std::span<const std::byte> bytes, std::string_view text) {
  const std::string_view all(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return all.find(text) != std::string_view::npos;
}

bool isText(std::span<const std::byte> bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return !bytes.empty() && isUtf8(text) && std::none_of(text.begin(), text.end(), [](char c) {
    return (c >= 0 && c < 9) || (c > 13 && c < 32);
  });
}

// The bytes behind base64 text; empty where it is not that.
std::vector<std::byte> decodeBase64(std::span<const std::byte> text) {
  const std::unique_ptr<EVP_ENCODE_CTX, decltype(&EVP_ENCODE_CTX_free)> decoder(
      EVP_ENCODE_CTX_new(), &EVP_ENCODE_CTX_free);
  // OpenSSL counts in int. What is larger is no SavedModel that a test kept as text.
  if (!decoder || text.size() > kLongestBase64) return {};
  EVP_DecodeInit(decoder.get());
  std::vector<unsigned char> decoded(text.size());
  int length = 0;
  if (EVP_DecodeUpdate(decoder.get(), decoded.data(), &length,
                       reinterpret_cast<const unsigned char*>(text.data()),
                       static_cast<int>(text.size())) < 0)
    return {};
  const auto bytes = std::as_bytes(std::span(decoded)).first(static_cast<size_t>(length));
  return {bytes.begin(), bytes.end()};
}

// A SavedModel's folder as one file (docs/tensorflow.md).
bool isTarOfSavedModel(std::span<const std::byte> bytes) {
  constexpr size_t kTarMagicOffset = 257;  // "ustar" in POSIX's header block of 512 bytes.
  return bytes.size() >= 512 && startsWith(bytes.subspan(kTarMagicOffset), "ustar") &&
         holds(bytes, "saved_model");
}

// As it is, or in base64, as jax2tf's tests kept it.
bool isArchivedSavedModel(std::span<const std::byte> bytes) {
  return isTarOfSavedModel(bytes) || (isText(bytes) && isTarOfSavedModel(decodeBase64(bytes)));
}

// A protobuf whose first field is a GraphDef's node or a SavedModel's version,
// with the operations that jax2tf writes.
bool isSavedModel(std::span<const std::byte> bytes) {
  if (isArchivedSavedModel(bytes)) return true;
  if (bytes.empty() || isText(bytes)) return false;
  const auto first = std::to_integer<unsigned>(bytes.front());
  return (first == 0x0a || first == 0x08) &&
         (holds(bytes, "Placeholder") || holds(bytes, "saved_model") ||
          holds(bytes, "XlaCallModule") || holds(bytes, "PartitionedCall"));
}

}  // namespace

bool isBytecode(std::span<const std::byte> bytes) { return startsWith(bytes, "ML\xefR"); }

Result<Format> recognizeFormat(std::span<const std::byte> bytes, std::string_view name) {
  if (isBytecode(bytes)) return Format::kPortableArtifact;
  if (isSavedModel(bytes)) return Format::kSavedModel;
  if (isText(bytes)) return Format::kPortableArtifact;  // StableHLO text, by its parser's leave.
  // A flatbuffer begins with the offset of its root table, which lies inside.
  uint32_t root = 0;
  if (bytes.size() >= 8) std::memcpy(&root, bytes.data(), sizeof root);
  if (root >= 4 && root < bytes.size()) return Format::kExported;
  return badInput(
      "{}: {} bytes that are not an artifact; accepted are a serialized jax.export.Exported, a "
      "StableHLO portable artifact (it begins with ML\xc3\xafR) and StableHLO text",
      name, bytes.size());
}

}  // namespace vintage::harness
