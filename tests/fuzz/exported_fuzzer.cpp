// Any bytes are an Exported or an error; what was read can be written where a
// version holds it, and reads back the same.
#include <cstdint>
#include <cstdlib>

#include "golden/exported/exported.h"
#include "tests/golden/exported/same_content.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto read =
      vintage::golden::readExported({reinterpret_cast<const std::byte*>(data), size}, "fuzz");
  if (!read) return 0;
  const auto written = vintage::golden::writeExported(*read);
  if (!written) return 0;
  const auto again = vintage::golden::readExported(*written, "written");
  if (!again || again->serializationVersion > read->serializationVersion) std::abort();
  // An HLO form beside a named sharding and the like may be left out once.
  const auto twice = vintage::golden::writeExported(*again);
  if (!twice ||
      !vintage::golden::sameContent(*again, *vintage::golden::readExported(*twice, "twice")))
    std::abort();
  return 0;
}
