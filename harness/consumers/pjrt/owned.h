// What a plugin gave out, given back to it at the end.
#pragma once

#include <utility>

#include "harness/consumers/pjrt/plugin.h"
#include "harness/consumers/pjrt/room.h"

namespace vintage::harness::consumers::pjrt {

// `kField` is where the function that destroys it takes it:
// Owned<BufferDestroy, &BufferDestroy::buffer>.
template <typename Destroy, auto kField>
class Owned {
 public:
  using Handle = std::remove_reference_t<decltype(std::declval<Destroy>().*kField)>;

  Owned() = default;
  Owned(const Plugin& plugin, Handle handle) : plugin_(&plugin), handle_(handle) {}
  Owned(Owned&& other) noexcept
      : plugin_(other.plugin_), handle_(std::exchange(other.handle_, nullptr)) {}
  Owned& operator=(Owned&& other) noexcept {
    std::swap(plugin_, other.plugin_);
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Owned() {
    if (!handle_) return;
    Destroy destroy;
    destroy.*kField = handle_;
    plugin_->callQuietly(destroy);
  }

  Handle get() const { return handle_; }
  explicit operator bool() const { return handle_ != nullptr; }

 private:
  const Plugin* plugin_ = nullptr;
  Handle handle_ = nullptr;
};

using OwnedBuffer = Owned<BufferDestroy, &BufferDestroy::buffer>;
using OwnedExecutable = Owned<ExecutableDestroy, &ExecutableDestroy::executable>;
using OwnedLoadedExecutable = Owned<LoadedExecutableDestroy, &LoadedExecutableDestroy::executable>;
using OwnedTopology = Owned<TopologyDescriptionDestroy, &TopologyDescriptionDestroy::topology>;
using OwnedClient = Owned<ClientDestroy, &ClientDestroy::client>;

}  // namespace vintage::harness::consumers::pjrt
