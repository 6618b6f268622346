// The seeds of the fuzzer of kernels are kernels: it gets nowhere from one that is rejected.
#include <fstream>
#include <iterator>
#include <span>
#include <string>

#include <gtest/gtest.h>

#include "golden/kernels/kernel_reader.h"
#include "golden/module/triton_payload.h"

namespace vintage::tests {
using namespace golden;

namespace {

std::string seed(const std::string& name) {
  std::ifstream file(VINTAGE_SOURCE "/tests/fuzz/corpus/kernels/" + name, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

std::span<const std::byte> bytesOf(const std::string& text) {
  return std::as_bytes(std::span(text));
}

TEST(KernelSeeds, EachIsAKernel) {
  const std::string mosaic = seed("mosaic.mlir"), triton = seed("triton.mlir");
  const auto first = readMosaicKernel(bytesOf(mosaic), "mosaic.mlir");
  EXPECT_TRUE(first) << first.error().message;
  const auto second = readTritonKernel(bytesOf(triton), "triton.mlir");
  EXPECT_TRUE(second) << second.error().message;
  const auto printed = readTritonKernel(bytesOf(seed("triton_syntax.mlir")), "triton_syntax.mlir");
  EXPECT_TRUE(printed) << printed.error().message;
  const auto call = tritonPayload(seed("triton_call.zlib"));
  ASSERT_TRUE(call) << call.error().message;
  EXPECT_EQ(call->parameters.size(), 2u);
  EXPECT_TRUE(readTritonKernel(bytesOf(call->ttir), call->kernel));
}

}  // namespace
}  // namespace vintage::tests
