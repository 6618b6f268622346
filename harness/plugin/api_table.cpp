// The table of functions that GetPjrtApi gives.
#include <utility>

#include "harness/plugin/buffers.h"
#include "harness/plugin/client.h"
#include "harness/plugin/entry.h"
#include "harness/plugin/executables.h"
#include "harness/plugin/extensions.h"
#include "harness/plugin/handles.h"
#include "harness/runtimes/pjrt/c_api_arguments.h"

namespace vintage::harness {
namespace {

// From 0.112 on a plugin owes tables of functions within its errors and memories.
constexpr int kApiMajor = 0, kApiMinor = 54;

// Every place that nobody fills answers by its number, never by ending the process.
template <size_t kPlace>
PluginError* refuse(void*) {
  return raise({Error::Kind::kUnsupported,
                fmt::format("the plugin of the embedded engine does not have function {} of the "
                            "PJRT C API (streams of host transfers)",
                            kPlace)});
}

template <size_t... kPlaces>
void refuseAll(Api& api, std::index_sequence<kPlaces...>) {
  ((api.functions[kPlaces] = reinterpret_cast<AnyFunction>(&refuse<kPlaces>)), ...);
}

Api makeTable() {
  Api api{};
  api.structSize = offsetof(Api, functions) + sizeof(api.functions);
  api.version.structSize = offsetof(ApiVersion, minorVersion) + sizeof(api.version.minorVersion);
  api.version.majorVersion = kApiMajor;
  api.version.minorVersion = kApiMinor;
  api.extension = profilerExtension(layoutsExtension());
  refuseAll(api, std::make_index_sequence<kSlotCount>());
  const auto put = [&](Slot slot, auto function) {
    api.functions[static_cast<size_t>(slot)] = reinterpret_cast<AnyFunction>(function);
  };
  put(Slot::kErrorDestroy, &destroyError);
  put(Slot::kErrorMessage, &tellErrorMessage);
  put(Slot::kErrorGetCode, &tellErrorCode);
  answerEvents(api);
  answerClients(api);
  answerDevices(api);
  answerTopologies(api);
  answerExecutables(api);
  answerBuffers(api);
  return api;
}

}  // namespace

const Api& apiTable() {
  static const Api kTable = makeTable();
  return kTable;
}

}  // namespace vintage::harness
