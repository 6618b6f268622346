// The kernel in a custom call of the targets triton_kernel_call and triton_kernel_call_ffi, as
// jax-triton writes it: a compressed protocol buffer.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "golden/base/result.h"
#include "golden/tensor/tensor.h"

namespace vintage::golden {

struct TritonPayload {
  struct Array {
    bool isZeroed = false;  // Before the kernel runs.
  };
  // An array of the call, the next operand or result; or a number.
  using Parameter = std::variant<Array, Tensor>;

  std::string kernel;  // The function's name.
  std::string ttir;    // MLIR's text; empty: there is only what a compiler made.
  std::string compiled;
  int64_t computeCapability = 0;  // 80 of 8.0; 0: not stated.
  std::array<int64_t, 3> grid{};
  std::vector<Parameter> parameters;
  // How many ways of running it a tuner may choose from; this is the first.
  int64_t configurations = 1;
};

// kResource where it grows beyond 64 MiB.
Result<TritonPayload> tritonPayload(std::string_view opaque);

}  // namespace vintage::golden
