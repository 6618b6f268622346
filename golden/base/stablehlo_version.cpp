#include "golden/base/stablehlo_version.h"

#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "golden/base/failures.h"

namespace vintage {

bool isNewerThanKnown(StablehloVersion version) {
  return std::pair(version.major, version.minor) >
         std::pair(kCurrentStablehloVersion.major, kCurrentStablehloVersion.minor);
}

Result<StablehloVersion> parseStablehloVersion(std::string_view text) {
  StablehloVersion version;
  int* const parts[] = {&version.major, &version.minor, &version.patch};
  const char* at = text.data();
  const char* const end = text.data() + text.size();
  for (int* part : parts) {
    // from_chars would take a sign.
    const bool digit = at != end && *at >= '0' && *at <= '9';
    const auto parsed = std::from_chars(at, end, *part);
    const bool last = part == &version.patch;
    if (!digit || parsed.ec != std::errc() || (last ? parsed.ptr != end : parsed.ptr == end) ||
        (!last && *parsed.ptr != '.'))
      return usageError(
          "\"{}\" is not a StableHLO version. Expected MAJOR.MINOR.PATCH, such as {}.", text,
          formatStablehloVersion(kCurrentStablehloVersion));
    at = last ? end : parsed.ptr + 1;
  }
  return version;
}

std::string formatStablehloVersion(StablehloVersion version) {
  return fmt::format("{}.{}.{}", version.major, version.minor, version.patch);
}

int mlirBytecodeVersion(StablehloVersion version) {
  struct Start {
    StablehloVersion stablehlo;
    int bytecode;
  };
  // From openxla/stablehlo, Version::getBytecodeVersion. Newest first.
  constexpr Start kStarts[] = {
      {{0, 15, 0}, 6}, {{0, 14, 0}, 4}, {{0, 12, 0}, 3}, {{0, 10, 0}, 1}, {{0, 9, 0}, 0}};
  for (const Start& start : kStarts)
    if (version >= start.stablehlo) return start.bytecode;
  return 0;
}

}  // namespace vintage
