// Loads, stores and parts of memories: memref, vector and tpu.
#include <algorithm>

#include "golden/base/failures.h"
#include "harness/engine/checked_attributes.h"
#include "harness/engine/kernels/kernel_plan.h"
#include "harness/engine/operations/data_movement.h"

namespace vintage::harness {
using namespace golden;

namespace {

using Effect = StepEntry::Effect;
using Ids = std::vector<ValueId>;

Ids from(const Ids& ids, size_t first) {
  return Ids(ids.begin() + static_cast<std::ptrdiff_t>(std::min(first, ids.size())), ids.end());
}

// The elements that a load or a store touches: `shape` elements, or fewer dimensions of them, from
// the indices on by the strides.
struct Access {
  ValueId memory;
  Ids indices;
  Shape shape;
  std::vector<int64_t> strides;  // Empty: 1.

  Result<MemoryView> in(KernelFrame& frame) const {
    ASSIGN_OR_RETURN(const MemoryView* view, frame.view(memory));
    ASSIGN_OR_RETURN(const auto starts, frame.integers(indices));
    if (shape.size() > view->shape.size())
      return badInput("{} dimensions of a memory of {}", shape.size(), view->shape.size());
    Shape sizes(view->shape.size() - shape.size(), 1);
    sizes.insert(sizes.end(), shape.begin(), shape.end());
    if (!strides.empty() && strides.size() != sizes.size())
      return badInput("{} strides for {} dimensions", strides.size(), sizes.size());
    RETURN_IF_ERROR(frame.run().spend(elementCount(shape)));
    ASSIGN_OR_RETURN(const auto part, view->part(starts, sizes, strides));
    return sizes == shape ? part : part.reshaped(shape);
  }
};

KernelStep loadStep(Access access, ValueId result, std::optional<ValueId> mask = std::nullopt) {
  return [access = std::move(access), result, mask](KernelFrame& frame) -> Status {
    ASSIGN_OR_RETURN(const MemoryView view, access.in(frame));
    ASSIGN_OR_RETURN(Tensor tensor, view.read());
    if (mask) {
      ASSIGN_OR_RETURN(const Tensor* kept, frame.tensor(*mask));
      if (!kept->has(ElementType::kI1, tensor.shape()))
        return badInput("a mask of {} for {}", describe(*kept), describe(tensor));
      // The other elements are open; zero is one of the answers.
      const size_t width = byteWidth(tensor.type());
      const auto bytes = tensor.mutableBytes();
      for (size_t i = 0; i < static_cast<size_t>(tensor.size()); ++i)
        if (!kept->values<uint8_t>()[i])
          std::ranges::fill(bytes.subspan(i * width, width), std::byte{0});
    }
    frame[result] = std::move(tensor);
    return {};
  };
}

// `add`: to what is there.
KernelStep storeStep(Access access, ValueId value, std::optional<ValueId> mask,
                     const KernelLoop& add) {
  return [access = std::move(access), value, mask, add](KernelFrame& frame) -> Status {
    ASSIGN_OR_RETURN(const MemoryView view, access.in(frame));
    ASSIGN_OR_RETURN(const Tensor* tensor, frame.tensor(value));
    const Tensor* chosen = nullptr;
    if (mask) {
      ASSIGN_OR_RETURN(chosen, frame.tensor(*mask));
    }
    if (!add) return view.write(*tensor, chosen);
    ASSIGN_OR_RETURN(const Tensor before, view.read());
    const Tensor* const both[] = {&before, tensor};
    ASSIGN_OR_RETURN(const Tensor sum, applyLoop(add, both, before.type()));
    return view.write(sum, chosen);
  };
}

std::optional<ValueId> optional(const Ids& group) {
  return group.empty() ? std::nullopt : std::optional(group[0]);
}

// memref.load and vector.load: the memory and the indices.
Result<KernelStep> makeLoad(const StepRequest& request) {
  if (request.operands() < 1) return badInput("it needs a memory");
  return loadStep(
      {request.operand(0), from(request.operation.operands, 1), request.resultType().shape, {}},
      request.result());
}

// The value, the memory and the indices.
Result<KernelStep> makeStore(const StepRequest& request) {
  if (request.operands() < 2) return badInput("it needs a value and a memory");
  return storeStep(
      {request.operand(1), from(request.operation.operands, 2), request.operandType(0).shape, {}},
      request.operand(0), std::nullopt, KernelLoop());
}

Result<KernelStep> makeStridedLoad(const StepRequest& request) {
  if (request.operands() < 1) return badInput("it needs a memory");
  ASSIGN_OR_RETURN(const auto strides, integersOf(request.operation, "strides"));
  return loadStep({request.operand(0), from(request.operation.operands, 1),
                   request.resultType().shape, strides},
                  request.result());
}

Result<KernelStep> makeStridedStore(const StepRequest& request) {
  if (request.operands() < 2) return badInput("it needs a value and a memory");
  ASSIGN_OR_RETURN(const auto strides, integersOf(request.operation, "strides"));
  return storeStep({request.operand(1), from(request.operation.operands, 2),
                    request.operandType(0).shape, strides},
                   request.operand(0), std::nullopt, KernelLoop());
}

// Memory, indices, mask.
Result<KernelStep> makeVectorLoad(const StepRequest& request) {
  ASSIGN_OR_RETURN(const auto groups, operandGroups(request.operation, 3));
  ASSIGN_OR_RETURN(const auto strides,
                   integersOf(request.operation, "strides", std::vector<int64_t>{}));
  if (groups[0].size() != 1) return badInput("it needs one memory");
  return loadStep({groups[0][0], groups[1], request.resultType().shape, strides}, request.result(),
                  optional(groups[2]));
}

Result<KernelLoop> adding(const StepRequest& request) {
  ASSIGN_OR_RETURN(const bool adds, flagOf(request.operation, "add", false));
  const ElementType type = request.operandType(0).element;
  if (!adds) return KernelLoop();
  return kernelLoop("stablehlo.add", {type, type}, type);
}

// Value, memory, indices, mask.
Result<KernelStep> makeVectorStore(const StepRequest& request) {
  ASSIGN_OR_RETURN(const auto groups, operandGroups(request.operation, 4));
  ASSIGN_OR_RETURN(const auto strides,
                   integersOf(request.operation, "strides", std::vector<int64_t>{}));
  ASSIGN_OR_RETURN(const auto add, adding(request));
  if (groups[0].size() != 1 || groups[1].size() != 1)
    return badInput("it needs a value and a memory");
  return storeStep({groups[1][0], groups[2], request.operandType(0).shape, strides}, groups[0][0],
                   optional(groups[3]), add);
}

// tpu.load and tpu.store touch registers of 8 sublanes; some may be masked.
Result<std::vector<int64_t>> registerStrides(const StepRequest& request, size_t rank) {
  ASSIGN_OR_RETURN(const auto mask, integersOf(request.operation, "sublane_mask"));
  ASSIGN_OR_RETURN(const int64_t stride, integerOf(request.operation, "sublane_stride", 1));
  if (std::ranges::find(mask, 0) != mask.end())
    return unsupported("some of its sublanes are masked");
  std::vector<int64_t> strides(rank, 1);
  if (rank >= 2) strides[rank - 2] = std::max<int64_t>(stride, 1);
  return strides;
}

Result<KernelStep> makeRegisterLoad(const StepRequest& request) {
  if (request.operands() < 1) return badInput("it needs a memory");
  ASSIGN_OR_RETURN(const auto strides,
                   registerStrides(request, request.operandType(0).shape.size()));
  return loadStep({request.operand(0), from(request.operation.operands, 1),
                   request.resultType().shape, strides},
                  request.result());
}

Result<KernelStep> makeRegisterStore(const StepRequest& request) {
  ASSIGN_OR_RETURN(const auto groups, operandGroups(request.operation, 4));
  if (groups[0].size() != 1 || groups[1].size() != 1)
    return badInput("it needs a value and a memory");
  ASSIGN_OR_RETURN(const auto strides,
                   registerStrides(request, request.operandType(1).shape.size()));
  ASSIGN_OR_RETURN(const auto add, adding(request));
  return storeStep({groups[1][0], groups[2], request.operandType(0).shape, strides}, groups[0][0],
                   optional(groups[3]), add);
}

// A step that makes one view of another.
template <typename Make>
KernelStep viewStep(const StepRequest& request, Make make) {
  return
      [make, source = request.operand(0), result = request.result()](KernelFrame& frame) -> Status {
        ASSIGN_OR_RETURN(const MemoryView* view, frame.view(source));
        ASSIGN_OR_RETURN(MemoryView made, make(frame, *view));
        frame[result] = std::move(made);
        return {};
      };
}

// The memory, the first indices, and the sizes that the type leaves open.
Result<KernelStep> makeSlice(const StepRequest& request) {
  Ids starts = from(request.operation.operands, 1), open;
  if (request.operation.attributes.contains("operandSegmentSizes")) {
    ASSIGN_OR_RETURN(const auto groups, operandGroups(request.operation, 3));
    starts = groups[1];
    open = groups[2];
  }
  const Shape& shape = request.resultType().shape;
  if (std::ranges::count(shape, kDynamicDimension) != std::ssize(open))
    return badInput("{} sizes for {}", open.size(), request.resultType().text);
  return viewStep(
      request,
      [starts, open, shape](KernelFrame& frame, const MemoryView& view) -> Result<MemoryView> {
        ASSIGN_OR_RETURN(const auto indices, frame.integers(starts));
        ASSIGN_OR_RETURN(const auto given, frame.integers(open));
        Shape sizes = shape;
        size_t next = 0;
        for (int64_t& size : sizes)
          if (size == kDynamicDimension) size = given[next++];
        return view.part(indices, sizes, {});
      });
}

// The declared shape, where it is open in dimensions that the memory has in the same order.
Shape closed(Shape shape, const Shape& of) {
  size_t next = 0;
  for (int64_t& size : shape) {
    while (next < of.size() && of[next] == 1 && size != 1) ++next;
    if (size == kDynamicDimension && next < of.size()) size = of[next];
    ++next;
  }
  return shape;
}

// The same elements in another shape, or of another type of as many bits.
Result<KernelStep> makeReshape(const StepRequest& request) {
  const ValueType& type = request.resultType();
  const ElementType before = request.operandType(0).element;
  if (bitWidth(before) != bitWidth(type.element))
    return unsupported("it makes {} of {}, which has other bits", type.text,
                       request.operandType(0).text);
  // A memory of semaphores has no element type that stands in the program.
  return viewStep(request,
                  [shape = type.shape, element = type.element, casts = before != type.element](
                      KernelFrame&, const MemoryView& view) -> Result<MemoryView> {
                    ASSIGN_OR_RETURN(MemoryView made, view.reshaped(closed(shape, view.shape)));
                    if (casts && byteWidth(view.type) == byteWidth(element)) made.type = element;
                    return made;
                  });
}

// Notes for the compiler, about layouts and multiples.
Result<KernelStep> makeSame(const StepRequest& request) {
  return KernelStep(
      [source = request.operand(0), result = request.result()](KernelFrame& frame) -> Status {
        frame[result] = frame[source];
        return {};
      });
}

Result<KernelStep> makeDimension(const StepRequest& request) {
  return KernelStep([memory = request.operand(0), index = request.operand(1),
                     result = request.result()](KernelFrame& frame) -> Status {
    ASSIGN_OR_RETURN(const MemoryView* view, frame.view(memory));
    ASSIGN_OR_RETURN(const int64_t dimension, frame.integer(index));
    if (dimension < 0 || dimension >= std::ssize(view->shape))
      return badInput("there is no dimension {}", dimension);
    Tensor size(ElementType::kI64, {});
    size.mutableValues<int64_t>()[0] = view->shape[static_cast<size_t>(dimension)];
    frame[result] = std::move(size);
    return {};
  });
}

constexpr StepEntry kMemory[] = {
    {"memref.load", makeLoad, kAnyNumber, 1},
    {"memref.store", makeStore, kAnyNumber, 0, Effect::kSome},
    {"memref.dim", makeDimension, 2, 1},
    {"memref.cast", makeReshape, 1, 1},
    {"vector.load", makeLoad, kAnyNumber, 1},
    {"vector.store", makeStore, kAnyNumber, 0, Effect::kSome},
    {"tpu.load", makeRegisterLoad, kAnyNumber, 1},
    {"tpu.store", makeRegisterStore, kAnyNumber, 0, Effect::kSome},
    {"tpu.vector_load", makeVectorLoad, kAnyNumber, 1},
    {"tpu.vector_store", makeVectorStore, kAnyNumber, 0, Effect::kSome},
    {"tpu.strided_load", makeStridedLoad, kAnyNumber, 1},
    {"tpu.strided_store", makeStridedStore, kAnyNumber, 0, Effect::kSome},
    {"tpu.memref_slice", makeSlice, kAnyNumber, 1},
    {"tpu.memref_squeeze", makeReshape, 1, 1},
    {"tpu.memref_reshape", makeReshape, 1, 1},
    {"tpu.memref_bitcast", makeReshape, 1, 1},
    {"tpu.erase_memref_layout", makeSame, 1, 1},
    {"tpu.assume_layout", makeSame, 1, 1},
    {"tpu.assume_multiple", makeSame, 1, 1},
};

}  // namespace

StepTable memorySteps() { return kMemory; }

}  // namespace vintage::harness
