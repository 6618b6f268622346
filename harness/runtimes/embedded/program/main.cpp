// vintage-worker: the embedded engine behind the worker protocol.

#include "harness/runtimes/embedded/worker_program.h"

// Read by jemalloc as it starts, where the program is linked with it. It has the effect that
// keepFreedMemory() has on the C library: tensors of up to 32 MiB reuse the pages of earlier ones,
// larger ones are given back at once.
extern "C" const char* malloc_conf;
const char* malloc_conf = "oversize_threshold:33554432";

int main(int argc, char** argv) { return vintage::harness::runWorkerProgram(argc, argv); }
