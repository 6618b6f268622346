// libvintage_lapack.so: the one symbol that it exports.

#include "harness/consumers/pjrt/kernels/handlers.h"

extern "C" __attribute__((visibility("default")))
const vintage::harness::consumers::pjrt::KernelTable*
vintage_lapack_kernels() {
  return &vintage::harness::consumers::pjrt::kernels::lapackKernelTable();
}
