// Blobs that are too large to hold, packed and unpacked in pieces.
#include <algorithm>

#include <zstd.h>

#include <fmt/format.h>

#include "archive/store/blob_codec.h"
#include "golden/base/failures.h"

namespace vintage::archive {
namespace {

constexpr size_t kPiece = 256 * 1024;
// As much as a decoder holds of what it unpacked: zstd's own limit for streams. No put here
// asks for more than 8 MiB.
constexpr int kLargestWindow = 27;

}  // namespace

struct BlobDecoder::State {
  bool raw = false;
  Stored stored;
  uint64_t size = 0, given = 0, taken = 0;  // Of the content; given; of what is stored.
  bool ended = false;                       // The frame, or the raw content.
  std::unique_ptr<ZSTD_DCtx, size_t (*)(ZSTD_DCtx*)> context{nullptr, ZSTD_freeDCtx};
  std::vector<std::byte> piece;
  ZSTD_inBuffer input{nullptr, 0, 0};

  Result<size_t> readRaw(std::span<std::byte> out) {
    ASSIGN_OR_RETURN(const auto count, stored(out));
    taken += count;
    ended = count < out.size();
    return count;
  }
  Result<size_t> readFrame(std::span<std::byte> out) {
    ZSTD_outBuffer output{out.data(), out.size(), 0};
    while (output.pos < output.size && !ended) {
      if (input.pos == input.size) {
        ASSIGN_OR_RETURN(const auto count, stored(piece));
        input = {piece.data(), count, 0};
        taken += count;
      }
      const size_t before = output.pos;
      const size_t left = ZSTD_decompressStream(context.get(), &output, &input);
      if (ZSTD_isError(left))
        return badInput("zstd says '{}' within the first {} bytes stored", ZSTD_getErrorName(left),
                        taken);
      ended = left == 0;
      if (!ended && input.size == 0 && output.pos == before)
        return badInput("the zstd stream ends too early, after {} bytes", taken);
    }
    return output.pos;
  }
  // The end is where one byte more would be.
  Status checkEnd() {
    std::byte more;
    if (!ended) {
      ASSIGN_OR_RETURN(const auto beyond, raw ? readRaw({&more, 1}) : readFrame({&more, 1}));
      if (beyond > 0)
        return badInput("it unpacks to more than the {} bytes that the index says", size);
    }
    ASSIGN_OR_RETURN(const auto unread, stored({&more, 1}));
    if (unread == 0 && (raw || input.pos == input.size)) return {};
    return badInput("bytes stay unread behind its {}", size);
  }
};

Result<BlobDecoder> BlobDecoder::make(int64_t codec, Stored stored, uint64_t size) {
  auto state = std::make_unique<State>();
  state->raw = codec == static_cast<int64_t>(BlobCodec::kRaw);
  state->stored = std::move(stored);
  state->size = size;
  if (!state->raw) {
    if (codec != static_cast<int64_t>(BlobCodec::kZstd))
      return badInput("codec {}; 0 (raw) and 1 (zstd) hold large content", codec);
    state->context.reset(ZSTD_createDCtx());
    if (state->context == nullptr) return noResource("memory ran out while unpacking a blob");
    ZSTD_DCtx_setParameter(state->context.get(), ZSTD_d_windowLogMax, kLargestWindow);
    state->piece.resize(kPiece);
  }
  return BlobDecoder(std::move(state));
}

BlobDecoder::BlobDecoder(std::unique_ptr<State> state) : state_(std::move(state)) {}
BlobDecoder::~BlobDecoder() = default;
BlobDecoder::BlobDecoder(BlobDecoder&&) noexcept = default;

Result<size_t> BlobDecoder::read(std::span<std::byte> piece) {
  State& self = *state_;
  const auto out = piece.first(std::min<uint64_t>(piece.size(), self.size - self.given));
  if (out.empty()) return 0;
  ASSIGN_OR_RETURN(const auto count, self.raw ? self.readRaw(out) : self.readFrame(out));
  self.given += count;
  if (count < out.size())
    return badInput("it unpacks to {} bytes; the index says {}", self.given, self.size);
  if (self.given == self.size) RETURN_IF_ERROR(self.checkEnd());
  return count;
}

struct BlobEncoder::State {
  Sink sink;
  uint64_t size = 0, written = 0, stored = 0;
  std::unique_ptr<ZSTD_CCtx, size_t (*)(ZSTD_CCtx*)> context{ZSTD_createCCtx(), ZSTD_freeCCtx};
  std::vector<std::byte> piece = std::vector<std::byte>(kPiece);
};

Result<BlobEncoder> BlobEncoder::make(uint64_t size, Sink sink) {
  auto state = std::make_unique<State>();
  if (state->context == nullptr) return noResource("memory ran out while packing a blob");
  ZSTD_CCtx_setParameter(state->context.get(), ZSTD_c_compressionLevel, kLevel);
  // The frame states it, for those who read it without its row.
  ZSTD_CCtx_setPledgedSrcSize(state->context.get(), size);
  state->size = size;
  state->sink = std::move(sink);
  return BlobEncoder(std::move(state));
}

BlobEncoder::BlobEncoder(std::unique_ptr<State> state) : state_(std::move(state)) {}
BlobEncoder::~BlobEncoder() = default;
BlobEncoder::BlobEncoder(BlobEncoder&&) noexcept = default;

Status BlobEncoder::compress(std::span<const std::byte> piece, bool last) {
  State& self = *state_;
  ZSTD_inBuffer input{piece.data(), piece.size(), 0};
  while (true) {
    ZSTD_outBuffer output{self.piece.data(), self.piece.size(), 0};
    const size_t left = ZSTD_compressStream2(self.context.get(), &output, &input,
                                             last ? ZSTD_e_end : ZSTD_e_continue);
    if (ZSTD_isError(left))
      return noResource("packing a blob of {} bytes failed: {}", self.size,
                        ZSTD_getErrorName(left));
    if (output.pos > 0) RETURN_IF_ERROR(self.sink(std::span(self.piece).first(output.pos)));
    self.stored += output.pos;
    if (last ? left == 0 : input.pos == input.size) return {};
  }
}

Status BlobEncoder::write(std::span<const std::byte> piece) {
  state_->written += piece.size();
  return compress(piece, false);
}

Result<uint64_t> BlobEncoder::finish() {
  if (state_->written != state_->size)
    return badInput("{} bytes came of a content of {}", state_->written, state_->size);
  RETURN_IF_ERROR(compress({}, true));
  return state_->stored;
}

}  // namespace vintage::archive
