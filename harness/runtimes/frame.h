// One message of the worker protocol on the wire: docs/reference/worker_protocol.md.
//
//   4 bytes  header length H, little-endian
//   8 bytes  payload length P, little-endian
//   H bytes  header: one JSON object in UTF-8
//   P bytes  payloads, end to end; the header's "payloads" lists their lengths
//
// Frames are read and written in pieces, so that an artifact is in memory once, whatever its size.
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

namespace vintage::harness {

inline constexpr size_t kFramePrefixBytes = 12;

struct FrameLimits {
  uint32_t headerBytes = uint32_t{16} << 20;
  uint64_t payloadBytes = uint64_t{4} << 30;
};

struct Frame {
  nlohmann::json header = nlohmann::json::object();
  std::vector<std::vector<std::byte>> payloads;
};

// Takes bytes as they arrive and gives out whole frames; payloads go straight to where they stay.
// Memory grows with the bytes that came, not with the lengths that a prefix claims. After an error
// the stream has no meaning any more: every later call gives the same error.
class FrameReader {
 public:
  explicit FrameReader(FrameLimits limits = {}) : limits_(limits) {}

  void append(std::span<const std::byte> bytes);
  // None while a frame is incomplete.
  Result<std::optional<Frame>> next();
  bool isBetweenFrames() const { return !arriving_ && start_ == buffer_.size(); }

 private:
  // A frame whose header was read.
  struct Arriving {
    Frame frame;
    std::vector<size_t> lengths;
    size_t whole = 0;  // How many payloads are complete.
  };

  Result<std::optional<Frame>> decode();
  Result<std::optional<Arriving>> readHeader();
  // How many of `bytes` belonged to the payloads of the frame that arrives.
  size_t fill(std::span<const std::byte> bytes);
  void skip(size_t count);  // Of the buffer.

  FrameLimits limits_;
  std::vector<std::byte> buffer_;  // Not understood yet, from start_ on.
  size_t start_ = 0;
  std::optional<Arriving> arriving_;
  std::optional<Error> broken_;
};

// Frames on their way out. Small content is copied together, so that many frames leave with one
// write. Large payloads are written from where they lie: they must stay there until written() has
// reached what added() was behind their frame.
class FrameWriter {
 public:
  using Payloads = std::span<const std::span<const std::byte>>;

  // `header` is an object's text, with the lengths of the payloads under "payloads".
  void addText(std::string_view header, Payloads payloads);
  // The same of an object, which gets that list. Strings that are not UTF-8 are written with
  // replacement characters, so that no message of a compiler can break a frame.
  void add(nlohmann::json header, Payloads payloads = {});

  bool empty() const { return pieces_.empty(); }
  // The bytes to write next, and how many of them were written.
  std::span<const std::byte> next() const;
  void advance(size_t count);
  // Bytes since the beginning.
  uint64_t added() const { return added_; }
  uint64_t written() const { return written_; }

 private:
  struct Piece {
    std::vector<std::byte> copied;
    std::span<const std::byte> referred;  // Instead, where it is not empty.
  };

  void copy(std::span<const std::byte> bytes);

  std::deque<Piece> pieces_;
  size_t sent_ = 0;  // Bytes of the first piece.
  uint64_t added_ = 0, written_ = 0;
};

}  // namespace vintage::harness
