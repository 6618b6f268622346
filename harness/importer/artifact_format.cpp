#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>

#include <openssl/evp.h>

#include "golden/base/failures.h"
#include "golden/base/utf8.h"
#include "golden/program/bytecode_cursor.h"
#include "harness/importer/inspect.h"

namespace vintage::harness {
using namespace archive;

namespace {

using Format = ArtifactRecord::Format;

constexpr size_t kLongestBase64 = size_t{1} << 30;

std::string_view textOf(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

bool holds(std::string_view bytes, std::string_view text) {
  return bytes.find(text) != std::string_view::npos;
}

bool isText(std::string_view bytes) {
  return !bytes.empty() && isUtf8(bytes) && std::ranges::none_of(bytes, [](char c) {
    return (c >= 0 && c < 9) || (c > 13 && c < 32);
  });
}

// The bytes behind base64 text; empty where it is not that.
std::string decodeBase64(std::string_view text) {
  const std::unique_ptr<EVP_ENCODE_CTX, decltype(&EVP_ENCODE_CTX_free)> decoder(
      EVP_ENCODE_CTX_new(), &EVP_ENCODE_CTX_free);
  // OpenSSL counts in int. No test keeps a larger SavedModel as text.
  if (!decoder || text.size() > kLongestBase64) return {};
  EVP_DecodeInit(decoder.get());
  std::string decoded(text.size(), '\0');
  int length = 0;
  if (EVP_DecodeUpdate(decoder.get(), reinterpret_cast<unsigned char*>(decoded.data()), &length,
                       reinterpret_cast<const unsigned char*>(text.data()),
                       static_cast<int>(text.size())) < 0)
    return {};
  decoded.resize(static_cast<size_t>(length));
  return decoded;
}

// A SavedModel's folder as one file (docs/howto/runtimes.md).
bool isTarOfSavedModel(std::string_view bytes) {
  constexpr size_t kTarMagicOffset = 257;  // "ustar" in POSIX's header block of 512 bytes.
  return bytes.size() >= 512 && bytes.substr(kTarMagicOffset).starts_with("ustar") &&
         holds(bytes, "saved_model");
}

// A tar file as it is, or in base64, as jax2tf's tests kept it; or a protobuf whose first field is
// a GraphDef's node or a SavedModel's version, with the operations that jax2tf writes.
bool isSavedModel(std::string_view bytes) {
  if (isTarOfSavedModel(bytes)) return true;
  if (isText(bytes)) return isTarOfSavedModel(decodeBase64(bytes));
  return (bytes.starts_with('\x0a') || bytes.starts_with('\x08')) &&
         (holds(bytes, "Placeholder") || holds(bytes, "saved_model") ||
          holds(bytes, "XlaCallModule") || holds(bytes, "PartitionedCall"));
}

}  // namespace

bool isBytecode(std::span<const std::byte> bytes) {
  return textOf(bytes).starts_with(golden::kBytecodeMagic);
}

Result<Format> recognizeFormat(std::span<const std::byte> bytes, std::string_view name) {
  if (isBytecode(bytes)) return Format::kPortableArtifact;
  if (isSavedModel(textOf(bytes))) return Format::kSavedModel;
  // StableHLO text, if its parser agrees; other text names neither.
  const std::string_view text = textOf(bytes);
  if (isText(text) && (holds(text, "module") || holds(text, "func")))
    return Format::kPortableArtifact;
  // A flatbuffer begins with the offset of its root table, which lies inside.
  uint32_t root = 0;
  if (bytes.size() >= 8) std::memcpy(&root, bytes.data(), sizeof root);
  if (root >= 4 && root < bytes.size()) return Format::kExported;
  return badInput(
      "{}: {} bytes that are not an artifact; accepted are a serialized jax.export.Exported and a "
      "StableHLO portable artifact (it begins with ML\xc3\xafR); 'vintage convert' makes one of "
      "StableHLO text",
      name, bytes.size());
}

}  // namespace vintage::harness
