// What libvintage_lapack.so gives to the worker that loads it, in C's terms: the two share no
// other code.
#pragma once

#include <cstddef>
#include <cstdint>

#include "harness/runtimes/pjrt/c_api_ffi.h"

namespace vintage::harness {

struct FfiKernel {
  const char* target;  // "lapack_spotrf_ffi"
  FfiHandler handler;
};

struct KernelTable {
  const FfiKernel* kernels;
  size_t count;
  // How often the kernel of this place was called so far.
  uint64_t (*calls)(size_t place);
};
inline constexpr const char* kKernelTableFunction = "vintage_lapack_kernels";
using KernelTableFunction = const KernelTable* (*)();

}  // namespace vintage::harness
