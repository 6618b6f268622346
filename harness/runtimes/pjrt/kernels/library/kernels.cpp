// libvintage_lapack.so: the one symbol that it exports.

#include "harness/runtimes/pjrt/kernels/handlers.h"

extern "C" __attribute__((visibility("default"))) const vintage::harness::KernelTable*
vintage_lapack_kernels() {
  return &vintage::harness::lapackKernelTable();
}
