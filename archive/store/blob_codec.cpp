#include "archive/store/blob_codec.h"

#include <algorithm>
#include <memory>

#include <zdict.h>
#include <zstd.h>

#include <fmt/format.h>

#include "archive/store/dictionary.h"

namespace vintage::archive {
namespace {

constexpr size_t kDecodeStep = size_t{1} << 20;

struct FreeCompressor {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
};
struct FreeDecompressor {
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

// A context costs more to make than a small blob to compress.
ZSTD_CCtx* compressor() {
  thread_local const std::unique_ptr<ZSTD_CCtx, FreeCompressor> context(ZSTD_createCCtx());
  return context.get();
}
ZSTD_DCtx* decompressor() {
  thread_local const std::unique_ptr<ZSTD_DCtx, FreeDecompressor> context(ZSTD_createDCtx());
  return context.get();
}

tl::unexpected<Error> outOfMemory() {
  return failure(Error::Kind::kResource, "memory ran out while packing or unpacking a blob");
}

tl::unexpected<Error> damaged(std::string what) {
  return failure(Error::Kind::kBadInput, std::move(what));
}

}  // namespace

namespace {

// With the digest of a dictionary where there is one, whose level counts.
Result<std::vector<std::byte>> compress(std::span<const std::byte> content, const void* digest,
                                        int level) {
  std::vector<std::byte> bytes(ZSTD_compressBound(content.size()));
  ZSTD_CCtx* context = compressor();
  if (context == nullptr) return outOfMemory();
  const size_t size =
      digest != nullptr
          ? ZSTD_compress_usingCDict(context, bytes.data(), bytes.size(), content.data(),
                                     content.size(), static_cast<const ZSTD_CDict*>(digest))
          : ZSTD_compressCCtx(context, bytes.data(), bytes.size(), content.data(), content.size(),
                              level);
  if (ZSTD_isError(size)) return outOfMemory();
  bytes.resize(size);
  bytes.shrink_to_fit();
  return bytes;
}

Result<EncodedBlob> encode(std::span<const std::byte> content, const void* digest, int level) {
  EncodedBlob blob;
  blob.codec = digest != nullptr ? BlobCodec::kZstdDictionary : BlobCodec::kZstd;
  ASSIGN_OR_RETURN(blob.bytes, compress(content, digest, level));
  if (blob.bytes.size() >= content.size()) {
    blob.codec = BlobCodec::kRaw;
    blob.bytes.assign(content.begin(), content.end());
  }
  return blob;
}

}  // namespace

Result<EncodedBlob> encodeBlob(std::span<const std::byte> content, const Dictionary* dictionary,
                               bool close) {
  const bool small = content.size() <= kLargestWithDictionary;
  const int level = close ? kCloseLevel : small ? kQuickLevel : kLevel;
  // A dictionary that needed another, or itself, would be a way to lose both.
  const bool withDictionary =
      dictionary != nullptr && small && ZDICT_getDictID(content.data(), content.size()) == 0;
  return encode(content, withDictionary ? dictionary->forWriting(close) : nullptr, level);
}

Result<std::vector<std::byte>> encodeFrame(std::span<const std::byte> content,
                                           const Dictionary* dictionary) {
  return compress(content, dictionary != nullptr ? dictionary->forPacks() : nullptr, kPackLevel);
}

Result<StoredFrame> frameAt(std::span<const std::byte> stored, uint64_t offset) {
  StoredFrame frame;
  for (std::span<const std::byte> rest = stored; !rest.empty();) {
    const size_t packed = ZSTD_findFrameCompressedSize(rest.data(), rest.size());
    const unsigned long long bytes = ZSTD_getFrameContentSize(rest.data(), rest.size());
    if (ZSTD_isError(packed) || bytes == ZSTD_CONTENTSIZE_UNKNOWN ||
        bytes == ZSTD_CONTENTSIZE_ERROR)
      return damaged(fmt::format("byte {} of {} stored begins no zstd frame that states its size",
                                 stored.size() - rest.size(), stored.size()));
    if (bytes > offset - frame.start) {
      frame.stored = rest.first(packed);
      frame.bytes = bytes;
      return frame;
    }
    frame.start += bytes;
    rest = rest.subspan(packed);
  }
  return damaged(fmt::format("its frames unpack to {} bytes, and it is said to begin behind {}",
                             frame.start, offset));
}

Result<std::vector<std::byte>> decodeBlob(int64_t codec, std::span<const std::byte> stored,
                                          uint64_t size, const Dictionary* dictionary) {
  if (codec == static_cast<int64_t>(BlobCodec::kRaw)) {
    if (stored.size() != size)
      return damaged(
          fmt::format("{} bytes are stored where the index says {}", stored.size(), size));
    return std::vector<std::byte>(stored.begin(), stored.end());
  }
  const bool withDictionary = codec == static_cast<int64_t>(BlobCodec::kZstdDictionary);
  if (codec != static_cast<int64_t>(BlobCodec::kZstd) && !withDictionary)
    return damaged(
        fmt::format("codec {}; 0 (raw), 1 (zstd) and 2 (zstd with a dictionary) hold "
                    "content",
                    codec));
  if (withDictionary && dictionary == nullptr)
    return damaged("it needs a dictionary, and names none");
  ZSTD_DCtx* context = decompressor();
  if (context == nullptr) return outOfMemory();
  ZSTD_DCtx_reset(context, ZSTD_reset_session_and_parameters);
  // Not to be left behind in the thread's context: it belongs to its archive.
  const auto withoutDictionary = [](ZSTD_DCtx* used) { ZSTD_DCtx_refDDict(used, nullptr); };
  const std::unique_ptr<ZSTD_DCtx, decltype(withoutDictionary)> guard(context, withoutDictionary);
  if (withDictionary)
    ZSTD_DCtx_refDDict(context, static_cast<const ZSTD_DDict*>(dictionary->forReading()));

  std::vector<std::byte> content;
  ZSTD_inBuffer input{stored.data(), stored.size(), 0};
  size_t filled = 0;
  while (true) {
    // One byte beyond `size` is room enough to see that there is too much.
    if (filled == content.size())
      content.resize(static_cast<size_t>(
          std::min<uint64_t>(size + 1, std::max<uint64_t>(content.size() * 2, kDecodeStep))));
    ZSTD_outBuffer output{content.data(), content.size(), filled};
    const size_t left = ZSTD_decompressStream(context, &output, &input);
    if (ZSTD_isError(left))
      return damaged(fmt::format("zstd says '{}' at byte {} of {} stored", ZSTD_getErrorName(left),
                                 input.pos, stored.size()));
    const bool stuck = output.pos == filled && input.pos == stored.size();
    filled = output.pos;
    if (filled > size)
      return damaged(
          fmt::format("it unpacks to more than the {} bytes that the "
                      "index says",
                      size));
    if (left == 0) break;
    if (stuck)
      return damaged(fmt::format("the zstd stream ends too early, after {} bytes", stored.size()));
  }
  if (filled != size || input.pos != stored.size())
    return damaged(fmt::format("it unpacks to {} bytes and {} stay unread; the index says {}",
                               filled, stored.size() - input.pos, size));
  content.resize(filled);
  return content;
}

Status decodeFrameInto(std::span<const std::byte> stored, uint64_t bytes,
                       const Dictionary* dictionary, std::vector<std::byte>& content) {
  ZSTD_DCtx* context = decompressor();
  if (context == nullptr) return outOfMemory();
  ZSTD_DCtx_reset(context, ZSTD_reset_session_and_parameters);
  content.resize(bytes);
  const size_t size =
      dictionary != nullptr
          ? ZSTD_decompress_usingDDict(context, content.data(), content.size(), stored.data(),
                                       stored.size(),
                                       static_cast<const ZSTD_DDict*>(dictionary->forReading()))
          : ZSTD_decompressDCtx(context, content.data(), content.size(), stored.data(),
                                stored.size());
  if (ZSTD_isError(size)) return damaged(fmt::format("zstd says '{}'", ZSTD_getErrorName(size)));
  if (size != bytes)
    return damaged(fmt::format("a frame unpacks to {} bytes and states {}", size, bytes));
  return {};
}

uint32_t dictionaryOf(std::span<const std::byte> stored) {
  return ZSTD_getDictID_fromFrame(stored.data(), stored.size());
}

Result<std::vector<std::byte>> decodeFrame(std::span<const std::byte> stored, uint64_t limit,
                                           const Dictionary* dictionary) {
  const unsigned long long size = ZSTD_getFrameContentSize(stored.data(), stored.size());
  if (size == ZSTD_CONTENTSIZE_UNKNOWN || size == ZSTD_CONTENTSIZE_ERROR || size > limit)
    return damaged("it is not one zstd frame that states its size");
  const BlobCodec codec = dictionary ? BlobCodec::kZstdDictionary : BlobCodec::kZstd;
  return decodeBlob(static_cast<int64_t>(codec), stored, size, dictionary);
}

}  // namespace vintage::archive
