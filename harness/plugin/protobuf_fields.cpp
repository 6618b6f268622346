#include "harness/plugin/protobuf_fields.h"

namespace vintage::harness {
namespace {

// How a field lies in the message.
enum class Wire : uint64_t { kVarint = 0, kSized = 2 };

std::string varint(uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) bytes.push_back(static_cast<char>(value | 0x80));
  return bytes + static_cast<char>(value);
}

std::string tag(int number, Wire wire) {
  return varint(static_cast<uint64_t>(number) << 3 | static_cast<uint64_t>(wire));
}

}  // namespace

std::string field(int number, int64_t value) {
  return tag(number, Wire::kVarint) + varint(static_cast<uint64_t>(value));
}

std::string field(int number, std::string_view content) {
  return (tag(number, Wire::kSized) + varint(content.size())).append(content);
}

std::string field(int number, std::span<const int64_t> values) {
  std::string content;
  for (const int64_t value : values) content += varint(static_cast<uint64_t>(value));
  return field(number, content);
}

}  // namespace vintage::harness
