#include "harness/runtimes/pjrt/plugin.h"

#include <array>
#include <charconv>

#include <dlfcn.h>

#include "golden/base/failures.h"

namespace vintage::harness {
namespace {

// absl::StatusCode, as every plugin's errors carry it.
constexpr std::array kErrorCodes = {
    "OK",        "CANCELLED",      "UNKNOWN",           "INVALID_ARGUMENT",   "DEADLINE_EXCEEDED",
    "NOT_FOUND", "ALREADY_EXISTS", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION",
    "ABORTED",   "OUT_OF_RANGE",   "UNIMPLEMENTED",     "INTERNAL",           "UNAVAILABLE",
    "DATA_LOSS", "UNAUTHENTICATED"};
// The oldest API whose table has the order of Slot.
constexpr int kOldestApiMinor = 54;
constexpr int kResourceExhausted = 8, kUnimplemented = 12;
constexpr size_t kLongestMessage = 8000;
// How every plugin of XLA's words that it knows a longer structure.
constexpr const char* kStructureTooShort = "Unexpected PJRT_FFI_Register_Handler_Args size";

Error::Kind kindOf(int code) {
  if (code == kResourceExhausted) return Error::Kind::kResource;
  return code == kUnimplemented ? Error::Kind::kUnsupported : Error::Kind::kBadInput;
}

std::optional<int64_t> parseInteger(const std::string& text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

Result<PluginOption> parsePluginOption(std::string_view text) {
  const size_t equals = text.find('=');
  if (equals == text.npos || equals == 0)
    return usageError("'{}' is no option of a plugin; write NAME=VALUE", text);
  return PluginOption{std::string(text.substr(0, equals)), std::string(text.substr(equals + 1))};
}

std::vector<NamedValue> namedValues(const std::vector<PluginOption>& options) {
  std::vector<NamedValue> values;
  for (const PluginOption& option : options) {
    NamedValue value = namedValue(option.name, NamedValue::Type::kInt64);
    if (const auto integer = parseInteger(option.value)) {
      value.integer = *integer;
    } else if (option.value == "true" || option.value == "false") {
      value.type = NamedValue::Type::kBool;
      value.flag = option.value == "true";
    } else {
      value.type = NamedValue::Type::kString;
      value.text = option.value.data();
      value.valueSize = option.value.size();
    }
    values.push_back(value);
  }
  return values;
}

Result<std::unique_ptr<Plugin>> Plugin::load(const std::filesystem::path& library) {
  // Its symbols stay its own: two LLVMs in one process would mix otherwise.
  void* handle = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) return ioError("the plugin cannot be loaded: {}", ::dlerror());
  const auto getApi = reinterpret_cast<const Api* (*)()>(::dlsym(handle, "GetPjrtApi"));
  if (!getApi)
    return ioError("{} is no PJRT plugin: it has no function GetPjrtApi", library.string());
  const Api* api = getApi();
  if (!api) return ioError("{}: GetPjrtApi gives no table of functions", library.string());
  std::unique_ptr<Plugin> plugin(new Plugin(*api));
  if (api->version.majorVersion != 0 || api->version.minorVersion < kOldestApiMinor)
    return unsupported("{} is of PJRT API {}; 0.{} and newer are supported", library.string(),
                       plugin->apiVersion(), kOldestApiMinor);
  PluginInitialize initialize;
  RETURN_IF_ERROR(plugin->call(initialize));
  RETURN_IF_ERROR(plugin->readStablehloVersion());
  return plugin;
}

std::string Plugin::apiVersion() const {
  return fmt::format("{}.{}", api_.version.majorVersion, api_.version.minorVersion);
}

bool Plugin::has(Slot slot) const {
  const size_t end = offsetof(Api, functions) + (static_cast<size_t>(slot) + 1) * sizeof(void*);
  return api_.structSize >= end && api_.functions[static_cast<size_t>(slot)] != nullptr;
}

Error Plugin::takeError(PluginError* error) const {
  ErrorMessage message;
  message.object = error;
  reinterpret_cast<void (*)(void*)>(api_.functions[size_t(Slot::kErrorMessage)])(&message);
  ErrorGetCode code;
  code.object = error;
  // The result is ignored: an error about an error says nothing.
  reinterpret_cast<PluginError* (*)(void*)>(api_.functions[size_t(Slot::kErrorGetCode)])(&code);
  std::string text(message.items ? message.items : "", message.items ? message.count : 0);
  if (text.size() > kLongestMessage) text.replace(kLongestMessage, text.npos, " … (cut off)");
  const bool known = code.value > 0 && code.value < static_cast<int>(kErrorCodes.size());
  // Some plugins put the code into the message themselves.
  const std::string name = known ? kErrorCodes[code.value] : fmt::format("error {}", code.value);
  if (!text.starts_with(name)) text = fmt::format("{}: {}", name, text);
  ErrorDestroy destroy;
  destroy.object = error;
  reinterpret_cast<void (*)(void*)>(api_.functions[size_t(Slot::kErrorDestroy)])(&destroy);
  return {kindOf(code.value), std::move(text)};
}

Status Plugin::callSlot(Slot slot, void* arguments) const {
  if (!has(slot))
    return unsupported("the plugin's API {} has no function {} of the table", apiVersion(),
                       static_cast<size_t>(slot));
  const auto function =
      reinterpret_cast<PluginError* (*)(void*)>(api_.functions[static_cast<size_t>(slot)]);
  if (PluginError* error = function(arguments)) return tl::unexpected(takeError(error));
  return {};
}

const FfiExtension* Plugin::ffiExtension() const {
  for (auto* each = static_cast<const ApiExtension*>(api_.extension); each; each = each->next)
    if (each->type == kFfiExtensionType && each->structSize >= sizeof(FfiExtension))
      return reinterpret_cast<const FfiExtension*>(each);
  return nullptr;
}

Status Plugin::registerHandler(const std::string& target, const std::string& platform,
                               FfiHandler handler) const {
  const FfiExtension* ffi = ffiExtension();
  if (!ffi || !ffi->registerHandler)
    return unsupported("the plugin's API {} has no FFI extension", apiVersion());
  FfiRegisterHandler arguments{offsetof(FfiRegisterHandler, traits) + sizeof(int),
                               target.data(),
                               target.size(),
                               reinterpret_cast<void*>(handler),
                               platform.data(),
                               platform.size(),
                               0};
  PluginError* refused = ffi->registerHandler(&arguments);
  if (!refused) return {};
  Error error = takeError(refused);
  if (error.message.find(kStructureTooShort) == std::string::npos) return tl::unexpected(error);
  FfiRegisterHandlerOfKind older{offsetof(FfiRegisterHandlerOfKind, traits) + sizeof(int),
                                 target.data(),
                                 target.size(),
                                 kTypedHandler,
                                 reinterpret_cast<void*>(handler),
                                 platform.data(),
                                 platform.size(),
                                 0};
  if (PluginError* again = ffi->registerHandler(&older)) return tl::unexpected(takeError(again));
  return {};
}

Status Plugin::await(PluginEvent* event) const {
  if (!event) return {};
  Status status = call<EventAwait>(event);
  (void)call<EventDestroy>(event);  // The caller can do nothing about a failure.
  return status;
}

Status Plugin::readStablehloVersion() {
  // A plugin may leave its attributes out.
  if (!has(Slot::kPluginAttributes)) return {};
  PluginAttributes answer;
  RETURN_IF_ERROR(call(answer));
  for (const NamedValue& value : std::span(answer.attributes, answer.count))
    if (std::string_view(value.name, value.nameSize) == "stablehlo_current_version" &&
        value.type == NamedValue::Type::kInt64List && value.valueSize == 3)
      stablehloVersion_ = {static_cast<int>(value.integers[0]), static_cast<int>(value.integers[1]),
                           static_cast<int>(value.integers[2])};
  return {};
}

}  // namespace vintage::harness
