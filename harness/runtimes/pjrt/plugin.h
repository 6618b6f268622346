// A plugin that was loaded, the calls to its functions, and what they give out.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "golden/base/result.h"
#include "golden/base/stablehlo_version.h"
#include "harness/runtimes/pjrt/c_api_arguments.h"
#include "harness/runtimes/pjrt/c_api_ffi.h"

namespace vintage::harness {

// A value of an option, as `NAME=VALUE` was typed: an integer, true or false, or else text.
struct PluginOption {
  std::string name, value;
};
Result<PluginOption> parsePluginOption(std::string_view text);

class Plugin {
 public:
  // Loads the library and initializes it. kIo: it cannot be loaded, or is no plugin;
  // kUnsupported: of an API that is not known here. It stays loaded to the end.
  static Result<std::unique_ptr<Plugin>> load(const std::filesystem::path& library);

  std::string apiVersion() const;  // "0.81"
  // The newest StableHLO version that it reads, as far as it says.
  const std::optional<StablehloVersion>& stablehloVersion() const { return stablehloVersion_; }

  // kUnsupported where an older plugin has no such function; else what the plugin answers,
  // as "INVALID_ARGUMENT: …", with the kind that its code has here.
  template <typename Arguments>
  Status call(Arguments& arguments) const {
    return callSlot(Arguments::kSlot, &arguments);
  }
  // Of ObjectArguments, ValueArguments or ListArguments: what comes back for the object.
  template <typename Arguments>
  auto call(decltype(Arguments::object) object) const {
    Arguments arguments;
    arguments.object = object;
    Status called = call(arguments);
    if constexpr (requires { arguments.value; })
      return called.map([&] { return arguments.value; });
    else if constexpr (requires { arguments.items; })
      return called.map([&] { return std::span(arguments.items, arguments.count); });
    else
      return called;
  }
  // As call(), of a list that is a text.
  template <typename Arguments>
  Result<std::string> text(decltype(Arguments::object) object) const {
    ASSIGN_OR_RETURN(const auto letters, call<Arguments>(object));
    return std::string(letters.begin(), letters.end());
  }
  // For programs of the platform that call `target`, a custom call of the typed FFI.
  // kUnsupported where the plugin has no FFI extension; else why it refuses, as call() says it.
  Status registerHandler(const std::string& target, const std::string& platform,
                         FfiHandler handler) const;

  // Waits for the event, if there is one, and destroys it.
  Status await(PluginEvent* event) const;

 private:
  explicit Plugin(const Api& api) : api_(api) {}
  Status callSlot(Slot slot, void* arguments) const;
  Error takeError(PluginError* error) const;
  bool has(Slot slot) const;
  const FfiExtension* ffiExtension() const;
  Status readStablehloVersion();

  const Api& api_;
  std::optional<StablehloVersion> stablehloVersion_;
};

// Options in the form of the API, which refers to `options`.
std::vector<NamedValue> namedValues(const std::vector<PluginOption>& options);

// Owns a handle that a plugin gave out, and gives it back at the end. `Destroy` is the argument of
// the function that destroys it.
template <typename Destroy>
struct GivenBack {
  const Plugin* plugin = nullptr;
  // The owner can do nothing about a failure.
  void operator()(decltype(Destroy::object) handle) const { (void)plugin->call<Destroy>(handle); }
};
template <typename Destroy>
using Owned = std::unique_ptr<std::remove_pointer_t<decltype(Destroy::object)>, GivenBack<Destroy>>;
template <typename Destroy>
Owned<Destroy> own(const Plugin& plugin, decltype(Destroy::object) handle) {
  return {handle, GivenBack<Destroy>{&plugin}};
}

using OwnedBuffer = Owned<BufferDestroy>;
using OwnedLoadedExecutable = Owned<LoadedExecutableDestroy>;
using OwnedTopology = Owned<TopologyDescriptionDestroy>;
using OwnedClient = Owned<ClientDestroy>;

}  // namespace vintage::harness
