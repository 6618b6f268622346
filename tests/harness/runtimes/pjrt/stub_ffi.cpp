#include "tests/harness/runtimes/pjrt/stub_ffi.h"

#include <cstdlib>
#include <map>
#include <string_view>

namespace vintage::harness {

struct FfiError {
  int code;
  std::string message;
};

namespace {

constexpr int kMajor = 0, kMinor = 3;

bool environmentSays(std::string_view word) {
  const char* value = std::getenv("STUB_FFI");
  return value && value == word;
}

FfiError* createError(FfiErrorCreate* args) { return new FfiError{args->code, args->message}; }

const FfiApi kApi{sizeof(FfiApi),
                  nullptr,
                  {sizeof(FfiApiVersion), nullptr, kMajor, kMinor},
                  nullptr,
                  &createError};

std::map<std::string, FfiHandler>& handlers() {
  static std::map<std::string, FfiHandler> all;
  return all;
}

// As in XLA: a handler states its version before it is accepted.
PluginError* keep(const std::string& target, const std::string& platform, void* function) {
  if (platform != "cpu") return new PluginError{kNotFound, "no platform " + platform};
  if (environmentSays("taken"))
    return new PluginError{kAlreadyExists, "Duplicate FFI handler registration for " + target};
  const auto handler = reinterpret_cast<FfiHandler>(function);
  FfiMetadata metadata{sizeof(FfiMetadata), {sizeof(FfiApiVersion), nullptr, -1, -1}, 7};
  FfiMetadataExtension asked{{sizeof(FfiMetadataExtension), kMetadataExtensionType, nullptr},
                             &metadata};
  FfiCallFrame frame{};
  frame.structSize = sizeof(frame);
  frame.extension = &asked.base;
  frame.api = &kApi;
  if (handler(&frame) || metadata.version.major != kMajor || metadata.version.minor != kMinor ||
      metadata.traits != 0)
    return new PluginError{kInvalid, "the handler's API version is incompatible"};
  handlers()[target] = handler;
  return nullptr;
}

template <typename Arguments>
PluginError* registerAs(const Arguments* args) {
  if (args->structSize < offsetof(Arguments, traits) + sizeof(int))
    return new PluginError{kInvalid,
                           "Unexpected PJRT_FFI_Register_Handler_Args size: expected 60, got 52. "
                           "Check installed software versions."};
  if constexpr (requires { args->kind; })
    if (args->kind != kTypedHandler) return new PluginError{kInvalid, "no typed handler"};
  return keep(std::string(args->target, args->targetSize),
              std::string(args->platform, args->platformSize), args->handler);
}

PluginError* registerHandler(void* given) {
  if (environmentSays("older"))
    return registerAs(static_cast<const FfiRegisterHandlerOfKind*>(given));
  return registerAs(static_cast<const FfiRegisterHandler*>(given));
}

FfiBuffer bufferOf(int type, void* data, std::vector<int64_t>& dimensions) {
  return {sizeof(FfiBuffer), nullptr, type, data, static_cast<int64_t>(dimensions.size()),
          dimensions.data()};
}

}  // namespace

void* stubExtension() {
  static const ApiExtension other{sizeof(ApiExtension), 9, nullptr};
  static FfiExtension ffi{
      {sizeof(FfiExtension), kFfiExtensionType, &other}, nullptr, nullptr, &registerHandler};
  // It stands second, as in XLA's plugins.
  static ApiExtension first{sizeof(ApiExtension), 6, &ffi.base};
  return environmentSays("none") ? nullptr : &first;
}

PluginError* callStubTarget(const std::string& target, int64_t n, std::vector<char>& matrix) {
  constexpr int kF32 = 11, kS32 = 4, kU8 = 6;
  const auto found = handlers().find(target);
  if (found == handlers().end())
    return new PluginError{kNotFound, "No FFI handler registered for " + target};
  std::vector<int64_t> square{n, n}, scalar;
  std::vector<char> factor(matrix.size());
  int32_t info = -1;
  FfiBuffer operand = bufferOf(kF32, matrix.data(), square);
  FfiBuffer result = bufferOf(kF32, factor.data(), square), second = bufferOf(kS32, &info, scalar);
  int bufferTypes[] = {kFfiBuffer, kFfiBuffer}, scalarType = kFfiScalar;
  void* operands[] = {&operand};
  void* results[] = {&result, &second};
  uint8_t letter = 'L';
  FfiScalar uplo{kU8, &letter};
  FfiBytes name{"uplo", 4};
  FfiBytes* names[] = {&name};
  void* attributes[] = {&uplo};
  FfiCallFrame frame{};
  frame.structSize = sizeof(frame);
  frame.api = &kApi;
  frame.stage = kFfiExecute;
  frame.arguments = {sizeof(FfiArguments), nullptr, 1, bufferTypes, operands};
  frame.results = {sizeof(FfiArguments), nullptr, 2, bufferTypes, results};
  frame.attributes = {sizeof(FfiAttributes), nullptr, 1, &scalarType, names, attributes};
  if (FfiError* error = found->second(&frame)) {
    auto* failure = new PluginError{error->code, error->message};
    delete error;
    return failure;
  }
  if (info != 0) return new PluginError{kInvalid, "info is " + std::to_string(info)};
  matrix = factor;
  return nullptr;
}

}  // namespace vintage::harness
