// What a plugin gave out, given back to it at the end.
#pragma once

#include <utility>

#include "harness/consumers/pjrt/plugin.h"
#include "harness/consumers/pjrt/room.h"

namespace vintage::harness::consumers::pjrt {

// `Destroy` is what the function that destroys it takes.
template <typename Destroy>
class Owned {
 public:
  using Handle = decltype(Destroy::object);

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
    // The owner can do nothing about a failure.
    (void)plugin_->call<Destroy>(handle_);
  }

  Handle get() const { return handle_; }
  explicit operator bool() const { return handle_ != nullptr; }

 private:
  const Plugin* plugin_ = nullptr;
  Handle handle_ = nullptr;
};

using OwnedBuffer = Owned<BufferDestroy>;
using OwnedExecutable = Owned<ExecutableDestroy>;
using OwnedLoadedExecutable = Owned<LoadedExecutableDestroy>;
using OwnedTopology = Owned<TopologyDescriptionDestroy>;
using OwnedClient = Owned<ClientDestroy>;

}  // namespace vintage::harness::consumers::pjrt
