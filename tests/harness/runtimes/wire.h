// Messages and frames as the bytes that travel, and as they arrive.
#pragma once

#include <stdexcept>
#include <vector>

#include "harness/runtimes/message.h"

namespace vintage::tests {

inline std::vector<std::byte> written(harness::FrameWriter writer) {
  std::vector<std::byte> bytes;
  while (!writer.empty()) {
    const auto next = writer.next();
    bytes.insert(bytes.end(), next.begin(), next.end());
    writer.advance(next.size());
  }
  return bytes;
}

template <typename Message>
std::vector<std::byte> wireForm(const Message& message) {
  harness::FrameWriter writer;
  harness::encode(message, writer);
  return written(std::move(writer));
}

inline std::vector<std::byte> wireForm(const harness::Frame& frame) {
  harness::FrameWriter writer;
  const std::vector<std::span<const std::byte>> payloads(frame.payloads.begin(),
                                                         frame.payloads.end());
  writer.add(frame.header, payloads);
  return written(std::move(writer));
}

inline harness::Frame arrived(std::span<const std::byte> bytes) {
  harness::FrameReader reader;
  reader.append(bytes);
  auto frame = reader.next();
  if (!frame || !*frame) throw std::runtime_error("no whole frame arrived");
  return std::move(**frame);
}

template <typename Message>
harness::Frame travelled(const Message& message) {
  return arrived(wireForm(message));
}

}  // namespace vintage::tests
