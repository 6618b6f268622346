#include "harness/consumers/frame.h"

#include <cstring>

#include <fmt/format.h>

#include "golden/base/memory_pages.h"

namespace vintage::harness::consumers {
namespace {

template <typename T>
void putLittleEndian(T value, std::vector<std::byte>& bytes) {
  for (size_t i = 0; i < sizeof(T); ++i)
    bytes.push_back(static_cast<std::byte>((value >> (8 * i)) & 0xff));
}

template <typename T>
T getLittleEndian(const std::byte* bytes) {
  T value = 0;
  for (size_t i = 0; i < sizeof(T); ++i)
    value |= static_cast<T>(std::to_integer<uint8_t>(bytes[i])) << (8 * i);
  return value;
}

// Splits `bytes` by the lengths that the header states, which must add up.
Result<std::vector<std::vector<std::byte>>> splitPayloads(const nlohmann::json& header,
                                                          std::span<const std::byte> bytes) {
  std::vector<std::vector<std::byte>> payloads;
  const auto lengths = header.find("payloads");
  const bool stated = lengths != header.end() && lengths->is_array();
  if (stated) {
    for (const nlohmann::json& length : *lengths) {
      if (!length.is_number_unsigned() || length.get<uint64_t>() > bytes.size())
        return failure(Error::Kind::kBadInput,
                       fmt::format("payload {} has the length {}, but {} bytes are left",
                                   payloads.size(), length.dump(), bytes.size()));
      const auto count = static_cast<size_t>(length.get<uint64_t>());
      payloads.emplace_back(bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(count));
      bytes = bytes.subspan(count);
    }
  }
  if (!bytes.empty())
    return failure(Error::Kind::kBadInput,
                   fmt::format("{} payload bytes are not accounted for by the header's "
                               "\"payloads\", a list of lengths that add up to all of them",
                               bytes.size()));
  return payloads;
}

}  // namespace

std::vector<std::byte> beginFrame(std::string_view header, uint64_t payloadBytes) {
  std::vector<std::byte> bytes;
  bytes.reserve(kFramePrefixBytes + header.size() + payloadBytes);
  putLittleEndian(static_cast<uint32_t>(header.size()), bytes);
  putLittleEndian(payloadBytes, bytes);
  const auto text = std::as_bytes(std::span(header));
  bytes.insert(bytes.end(), text.begin(), text.end());
  return bytes;
}

std::vector<std::byte> encodeFrame(Frame frame) {
  uint64_t payloadBytes = 0;
  nlohmann::json lengths = nlohmann::json::array();
  for (const auto& payload : frame.payloads) {
    lengths.push_back(payload.size());
    payloadBytes += payload.size();
  }
  frame.header["payloads"] = std::move(lengths);
  const std::string text =
      frame.header.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  std::vector<std::byte> bytes = beginFrame(text, payloadBytes);
  for (auto& payload : frame.payloads) {
    if (payload.size() > kHeldWhole)
      moveOut(payload, bytes);
    else
      bytes.insert(bytes.end(), payload.begin(), payload.end());
  }
  return bytes;
}

void FrameReader::append(std::span<const std::byte> bytes) {
  if (broken_) return;
  buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
}

Result<std::optional<Frame>> FrameReader::next() {
  if (broken_) return tl::unexpected<Error>(*broken_);
  Result<std::optional<Frame>> frame = decode();
  if (!frame) {
    broken_ = frame.error();
    buffer_.clear();
    start_ = 0;
  }
  return frame;
}

Result<std::optional<Frame>> FrameReader::decode() {
  const size_t available = buffer_.size() - start_;
  if (available < kFramePrefixBytes) return std::nullopt;
  const std::byte* prefix = buffer_.data() + start_;
  const auto headerBytes = getLittleEndian<uint32_t>(prefix);
  const auto payloadBytes = getLittleEndian<uint64_t>(prefix + 4);
  if (headerBytes > limits_.headerBytes || payloadBytes > limits_.payloadBytes)
    return failure(
        Error::Kind::kBadInput,
        fmt::format("not a message of the worker protocol: a header of {} bytes and "
                    "payloads of {} bytes are announced, at most {} and {} are taken",
                    headerBytes, payloadBytes, limits_.headerBytes, limits_.payloadBytes));
  if (available - kFramePrefixBytes < headerBytes ||
      available - kFramePrefixBytes - headerBytes < payloadBytes)
    return std::nullopt;

  const auto* text = reinterpret_cast<const char*>(prefix + kFramePrefixBytes);
  Frame frame;
  frame.header = nlohmann::json::parse(text, text + headerBytes, nullptr, false);
  if (!frame.header.is_object())
    return failure(Error::Kind::kBadInput,
                   "not a message of the worker protocol: its header is not a JSON object");
  ASSIGN_OR_RETURN(auto payloads,
                   splitPayloads(frame.header, {prefix + kFramePrefixBytes + headerBytes,
                                                static_cast<size_t>(payloadBytes)}));
  frame.payloads = std::move(payloads);

  start_ += kFramePrefixBytes + headerBytes + static_cast<size_t>(payloadBytes);
  if (start_ == buffer_.size()) {
    buffer_.clear();
    start_ = 0;
  } else if (start_ > (size_t{1} << 20)) {
    buffer_.erase(buffer_.begin(), buffer_.begin() + static_cast<ptrdiff_t>(start_));
    start_ = 0;
  }
  return frame;
}

}  // namespace vintage::harness::consumers
