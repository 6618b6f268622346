#include "harness/engine/kernels/mosaic_devices.h"

#include <algorithm>
#include <numeric>

#include "golden/base/failures.h"

namespace vintage::harness {
using namespace golden;

namespace {

ChannelRoute turnOf(int64_t device) {
  return {.operation = "the turn of a kernel", .target = device};
}

}  // namespace

int64_t MosaicDevices::self(bool communicates) {
  const GridProcess* process = GridProcess::current();
  return communicates && process != nullptr ? process->number() : 0;
}

Result<std::shared_ptr<MosaicDevices>> MosaicDevices::join(const void* kernel,
                                                           const std::string& name,
                                                           bool communicates, Order order) {
  GridProcess* process = GridProcess::current();
  if (!communicates || process == nullptr || process->grid().count() == 1)
    return std::make_shared<MosaicDevices>(1);
  const int64_t count = process->grid().count(), self = process->number();
  ProcessGroup all(static_cast<size_t>(count));
  std::iota(all.begin(), all.end(), 0);
  // All calls of the kernel before this one have ended when the last process comes.
  RETURN_IF_ERROR(process->rendezvous().meet(self, all, 0, "the kernel " + name, {}));
  auto devices = std::static_pointer_cast<MosaicDevices>(process->run().shared(kernel, [&] {
    auto made = std::make_shared<MosaicDevices>(count);
    made->order_ = order;
    return made;
  }));
  if (self != (order == Order::kForward ? 0 : count - 1))
    RETURN_IF_ERROR(process->rendezvous().receive(self, turnOf(self)));
  return devices;
}

int64_t MosaicDevices::next(int64_t device) const {
  const int64_t step = order_ == Order::kForward ? 1 : count() - 1;
  int64_t candidate = device;
  for (int64_t i = 0; i < count(); ++i) {
    candidate = (candidate + step) % count();
    const Device& each = devices_[static_cast<size_t>(candidate)];
    if (!each.hasEnded && (!each.isReady || each.isReady())) return candidate;
  }
  return -1;
}

Status MosaicDevices::giveTurn(int64_t device, int64_t to) {
  if (to == device) return {};
  Rendezvous& rendezvous = GridProcess::current()->rendezvous();
  RETURN_IF_ERROR(rendezvous.send(turnOf(to), {}));
  if (!at(device).hasEnded) RETURN_IF_ERROR(rendezvous.receive(device, turnOf(device)));
  return {};
}

Status MosaicDevices::nobodyGoesOn(int64_t device, const std::string& own) const {
  std::string others;
  for (int64_t i = 0; i < count(); ++i) {
    const Device& each = devices_[static_cast<size_t>(i)];
    if (i != device)
      others += fmt::format("\n  device {}: {}", i, each.hasEnded ? "has ended" : each.what());
  }
  return badInput("it would wait for ever: {}, and nothing that is on its way signals it{}", own,
                  others);
}

Status MosaicDevices::waitUntil(int64_t device, Question isReady, Answer what) {
  if (isReady()) return {};
  Device& mine = at(device);
  mine.isReady = std::move(isReady);
  mine.what = std::move(what);
  const int64_t to = next(device);
  if (to < 0) return nobodyGoesOn(device, mine.what());
  RETURN_IF_ERROR(giveTurn(device, to));
  mine.isReady = nullptr;
  return {};
}

Status MosaicDevices::yield(int64_t device) { return giveTurn(device, next(device)); }

Status MosaicDevices::arrive(int64_t device) {
  at(device).hasArrived = true;
  const auto haveAll = [this] { return std::ranges::all_of(devices_, &Device::hasArrived); };
  return waitUntil(device, haveAll, [] { return "waits for the others to come"; });
}

Status MosaicDevices::end(int64_t device) {
  at(device).hasArrived = at(device).hasEnded = true;
  const bool isLast = std::ranges::all_of(devices_, &Device::hasEnded);
  const auto left = std::ranges::find_if(
      pending, [&](const Pending& each) { return isLast || each.device == device; });
  if (left != pending.end())
    return badInput(
        "the kernel ends while a DMA to {}{} is in flight that nothing waited for\n  in the "
        "kernel at {}",
        left->view.memory->name(),
        count() > 1 ? fmt::format(" of device {}", left->device) : std::string(), left->place);
  if (isLast) return {};
  const int64_t to = next(device);
  if (to < 0) return nobodyGoesOn(device, "the kernel has ended here");
  return giveTurn(device, to);
}

void MosaicDevices::keep(int64_t device, const void* maker, std::shared_ptr<KernelMemory> memory) {
  at(device).memories[maker] = std::move(memory);
}

Result<MemoryView> MosaicDevices::on(int64_t device, int64_t from, const MemoryView& view) const {
  if (device == from) return view;
  if (device < 0 || device >= count())
    return badInput("there is no device {}: the kernel runs on {}", device, count());
  const Device& mine = devices_[static_cast<size_t>(from)];
  const Device& theirs = devices_[static_cast<size_t>(device)];
  for (const auto& [maker, memory] : mine.memories) {
    if (memory != view.memory) continue;
    MemoryView there = view;
    const auto found = theirs.memories.find(maker);
    if (found == theirs.memories.end()) break;
    there.memory = found->second;
    if (there.memory->tensor().shape() == memory->tensor().shape()) return there;
  }
  return badInput("device {} does not have {} at this time", device, view.memory->name());
}

}  // namespace vintage::harness
