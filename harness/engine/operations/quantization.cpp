// Arithmetic on quantized tensors, and the operations between them and others.
#include <algorithm>
#include <cmath>
#include <string_view>

#include "golden/base/failures.h"
#include "golden/tensor/visit.h"
#include "harness/engine/kernel.h"

namespace vintage::harness {
using namespace golden;

namespace {

Status checkQuantization(const Quantization& quantization, const Tensor& tensor) {
  size_t expected = 1;
  if (quantization.dimension) {
    if (*quantization.dimension < 0 || *quantization.dimension >= tensor.rank())
      return badInput("quantization along dimension {} of {}", *quantization.dimension,
                      describe(tensor));
    expected = static_cast<size_t>(tensor.shape()[static_cast<size_t>(*quantization.dimension)]);
  }
  if (quantization.scales.size() != expected || quantization.zeroPoints.size() != expected ||
      !isFloat(quantization.expressed) || !isInteger(quantization.storage))
    return badInput("quantization with {} scales and {} zero points for {}; {} are needed",
                    quantization.scales.size(), quantization.zeroPoints.size(), describe(tensor),
                    expected);
  return {};
}

// Calls body(element, index of the scale) for every element.
template <typename Body>
void eachElement(const Tensor& tensor, const Quantization& quantization, Body body) {
  int64_t inner = 1, count = 1;
  if (quantization.dimension) {
    const auto axis = static_cast<size_t>(*quantization.dimension);
    count = tensor.shape()[axis];
    inner = elementCount(std::span(tensor.shape()).subspan(axis + 1));
  }
  for (int64_t i = 0; i < tensor.size(); ++i)
    body(static_cast<size_t>(i), static_cast<size_t>(i / inner % count));
}

bool isQuantized(const ValueType& type) { return type.quantization.has_value(); }

// In the precision of the expressed type, as upstream's interpreter does it.
template <typename T>
using Precision = std::conditional_t<std::is_same_v<T, double>, double, float>;

// (storage - zero point) * scale, in the expressed type.
Result<Tensor> dequantize(const Tensor& storage, const Quantization& quantization) {
  RETURN_IF_ERROR(checkQuantization(quantization, storage));
  Tensor result = Tensor::uninitialized(quantization.expressed, storage.shape());
  visitElementType(quantization.expressed, [&]<typename To>() {
    if constexpr (kIsFloatStorage<To>) {
      using P = Precision<To>;
      auto out = result.mutableValues<To>();
      visitElementType(storage.type(), [&]<typename From>() {
        if constexpr (kIsIntegerStorage<From>) {
          const auto in = storage.values<From>();
          eachElement(storage, quantization, [&](size_t i, size_t k) {
            const int64_t steps = static_cast<int64_t>(in[i]) - quantization.zeroPoints[k];
            out[i] = To(static_cast<P>(To(static_cast<P>(steps))) *
                        static_cast<P>(To(quantization.scales[k])));
          });
        }
      });
    }
  });
  return result;
}

Result<Kernel> makeUniformQuantize(const KernelRequest& request) {
  const auto& from = request.operandTypes[0].quantization;
  const auto& to = request.resultTypes[0].quantization;
  if (!to) return badInput("stablehlo.uniform_quantize: the result is not quantized");
  return tensorKernel([from, to](KernelCall& call) -> Result<Tensor> {
    const Tensor& operand = call.operands[0].tensor;
    if (!from) return quantize(operand, *to);
    ASSIGN_OR_RETURN(auto value, dequantize(operand, *from));
    return quantize(value, *to);
  });
}

Result<Kernel> makeUniformDequantize(const KernelRequest& request) {
  const auto& from = request.operandTypes[0].quantization;
  if (!from) return badInput("stablehlo.uniform_dequantize: the operand is not quantized");
  return tensorKernel(
      [from](KernelCall& call) { return dequantize(call.operands[0].tensor, *from); });
}

}  // namespace

Result<Tensor> quantize(const Tensor& value, const Quantization& quantization) {
  RETURN_IF_ERROR(checkQuantization(quantization, value));
  if (value.type() != quantization.expressed)
    return badInput("{} cannot be quantized as {}", describe(value),
                    stablehloName(quantization.expressed));
  Tensor result = Tensor::uninitialized(quantization.storage, value.shape());
  const auto low = static_cast<double>(quantization.storageMin);
  const auto high = static_cast<double>(quantization.storageMax);
  visitElementType(value.type(), [&]<typename From>() {
    if constexpr (kIsFloatStorage<From>) {
      using P = Precision<From>;
      const auto in = value.values<From>();
      visitElementType(quantization.storage, [&]<typename To>() {
        if constexpr (kIsIntegerStorage<To>) {
          auto out = result.mutableValues<To>();
          eachElement(value, quantization, [&](size_t i, size_t k) {
            const P scale = static_cast<P>(From(quantization.scales[k]));
            const P scaled = static_cast<P>(From(static_cast<P>(in[i]) / scale));
            const double steps = std::nearbyint(static_cast<double>(scaled)) +
                                 static_cast<double>(quantization.zeroPoints[k]);
            // As a conversion to integers has it, NaN is stored as 0.
            const double kept = std::isnan(steps) ? 0.0 : steps;
            const double clamped = std::clamp(kept, low, std::max(low, high));
            out[i] = To(static_cast<int64_t>(clamped));
          });
        }
      });
    }
  });
  return result;
}

bool computesOnQuantized(const KernelRequest& request) {
  // A region computes on quantized elements by operations of its own.
  if (!request.operation.regions.empty()) return false;
  if (std::ranges::none_of(request.operandTypes, isQuantized) &&
      std::ranges::none_of(request.resultTypes, isQuantized))
    return false;
  // These work on the storage as it is.
  constexpr std::string_view kMoving =
      " all_gather all_to_all bitcast_convert broadcast broadcast_in_dim collective_broadcast "
      "collective_permute concatenate custom_call dynamic_broadcast_in_dim dynamic_gather "
      "dynamic_pad dynamic_reshape dynamic_slice dynamic_update_slice gather get_dimension_size "
      "get_tuple_element infeed outfeed recv send optimization_barrier pad real_dynamic_slice "
      "reshape reverse select set_dimension_size slice transpose tuple uniform_dequantize "
      "uniform_quantize ";
  constexpr std::string_view kDialect = "stablehlo.";
  const std::string_view name = request.operation.name;
  return !name.starts_with(kDialect) ||
         kMoving.find(fmt::format(" {} ", name.substr(kDialect.size()))) == kMoving.npos;
}

Result<Kernel> makeQuantizedKernel(const OperationEntry& entry, const KernelRequest& request) {
  std::vector<ValueType> operandTypes(request.operandTypes.begin(), request.operandTypes.end());
  std::vector<ValueType> resultTypes(request.resultTypes.begin(), request.resultTypes.end());
  std::vector<std::optional<Quantization>> operands, results;
  const auto express = [](std::vector<ValueType>& types,
                          std::vector<std::optional<Quantization>>& quantizations) {
    for (ValueType& type : types) {
      quantizations.push_back(type.quantization);
      if (type.quantization) type.element = type.quantization->expressed;
      type.quantization.reset();
    }
  };
  express(operandTypes, operands);
  express(resultTypes, results);
  KernelRequest expressed = request;
  expressed.operandTypes = operandTypes;
  expressed.resultTypes = resultTypes;
  ASSIGN_OR_RETURN(auto kernel, entry.plan(expressed));
  return [kernel = std::move(kernel), operands, results](KernelCall& call) -> Status {
    std::vector<Value> values(call.operands.begin(), call.operands.end());
    for (size_t i = 0; i < values.size(); ++i) {
      if (!operands[i]) continue;
      ASSIGN_OR_RETURN(values[i].tensor, dequantize(values[i].tensor, *operands[i]));
    }
    KernelCall inner{values, call.results, values, call.availableBytes};
    RETURN_IF_ERROR(kernel(inner));
    for (size_t i = 0; i < call.results.size(); ++i) {
      if (!results[i]) continue;
      ASSIGN_OR_RETURN(call.results[i].tensor, quantize(call.results[i].tensor, *results[i]));
    }
    return {};
  };
}

std::vector<OperationEntry> quantizationOperations() {
  return {
      {"stablehlo.uniform_dequantize", makeUniformDequantize, 1, 1},
      {"stablehlo.uniform_quantize", makeUniformQuantize, 1, 1},
  };
}

}  // namespace vintage::harness
