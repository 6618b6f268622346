// Calls of a program to Python: the custom calls by which JAX calls back, while a program runs, to
// the process that runs it. jax_plugins.vintage has the functions; docs/howto/pjrt_plugin.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "golden/base/result.h"
#include "golden/module/module_tree.h"

namespace vintage::harness {

// An array in C's order, for as long as the call lasts.
struct HostArray {
  const char* dtype;  // NumPy's name; null: a token, without data.
  int64_t rank;
  const int64_t* shape;
  void* data;
};

// Function `number` is to be called with the arguments, and its results written. In place: it is
// called with its arguments and results, and writes these itself.
struct PythonCall {
  int64_t number = 0;
  int32_t inPlace = 0;
  const HostArray* arguments = nullptr;
  size_t argumentCount = 0;
  const HostArray* results = nullptr;
  size_t resultCount = 0;
  char* message = nullptr;  // Out, where it fails: why, in at most `room` bytes.
  size_t room = 0;
};

// 0; or 1 where it failed. Called on any thread, and on several at once.
using CallPython = int (*)(const PythonCall* call);

// Null: programs that call Python are refused.
void setCallPython(CallPython call);

// Whether a custom call's target calls Python.
bool isPythonCallback(std::string_view target);
// Whether each device calls it, with its part of the operands.
bool isPartitionedPythonCallback(std::string_view target);

// Calls the function of an operation now, with `bytes` as its only argument.
Status callPythonWith(const golden::Operation& operation, std::string_view bytes);

// Adds the targets to the engine's. Once.
void addPythonCallbackTargets();

}  // namespace vintage::harness
