// tpu: copies, semaphores, the grid and the generator.
#include "golden/base/failures.h"
#include "harness/engine/checked_attributes.h"
#include "harness/engine/kernels/mosaic_run.h"
#include "harness/engine/kernels/mosaic_steps.h"
#include "harness/engine/kernels/mosaic_windows.h"

namespace vintage::harness {
using namespace golden;

namespace {

using Effect = StepEntry::Effect;

MosaicRun& runOf(KernelFrame& frame) { return static_cast<MosaicRun&>(frame.run()); }

struct SemaphoreOperand {
  ValueId value = 0;
  bool countsBytes = false;

  Result<MosaicRun::Semaphore> in(KernelFrame& frame) const {
    ASSIGN_OR_RETURN(const MemoryView* view, frame.view(value));
    return MosaicRun::Semaphore{*view, countsBytes};
  }
};

SemaphoreOperand semaphoreOf(const StepRequest& request, ValueId value) {
  return {value, request.planner.type(value).text.find("dma_semaphore") != std::string::npos};
}

// The device that an operation names; none: its own.
Result<int64_t> deviceIn(KernelFrame& frame, const std::vector<ValueId>& device) {
  if (device.empty()) return runOf(frame).device;
  return frame.integer(device[0]);
}

Result<MemoryView> onDevice(KernelFrame& frame, int64_t device, const MemoryView& view) {
  return runOf(frame).devices->on(device, runOf(frame).device, view);
}

// Source, its semaphore, target, its semaphore, device, core, subcore.
Result<KernelStep> makeCopy(const StepRequest& request) {
  ASSIGN_OR_RETURN(const auto groups, operandGroups(request.operation, 7));
  if (groups[0].size() != 1 || groups[2].size() != 1 || groups[3].size() != 1)
    return unsupported("it needs a source, a target and the target's semaphore");
  std::optional<SemaphoreOperand> sent;
  if (!groups[1].empty()) sent = semaphoreOf(request, groups[1][0]);
  return KernelStep([source = groups[0][0], target = groups[2][0], device = groups[4], sent,
                     arrived = semaphoreOf(request, groups[3][0]),
                     place = request.operation.location](KernelFrame& frame) -> Status {
    ASSIGN_OR_RETURN(const int64_t to, deviceIn(frame, device));
    ASSIGN_OR_RETURN(const MemoryView* from, frame.view(source));
    ASSIGN_OR_RETURN(const MemoryView* into, frame.view(target));
    ASSIGN_OR_RETURN(auto there, onDevice(frame, to, *into));
    ASSIGN_OR_RETURN(auto semaphore, arrived.in(frame));
    ASSIGN_OR_RETURN(semaphore.cell, onDevice(frame, to, semaphore.cell));
    MosaicRun::Copy copy{*from, std::move(there), {}, std::move(semaphore), to, place};
    if (sent) {
      ASSIGN_OR_RETURN(copy.sent, sent->in(frame));
    }
    return runOf(frame).copy(std::move(copy));
  });
}

KernelStep waitStep(const StepRequest& request, ValueId semaphore, ValueId target) {
  return [operand = semaphoreOf(request, semaphore), target,
          place = request.operation.location](KernelFrame& frame) -> Status {
    ASSIGN_OR_RETURN(const auto waited, operand.in(frame));
    ASSIGN_OR_RETURN(const MemoryView* view, frame.view(target));
    return runOf(frame).waitForCopy(waited, *view, place);
  };
}

// Semaphore, source, target, device, core.
Result<KernelStep> makeWaitBySize(const StepRequest& request) {
  ASSIGN_OR_RETURN(const auto groups, operandGroups(request.operation, 5));
  if (groups[0].size() != 1 || groups[2].size() != 1) return badInput("it needs a semaphore");
  return waitStep(request, groups[0][0], groups[2][0]);
}

// As tpu.enqueue_dma; for its target, or for its source to be sent.
Result<KernelStep> makeWait(const StepRequest& request) {
  ASSIGN_OR_RETURN(const auto groups, operandGroups(request.operation, 7));
  ASSIGN_OR_RETURN(const bool forTarget, flagOf(request.operation, "wait_target", true));
  const size_t side = forTarget ? 2 : 0;
  if (groups[side].size() != 1 || groups[side + 1].size() != 1)
    return badInput("it needs a memory and its semaphore");
  return waitStep(request, groups[side + 1][0], groups[side][0]);
}

// Semaphore, amount, device, core, subcore.
Result<KernelStep> makeSignal(const StepRequest& request) {
  ASSIGN_OR_RETURN(const auto groups, operandGroups(request.operation, 5));
  if (groups[0].size() != 1 || groups[1].size() != 1)
    return badInput("it needs a semaphore and an amount");
  return KernelStep([operand = semaphoreOf(request, groups[0][0]), amount = groups[1][0],
                     device = groups[2]](KernelFrame& frame) -> Status {
    ASSIGN_OR_RETURN(const int64_t to, deviceIn(frame, device));
    ASSIGN_OR_RETURN(auto semaphore, operand.in(frame));
    ASSIGN_OR_RETURN(semaphore.cell, onDevice(frame, to, semaphore.cell));
    ASSIGN_OR_RETURN(const int64_t count, frame.integer(amount));
    return runOf(frame).signal(semaphore, count);
  });
}

Result<KernelStep> makeSemaphoreWait(const StepRequest& request) {
  return KernelStep([operand = semaphoreOf(request, request.operand(0)),
                     amount = request.operand(1),
                     place = request.operation.location](KernelFrame& frame) -> Status {
    ASSIGN_OR_RETURN(const auto semaphore, operand.in(frame));
    ASSIGN_OR_RETURN(const int64_t count, frame.integer(amount));
    return runOf(frame).wait(semaphore, count, place);
  });
}

Tensor numberTensor(const ValueType& type, int64_t value) {
  Tensor tensor(type.element, {});
  std::memcpy(tensor.mutableBytes().data(), &value, byteWidth(type.element));
  return tensor;
}

// A kernel may read until another device has signalled.
Result<KernelStep> makeSemaphoreRead(const StepRequest& request) {
  return KernelStep([semaphore = request.operand(0), type = request.resultType(),
                     result = request.result()](KernelFrame& frame) -> Status {
    RETURN_IF_ERROR(runOf(frame).devices->yield(runOf(frame).device));
    ASSIGN_OR_RETURN(const MemoryView* view, frame.view(semaphore));
    ASSIGN_OR_RETURN(const Tensor value, view->read());
    frame[result] = numberTensor(type, value.values<int64_t>()[0]);
    return {};
  });
}

// The one semaphore that all calls of tpu.sem_barrier give.
Result<KernelStep> makeBarrier(const StepRequest& request) {
  return KernelStep([result = request.result()](KernelFrame& frame) -> Status {
    frame[result] = MemoryView::whole(runOf(frame).barrier);
    return {};
  });
}

// A memory of a part of the kernel's body, or its semaphores; each time it is unwritten.
Result<KernelStep> makeScratch(const StepRequest& request) {
  return KernelStep([result = request.result(), type = request.resultType(),
                     operation = &request.operation](KernelFrame& frame) -> Status {
    MosaicRun& run = runOf(frame);
    ASSIGN_OR_RETURN(frame[result], scratchMemory(type, "of " + operation->name));
    run.devices->keep(run.device, operation, frame[result].view->memory);
    return {};
  });
}

Result<KernelStep> makeDeviceId(const StepRequest& request) {
  return KernelStep(
      [type = request.resultType(), result = request.result()](KernelFrame& frame) -> Status {
        const GridProcess* process = GridProcess::current();
        frame[result] = numberTensor(type, process == nullptr ? 0 : process->number());
        return {};
      });
}

Result<KernelStep> makeZero(const StepRequest& request) {
  return KernelStep(
      [type = request.resultType(), result = request.result()](KernelFrame& frame) -> Status {
        frame[result] = numberTensor(type, 0);
        return {};
      });
}

Result<KernelStep> makeBound(const StepRequest& request) {
  ASSIGN_OR_RETURN(const int64_t dimension, integerOf(request.operation, "dim"));
  return KernelStep([dimension, type = request.resultType(),
                     result = request.result()](KernelFrame& frame) -> Status {
    const auto& bounds = runOf(frame).bounds;
    if (dimension < 0 || dimension >= std::ssize(bounds))
      return badInput("the grid has no dimension {}", dimension);
    frame[result] = numberTensor(type, bounds[static_cast<size_t>(dimension)]);
    return {};
  });
}

Result<KernelStep> makeSeed(const StepRequest& request) {
  return KernelStep([words = request.operation.operands](KernelFrame& frame) -> Status {
    ASSIGN_OR_RETURN(const auto seeds, frame.integers(words));
    return runOf(frame).seed(seeds);
  });
}

Result<KernelStep> makeRandomBits(const StepRequest& request) {
  return KernelStep(
      [type = request.resultType(), result = request.result()](KernelFrame& frame) -> Status {
        if (byteWidth(type.element) != 4) return unsupported("bits of {}", type.text);
        ASSIGN_OR_RETURN(auto bits, runOf(frame).randomBits(type.shape));
        ASSIGN_OR_RETURN(auto typed, retyped(std::move(bits), type.element));
        frame[result] = std::move(typed);
        return {};
      });
}

Result<KernelStep> makeNothing(const StepRequest&) {
  return KernelStep([](KernelFrame&) -> Status { return {}; });
}

constexpr StepEntry kMosaicMemory[] = {
    {"tpu.enqueue_dma", makeCopy, kAnyNumber, 0, Effect::kSome},
    {"tpu.wait_dma", makeWait, kAnyNumber, 0, Effect::kSome},
    {"tpu.wait_dma2", makeWaitBySize, kAnyNumber, 0, Effect::kSome},
    {"tpu.sem_signal", makeSignal, kAnyNumber, 0, Effect::kSome},
    {"tpu.sem_wait", makeSemaphoreWait, 2, 0, Effect::kSome},
    {"tpu.sem_read", makeSemaphoreRead, 1, 1, Effect::kSome},
    {"memref.alloca", makeScratch, 0, 1, Effect::kSome},
    {"tpu.sem_alloc", makeScratch, 0, 1, Effect::kSome},
    {"tpu.sem_barrier", makeBarrier, 0, 1, Effect::kSome},
    {"tpu.device_id", makeDeviceId, 0, 1},
    {"tpu.core_id", makeZero, 0, 1},
    {"tpu.subcore_id", makeZero, 0, 1},
    {"tpu.iteration_bound", makeBound, 0, 1},
    {"tpu.prng_set_seed_32", makeSeed, kAnyNumber, 0, Effect::kSome},
    {"tpu.prng_random_bits", makeRandomBits, 0, 1, Effect::kSome},
    {"tpu.trace_start", makeNothing, 0, 0, Effect::kSome},
    {"tpu.trace_stop", makeNothing, 0, 0, Effect::kSome},
    {"tpu.trace_value", makeNothing, 1, 0, Effect::kSome},
    {"tpu.delay", makeNothing, 1, 0, Effect::kSome},
    {"tpu.log", makeNothing, kAnyNumber, 0, Effect::kSome},
    {"tpu.log_buffer", makeNothing, kAnyNumber, 0, Effect::kSome},
};

}  // namespace

StepTable mosaicMemorySteps() { return kMosaicMemory; }

}  // namespace vintage::harness
