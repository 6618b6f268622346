// vintage-worker: the embedded engine behind the worker protocol.

#include "harness/worker/worker_program.h"

int main(int argc, char** argv) { return vintage::runWorkerProgram(argc, argv); }
