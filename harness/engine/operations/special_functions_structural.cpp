// chlo.constant_like, top_k and scan, and the table of CHLO's operations that are not elementwise.
#include "golden/base/failures.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>

#include "golden/tensor/visit.h"
#include "harness/engine/checked_attributes.h"
#include "harness/engine/operations/arithmetic.h"
#include "harness/engine/operations/data_movement.h"
#include "harness/engine/operations/loop_table.h"
#include "harness/engine/operations/special_functions.h"

namespace vintage::harness {
using namespace golden;

namespace {

// One element of `type` with the value of an attribute; none where it has none.
std::optional<Tensor> scalarOf(const Attribute& attribute, ElementType type) {
  if (const auto* tensor = std::get_if<Tensor>(&attribute.value))
    return tensor->size() == 1 && tensor->type() == type ? std::optional(*tensor) : std::nullopt;
  return std::visit(
      [&]<typename T>(const T& value) -> std::optional<Tensor> {
        if constexpr (std::is_arithmetic_v<T>) {
          using Storage = std::conditional_t<std::is_same_v<T, bool>, Predicate, T>;
          Tensor scalar(kElementTypeOf<Storage>, {});
          scalar.mutableValues<Storage>()[0] = Storage(value);
          return *convertTensor(scalar, type, Tensor::kDefaultLimit);
        }
        return std::nullopt;
      },
      attribute.value);
}

Result<Kernel> makeConstantLike(const KernelRequest& request) {
  const Attribute* value = CheckedAttributes(request.operation).find("value");
  const auto scalar = value ? scalarOf(*value, request.resultTypes[0].element) : std::nullopt;
  if (!scalar)
    return badInput("chlo.constant_like: the attribute 'value' is not one {}.",
                    stablehloName(request.resultTypes[0].element));
  return tensorKernel([scalar = *scalar](KernelCall& call) -> Result<Tensor> {
    auto result = Tensor::makeUninitialized(scalar.type(), call.operands[0].tensor.shape(),
                                            call.availableBytes);
    if (result) fill(result->mutableBytes(), scalar.bytes());
    return result;
  });
}

Result<Kernel> makeTopK(const KernelRequest& request) {
  CheckedAttributes read(request.operation);
  const int64_t count = read.integer("k");
  const bool largest = read.flag("largest", true);
  RETURN_IF_ERROR(read.status());
  if (!givesTwo(request)) return badInput("chlo.top_k needs two results.");
  return Kernel([=](KernelCall& call) { return giveTopK(call, "chlo.top_k", count, largest); });
}

// body(element of each input, carries) gives (element of each output, carries),
// called along `dimension` in order.
Result<Kernel> makeScan(const KernelRequest& request) {
  CheckedAttributes read(request.operation);
  const int64_t dimension = read.integer("dimension");
  const bool reverse = read.flag("is_reverse", false);
  const auto segments = read.integers("operandSegmentSizes", std::vector<int64_t>{});
  const auto resultSegments = read.integers("resultSegmentSizes", std::vector<int64_t>{});
  RETURN_IF_ERROR(read.status());
  const size_t operands = request.operandTypes.size(), results = request.resultTypes.size();
  // Without segment sizes the carries follow from the results: equally many
  // inputs and outputs.
  const size_t inputs = segments.size() == 2 ? static_cast<size_t>(segments[0]) : operands / 2;
  if (inputs == 0 || inputs > operands || operands - inputs > results ||
      request.regions.size() != 1)
    return badInput("chlo.scan with {} inputs, {} operands and {} results cannot be run.", inputs,
                    operands, results);
  const size_t carries = operands - inputs, outputs = results - carries;
  return Kernel([=, body = request.regions[0].call](KernelCall& call) -> Status {
    std::vector<Value> state(call.operands.begin() + static_cast<ptrdiff_t>(inputs),
                             call.operands.end());
    const Shape& shape = call.operands[0].tensor.shape();
    if (dimension < 0 || dimension >= std::ssize(shape))
      return badInput("chlo.scan: the dimension {} is out of range.", dimension);
    const int64_t steps = shape[dimension];
    std::vector<std::vector<Tensor>> pieces(outputs,
                                            std::vector<Tensor>(static_cast<size_t>(steps)));
    for (int64_t step = 0; step < steps; ++step) {
      const int64_t at = reverse ? steps - 1 - step : step;
      std::vector<Value> arguments;
      for (size_t i = 0; i < inputs; ++i) {
        const Tensor& input = call.operands[i].tensor;
        if (input.rank() != std::ssize(shape) || input.shape()[dimension] != steps)
          return badInput("chlo.scan: the inputs differ along the dimension.");
        ASSIGN_OR_RETURN(auto slice,
                         within("chlo.scan", sliceDimension(input, dimension, at, at + 1)));
        arguments.emplace_back().tensor = *withoutDimension(slice, dimension);
      }
      arguments.insert(arguments.end(), state.begin(), state.end());
      ASSIGN_OR_RETURN(auto given, within("chlo.scan", body(arguments)));
      if (given.size() != outputs + carries)
        return badInput("chlo.scan: the body returns another number of values.");
      for (size_t i = 0; i < outputs; ++i) pieces[i][at] = std::move(given[i].tensor);
      for (size_t i = 0; i < carries; ++i) state[i] = std::move(given[outputs + i]);
    }
    for (size_t i = 0; i < outputs; ++i) {
      std::vector<const Tensor*> parts;
      for (Tensor& piece : pieces[i]) {
        piece = *withDimension(piece, dimension);
        parts.push_back(&piece);
      }
      if (parts.empty())
        return unsupported("chlo.scan over no elements has outputs of unknown shape.");
      ASSIGN_OR_RETURN(
          call.results[i].tensor,
          within("chlo.scan", concatenateTensors(parts, dimension, call.availableBytes)));
    }
    for (size_t i = 0; i < carries; ++i) call.results[outputs + i] = std::move(state[i]);
    return {};
  });
}

// A signed integer that orders like the value.
template <typename S>
int64_t orderKey(const S& value) {
  if constexpr (kIsFloatStorage<S>) {
    using Wide = std::conditional_t<kIsNarrowFloat<S>, float, S>;
    return totalOrderKey(static_cast<Wide>(value));
  } else if constexpr (std::is_same_v<S, uint64_t>) {
    return static_cast<int64_t>(value ^ (uint64_t{1} << 63));
  } else {
    return static_cast<int64_t>(static_cast<Computation<S>>(value));
  }
}

template <typename S>
void fillPositions(const Tensor& operand, const TopK& topK, int64_t stride, Tensor& positions) {
  const auto values = operand.values<S>();
  int32_t* out = positions.mutableValues<int32_t>().data();
  const int64_t size = operand.shape()[topK.dimension];
  const int64_t outer = size == 0 ? 0 : operand.size() / (size * stride);
  std::vector<int64_t> keys(size);
  std::vector<int32_t> order(size);
  for (int64_t line = 0; line < outer * stride; ++line) {
    const int64_t first = line / stride * size * stride + line % stride;
    for (int64_t i = 0; i < size; ++i) {
      // ~ reverses the order without overflow.
      const int64_t key = orderKey<S>(values[first + i * stride]);
      keys[i] = topK.largest ? ~key : key;
    }
    std::iota(order.begin(), order.end(), 0);
    std::partial_sort(
        order.begin(), order.begin() + topK.count, order.end(),
        [&](int32_t a, int32_t b) { return keys[a] != keys[b] ? keys[a] < keys[b] : a < b; });
    const int64_t target = line / stride * topK.count * stride + line % stride;
    for (int64_t i = 0; i < topK.count; ++i) out[target + i * stride] = order[i];
  }
}

int64_t strideOf(const Shape& shape, int64_t dimension) {
  return elementCount(std::span(shape).subspan(static_cast<size_t>(dimension) + 1));
}

}  // namespace

std::vector<OperationEntry> specialFunctionOperations() {
  return {
      {"chlo.constant_like", makeConstantLike, 1, 1},
      {"chlo.ragged_dot", makeRaggedDot, 3, 1},
      {"chlo.scan", makeScan},
      {"chlo.top_k", makeTopK, 1},
  };
}

Result<Tensor> topKPositions(const Tensor& operand, const TopK& topK) {
  const bool inRange = topK.dimension >= 0 && topK.dimension < operand.rank();
  if (!inRange || isComplex(operand.type()) || topK.count < 0 ||
      topK.count > operand.shape()[topK.dimension] ||
      operand.shape()[topK.dimension] > std::numeric_limits<int32_t>::max())
    return badInput(
        "The {} best of {} along dimension {} do not exist: between 0 and "
        "the dimension's size of a real operand are needed.",
        topK.count, describe(operand), topK.dimension);
  Shape shape = operand.shape();
  shape[topK.dimension] = topK.count;
  auto positions = Tensor::makeUninitialized(ElementType::kI32, std::move(shape));
  if (!positions || positions->size() == 0) return positions;
  visitElementType(operand.type(), [&]<typename S>() {
    if constexpr (!kIsComplexStorage<S>) {
      fillPositions<S>(operand, topK, strideOf(operand.shape(), topK.dimension), *positions);
    }
  });
  return positions;
}

Status giveTopK(KernelCall& call, const std::string& name, int64_t count, bool largest) {
  const Tensor& operand = call.operands[0].tensor;
  const int64_t last = operand.rank() - 1;
  ASSIGN_OR_RETURN(auto positions, within(name, topKPositions(operand, {last, count, largest})));
  ASSIGN_OR_RETURN(auto values, within(name, takeAtPositions(operand, positions, last)));
  call.give(std::move(values), std::move(positions));
  return {};
}

Result<Tensor> takeAtPositions(const Tensor& operand, const Tensor& positions, int64_t dimension) {
  auto result = Tensor::makeUninitialized(operand.type(), positions.shape());
  if (!result || result->size() == 0) return result;
  const size_t width = byteWidth(operand.type());
  const int64_t stride = strideOf(operand.shape(), dimension);
  const int64_t size = operand.shape()[dimension], count = positions.shape()[dimension];
  const auto places = positions.values<int32_t>();
  const std::byte* from = operand.bytes().data();
  std::byte* to = result->mutableBytes().data();
  for (int64_t i = 0; i < positions.size(); ++i) {
    const int64_t outer = i / (count * stride), inner = i % stride;
    const int64_t source = (outer * size + places[i]) * stride + inner;
    std::memcpy(to + i * width, from + source * width, width);
  }
  return result;
}

}  // namespace vintage::harness
