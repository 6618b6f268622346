#include "archive/store/blob_codec.h"

#include <algorithm>
#include <memory>

#include <zdict.h>

#include "archive/store/pack.h"
#include "golden/base/failures.h"

namespace vintage::archive {
namespace {

constexpr size_t kDecodeStep = size_t{1} << 20;

constexpr size_t kPiece = 256 * 1024;
// As much as a decoder holds of what it unpacked: zstd's own limit for streams. No put here
// asks for more than 8 MiB.
constexpr int kLargestWindow = 27;

// A context costs more to make than a small blob to compress.
ZSTD_CCtx* compressor() {
  thread_local const ZstdOwned<ZSTD_CCtx> context(ZSTD_createCCtx());
  return context.get();
}
ZSTD_DCtx* decompressor() {
  thread_local const ZstdOwned<ZSTD_DCtx> context(ZSTD_createDCtx());
  return context.get();
}

tl::unexpected<Error> outOfMemory() {
  return noResource("memory ran out while packing or unpacking a blob");
}

// With the digest of a dictionary, if there is one; its level counts then.
Result<std::vector<std::byte>> compress(std::span<const std::byte> content,
                                        const ZSTD_CDict* digest, int level) {
  std::vector<std::byte> bytes(ZSTD_compressBound(content.size()));
  ZSTD_CCtx* context = compressor();
  if (context == nullptr) return outOfMemory();
  const size_t size = digest != nullptr
                          ? ZSTD_compress_usingCDict(context, bytes.data(), bytes.size(),
                                                     content.data(), content.size(), digest)
                          : ZSTD_compressCCtx(context, bytes.data(), bytes.size(), content.data(),
                                              content.size(), level);
  if (ZSTD_isError(size)) return outOfMemory();
  bytes.resize(size);
  bytes.shrink_to_fit();
  return bytes;
}

}  // namespace

Result<EncodedBlob> encodeBlob(std::span<const std::byte> content, const Dictionary* dictionary) {
  const bool small = content.size() <= kLargestWithDictionary;
  // A dictionary that needed another, or itself, would be a way to lose both.
  const bool withDictionary =
      dictionary != nullptr && small && ZDICT_getDictID(content.data(), content.size()) == 0;
  ASSIGN_OR_RETURN(auto bytes,
                   compress(content, withDictionary ? dictionary->forWriting() : nullptr,
                            small ? kQuickLevel : kLevel));
  if (bytes.size() >= content.size())
    return EncodedBlob{BlobCodec::kRaw, {content.begin(), content.end()}};
  return EncodedBlob{withDictionary ? BlobCodec::kZstdDictionary : BlobCodec::kZstd,
                     std::move(bytes)};
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
      return badInput("byte {} of {} stored begins no zstd frame that states its size",
                      stored.size() - rest.size(), stored.size());
    if (bytes > offset - frame.start) {
      frame.stored = rest.first(packed);
      frame.bytes = bytes;
      return frame;
    }
    frame.start += bytes;
    rest = rest.subspan(packed);
  }
  return badInput("its frames unpack to {} bytes, and it is said to begin behind {}", frame.start,
                  offset);
}

Result<std::vector<std::byte>> decodeBlob(int64_t codec, std::span<const std::byte> stored,
                                          uint64_t size, const Dictionary* dictionary) {
  if (codec == static_cast<int64_t>(BlobCodec::kRaw)) {
    if (stored.size() != size)
      return badInput("{} bytes are stored where the index says {}", stored.size(), size);
    return std::vector<std::byte>(stored.begin(), stored.end());
  }
  const bool withDictionary = codec == static_cast<int64_t>(BlobCodec::kZstdDictionary);
  if (codec != static_cast<int64_t>(BlobCodec::kZstd) && !withDictionary)
    return badInput("codec {}; 0 (raw), 1 (zstd) and 2 (zstd with a dictionary) hold content",
                    codec);
  if (withDictionary && dictionary == nullptr)
    return badInput("it needs a dictionary, and names none");
  ZSTD_DCtx* context = decompressor();
  if (context == nullptr) return outOfMemory();
  ZSTD_DCtx_reset(context, ZSTD_reset_session_and_parameters);
  // Not to be left behind in the thread's context: it belongs to its archive.
  const auto withoutDictionary = [](ZSTD_DCtx* used) { ZSTD_DCtx_refDDict(used, nullptr); };
  const std::unique_ptr<ZSTD_DCtx, decltype(withoutDictionary)> guard(context, withoutDictionary);
  if (withDictionary) ZSTD_DCtx_refDDict(context, dictionary->forReading());

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
      return badInput("zstd says '{}' at byte {} of {} stored", ZSTD_getErrorName(left), input.pos,
                      stored.size());
    const bool stuck = output.pos == filled && input.pos == stored.size();
    filled = output.pos;
    if (filled > size)
      return badInput("it unpacks to more than the {} bytes that the index says", size);
    if (left == 0) break;
    if (stuck) return badInput("the zstd stream ends too early, after {} bytes", stored.size());
  }
  if (filled != size || input.pos != stored.size())
    return badInput("it unpacks to {} bytes and {} stay unread; the index says {}", filled,
                    stored.size() - input.pos, size);
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
                                       stored.size(), dictionary->forReading())
          : ZSTD_decompressDCtx(context, content.data(), content.size(), stored.data(),
                                stored.size());
  if (ZSTD_isError(size)) return badInput("zstd says '{}'", ZSTD_getErrorName(size));
  if (size != bytes) return badInput("a frame unpacks to {} bytes and states {}", size, bytes);
  return {};
}

