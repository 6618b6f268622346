// The state of one run of a Mosaic kernel on one device.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "harness/engine/kernels/kernel_plan.h"
#include "harness/engine/kernels/mosaic_devices.h"

namespace vintage::harness {

class MosaicRun : public KernelRun {
 public:
  MosaicRun(std::shared_ptr<MosaicDevices> devices, int64_t device, int64_t mostOperations)
      : KernelRun(mostOperations), devices(std::move(devices)), device(device) {}

  // An element of a memory that counts: signals, or bytes that copies have moved.
  struct Semaphore {
    MemoryView cell;
    bool countsBytes;  // !tpu.dma_semaphore
  };

  Status signal(const Semaphore& semaphore, int64_t amount);
  // Lets other devices go on until they have brought it. An error where nothing that is on its way
  // could bring it. `place` is the operation's.
  Status wait(const Semaphore& semaphore, int64_t amount, const std::string& place);

  struct Copy {
    MemoryView source, target;
    // Signalled once the source was read, and once the target was written, on the target's device.
    std::optional<Semaphore> sent;
    Semaphore arrived;
    int64_t to;         // The target's device.
    std::string place;  // Of its operation.
  };
  Status copy(Copy copy);
  // Waits until as many bytes as `end` has were copied.
  Status waitForCopy(const Semaphore& semaphore, const MemoryView& end, const std::string& place);

  // The generator behind tpu.prng_random_bits.
  Status seed(const std::vector<int64_t>& words);
  Result<golden::Tensor> randomBits(const golden::Shape& shape);

  const std::shared_ptr<MosaicDevices> devices;
  const int64_t device;  // Among them.
  // The semaphore that devices signal each other with before they copy.
  std::shared_ptr<KernelMemory> barrier;
  // The indices of the present step of the grid, and its bounds.
  std::vector<int64_t> step, bounds;

 private:
  Status startEnd(const MemoryView& view, std::vector<MemoryHold> holds, const Semaphore& semaphore,
                  int64_t onDevice, const std::string& place);

  std::optional<golden::Tensor> generator_;
};

}  // namespace vintage::harness
