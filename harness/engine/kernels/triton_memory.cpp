// Loads, stores and atomics of Triton kernels.
#include <algorithm>
#include <cstring>

#include "golden/base/failures.h"
#include "golden/tensor/visit.h"
#include "harness/engine/checked_attributes.h"
#include "harness/engine/kernels/triton_run.h"

namespace vintage::harness {
using namespace golden;

namespace {

// An array's addresses are those with its number, counted from 1, above this bit; its first element
// lies in their middle, so that an address before it is recognized too.
constexpr int kNumberBit = 44;
constexpr int64_t kMiddle = int64_t{1} << (kNumberBit - 1);

TritonMemory& memoryOf(KernelFrame& frame) { return static_cast<TritonRun&>(frame.run()).memory; }

// The element at `i`, or the only one.
size_t placeIn(const Tensor& tensor, size_t i) { return tensor.size() == 1 ? 0 : i; }

bool isMasked(const Tensor* mask, size_t i) {
  return mask && mask->values<uint8_t>()[placeIn(*mask, i)] == 0;
}

// The tensors of operands that may be absent.
Result<const Tensor*> tensorOrNull(KernelFrame& frame, const std::optional<ValueId>& id) {
  if (!id) return nullptr;
  return frame.tensor(*id);
}

Status checkLengths(const Tensor& pointers, std::span<const Tensor* const> others) {
  if (pointers.type() != ElementType::kI64)
    return badInput("its pointers are {}", describe(pointers));
  for (const Tensor* each : others)
    if (each && each->size() != pointers.size() && each->size() != 1)
      return badInput("{} pointers, and {}", pointers.size(), describe(*each));
  return {};
}

// Operands in their groups: pointers, mask, other.
Result<KernelStep> makeTritonLoad(const StepRequest& request) {
  CheckedAttributes read(request.operation);
  const auto groups = read.integers("operandSegmentSizes", std::vector<int64_t>{1, 0, 0});
  const auto checked = read.integers("boundaryCheck", std::vector<int64_t>{});
  RETURN_IF_ERROR(read.status());
  if (!checked.empty()) return unsupported("pointers to blocks are not run here");
  int64_t operands = 0;
  for (int64_t size : groups) operands += size;
  if (groups.size() != 3 || groups[0] != 1 || groups[1] < 0 || groups[2] < 0 || groups[1] > 1 ||
      groups[2] > 1 || operands != std::ssize(request.operation.operands))
    return badInput("its operands are no pointer, mask and other");
  std::optional<ValueId> mask, other;
  if (groups[1] == 1) mask = request.operand(1);
  if (groups[2] == 1) other = request.operand(request.operands() - 1);
  const ValueType& type = request.resultType();
  return KernelStep([pointers = request.operand(0), mask, other, type,
                     result = request.result()](KernelFrame& frame) -> Status {
    ASSIGN_OR_RETURN(const Tensor* from, frame.tensor(pointers));
    ASSIGN_OR_RETURN(const Tensor* kept, tensorOrNull(frame, mask));
    ASSIGN_OR_RETURN(const Tensor* otherwise, tensorOrNull(frame, other));
    ASSIGN_OR_RETURN(auto made, Tensor::make(type.element, type.shape));
    const Tensor* const others[] = {kept, otherwise, &made};
    RETURN_IF_ERROR(checkLengths(*from, others));
    RETURN_IF_ERROR(frame.run().spend(made.size()));
    const size_t width = byteWidth(type.element);
    std::byte* to = made.mutableBytes().data();
    for (size_t i = 0; i < static_cast<size_t>(made.size()); ++i, to += width) {
      const std::byte* source = nullptr;
      if (!isMasked(kept, i)) {
        ASSIGN_OR_RETURN(source, memoryOf(frame).at(from->values<int64_t>()[placeIn(*from, i)],
                                                    width, TritonMemory::Access::kRead));
      } else if (otherwise) {
        source = otherwise->bytes().data() + placeIn(*otherwise, i) * width;
      }
      if (source) std::memcpy(to, source, width);
    }
    frame[result] = std::move(made);
    return {};
  });
}

Result<KernelStep> makeTritonStore(const StepRequest& request) {
  if (request.operands() != 2 && request.operands() != 3)
    return badInput("it needs pointers, values and perhaps a mask");
  std::optional<ValueId> mask;
  if (request.operands() == 3) mask = request.operand(2);
  return KernelStep([pointers = request.operand(0), values = request.operand(1),
                     mask](KernelFrame& frame) -> Status {
    ASSIGN_OR_RETURN(const Tensor* to, frame.tensor(pointers));
    ASSIGN_OR_RETURN(const Tensor* from, frame.tensor(values));
    ASSIGN_OR_RETURN(const Tensor* kept, tensorOrNull(frame, mask));
    const Tensor* const others[] = {from, kept};
    RETURN_IF_ERROR(checkLengths(*to, others));
    RETURN_IF_ERROR(frame.run().spend(to->size()));
    const size_t width = byteWidth(from->type());
    for (size_t i = 0; i < static_cast<size_t>(to->size()); ++i) {
      if (isMasked(kept, i)) continue;
      ASSIGN_OR_RETURN(std::byte * target, memoryOf(frame).at(to->values<int64_t>()[i], width,
                                                              TritonMemory::Access::kWrite));
      std::memcpy(target, from->bytes().data() + placeIn(*from, i) * width, width);
    }
    return {};
  });
}

// Triton's numbers of what tt.atomic_rmw does, and its names.
constexpr std::string_view kChanges[] = {"?",   "and", "or",   "xor",  "add", "fadd",
                                         "max", "min", "umax", "umin", "exch"};
enum class Change {
  kAnd = 1,
  kOr,
  kXor,
  kAdd,
  kFloatAdd,
  kMax,
  kMin,
  kUnsignedMax,
  kUnsignedMin,
  kExchange,
};

template <typename T>
Result<T> changed(Change change, T old, T value) {
  if constexpr (kIsIntegerStorage<T> && !kIsNarrowIntegerStorage<T>) {
    using Bits = std::make_unsigned_t<T>;
    const Bits a = static_cast<Bits>(old), b = static_cast<Bits>(value);
    switch (change) {
      case Change::kAnd:
        return static_cast<T>(a & b);
      case Change::kOr:
        return static_cast<T>(a | b);
      case Change::kXor:
        return static_cast<T>(a ^ b);
      case Change::kAdd:
        return static_cast<T>(a + b);
      case Change::kMax:
        return std::max(old, value);
      case Change::kMin:
        return std::min(old, value);
      case Change::kUnsignedMax:
        return static_cast<T>(std::max(a, b));
      case Change::kUnsignedMin:
        return static_cast<T>(std::min(a, b));
      default:
        break;
    }
  } else if constexpr (kIsFloatStorage<T>) {
    using Wide = Computation<T>;
    const auto a = static_cast<Wide>(old), b = static_cast<Wide>(value);
    if (change == Change::kFloatAdd) return T(a + b);
    if (change == Change::kMax) return a < b ? value : old;
    if (change == Change::kMin) return b < a ? value : old;
  }
  if (change == Change::kExchange) return value;
  return unsupported("an atomic {} of {} is not run here", kChanges[static_cast<size_t>(change)],
                     stablehloName(kElementTypeOf<T>));
}

// The result is the memory's content before. One element after the other is changed.
template <typename Compute>
Status changeEach(KernelFrame& frame, const Tensor& pointers, const Tensor* mask, Tensor& result,
                  Compute compute) {
  return visitElementType(result.type(), [&]<typename T>() -> Status {
    const auto olds = result.mutableValues<T>();
    for (size_t i = 0; i < olds.size(); ++i) {
      if (isMasked(mask, i)) continue;
      ASSIGN_OR_RETURN(std::byte * place,
                       memoryOf(frame).at(pointers.values<int64_t>()[i], sizeof(T),
                                          TritonMemory::Access::kReadAndWrite));
      std::memcpy(&olds[i], place, sizeof(T));
      ASSIGN_OR_RETURN(const T value, compute.template operator()<T>(olds[i], i));
      std::memcpy(place, &value, sizeof(T));
    }
    return {};
  });
}

Result<KernelStep> makeAtomicChange(const StepRequest& request) {
  if (request.operands() != 2 && request.operands() != 3)
    return badInput("it needs pointers, values and perhaps a mask");
  ASSIGN_OR_RETURN(const int64_t kind, integerOf(request.operation, "atomic_rmw_op"));
  if (kind < 1 || kind >= std::ssize(kChanges))
    return badInput("there is no atomic change {}", kind);
  std::optional<ValueId> mask;
  if (request.operands() == 3) mask = request.operand(2);
  return KernelStep([kind, mask, pointers = request.operand(0), values = request.operand(1),
                     result = request.result(),
                     type = request.resultType()](KernelFrame& frame) -> Status {
    ASSIGN_OR_RETURN(const Tensor* to, frame.tensor(pointers));
    ASSIGN_OR_RETURN(const Tensor* with, frame.tensor(values));
    ASSIGN_OR_RETURN(const Tensor* kept, tensorOrNull(frame, mask));
    ASSIGN_OR_RETURN(auto olds, Tensor::make(type.element, type.shape));
    const Tensor* const others[] = {with, kept, &olds};
    RETURN_IF_ERROR(checkLengths(*to, others));
    if (with->type() != type.element || olds.size() != to->size())
      return badInput("it changes {} by {}", describe(olds), describe(*with));
    RETURN_IF_ERROR(frame.run().spend(to->size()));
    RETURN_IF_ERROR(changeEach(frame, *to, kept, olds, [&]<typename T>(T old, size_t i) {
      return changed<T>(static_cast<Change>(kind), old, with->values<T>()[placeIn(*with, i)]);
    }));
    frame[result] = std::move(olds);
    return {};
  });
}

// Pointers, what is compared with, what is put there where that is equal.
Result<KernelStep> makeCompareAndSwap(const StepRequest& request) {
  return KernelStep([operands = request.operation.operands, result = request.result(),
                     type = request.resultType()](KernelFrame& frame) -> Status {
    ASSIGN_OR_RETURN(const Tensor* to, frame.tensor(operands[0]));
    ASSIGN_OR_RETURN(const Tensor* expected, frame.tensor(operands[1]));
    ASSIGN_OR_RETURN(const Tensor* values, frame.tensor(operands[2]));
    ASSIGN_OR_RETURN(auto olds, Tensor::make(type.element, type.shape));
    const Tensor* const others[] = {expected, values, &olds};
    RETURN_IF_ERROR(checkLengths(*to, others));
    if (expected->type() != type.element || values->type() != type.element ||
        olds.size() != to->size())
      return badInput("it compares {} with {}", describe(olds), describe(*expected));
    RETURN_IF_ERROR(frame.run().spend(to->size()));
    RETURN_IF_ERROR(
        changeEach(frame, *to, nullptr, olds, [&]<typename T>(T old, size_t i) -> Result<T> {
          const T wanted = expected->values<T>()[placeIn(*expected, i)];
          const bool isEqual = std::memcmp(&old, &wanted, sizeof(T)) == 0;
          return isEqual ? values->values<T>()[placeIn(*values, i)] : old;
        }));
    frame[result] = std::move(olds);
    return {};
  });
}

using Effect = StepEntry::Effect;
constexpr StepEntry kTritonMemory[] = {
    {"tt.load", makeTritonLoad, kAnyNumber, 1},
    {"tt.store", makeTritonStore, kAnyNumber, 0, Effect::kSome},
    {"tt.atomic_rmw", makeAtomicChange, kAnyNumber, 1, Effect::kSome},
    {"tt.atomic_cas", makeCompareAndSwap, 3, 1, Effect::kSome},
};

}  // namespace

StepTable tritonMemorySteps() { return kTritonMemory; }

void TritonMemory::add(std::string name, Tensor tensor, bool isWritten) {
  const size_t bytes = tensor.bytes().size();
  arrays_.push_back({std::move(name), std::move(tensor), {}});
  if (!isWritten) arrays_.back().written.resize(bytes);
}

int64_t TritonMemory::address(size_t array) const {
  return (static_cast<int64_t>(array + 1) << kNumberBit) + kMiddle;
}

Result<std::byte*> TritonMemory::at(int64_t address, size_t width, Access access) {
  const int64_t number = address >> kNumberBit;
  if (number < 1 || number > std::ssize(arrays_))
    return badInput("the address {:#x} lies in no array of the kernel", address);
  Array& array = arrays_[static_cast<size_t>(number - 1)];
  const int64_t offset = address - (number << kNumberBit) - kMiddle;
  const auto size = std::ssize(array.tensor.bytes()), wide = static_cast<int64_t>(width);
  if (offset < 0 || offset > size - wide)
    return badInput("{} has {} bytes, and the kernel accesses {} from {} on", array.name, size,
                    wide, offset);
  if (!array.written.empty()) {
    const auto first = array.written.begin() + offset;
    if (access == Access::kWrite) {
      std::fill(first, first + wide, true);
    } else if (std::find(first, first + wide, false) != first + wide) {
      return badInput("{} is read at byte {}, and nobody has written it", array.name, offset);
    }
  }
  if (access == Access::kRead) return const_cast<std::byte*>(array.tensor.bytes().data()) + offset;
  return array.tensor.mutableBytes().data() + offset;
}

std::span<const std::byte> TritonMemory::bytesOf(size_t array, int64_t element) const {
  const Array& watched = arrays_[array];
  const size_t width = byteWidth(watched.tensor.type());
  const size_t at = static_cast<size_t>(element) * width;
  if (!watched.written.empty() && !watched.written[at]) return {};
  return watched.tensor.bytes().subspan(at, width);
}

Status TritonMemory::checkWritten(size_t array) const {
  const Array& checked = arrays_[array];
  const auto missing = std::ranges::find(checked.written, false);
  if (missing == checked.written.end()) return {};
  return badInput(
      "{}: the kernel never writes element {}", checked.name,
      static_cast<size_t>(missing - checked.written.begin()) / byteWidth(checked.tensor.type()));
}

}  // namespace vintage::harness
