// Walks over MLIR bytecode: variable-width integers and ranges.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace vintage::golden {

// The first bytes of all MLIR bytecode.
inline constexpr std::string_view kBytecodeMagic = "ML\xefR";

class BytecodeCursor {
 public:
  explicit BytecodeCursor(std::string_view bytes) : rest_(bytes) {}

  // False from the first read beyond the end on, or the first unmet requirement; values are 0 then.
  bool ok() const { return ok_; }
  bool atEnd() const { return rest_.empty(); }
  size_t remaining() const { return rest_.size(); }

  // The number of zero bits at the low end of the first byte is the number of
  // bytes that follow it.
  uint64_t varint() {
    if (!need(1)) return 0;
    const auto first = static_cast<unsigned char>(rest_.front());
    const size_t more = first == 0 ? 8 : static_cast<size_t>(__builtin_ctz(first));
    if (!need(more + 1)) return 0;
    uint64_t value = 0;
    for (size_t i = more + 1; i-- > (more == 8 ? 1 : 0);)
      value = (value << 8) | static_cast<unsigned char>(rest_[i]);
    if (more < 8) value >>= more + 1;
    rest_.remove_prefix(more + 1);
    return value;
  }
  uint8_t byte() {
    if (!need(1)) return 0;
    const auto value = static_cast<uint8_t>(rest_.front());
    rest_.remove_prefix(1);
    return value;
  }
  std::string_view take(uint64_t size) {
    if (!need(size)) return {};
    const std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }
  // A count of things that take a byte each at least.
  uint64_t count() {
    const uint64_t value = varint();
    require(value <= rest_.size());
    return ok_ ? value : 0;
  }
  // A count, and as many numbers; how many there are.
  uint64_t list() {
    const uint64_t size = count();
    for (uint64_t i = 0; ok_ && i < size; ++i) varint();
    return size;
  }
  // An unmet requirement counts as a read beyond the end.
  void require(bool holds) { ok_ = ok_ && holds; }

 private:
  bool need(uint64_t size) {
    ok_ = ok_ && size <= rest_.size();
    return ok_;
  }

  std::string_view rest_;
  bool ok_ = true;
};

}  // namespace vintage::golden
