// Triton's dialect apart from memory, arithmetic and folds: ranges, shapes, addresses, calls.
#include <algorithm>

#include "golden/base/failures.h"
#include "harness/engine/checked_attributes.h"
#include "harness/engine/kernels/triton_run.h"
#include "harness/engine/operations/data_movement.h"

namespace vintage::harness {
using namespace golden;

namespace {

using Operands = std::span<const Tensor* const>;
using Effect = StepEntry::Effect;

Tensor integer32(int64_t value) {
  Tensor tensor(ElementType::kI32, {});
  tensor.mutableValues<int32_t>()[0] = static_cast<int32_t>(value);
  return tensor;
}

Result<KernelStep> placeStep(const StepRequest& request, bool isProgram) {
  ASSIGN_OR_RETURN(const int64_t axis, integerOf(request.operation, "axis"));
  if (axis < 0 || axis > 2) return badInput("a grid has no axis {}", axis);
  return KernelStep([axis, isProgram, result = request.result()](KernelFrame& frame) -> Status {
    const auto& run = static_cast<TritonRun&>(frame.run());
    frame[result] = integer32((isProgram ? run.program : run.grid)[static_cast<size_t>(axis)]);
    return {};
  });
}
Result<KernelStep> makeProgramId(const StepRequest& request) { return placeStep(request, true); }
Result<KernelStep> makeProgramCount(const StepRequest& request) {
  return placeStep(request, false);
}

Result<KernelStep> makeRange(const StepRequest& request) {
  ASSIGN_OR_RETURN(const int64_t start, integerOf(request.operation, "start"));
  const ValueType& type = request.resultType();
  if (type.element != ElementType::kI32) return badInput("its result is {}", type.text);
  ASSIGN_OR_RETURN(auto numbers, iotaTensor(type.element, type.shape, 0, Tensor::kDefaultLimit));
  for (int32_t& each : numbers.mutableValues<int32_t>()) each += static_cast<int32_t>(start);
  return KernelStep([numbers, result = request.result()](KernelFrame& frame) -> Status {
    frame[result] = numbers;
    return {};
  });
}

// splat, broadcast, unsplat
Result<KernelStep> makeTritonRepeat(const StepRequest& request) {
  const Shape shape = request.resultType().shape;
  std::vector<int64_t> dimensions;
  for (size_t i = 0; i < request.operandType(0).shape.size() && !shape.empty(); ++i)
    dimensions.push_back(static_cast<int64_t>(i));
  return tensorStep(request, [shape, dimensions](Operands operands) -> Result<Tensor> {
    if (shape.empty()) return operands[0]->reshaped({});
    return broadcastTensor(*operands[0], dimensions, shape, Tensor::kDefaultLimit);
  });
}

// expand_dims and reshape; and what only changes the type of an address.
Result<KernelStep> makeReshaped(const StepRequest& request) {
  return tensorStep(request, [shape = request.resultType().shape](Operands operands) {
    return operands[0]->reshaped(shape);
  });
}

Result<KernelStep> makeTritonBitcast(const StepRequest& request) {
  const ElementType to = request.resultType().element;
  if (byteWidth(to) != byteWidth(request.operandType(0).element))
    return badInput("it makes {} of {}", request.resultType().text, request.operandType(0).text);
  return tensorStep(
      request, [to](Operands operands) -> Result<Tensor> { return retyped(*operands[0], to); });
}

Result<KernelStep> makeTransposed(const StepRequest& request) {
  ASSIGN_OR_RETURN(const auto order, integersOf(request.operation, "order"));
  if (!isPermutation(order, std::ssize(request.operandType(0).shape)))
    return badInput("its order is {}", fmt::join(order, ", "));
  return tensorStep(request,
                    [order](Operands operands) { return transposeTensor(*operands[0], order); });
}

Result<KernelStep> makeTritonConcatenate(const StepRequest& request) {
  return tensorStep(request, [](Operands operands) {
    return concatenateTensors(operands, 0, Tensor::kDefaultLimit);
  });
}

// Two tensors along a new last dimension, and back.
Result<KernelStep> makeJoin(const StepRequest& request) {
  return tensorStep(request, [](Operands operands) -> Result<Tensor> {
    const int64_t last = operands[0]->rank();
    ASSIGN_OR_RETURN(const auto left, withDimension(*operands[0], last));
    ASSIGN_OR_RETURN(const auto right, withDimension(*operands[1], last));
    const Tensor* const both[] = {&left, &right};
    return concatenateTensors(both, last, Tensor::kDefaultLimit);
  });
}

Result<KernelStep> makeSplit(const StepRequest& request) {
  return KernelStep([operand = request.operand(0),
                     results = request.operation.results](KernelFrame& frame) -> Status {
    ASSIGN_OR_RETURN(const Tensor* whole, frame.tensor(operand));
    const int64_t last = whole->rank() - 1;
    if (last < 0 || whole->shape().back() != 2) return badInput("it splits {}", describe(*whole));
    for (int64_t half : {0, 1}) {
      ASSIGN_OR_RETURN(const auto slice, sliceDimension(*whole, last, half, half + 1));
      ASSIGN_OR_RETURN(auto part, withoutDimension(slice, last));
      frame[results[static_cast<size_t>(half)]] = std::move(part);
    }
    return {};
  });
}

// Offsets count elements.
Result<KernelStep> makeAddPointer(const StepRequest& request) {
  ASSIGN_OR_RETURN(const ElementType element, pointedTo(request.resultType()));
  const auto width = static_cast<int64_t>(byteWidth(element));
  return tensorStep(request, [width](Operands operands) -> Result<Tensor> {
    const Tensor &pointers = *operands[0], &offsets = *operands[1];
    if (pointers.size() != offsets.size() || !isSignedInteger(offsets.type()))
      return badInput("it adds {} to {} pointers", describe(offsets), pointers.size());
    Tensor sums = pointers;
    const auto addresses = sums.mutableValues<int64_t>();
    for (size_t i = 0; i < addresses.size(); ++i)
      addresses[i] = static_cast<int64_t>(
          static_cast<uint64_t>(addresses[i]) +
          static_cast<uint64_t>(integerElement(offsets, static_cast<int64_t>(i))) *
              static_cast<uint64_t>(width));
    return sums;
  });
}

Result<KernelStep> makeTritonNothing(const StepRequest&) {
  return KernelStep([](KernelFrame&) -> Status { return {}; });
}

// Stands where a program never comes, or in a value that nobody uses.
Result<KernelStep> makePoison(const StepRequest&) {
  return KernelStep([](KernelFrame&) -> Status { return badInput("uses a value that has none"); });
}

Result<KernelStep> makeTritonAssert(const StepRequest& request) {
  ASSIGN_OR_RETURN(const std::string message, textOf(request.operation, "message", std::string()));
  return KernelStep([message, condition = request.operand(0)](KernelFrame& frame) -> Status {
    ASSIGN_OR_RETURN(const Tensor* holds, frame.tensor(condition));
    for (const int64_t each : integerElements(*holds))
      if (each == 0) return badInput("the kernel's own check failed: {}", message);
    return {};
  });
}

// Uses the step of the like operation of another dialect.
Result<KernelStep> makeAlike(const StepRequest& request) {
  constexpr std::pair<std::string_view, std::string_view> kAlike[] = {
      {"tt.call", "func.call"},
      {"tt.return", "func.return"},
      {"tt.reduce.return", "scf.yield"},
      {"tt.scan.return", "scf.yield"},
  };
  const auto* row = std::ranges::find(kAlike, request.operation.name,
                                      &std::pair<std::string_view, std::string_view>::first);
  return std::ranges::find(controlSteps(), row->second, &StepEntry::name)->make(request);
}

constexpr StepEntry kSteps[] = {
    {"tt.get_program_id", makeProgramId, 0, 1},
    {"tt.get_num_programs", makeProgramCount, 0, 1},
    {"tt.make_range", makeRange, 0, 1},
    {"tt.splat", makeTritonRepeat, 1, 1},
    {"tt.unsplat", makeTritonRepeat, 1, 1},
    {"tt.broadcast", makeTritonRepeat, 1, 1},
    {"tt.expand_dims", makeReshaped, 1, 1},
    {"tt.reshape", makeReshaped, 1, 1},
    {"tt.trans", makeTransposed, 1, 1},
    {"tt.cat", makeTritonConcatenate, 2, 1},
    {"tt.join", makeJoin, 2, 1},
    {"tt.split", makeSplit, 1, 2},
    {"tt.addptr", makeAddPointer, 2, 1},
    {"tt.bitcast", makeTritonBitcast, 1, 1},
    {"tt.int_to_ptr", makeReshaped, 1, 1},
    {"tt.ptr_to_int", makeReshaped, 1, 1},
    {"tt.print", makeTritonNothing, kAnyNumber, 0, Effect::kSome},
    {"tt.assert", makeTritonAssert, 1, 0, Effect::kSome},
    {"ub.poison", makePoison, 0, 1},
    {"tt.call", makeAlike, kAnyNumber, kAnyNumber, Effect::kSome},
    {"tt.return", makeAlike, kAnyNumber, 0, Effect::kTerminates},
    {"tt.reduce.return", makeAlike, kAnyNumber, 0, Effect::kTerminates},
    {"tt.scan.return", makeAlike, kAnyNumber, 0, Effect::kTerminates},
};

}  // namespace

StepTable tritonSteps() { return kSteps; }

Result<ElementType> pointedTo(const ValueType& type) {
  constexpr std::string_view kPointer = "!tt.ptr<";
  const size_t at = type.text.find(kPointer);
  if (at != std::string::npos) {
    const std::string_view rest = std::string_view(type.text).substr(at + kPointer.size());
    const std::string_view name = rest.substr(0, rest.find_first_of(",>"));
    if (const auto element = parseStablehloName(name)) return *element;
  }
  return unsupported("{} are no pointers to numbers", type.text);
}

}  // namespace vintage::harness
