#include "harness/runtimes/frame.h"

#include <algorithm>
#include <array>

#include <boost/endian/conversion.hpp>

#include "golden/base/failures.h"
#include "golden/base/memory_pages.h"

namespace vintage::harness {
namespace {

constexpr size_t kPayloadLength = 4;  // Where the second number of a prefix begins.
constexpr size_t kBytesInOneWrite = size_t{64} << 10;  // Larger payloads are not copied.

// The lengths that the header states, which must add up to `bytes`.
Result<std::vector<size_t>> payloadLengths(const nlohmann::json& header, uint64_t bytes) {
  std::vector<size_t> lengths;
  const auto stated = header.find("payloads");
  if (stated != header.end() && stated->is_array()) {
    for (const nlohmann::json& length : *stated) {
      if (!length.is_number_unsigned() || length.get<uint64_t>() > bytes)
        return badInput("payload {} has the length {}, but {} bytes are left", lengths.size(),
                        length.dump(), bytes);
      lengths.push_back(length.get<size_t>());
      bytes -= lengths.back();
    }
  }
  if (bytes > 0)
    return badInput(
        "{} payload bytes are not accounted for by the header's \"payloads\", a list of lengths "
        "that add up to all of them",
        bytes);
  return lengths;
}

}  // namespace

void FrameReader::append(std::span<const std::byte> bytes) {
  if (broken_) return;
  if (arriving_ && start_ == buffer_.size()) bytes = bytes.subspan(fill(bytes));
  buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
}

Result<std::optional<Frame>> FrameReader::next() {
  if (broken_) return tl::unexpected<Error>(*broken_);
  Result<std::optional<Frame>> frame = decode();
  if (frame) return frame;
  broken_ = within("not a message of the worker protocol", frame.error()).value();
  buffer_.clear();
  start_ = 0;
  arriving_.reset();
  return tl::unexpected<Error>(*broken_);
}

Result<std::optional<Frame>> FrameReader::decode() {
  if (!arriving_) {
    ASSIGN_OR_RETURN(arriving_, readHeader());
    if (!arriving_) return std::nullopt;
  }
  skip(fill(std::span(buffer_).subspan(start_)));
  if (arriving_->whole < arriving_->lengths.size()) return std::nullopt;
  Frame frame = std::move(arriving_->frame);
  arriving_.reset();
  return frame;
}

Result<std::optional<FrameReader::Arriving>> FrameReader::readHeader() {
  const size_t available = buffer_.size() - start_;
  if (available < kFramePrefixBytes) return std::nullopt;
  const auto* prefix = reinterpret_cast<const unsigned char*>(buffer_.data() + start_);
  const uint32_t headerBytes = boost::endian::load_little_u32(prefix);
  const uint64_t payloadBytes = boost::endian::load_little_u64(prefix + kPayloadLength);
  if (headerBytes > limits_.headerBytes || payloadBytes > limits_.payloadBytes)
    return badInput(
        "a header of {} bytes and payloads of {} bytes are announced, at most {} and {} are taken",
        headerBytes, payloadBytes, limits_.headerBytes, limits_.payloadBytes);
  if (available - kFramePrefixBytes < headerBytes) return std::nullopt;
  const auto* text = reinterpret_cast<const char*>(prefix + kFramePrefixBytes);
  Arriving arriving;
  arriving.frame.header = nlohmann::json::parse(text, text + headerBytes, nullptr, false);
  if (!arriving.frame.header.is_object()) return badInput("its header is not a JSON object");
  ASSIGN_OR_RETURN(arriving.lengths, payloadLengths(arriving.frame.header, payloadBytes));
  arriving.frame.payloads.resize(arriving.lengths.size());
  skip(kFramePrefixBytes + headerBytes);
  return arriving;
}

size_t FrameReader::fill(std::span<const std::byte> bytes) {
  size_t taken = 0;
  for (; arriving_->whole < arriving_->lengths.size(); ++arriving_->whole) {
    const size_t length = arriving_->lengths[arriving_->whole];
    std::vector<std::byte>& payload = arriving_->frame.payloads[arriving_->whole];
    const auto piece =
        bytes.subspan(taken, std::min(bytes.size() - taken, length - payload.size()));
    // Once a part of it is here, memory for the whole is asked for, and used as it comes.
    if (payload.empty()) payload.reserve(std::min(length, kHeldWhole));
    if (payload.size() + piece.size() > payload.capacity()) payload.reserve(length);
    payload.insert(payload.end(), piece.begin(), piece.end());
    taken += piece.size();
    if (payload.size() < length) return taken;
  }
  return taken;
}

void FrameReader::skip(size_t count) {
  constexpr size_t kSkippedAtMost = size_t{1} << 20;
  start_ += count;
  if (start_ < buffer_.size() && start_ <= kSkippedAtMost) return;
  buffer_.erase(buffer_.begin(), buffer_.begin() + static_cast<ptrdiff_t>(start_));
  start_ = 0;
}

void FrameWriter::addText(std::string_view header, Payloads payloads) {
  uint64_t payloadBytes = 0;
  for (const auto payload : payloads) payloadBytes += payload.size();
  if (pieces_.empty())
    pieces_.emplace_back().copied.reserve(kFramePrefixBytes + header.size() +
                                          std::min<uint64_t>(payloadBytes, kBytesInOneWrite));
  std::array<unsigned char, kFramePrefixBytes> prefix;
  boost::endian::store_little_u32(prefix.data(), static_cast<uint32_t>(header.size()));
  boost::endian::store_little_u64(prefix.data() + kPayloadLength, payloadBytes);
  copy(std::as_bytes(std::span(prefix)));
  copy(std::as_bytes(std::span(header)));
  for (const auto payload : payloads) {
    if (payload.size() <= kBytesInOneWrite)
      copy(payload);
    else
      pieces_.push_back({{}, payload});
  }
  added_ += kFramePrefixBytes + header.size() + payloadBytes;
}

void FrameWriter::add(nlohmann::json header, Payloads payloads) {
  nlohmann::json lengths = nlohmann::json::array();
  for (const auto payload : payloads) lengths.push_back(payload.size());
  header["payloads"] = std::move(lengths);
  addText(header.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace), payloads);
}

void FrameWriter::copy(std::span<const std::byte> bytes) {
  if (bytes.empty()) return;
  const Piece& last = pieces_.back();
  if (!last.referred.empty() || last.copied.size() + bytes.size() > kBytesInOneWrite)
    pieces_.emplace_back();
  std::vector<std::byte>& copied = pieces_.back().copied;
  copied.insert(copied.end(), bytes.begin(), bytes.end());
}

std::span<const std::byte> FrameWriter::next() const {
  if (pieces_.empty()) return {};
  const Piece& first = pieces_.front();
  return (first.referred.empty() ? std::span(first.copied) : first.referred).subspan(sent_);
}

void FrameWriter::advance(size_t count) {
  written_ += count;
  sent_ += count;
  const Piece& first = pieces_.front();
  if (sent_ < first.copied.size() + first.referred.size()) return;
  pieces_.pop_front();
  sent_ = 0;
}

}  // namespace vintage::harness
