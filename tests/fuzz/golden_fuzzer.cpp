// Any content under a right checksum is a golden or an error; a golden that was
// read writes and reads back to the same bytes.
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "golden/base/content_hash.h"
#include "golden/compare/golden.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto* begin = reinterpret_cast<const std::byte*>(data);
  std::vector<std::byte> bytes(begin, begin + size);
  // No fuzzer finds a SHA-256, so it is appended here.
  for (const char c : vintage::contentHash(bytes)) bytes.push_back(static_cast<std::byte>(c));
  const auto read = vintage::golden::readGolden(bytes, "fuzz");
  if (!read) return 0;
  const auto written = vintage::golden::writeGolden(*read);
  if (!written) std::abort();
  const auto again = vintage::golden::readGolden(*written, "written");
  if (!again || *vintage::golden::writeGolden(*again) != *written) std::abort();
  return 0;
}
