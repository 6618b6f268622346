// The devices on which one call of a kernel runs, and which of them has the turn.
//
// Each device runs on the thread of its process, and one at a time: it runs until it waits for what
// another must bring, and hands the turn to the next device that can go on. So a run repeats, the
// devices may touch each other's memories, and where no device can go on the wait is an error.
#pragma once

#include <functional>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "harness/engine/kernels/kernel_memory.h"
#include "harness/engine/process.h"

namespace vintage::harness {

class MosaicDevices {
 public:
  // A copy that nobody has waited for yet.
  struct Pending {
    MemoryView view;  // The end that is waited for.
    std::vector<MemoryHold> holds;
    std::shared_ptr<const KernelMemory> semaphores;  // They hold the semaphore that it signals.
    int64_t cell;
    int64_t device;  // On which it is waited for.
    std::string place;
  };

  // In which order devices take turns. A correct kernel gives the same in each.
  enum class Order { kForward, kBackward };

  explicit MosaicDevices(int64_t count) : devices_(static_cast<size_t>(count)) {}
  // The devices of the present call: those of all processes of the run where the kernel
  // `communicates`, else this one alone. Waits for the turn. `kernel` is the same object for all.
  static Result<std::shared_ptr<MosaicDevices>> join(const void* kernel, const std::string& name,
                                                     bool communicates, Order order);
  // Of the device of this thread among them.
  static int64_t self(bool communicates);

  int64_t count() const { return std::ssize(devices_); }

  // Hands on the turn until `isReady`; kBadInput says for what each device waits. `what` is asked
  // only then.
  using Question = std::function<bool()>;
  using Answer = std::function<std::string()>;
  Status waitUntil(int64_t device, Question isReady, Answer what);
  // Lets the others go on.
  Status yield(int64_t device);
  // Every memory of the device is there. Goes on once that holds for all devices.
  Status arrive(int64_t device);
  // The kernel of the device has ended. kBadInput names a copy that nothing waited for.
  Status end(int64_t device);

  // Memories by what makes them: an argument of the kernel, or an operation.
  void keep(int64_t device, const void* maker, std::shared_ptr<KernelMemory> memory);
  // The memory that a view of `from` has its like of on another device.
  Result<MemoryView> on(int64_t device, int64_t from, const MemoryView& view) const;

  std::list<Pending> pending;

 private:
  struct Device {
    std::map<const void*, std::shared_ptr<KernelMemory>> memories;
    bool hasArrived = false, hasEnded = false;
    Question isReady;  // Set: it waits.
    Answer what;
  };

  Device& at(int64_t device) { return devices_[static_cast<size_t>(device)]; }
  // The next one that can go on; -1: none.
  int64_t next(int64_t device) const;
  Status giveTurn(int64_t device, int64_t to);
  Status nobodyGoesOn(int64_t device, const std::string& own) const;

  std::vector<Device> devices_;
  Order order_ = Order::kForward;
};

}  // namespace vintage::harness
