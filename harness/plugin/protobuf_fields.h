// Fields of Protocol Buffers messages, as bytes.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace vintage::harness {

std::string field(int number, int64_t value);
std::string field(int number, std::string_view content);         // Text, or a message.
std::string field(int number, std::span<const int64_t> values);  // Packed.

}  // namespace vintage::harness
