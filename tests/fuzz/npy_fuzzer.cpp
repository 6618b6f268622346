// Any bytes are an array or an error, whichever element type is expected; an
// array writes and reads back the same.
#include <cstdint>
#include <cstdlib>
#include <optional>

#include "golden/tensor/npy.h"
#include "golden/tensor/print.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  // The first byte chooses the expected type, or none.
  std::optional<vintage::golden::ElementType> expected;
  if (data[0] < vintage::golden::kElementTypeCount)
    expected = static_cast<vintage::golden::ElementType>(data[0]);
  const auto* bytes = reinterpret_cast<const std::byte*>(data) + 1;
  const auto read = vintage::golden::readNpy({bytes, size - 1}, "fuzz", expected);
  if (!read) return 0;
  if (vintage::golden::formatTensor(*read, 10).empty()) std::abort();
  const auto again =
      vintage::golden::readNpy(vintage::golden::writeNpy(*read), "written", read->type());
  if (!again || !again->identical(*read)) std::abort();
  return 0;
}
