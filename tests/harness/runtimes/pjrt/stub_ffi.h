// The stub plugin's FFI extension, which calls the handlers that were registered with it.
//
// The environment variable STUB_FFI changes it: "none" offers no extension, "older" knows the
// longer structure with the handler's kind, "taken" has each target already.
#pragma once

#include <string>
#include <vector>

#include "harness/runtimes/pjrt/c_api_ffi.h"

namespace vintage::harness {

// absl::StatusCode
inline constexpr int kUnknown = 2, kInvalid = 3, kNotFound = 5, kAlreadyExists = 6, kExhausted = 8,
                     kUnimplemented = 12;

struct PluginError {
  int code;
  std::string message;
};

// Null where none is offered.
void* stubExtension();

// Calls the target as jaxlib's lowering of a Cholesky factorization does: an f32[n,n] in column
// major order, uplo = 'L', and i32[] as the second result. Null, and the factor in `matrix`; or
// what the handler answered.
PluginError* callStubTarget(const std::string& target, int64_t n, std::vector<char>& matrix);

}  // namespace vintage::harness
