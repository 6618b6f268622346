// The part of the C interfaces of custom calls that registering kernels needs, in declarations
// of our own: PJRT's extension that registers a handler, and the frame in which XLA's typed FFI
// calls one.
//
// Facts: pjrt_c_api_ffi_extension.h and xla/ffi/api/c_api.h, whose version 0.1 to 0.3 these
// declarations fit; tests/runtime/pjrt compares them with the header that jaxlib carries.
#pragma once

#include <cstddef>
#include <cstdint>

#include "harness/runtimes/pjrt/c_api.h"

namespace vintage::harness {

// Api::extension begins a list of these.
struct ApiExtension {
  size_t structSize;
  int type;
  const ApiExtension* next;
};
inline constexpr int kFfiExtensionType = 5;

struct FfiExtension {
  ApiExtension base;
  AnyFunction registerType, addUserData;
  PluginError* (*registerHandler)(void* arguments);
};

// The arguments of registerHandler. Before API 0.81 they held a number for the kind of handler; a
// plugin refuses a structure that is shorter than the one it knows.
struct FfiRegisterHandler {
  size_t structSize;
  const char* target;
  size_t targetSize;
  void* handler;
  const char* platform;
  size_t platformSize;
  int traits;
};
struct FfiRegisterHandlerOfKind {
  size_t structSize;
  const char* target;
  size_t targetSize;
  int kind;  // 1: typed.
  void* handler;
  const char* platform;
  size_t platformSize;
  int traits;
};
inline constexpr int kTypedHandler = 1;

struct FfiError;
struct FfiBytes {
  const char* text;
  size_t size;
};
struct FfiScalar {
  int type;
  void* value;
};
struct FfiBuffer {
  size_t structSize;
  void* extension;
  int type;
  void* data;
  int64_t rank;
  int64_t* dimensions;
};
struct FfiArguments {
  size_t structSize;
  void* extension;
  int64_t size;
  int* types;
  void** values;
};
struct FfiAttributes {
  size_t structSize;
  void* extension;
  int64_t size;
  int* types;
  FfiBytes** names;
  void** values;
};

struct FfiApiVersion {
  size_t structSize;
  void* extension;
  int major, minor;
};
struct FfiErrorCreate {
  size_t structSize;
  void* extension;
  const char* message;
  int code;  // absl::StatusCode
};
struct FfiApi {  // It goes on.
  size_t structSize;
  void* extension;
  FfiApiVersion version;
  const void* internal;
  FfiError* (*createError)(FfiErrorCreate* arguments);
};

struct FfiFrameExtension {
  size_t structSize;
  int type;
  FfiFrameExtension* next;
};
struct FfiMetadata {  // It goes on.
  size_t structSize;
  FfiApiVersion version;
  uint32_t traits;
};
struct FfiMetadataExtension {
  FfiFrameExtension base;
  FfiMetadata* metadata;
};
inline constexpr int kMetadataExtensionType = 1;

struct FfiCallFrame {  // It goes on.
  size_t structSize;
  FfiFrameExtension* extension;
  const FfiApi* api;
  void* context;
  int stage;
  FfiArguments arguments;
  FfiArguments results;
  FfiAttributes attributes;
};
using FfiHandler = FfiError* (*)(FfiCallFrame * frame);

// Values of the fields `type` and `stage`.
inline constexpr int kFfiBuffer = 1;  // Of arguments and of results.
inline constexpr int kFfiScalar = 3;  // Of attributes.
inline constexpr int kFfiExecute = 3;

// The kernels that libvintage_lapack.so gives to the worker that loads it, in C's terms: the two
// share no other code.

struct FfiKernel {
  const char* target;  // "lapack_spotrf_ffi"
  FfiHandler handler;
};

struct KernelTable {
  const FfiKernel* kernels;
  size_t count;
  // How often the kernel of this place was called so far.
  uint64_t (*calls)(size_t place);
};
inline constexpr const char* kKernelTableFunction = "vintage_lapack_kernels";
using KernelTableFunction = const KernelTable* (*)();

}  // namespace vintage::harness
