#include "harness/engine/kernels/mosaic_run.h"

#include <algorithm>

#include "golden/base/failures.h"
#include "harness/engine/operations/random_bits.h"

namespace vintage::harness {
using namespace golden;

namespace {

Result<int64_t> countOf(const MosaicRun::Semaphore& semaphore) {
  ASSIGN_OR_RETURN(const Tensor value, semaphore.cell.read());
  if (value.size() != 1 || value.type() != ElementType::kI64)
    return badInput("{} is not one semaphore", semaphore.cell.memory->name());
  return value.values<int64_t>()[0];
}

Status setCount(const MosaicRun::Semaphore& semaphore, int64_t count) {
  Tensor value(ElementType::kI64, semaphore.cell.shape);
  value.mutableValues<int64_t>()[0] = count;
  return semaphore.cell.write(value);
}

int64_t bytesOf(const MemoryView& view) {
  return view.size() * static_cast<int64_t>(byteWidth(view.type));
}

}  // namespace

Status MosaicRun::signal(const Semaphore& semaphore, int64_t amount) {
  ASSIGN_OR_RETURN(const int64_t count, countOf(semaphore));
  return setCount(semaphore, count + amount);
}

Status MosaicRun::wait(const Semaphore& semaphore, int64_t amount, const std::string& place) {
  RETURN_IF_ERROR(countOf(semaphore));
  const auto count = [semaphore] { return countOf(semaphore).value_or(0); };
  RETURN_IF_ERROR(devices->waitUntil(
      device, [=] { return count() >= amount; },
      [&, count] {
        return fmt::format("{} stands at {}, it waits for {}{}", semaphore.cell.memory->name(),
                           count(), amount, devices->count() > 1 ? " at " + place : std::string());
      }));
  // Copies that signal an ordinary semaphore are done once they are waited for.
  auto& pending = devices->pending;
  for (auto each = pending.begin(); !semaphore.countsBytes && each != pending.end();) {
    if (each->semaphores != semaphore.cell.memory || each->cell != semaphore.cell.offset) {
      ++each;
      continue;
    }
    for (MemoryHold& hold : each->holds) hold.release();
    each = pending.erase(each);
  }
  return setCount(semaphore, count() - amount);
}

Status MosaicRun::startEnd(const MemoryView& view, std::vector<MemoryHold> holds,
                           const Semaphore& semaphore, int64_t onDevice, const std::string& place) {
  devices->pending.push_back(
      {view, std::move(holds), semaphore.cell.memory, semaphore.cell.offset, onDevice, place});
  return signal(semaphore, semaphore.countsBytes ? bytesOf(view) : 1);
}

Status MosaicRun::copy(Copy copy) {
  RETURN_IF_ERROR(spend(copy.target.size()));
  RETURN_IF_ERROR(copyElements(copy.source, copy.target));
  using End = MemoryHold::End;
  ASSIGN_OR_RETURN(auto source, MemoryHold::make(copy.source, End::kSource));
  ASSIGN_OR_RETURN(auto target, MemoryHold::make(copy.target, End::kTarget));
  std::vector<MemoryHold> atTarget{std::move(target)};
  if (copy.sent)
    RETURN_IF_ERROR(startEnd(copy.source, {std::move(source)}, *copy.sent, device, copy.place));
  else
    atTarget.push_back(std::move(source));
  return startEnd(copy.target, std::move(atTarget), copy.arrived, copy.to, copy.place);
}

Status MosaicRun::waitForCopy(const Semaphore& semaphore, const MemoryView& end,
                              const std::string& place) {
  RETURN_IF_ERROR(wait(semaphore, semaphore.countsBytes ? bytesOf(end) : 1, place));
  // The copy with this end, or else as many of the first ones as have its bytes.
  auto& pending = devices->pending;
  const auto signals = [&](const MosaicDevices::Pending& each) {
    return each.semaphores == semaphore.cell.memory && each.cell == semaphore.cell.offset;
  };
  int64_t bytes = bytesOf(end);
  auto found = std::ranges::find_if(pending, [&](const MosaicDevices::Pending& each) {
    return signals(each) && each.view.memory == end.memory && each.view.offset == end.offset &&
           each.view.shape == end.shape;
  });
  for (; bytes > 0; found = pending.end()) {
    if (found == pending.end()) found = std::ranges::find_if(pending, signals);
    if (found == pending.end()) return {};
    bytes -= bytesOf(found->view);
    for (MemoryHold& hold : found->holds) hold.release();
    pending.erase(found);
  }
  return {};
}

Status MosaicRun::seed(const std::vector<int64_t>& words) {
  // A key and a counter. The bits of a TPU's own generator are not published.
  Tensor state(ElementType::kUi64, {2});
  uint64_t key = 0;
  for (int64_t word : words) key = key * 0x9E3779B97F4A7C15 + static_cast<uint32_t>(word) + 1;
  state.mutableValues<uint64_t>()[0] = key;
  generator_ = std::move(state);
  return {};
}

Result<Tensor> MosaicRun::randomBits(const Shape& shape) {
  if (!generator_) return badInput("the generator was not seeded (tpu.prng_set_seed_32)");
  ASSIGN_OR_RETURN(auto bits,
                   generateBits(BitGenerator::kPhilox, *generator_, ElementType::kUi32, shape));
  generator_ = std::move(bits.state);
  return std::move(bits.values);
}

}  // namespace vintage::harness
