// The embedded engine as a PJRT plugin, libvintage_pjrt.so, which JAX and any other client of the
// PJRT C API load.
//
//   GetPjrtApi (library/)  ->  api_table   a function for each place of the table (API 0.54,
//                                          97 places), which JAX 0.4.30 and newer take
//                          ->  entry       what all functions share: argument structures of any
//                                          size, missing objects, exceptions, errors
//   settings                               what the environment and create options choose
//   client, devices, topologies            logical devices, each with one memory
//   buffers, host_layout                   a Tensor on a device, and the arrays of a host
//   compile_request, compiled_program      CompileOptionsProto and a program, planned
//   executables, serialized_program        what a client holds of it, and keeps on its disk
//   output_shardings, layouts_extension    how results lie on devices, and arrays in memory
//   profiler_extension                     what jax.profiler asks for
//   execution                              one run over all devices of a program
//   recorder                               programs with inputs and outputs, into an archive
//
// Everything happens in the call that asks for it: events are settled when they are given out.
// What the engine lacks is one UNIMPLEMENTED error with a sentence. The library hides its
// symbols, so that a client with an MLIR of its own keeps that.
#pragma once

namespace vintage::golden::base {}
namespace vintage::golden::tensor {}
namespace vintage::golden::module {}
namespace vintage::golden::program {}
namespace vintage::golden::compare {}
namespace vintage::archive::store {}
namespace vintage::harness::engine {}
namespace vintage::harness::consumers::embedded {}
namespace vintage::harness::consumers::pjrt {}
namespace vintage::harness::importer {}

namespace vintage::harness::plugin {
using namespace golden::base;
using namespace golden::tensor;
using namespace golden::module;
using namespace golden::program;
using namespace golden::compare;
using namespace archive::store;
using namespace harness::engine;
using namespace harness::consumers::embedded;
using namespace harness::consumers::pjrt;
using namespace harness::importer;
}  // namespace vintage::harness::plugin
