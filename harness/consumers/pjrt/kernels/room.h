// The engine's LAPACK kernels as handlers of XLA's typed FFI: the library libvintage_lapack.so,
// which vintage-pjrt-worker loads where --ffi asks for it. A worker without it shares its
// process with no LAPACK.
#pragma once

namespace vintage::golden::base {}
namespace vintage::golden::tensor {}
namespace vintage::harness::engine {}
namespace vintage::harness::consumers::pjrt {}

namespace vintage::harness::consumers::pjrt::kernels {
using namespace golden::base;
using namespace golden::tensor;
using namespace harness::engine;
using namespace harness::consumers::pjrt;
}  // namespace vintage::harness::consumers::pjrt::kernels
