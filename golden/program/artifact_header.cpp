#include <algorithm>

#include <fmt/format.h>

#include "golden/base/failures.h"
#include "golden/program/bytecode_cursor.h"
#include "golden/program/portable_artifact.h"

namespace vintage::golden {
namespace {

constexpr std::string_view kProducerPrefix = "StableHLO_v";
// MLIR's own producer, which JAX wrote until April 2023.
constexpr std::string_view kUnnamedProducerPrefix = "MLIR";
// The newest bytecode that MLIR of this build reads.
constexpr uint64_t kNewestBytecode = 6;
constexpr size_t kLongestProducer = 256;

// Names that every serialized TensorFlow function or model of this kind has
// near its start, and "saved_model" in the three phases of base64.
constexpr std::string_view kTensorflowMarks[] = {
    "_user_specified_name", "PartitionedCall", "saved_model",   "tensorflow/",
    "c2F2ZWRfbW9kZW",       "NhdmVkX21vZGVs",  "zYXZlZF9tb2Rlb"};
constexpr size_t kSearched = 64 * 1024;

constexpr std::pair<std::string_view, std::string_view> kSignatures[] = {
    {"PK\x03\x04", "a zip archive"},
    {"\x1f\x8b", "gzip-compressed data"},
    {"\x28\xb5\x2f\xfd", "zstd-compressed data"},
    {"\x93NUMPY", "a NumPy array"},
    {"BC\xc0\xde", "LLVM bitcode"},
    {"\x7f"
     "ELF",
     "an ELF binary"},
};

}  // namespace

std::string artifactProducer(StablehloVersion version) {
  return std::string(kProducerPrefix) + formatStablehloVersion(version);
}

Result<ArtifactHeader> readArtifactHeader(std::span<const std::byte> bytes, std::string_view name) {
  std::string_view rest(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (!rest.starts_with(kBytecodeMagic)) {
    const std::string_view format = foreignFormat(bytes);
    if (format == kTensorflowFormat)
      return unsupported(
          "{}: this is {}, not a StableHLO portable artifact. Programs that call TensorFlow "
          "functions are not supported; export them with native serialization.",
          name, format);
    return badInput(
        "{}: this is not a StableHLO portable artifact: it starts with {} instead of the bytes 4d "
        "4c ef 52 of MLIR bytecode{}.",
        name, bytes.empty() ? "nothing" : "something else",
        format.empty() ? "" : fmt::format(" (it looks like {})", format));
  }
  rest.remove_prefix(kBytecodeMagic.size());
  ArtifactHeader header;
  BytecodeCursor cursor(rest);
  header.bytecodeVersion = cursor.varint();
  const bool versionRead = cursor.ok();
  rest = cursor.take(cursor.remaining());
  const size_t end = rest.substr(0, kLongestProducer).find('\0');
  if (!versionRead || end == std::string_view::npos)
    return badInput(
        "{}: the header of the portable artifact is cut off or damaged (no producer within the "
        "first {} bytes).",
        name, kLongestProducer);
  header.producer = rest.substr(0, end);
  std::string_view version = header.producer;
  if (version.starts_with(kUnnamedProducerPrefix) && header.bytecodeVersion <= kNewestBytecode) {
    header.version = kOldestStablehloVersion;
    return header;
  }
  if (!version.starts_with(kProducerPrefix))
    return unsupported(
        "{}: this is MLIR bytecode written by \"{}\", not a StableHLO portable artifact (producer "
        "StableHLO_vX.Y.Z). Serialize the module with stablehlo-translate --serialize or "
        "jax.export.",
        name, header.producer);
  version.remove_prefix(kProducerPrefix.size());
  Result<StablehloVersion> parsed = parseStablehloVersion(version);
  if (!parsed)
    return badInput(
        "{}: the producer \"{}\" of the portable artifact holds no version of the form X.Y.Z.",
        name, header.producer);
  header.version = *parsed;
  // A later minor version is read as far as its contents are known.
  const bool future = header.version.major > kCurrentStablehloVersion.major;
  if (future || header.version < kOldestStablehloVersion ||
      header.bytecodeVersion > kNewestBytecode)
    return unsupported(
        "{}: the portable artifact was written by StableHLO {} in bytecode version {}; this build "
        "reads StableHLO {} to {} in bytecode versions up to {}. {}",
        name, version, header.bytecodeVersion, formatStablehloVersion(kOldestStablehloVersion),
        formatStablehloVersion(kCurrentStablehloVersion), kNewestBytecode,
        future ? "Write it for an older target version." : "Export it again.");
  return header;
}

std::string_view foreignFormat(std::span<const std::byte> bytes) {
  const std::string_view all(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  for (const auto& [start, format] : kSignatures)
    if (all.starts_with(start)) return format;
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

}  // namespace vintage::golden