uint32_t dictionaryOf(std::span<const std::byte> stored) {
  return ZSTD_getDictID_fromFrame(stored.data(), stored.size());
}

Result<std::vector<std::byte>> decodeFrame(std::span<const std::byte> stored, uint64_t limit,
                                           const Dictionary* dictionary) {
  const unsigned long long size = ZSTD_getFrameContentSize(stored.data(), stored.size());
  if (size == ZSTD_CONTENTSIZE_UNKNOWN || size == ZSTD_CONTENTSIZE_ERROR || size > limit)
    return badInput("it is not one zstd frame that states its size");
  const BlobCodec codec = dictionary ? BlobCodec::kZstdDictionary : BlobCodec::kZstd;
  return decodeBlob(static_cast<int64_t>(codec), stored, size, dictionary);
}

Result<size_t> BlobDecoder::readRaw(std::span<std::byte> out) {
  ASSIGN_OR_RETURN(const auto count, stored_(out));
  taken_ += count;
  ended_ = count < out.size();
  return count;
}

Result<size_t> BlobDecoder::readFrame(std::span<std::byte> out) {
  ZSTD_outBuffer output{out.data(), out.size(), 0};
  while (output.pos < output.size && !ended_) {
    if (input_.pos == input_.size) {
      ASSIGN_OR_RETURN(const auto count, stored_(piece_));
      input_ = {piece_.data(), count, 0};
      taken_ += count;
    }
    const size_t before = output.pos;
    const size_t left = ZSTD_decompressStream(context_.get(), &output, &input_);
    if (ZSTD_isError(left))
      return badInput("zstd says '{}' within the first {} bytes stored", ZSTD_getErrorName(left),
                      taken_);
    ended_ = left == 0;
    if (!ended_ && input_.size == 0 && output.pos == before)
      return badInput("the zstd stream ends too early, after {} bytes", taken_);
  }
  return output.pos;
}

// The end is where one byte more would be.
Status BlobDecoder::checkEnd() {
  std::byte more;
  if (!ended_) {
    ASSIGN_OR_RETURN(const auto beyond, raw_ ? readRaw({&more, 1}) : readFrame({&more, 1}));
    if (beyond > 0)
      return badInput("it unpacks to more than the {} bytes that the index says", size_);
  }
  ASSIGN_OR_RETURN(const auto unread, stored_({&more, 1}));
  if (unread == 0 && (raw_ || input_.pos == input_.size)) return {};
  return badInput("bytes stay unread behind its {}", size_);
}

Result<BlobDecoder> BlobDecoder::make(int64_t codec, Stored stored, uint64_t size) {
  const bool raw = codec == static_cast<int64_t>(BlobCodec::kRaw);
  BlobDecoder decoder(raw, std::move(stored), size);
  if (raw) return decoder;
  if (codec != static_cast<int64_t>(BlobCodec::kZstd))
    return badInput("codec {}; 0 (raw) and 1 (zstd) hold large content", codec);
  decoder.context_.reset(ZSTD_createDCtx());
  if (decoder.context_ == nullptr) return noResource("memory ran out while unpacking a blob");
  ZSTD_DCtx_setParameter(decoder.context_.get(), ZSTD_d_windowLogMax, kLargestWindow);
  decoder.piece_.resize(kPiece);
  return decoder;
}

Result<size_t> BlobDecoder::read(std::span<std::byte> piece) {
  const auto out = piece.first(std::min<uint64_t>(piece.size(), size_ - given_));
  if (out.empty()) return 0;
  ASSIGN_OR_RETURN(const auto count, raw_ ? readRaw(out) : readFrame(out));
  given_ += count;
  if (count < out.size())
    return badInput("it unpacks to {} bytes; the index says {}", given_, size_);
  if (given_ == size_) RETURN_IF_ERROR(checkEnd());
  return count;
}

Result<BlobEncoder> BlobEncoder::make(uint64_t size, Sink sink) {
  BlobEncoder encoder(size, std::move(sink));
  if (encoder.context_ == nullptr) return noResource("memory ran out while packing a blob");
  ZSTD_CCtx_setParameter(encoder.context_.get(), ZSTD_c_compressionLevel, kLevel);
  // The frame states it, for those who read it without its row.
  ZSTD_CCtx_setPledgedSrcSize(encoder.context_.get(), size);
  encoder.piece_.resize(kPiece);
  return encoder;
}

Status BlobEncoder::compress(std::span<const std::byte> piece, bool last) {
  ZSTD_inBuffer input{piece.data(), piece.size(), 0};
  while (true) {
    ZSTD_outBuffer output{piece_.data(), piece_.size(), 0};
    const size_t left =
        ZSTD_compressStream2(context_.get(), &output, &input, last ? ZSTD_e_end : ZSTD_e_continue);
    if (ZSTD_isError(left))
      return noResource("packing a blob of {} bytes failed: {}", size_, ZSTD_getErrorName(left));
    if (output.pos > 0) RETURN_IF_ERROR(sink_(std::span(piece_).first(output.pos)));
    kept_ += output.pos;
    if (last ? left == 0 : input.pos == input.size) return {};
  }
}

Status BlobEncoder::write(std::span<const std::byte> piece) {
  written_ += piece.size();
  return compress(piece, false);
}

Result<uint64_t> BlobEncoder::finish() {
  if (written_ != size_) return badInput("{} bytes came of a content of {}", written_, size_);
  RETURN_IF_ERROR(compress({}, true));
  return kept_;
}

}  // namespace vintage::archive
