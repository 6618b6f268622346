// The embedded engine as a worker's program: options, limits, and the protocol on
// the standard streams. vintage-worker is nothing else.
#pragma once

namespace vintage::harness {

// The exit status.
int runWorkerProgram(int argc, char** argv);

}  // namespace vintage::harness
