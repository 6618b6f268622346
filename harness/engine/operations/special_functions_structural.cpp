// chlo.constant, constant_like, top_k and scan.

#include "golden/base/failures.h"
#include "golden/tensor/visit.h"
#include "harness/engine/checked_attributes.h"
#include "harness/engine/operand_checks.h"
#include "harness/engine/operations/data_movement.h"
#include "harness/engine/operations/special_functions.h"

namespace vintage::harness {
using namespace golden;

namespace {

// One element of `type` with the value of an attribute; none where it has none.
std::optional<Tensor> scalarOf(const Attribute& attribute, ElementType type) {
  if (const auto* tensor = std::get_if<Tensor>(&attribute.value)) {
    return tensor->size() == 1 && tensor->type() == type ? std::optional(*tensor) : std::nullopt;
  }
  double number = 0;
  int64_t integer = 0;
  if (const auto* value = std::get_if<double>(&attribute.value)) {
    number = *value;
    integer = static_cast<int64_t>(*value);
  } else if (const auto* whole = std::get_if<int64_t>(&attribute.value)) {
    number = static_cast<double>(*whole);
    integer = *whole;
  } else if (const auto* truth = std::get_if<bool>(&attribute.value)) {
    number = integer = *truth ? 1 : 0;
  } else {
    return std::nullopt;
  }
  Tensor scalar(type, {});
  visitElementType(type, [&]<typename T>() {
    if constexpr (kIsPredicateStorage<T>) {
      scalar.mutableValues<T>()[0] = T(integer != 0);
    } else if constexpr (kIsIntegerStorage<T>) {
      scalar.mutableValues<T>()[0] = static_cast<T>(integer);
    } else if constexpr (kIsComplexStorage<T>) {
      scalar.mutableValues<T>()[0] = T(static_cast<typename T::value_type>(number));
    } else {
      scalar.mutableValues<T>()[0] = T(number);
    }
  });
  return scalar;
}

Result<Attribute> valueAttribute(const Operation& operation) {
  const auto found = operation.attributes.find("value");
  if (found != operation.attributes.end()) return found->second;
  return failure(Error::Kind::kBadInput, operation.name + ": the attribute 'value' is missing.");
}

}  // namespace

Result<Kernel> makeChloConstant(const KernelRequest& request) {
  RETURN_IF_ERROR(checkCounts(request, 0));
  ASSIGN_OR_RETURN(const auto value, valueAttribute(request.operation));
  const ValueType& type = request.resultTypes[0];
  Tensor constant;
  if (const auto* tensor = std::get_if<Tensor>(&value.value)) {
    constant = *tensor;
  } else if (const auto* integers = std::get_if<std::vector<int64_t>>(&value.value)) {
    constant = Tensor(ElementType::kI64, {static_cast<int64_t>(integers->size())});
    std::ranges::copy(*integers, constant.mutableValues<int64_t>().begin());
  } else {
    return badInput("chlo.constant: the attribute 'value' is not a tensor.");
  }
  if (constant.type() != type.element || constant.shape() != type.shape) {
    return badInput("chlo.constant: the value is {} and the result {}.", describe(constant),
                    type.text);
  }
  return tensorKernel([constant](KernelCall&) -> Result<Tensor> { return constant; });
}

Result<Kernel> makeConstantLike(const KernelRequest& request) {
  RETURN_IF_ERROR(checkCounts(request, 1));
  ASSIGN_OR_RETURN(const auto value, valueAttribute(request.operation));
  const auto scalar = scalarOf(value, request.resultTypes[0].element);
  if (!scalar) {
    return badInput("chlo.constant_like: the attribute 'value' is not one {}.",
                    stablehloName(request.resultTypes[0].element));
  }
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
  const bool tuple =
      request.resultTypes.size() == 1 && request.resultTypes[0].kind == ValueType::Kind::kTuple;
  if (request.operandTypes.size() != 1 || (request.resultTypes.size() != 2 && !tuple)) {
    return badInput("chlo.top_k needs one operand and two results.");
  }
  return Kernel([=](KernelCall& call) -> Status {
    const Tensor& operand = call.operands[0].tensor;
    ASSIGN_OR_RETURN(
        auto positions,
        within("chlo.top_k", topKPositions(operand, {operand.rank() - 1, count, largest})));
    ASSIGN_OR_RETURN(auto values,
                     within("chlo.top_k", takeAtPositions(operand, positions, operand.rank() - 1)));
    if (tuple) {
      call.results[0].isTuple = true;
      call.results[0].elements.resize(2);
    }
    (tuple ? call.results[0].elements[0] : call.results[0]).tensor = std::move(values);
    (tuple ? call.results[0].elements[1] : call.results[1]).tensor = std::move(positions);
    return {};
  });
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
      request.regions.size() != 1) {
    return badInput("chlo.scan with {} inputs, {} operands and {} results cannot be run.", inputs,
                    operands, results);
  }
  const size_t carries = operands - inputs, outputs = results - carries;
  return Kernel([=, body = request.regions[0]](KernelCall& call) -> Status {
    std::vector<Value> state(call.operands.begin() + static_cast<ptrdiff_t>(inputs),
                             call.operands.end());
    const Shape& shape = call.operands[0].tensor.shape();
    if (dimension < 0 || dimension >= static_cast<int64_t>(shape.size())) {
      return badInput("chlo.scan: the dimension {} is out of range.", dimension);
    }
    const int64_t steps = shape[dimension];
    std::vector<std::vector<Tensor>> pieces(outputs,
                                            std::vector<Tensor>(static_cast<size_t>(steps)));
    for (int64_t step = 0; step < steps; ++step) {
      const int64_t at = reverse ? steps - 1 - step : step;
      std::vector<Value> arguments;
      for (size_t i = 0; i < inputs; ++i) {
        const Tensor& input = call.operands[i].tensor;
        if (input.rank() != static_cast<int64_t>(shape.size()) ||
            input.shape()[dimension] != steps) {
          return badInput("chlo.scan: the inputs differ along the dimension.");
        }
        std::vector<int64_t> starts(shape.size(), 0), limits = input.shape(),
                                                      strides(shape.size(), 1);
        starts[dimension] = at;
        limits[dimension] = at + 1;
        ASSIGN_OR_RETURN(auto slice,
                         within("chlo.scan", sliceTensor(input, starts, limits, strides)));
        Shape dropped = slice.shape();
        dropped.erase(dropped.begin() + dimension);
        Value value;
        value.tensor = *slice.reshaped(std::move(dropped));
        arguments.push_back(std::move(value));
      }
      arguments.insert(arguments.end(), state.begin(), state.end());
      ASSIGN_OR_RETURN(auto given, within("chlo.scan", body(arguments)));
      if (given.size() != outputs + carries) {
        return badInput("chlo.scan: the body returns another number of values.");
      }
      for (size_t i = 0; i < outputs; ++i) pieces[i][at] = std::move(given[i].tensor);
      for (size_t i = 0; i < carries; ++i) state[i] = std::move(given[outputs + i]);
    }
    for (size_t i = 0; i < outputs; ++i) {
      std::vector<const Tensor*> parts;
      for (Tensor& piece : pieces[i]) {
        Shape grown = piece.shape();
        grown.insert(grown.begin() + std::min<int64_t>(dimension, piece.rank()), 1);
        piece = *piece.reshaped(std::move(grown));
        parts.push_back(&piece);
      }
      if (parts.empty()) {
        return unsupported("chlo.scan over no elements has outputs of unknown shape.");
      }
      ASSIGN_OR_RETURN(
          call.results[i].tensor,
          within("chlo.scan", concatenateTensors(parts, dimension, call.availableBytes)));
    }
    for (size_t i = 0; i < carries; ++i) call.results[outputs + i] = std::move(state[i]);
    return {};
  });
}

}  // namespace vintage::harness
