// Reads protocol buffers that XLA's clients write. It does not use the protobuf library: a plugin
// shares its process with its client, whose version of the library may differ.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "golden/base/failures.h"
#include "golden/base/result.h"

namespace vintage::golden {

// One field of a message after the other. Errors are kBadInput.
class ProtobufReader {
 public:
  // `what` is the message's name in errors: "the compile options".
  ProtobufReader(std::string_view message, std::string_view what) : rest_(message), what_(what) {}

  bool done() const { return rest_.empty(); }
  // Reads the next field; afterwards number, and value or content, are its own.
  Status next() {
    ASSIGN_OR_RETURN(const uint64_t key, varint());
    number = key >> 3;
    content = {};
    value = 0;
    form_ = key & 7;
    switch (form_) {
      case kVarint: {
        ASSIGN_OR_RETURN(value, varint());
        return {};
      }
      case kEightBytes:
        return take(8);
      case kBytes: {
        ASSIGN_OR_RETURN(const uint64_t size, varint());
        return take(size);
      }
      case kFourBytes:
        return take(4);
      default:
        return badInput("{}: field {} has wire type {}: damaged", what_, number, form_);
    }
  }
  // The numbers of a field that is a list: of a packed one several.
  Result<std::vector<int64_t>> numbers() const {
    if (form_ == kVarint) return std::vector{static_cast<int64_t>(value)};
    std::vector<int64_t> list;
    for (ProtobufReader packed(form_ == kBytes ? content : "", what_); !packed.done();) {
      ASSIGN_OR_RETURN(const uint64_t one, packed.varint());
      list.push_back(static_cast<int64_t>(one));
    }
    return list;
  }

  uint64_t number = 0, value = 0;
  std::string_view content;

 private:
  static constexpr uint64_t kVarint = 0, kEightBytes = 1, kBytes = 2, kFourBytes = 5;

  Result<uint64_t> varint() {
    uint64_t result = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      if (rest_.empty()) return badInput("{}: cut off within a number", what_);
      const auto byte = static_cast<uint8_t>(rest_.front());
      rest_.remove_prefix(1);
      result |= uint64_t{byte & 0x7fu} << shift;
      if (byte < 0x80) return result;
    }
    return badInput("{}: a number has more than 64 bits", what_);
  }
  Status take(uint64_t size) {
    if (size > rest_.size())
      return badInput("{}: cut off within field {}: {} bytes are announced, {} are left", what_,
                      number, size, rest_.size());
    content = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return {};
  }

  std::string_view rest_, what_;
  uint64_t form_ = kVarint;
};

}  // namespace vintage::golden
