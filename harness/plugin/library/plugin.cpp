// libvintage_pjrt.so: the symbol that a PJRT plugin exports, and the one by which
// jax_plugins.vintage gives the function that calls Python.

#include "harness/plugin/entry.h"
#include "harness/plugin/python_callbacks.h"

extern "C" __attribute__((visibility("default"))) const vintage::harness::Api* GetPjrtApi() {
  return &vintage::harness::apiTable();
}

extern "C" __attribute__((visibility("default"))) void vintage_set_call_python(
    vintage::harness::CallPython call) {
  vintage::harness::setCallPython(call);
}
