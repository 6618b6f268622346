// Reading frames whose payloads are too large to be copied on their way (beyond kHeldWhole), so
// that an artifact is in memory once. The wire is that of all frames (harness/consumers/frame.h).
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "golden/base/result.h"
#include "harness/consumers/frame.h"
#include "harness/consumers/room.h"

namespace vintage::harness::consumers {

// Frames from a descriptor that blocks. Small ones go through a FrameReader, many with one read;
// the payloads of a large one are read to where they stay.
class FrameInput {
 public:
  explicit FrameInput(int descriptor) : descriptor_(descriptor) {}
  // None at the end of the input, which has to lie between frames.
  Result<std::optional<Frame>> next();

 private:
  Result<size_t> readSome(std::byte* to, size_t most);
  // False at the end of the input.
  Result<bool> fill();
  Status readAll(std::byte* to, size_t count);
  std::span<const std::byte> take(size_t most);
  Result<Frame> readLarge(uint32_t headerBytes, uint64_t payloadBytes);

  const int descriptor_;
  const FrameLimits limits_;
  FrameReader reader_;
  uint64_t left_ = 0;              // Of the frame that goes to the reader.
  std::vector<std::byte> prefix_;  // Of the next frame.
  std::array<std::byte, size_t{1} << 16> chunk_;
  size_t begin_ = 0, end_ = 0;  // What was read and not used yet.
};

}  // namespace vintage::harness::consumers
