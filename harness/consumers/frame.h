// One message of the worker protocol on the wire: docs/worker_protocol.md.
//
//   4 bytes  header length H, little-endian
//   8 bytes  payload length P, little-endian
//   H bytes  header: one JSON object in UTF-8
//   P bytes  payloads, end to end; the header's "payloads" lists their lengths
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "golden/base/result.h"
#include "harness/consumers/room.h"

namespace vintage::harness::consumers {

inline constexpr size_t kFramePrefixBytes = 12;

struct FrameLimits {
  uint32_t headerBytes = uint32_t{16} << 20;
  uint64_t payloadBytes = uint64_t{4} << 30;
};

struct Frame {
  nlohmann::json header = nlohmann::json::object();
  std::vector<std::vector<std::byte>> payloads;
};

// Adds "payloads" to the header. Strings that are not UTF-8 are written with
// replacement characters, so that no message of a compiler can break a frame. Payloads
// beyond kHeldWhole move piece by piece, so that they are in memory once.
std::vector<std::byte> encodeFrame(Frame frame);
// The same up to the payloads, which the caller appends: the header states their lengths. There is
// room for them already.
std::vector<std::byte> beginFrame(std::string_view header, uint64_t payloadBytes);

// Takes bytes as they arrive and gives out whole frames. Memory grows with the
// bytes that came, not with the lengths that a prefix claims. After an error
// the stream has no meaning any more: every later call gives the same error.
class FrameReader {
 public:
  explicit FrameReader(FrameLimits limits = {}) : limits_(limits) {}

  void append(std::span<const std::byte> bytes);
  // None while a frame is incomplete.
  Result<std::optional<Frame>> next();
  // Bytes of an incomplete frame; 0 between frames.
  size_t pendingBytes() const { return buffer_.size() - start_; }

 private:
  Result<std::optional<Frame>> decode();

  FrameLimits limits_;
  std::vector<std::byte> buffer_;
  size_t start_ = 0;
  std::optional<Error> broken_;
};

}  // namespace vintage::harness::consumers
