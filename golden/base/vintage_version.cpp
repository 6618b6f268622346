#include "golden/base/vintage_version.h"

namespace vintage::golden::base {

std::string vintageVersion() { return VINTAGE_VERSION; }
std::string llvmVersion() { return VINTAGE_LLVM_VERSION; }

}  // namespace vintage::golden::base
