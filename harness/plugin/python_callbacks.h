// Calls of a program to Python: the custom calls by which JAX calls back, while a program runs, to
// the process that runs it. jax_plugins.vintage has the functions; docs/howto/pjrt_plugin.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

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
  int64_t number;
  int32_t inPlace;
  const HostArray* arguments;
  size_t argumentCount;
  const HostArray* results;
  size_t resultCount;
  char* message;  // Out, where it fails: why, in at most `room` bytes.
  size_t room;
};

// 0; or 1 where it failed. Called on any thread, and on several at once.
using CallPython = int (*)(const PythonCall* call);

// Null: programs that call Python are refused.
void setCallPython(CallPython call);

// Whether a custom call's target calls Python.
bool isPythonCallback(std::string_view target);

// Adds the targets to the engine's. Once.
void addPythonCallbackTargets();

}  // namespace vintage::harness
