// vintage-worker: the embedded engine behind the worker protocol.

#include "harness/runtimes/embedded/worker_program.h"

// Read by jemalloc as it starts, where the program is linked with it. What keepFreedMemory() asks
// of the C library: tensors of up to 32 MiB find the pages of the ones before, larger ones are
// given back at once.
extern "C" const char* malloc_conf;
const char* malloc_conf = "oversize_threshold:33554432";

int main(int argc, char** argv) { return vintage::harness::runWorkerProgram(argc, argv); }
