// vintage-pjrt-worker: a PJRT plugin behind the worker protocol.

#include "harness/consumers/pjrt/worker_program.h"

int main(int argc, char** argv) {
  return vintage::harness::consumers::pjrt::runPluginWorker(argc, argv);
}
