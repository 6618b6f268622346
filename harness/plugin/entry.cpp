#include "harness/plugin/entry.h"

#include "harness/plugin/buffers.h"
#include "harness/plugin/client.h"
#include "harness/plugin/custom_partitioner.h"
#include "harness/plugin/executables.h"
#include "harness/plugin/extensions.h"
#include "harness/plugin/python_callbacks.h"

namespace vintage::harness {
namespace {

int codeOf(Error::Kind kind) {
  switch (kind) {
    case Error::Kind::kUsage:
    case Error::Kind::kBadInput:
      return 3;  // INVALID_ARGUMENT
    case Error::Kind::kUnsupported:
      return 12;  // UNIMPLEMENTED
    case Error::Kind::kNotFound:
    case Error::Kind::kNothing:
      return 5;  // NOT_FOUND
    case Error::Kind::kConflict:
      return 9;  // FAILED_PRECONDITION
    case Error::Kind::kResource:
      return 8;  // RESOURCE_EXHAUSTED
    case Error::Kind::kIo:
    case Error::Kind::kMismatch:
      break;
  }
  return 13;  // INTERNAL
}

// For errors when memory is short; destroyError does not free it.
RaisedError& lastError() {
  static RaisedError error{8, "this machine has no memory left"};
  return error;
}

Status callWhenReady(SettledEvent&, EventOnReady& arguments) {
  if (!arguments.callback) return usageError("there is no function to call when it is ready");
  arguments.callback(nullptr, arguments.argument);
  return {};
}

void destroyError(void* arguments) {
  auto* error = objectOf<RaisedError>(static_cast<ErrorDestroy*>(arguments)->object);
  if (error != &lastError()) delete error;
}

void tellErrorMessage(void* arguments) {
  auto& asked = *static_cast<ErrorMessage*>(arguments);
  const auto* error = reinterpret_cast<const RaisedError*>(asked.object);
  asked.items = error ? error->message.data() : "";
  asked.count = error ? error->message.size() : 0;
}

PluginError* tellErrorCode(void* arguments) {
  auto& asked = *static_cast<ErrorGetCode*>(arguments);
  asked.value = asked.object ? reinterpret_cast<const RaisedError*>(asked.object)->code : 0;
  return nullptr;
}

}  // namespace

PluginError* raise(const Error& error) try {
  return handleOf(new RaisedError{codeOf(error.kind), error.message});
} catch (const std::bad_alloc&) {
  return handleOf(&lastError());
}

PluginEvent* settledEvent() {
  static SettledEvent event;
  return handleOf(&event);
}

namespace {

void answerErrorsAndEvents(Api& api) {
  // The first two slots are not functions.
  const auto put = [&](Slot slot, auto function) {
    api.functions[static_cast<size_t>(slot)] = reinterpret_cast<AnyFunction>(function);
  };
  put(Slot::kErrorDestroy, &destroyError);
  put(Slot::kErrorMessage, &tellErrorMessage);
  put(Slot::kErrorGetCode, &tellErrorCode);
  tell<EventDestroy, [](SettledEvent&) {}>(api);
  tell<EventIsReady, [](SettledEvent&) { return true; }>(api);
  tell<EventError, [](SettledEvent&) {}>(api);
  tell<EventAwait, [](SettledEvent&) {}>(api);
  answer<callWhenReady>(api);
}

// Below 0.81 and 0.91 clients read layouts and shardings from the text of each program, which
// takes longer than compiling it. From 0.112 on a plugin must have tables of functions within its
// errors and memories.
constexpr int kApiMajor = 0, kApiMinor = 93;

// An unimplemented slot returns an error with its number, and never ends the process.
template <size_t kPlace>
PluginError* refuse(void*) {
  return raise(
      {Error::Kind::kUnsupported,
       fmt::format("the plugin of the embedded engine does not have function {} of the "
                   "PJRT C API (transfers in pieces, events and buffers that a client makes)",
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
  api.extension =
      profilerExtension(customPartitionerExtension(shardingsExtension(layoutsExtension())));
  addPythonCallbackTargets();
  refuseAll(api, std::make_index_sequence<kSlotCount>());
  answerErrorsAndEvents(api);
  answerClients(api);
  answerDevices(api);
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
