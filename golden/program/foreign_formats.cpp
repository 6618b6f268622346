#include "golden/program/foreign_formats.h"

#include <algorithm>

namespace vintage::golden::program {
namespace {

// Names that every serialized TensorFlow function or model of this kind has
// near its start, and "saved_model" in the three phases of base64.
constexpr std::string_view kTensorflowMarks[] = {
    "_user_specified_name", "PartitionedCall", "saved_model", "tensorflow/",
    "c2F2ZWRfbW9kZW",       "NhdmVkX21vZGVs",  "zYXZlZF9tb2Rlb"};
constexpr size_t kSearched = 64 * 1024;

struct Signature {
  std::string_view start, format;
};
constexpr Signature kSignatures[] = {
    {"PK\x03\x04", "a zip archive"},
    {"\x1f\x8b", "gzip-compressed data"},
    {"\x28\xb5\x2f\xfd", "zstd-compressed data"},
    {"\x93NUMPY", "a NumPy array"},
    {"BC\xc0\xde", "LLVM bitcode"},
    {"\x7f" "ELF", "an ELF binary"},
};

}  // namespace

std::string_view foreignFormat(std::span<const std::byte> bytes) {
  const std::string_view all(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  for (const Signature& each : kSignatures)
    if (all.starts_with(each.start)) return each.format;
  const std::string_view start = all.substr(0, kSearched);
  // A module's text may well mention such a name; no protocol buffer, and no
  // line of base64, has the words that a module starts with.
  const bool text = std::all_of(start.begin(), start.end(), [](char c) {
    return static_cast<unsigned char>(c) >= ' ' || c == '\n' || c == '\r' || c == '\t';
  });
  const bool words = text && start.find_first_of(" \n") < 256;
  if (!words)
    for (std::string_view mark : kTensorflowMarks)
      if (start.find(mark) != std::string_view::npos) return kTensorflowFormat;
  return text && !start.empty() ? "text" : std::string_view();
}

}  // namespace vintage::golden::program
