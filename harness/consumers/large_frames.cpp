#include "harness/consumers/large_frames.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fmt/format.h>
#include <unistd.h>

#include "golden/base/memory_pages.h"

namespace vintage::harness::consumers {
namespace {

constexpr size_t kPayloadLength = 4;  // Where the second number of a prefix begins.

template <typename T>
T littleEndian(std::span<const std::byte> bytes) {
  T value = 0;
  for (size_t i = 0; i < sizeof(T); ++i)
    value |= static_cast<T>(std::to_integer<T>(bytes[i]) << (8 * i));
  return value;
}

tl::unexpected<Error> badFrame(const std::string& what) {
  return failure(Error::Kind::kBadInput, "not a message of the worker protocol: " + what);
}

// The lengths that the header states, which add up to `bytes`.
Result<std::vector<size_t>> payloadLengths(const nlohmann::json& header, uint64_t bytes) {
  const auto stated = header.find("payloads");
  std::vector<size_t> lengths;
  uint64_t left = bytes;
  if (stated != header.end() && stated->is_array()) {
    for (const nlohmann::json& length : *stated) {
      if (!length.is_number_unsigned() || length.get<uint64_t>() > left)
        return badFrame(fmt::format("payload {} has the length {}, but {} bytes are left",
                                    lengths.size(), length.dump(), left));
      lengths.push_back(length.get<size_t>());
      left -= lengths.back();
    }
  }
  if (left > 0)
    return badFrame(
        fmt::format("the header's \"payloads\" leave {} of {} bytes over", left, bytes));
  return lengths;
}

}  // namespace

Result<size_t> FrameInput::readSome(std::byte* to, size_t most) {
  for (;;) {
    const ssize_t count = ::read(descriptor_, to, most);
    if (count >= 0) return static_cast<size_t>(count);
    if (errno != EINTR)
      return failure(Error::Kind::kIo, fmt::format("cannot read a request: {}", strerror(errno)));
  }
}

Result<bool> FrameInput::fill() {
  if (begin_ < end_) return true;
  ASSIGN_OR_RETURN(end_, readSome(chunk_.data(), chunk_.size()));
  begin_ = 0;
  return end_ > 0;
}

std::span<const std::byte> FrameInput::take(size_t most) {
  const auto taken = std::span(chunk_).subspan(begin_, std::min(most, end_ - begin_));
  begin_ += taken.size();
  return taken;
}

Status FrameInput::readAll(std::byte* to, size_t count) {
  const auto held = take(count);
  std::ranges::copy(held, to);
  for (size_t filled = held.size(); filled < count;) {
    ASSIGN_OR_RETURN(const auto read, readSome(to + filled, count - filled));
    if (read == 0)
      return failure(Error::Kind::kBadInput, "the input ends in the middle of a request");
    filled += read;
  }
  return {};
}

Result<std::optional<Frame>> FrameInput::next() {
  for (;;) {
    ASSIGN_OR_RETURN(auto frame, reader_.next());
    if (frame) return frame;
    ASSIGN_OR_RETURN(const bool more, fill());
    if (!more) {
      if (reader_.pendingBytes() == 0 && prefix_.empty()) return std::nullopt;
      return failure(Error::Kind::kBadInput, "the input ends in the middle of a request");
    }
    if (left_ > 0) {
      const auto piece = take(left_);
      reader_.append(piece);
      left_ -= piece.size();
      continue;
    }
    const auto piece = take(kFramePrefixBytes - prefix_.size());
    prefix_.insert(prefix_.end(), piece.begin(), piece.end());
    if (prefix_.size() < kFramePrefixBytes) continue;
    const auto headerBytes = littleEndian<uint32_t>(prefix_);
    const auto payloadBytes = littleEndian<uint64_t>(std::span(prefix_).subspan(kPayloadLength));
    const bool isWithin =
        headerBytes <= limits_.headerBytes && payloadBytes <= limits_.payloadBytes;
    if (isWithin && payloadBytes > kHeldWhole) {
      prefix_.clear();
      return readLarge(headerBytes, payloadBytes);
    }
    // Beyond the limits the reader says so.
    reader_.append(std::exchange(prefix_, {}));
    left_ = headerBytes + payloadBytes;
  }
}

Result<Frame> FrameInput::readLarge(uint32_t headerBytes, uint64_t payloadBytes) {
  std::string text(headerBytes, '\0');
  RETURN_IF_ERROR(readAll(reinterpret_cast<std::byte*>(text.data()), text.size()));
  Frame frame;
  frame.header = nlohmann::json::parse(text, nullptr, false);
  if (!frame.header.is_object()) return badFrame("its header is not a JSON object");
  ASSIGN_OR_RETURN(const auto lengths, payloadLengths(frame.header, payloadBytes));
  for (const size_t length : lengths) {
    frame.payloads.emplace_back(length);
    RETURN_IF_ERROR(readAll(frame.payloads.back().data(), length));
  }
  return frame;
}

}  // namespace vintage::harness::consumers
