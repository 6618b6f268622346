// Any bytes are an array or an error, whichever element type is expected; an
// array writes and reads back the same.
#include <cstdint>
#include <cstdlib>
#include <optional>

#include "golden/tensor/npy.h"
#include "golden/tensor/print.h"
#include "tests/rooms.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  // The first byte chooses the expected type, or none.
  std::optional<vintage::tests::ElementType> expected;
  if (data[0] < vintage::tests::kElementTypeCount) expected = static_cast<vintage::tests::ElementType>(data[0]);
  const auto* bytes = reinterpret_cast<const std::byte*>(data) + 1;
  const auto read = vintage::tests::readNpy({bytes, size - 1}, "fuzz", expected);
  if (!read) return 0;
  if (vintage::tests::formatTensor(*read, 10).empty()) std::abort();
  const auto again = vintage::tests::readNpy(vintage::tests::writeNpy(*read), "written", read->type());
  if (!again || !again->identical(*read)) std::abort();
  return 0;
}
