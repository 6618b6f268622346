// Any bytes are a kernel or an error, to each reader of kernels.
#include <cstdint>
#include <cstdlib>

#include "golden/kernels/kernel_reader.h"
#include "golden/module/triton_payload.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace vintage;
  const std::span bytes(reinterpret_cast<const std::byte*>(data), size);
  const auto check = [](const auto& read) {
    if (!read && read.error().message.empty()) std::abort();
  };
  check(golden::readMosaicKernel(bytes, "fuzz"));
  check(golden::readTritonKernel(bytes, "fuzz"));
  check(golden::tritonPayload({reinterpret_cast<const char*>(data), size}));
  return 0;
}
