// vintage-worker: the embedded engine behind the worker protocol.

#include "harness/consumers/embedded/worker_program.h"

int main(int argc, char** argv) { return vintage::harness::consumers::embedded::runWorkerProgram(argc, argv); }
