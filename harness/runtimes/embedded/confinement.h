// An artifact is data from a stranger, and the engine reads it in C++: whoever takes over a worker
// by one is to reach nothing.
#pragma once

#include "golden/base/result.h"

namespace vintage::harness {

// From here on this process opens no file, reaches no network, starts no program or process, gives
// no memory to be executed and signals nobody but itself; such calls fail with EPERM. It keeps what
// it has open. kUnsupported where the kernel does not take the filter.
Status confine();

}  // namespace vintage::harness
