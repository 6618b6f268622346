// Faults of sums over dimensions: reductions, windows, products of matrices,
// convolutions and Fourier transforms.
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>

#include "harness/engine/faults/damage.h"

namespace vintage::harness {
using namespace golden;

namespace {

using namespace damage;

auto foldsBy(const char* operation) {
  return [operation](const KernelRequest& request) {
    return !request.regionShortcuts.empty() && request.regionShortcuts[0] == operation;
  };
}

// What binary16 keeps of it: eleven bits.
double inHalf(double value) { return static_cast<double>(Float16(static_cast<float>(value))); }

FaultyFactory resultsInHalf() {
  return results([](auto, std::vector<Value>& results) {
    eachFloat(results[0].tensor, [](double y, size_t) { return inHalf(y); });
  });
}

// The padding of the last window dimension moves by one; the result keeps its shape.
FaultyFactory shiftedPadding() {
  return attributes([](AttributeMap& attributes, const KernelRequest&) {
    auto found = attributes.find("padding");
    if (found == attributes.end()) {
      // JAX leaves out a padding of nothing.
      const auto window = attributes.find("window_dimensions");
      if (window == attributes.end()) return;
      const auto* sizes = std::get_if<std::vector<int64_t>>(&window->second.value);
      if (sizes == nullptr || sizes->empty()) return;
      Tensor nothing(ElementType::kI64, {static_cast<int64_t>(sizes->size()), 2});
      std::ranges::fill(nothing.mutableValues<int64_t>(), 0);
      found = attributes.emplace("padding", Attribute{std::move(nothing), ElementType::kI64}).first;
    }
    auto* padding = std::get_if<Tensor>(&found->second.value);
    if (padding == nullptr || padding->type() != ElementType::kI64 || padding->size() < 2) return;
    const auto values = padding->mutableValues<int64_t>();
    ++values[values.size() - 2];
    --values[values.size() - 1];
  });
}

// Every batch of the first operand is a copy of the first one.
FaultyFactory ignoresBatch() {
  return [](KernelFactory sound, const KernelRequest& request) -> Result<Kernel> {
    const auto numbers = request.operation.attributes.find("dot_dimension_numbers");
    bool batched = false;
    if (numbers != request.operation.attributes.end())
      if (const auto* map = std::get_if<AttributeMap>(&numbers->second.value))
        if (const auto found = map->find("lhs_batching_dimensions"); found != map->end())
          if (const auto* dimensions = std::get_if<std::vector<int64_t>>(&found->second.value))
            batched = !dimensions->empty() && dimensions->front() == 0;
    if (!batched) return sound(request);
    return operands([](std::vector<Value>& values) {
      Tensor& tensor = values[0].tensor;
      if (tensor.size() == 0) return;
      const auto bytes = tensor.mutableBytes();
      const size_t batch = bytes.size() / static_cast<size_t>(tensor.shape()[0]);
      for (size_t at = batch; at < bytes.size(); at += batch)
        std::memcpy(&bytes[at], &bytes[0], batch);
    })(sound, request);
  };
}

template <typename Change>
FaultyFactory eachComplex(Change change) {
  return results([change](std::span<const Value> operands, std::vector<Value>& results) {
    visitElementType(results[0].tensor.type(), [&]<typename T>() {
      if constexpr (kIsComplexStorage<T>)
        for (T& value : results[0].tensor.mutableValues<T>()) value = change(value);
    });
  });
}

bool isInverse(const KernelRequest& request) { return hasText(request, "fft_type", "IFFT"); }

}  // namespace

std::vector<SeededFault> contractionFaults() {
  return {
      {"reduce_sum_in_half", "float sums are accumulated in binary16", "stablehlo.reduce", "",
       "reduce_sum", where(foldsBy("stablehlo.add"), resultsInHalf())},
      {"reduce_max_is_min", "the largest element is the smallest", "stablehlo.reduce", "",
       "reduce_max",
       where(foldsBy("stablehlo.maximum"), results([](std::span<const Value> operands,
                                                      std::vector<Value>& results) {
               const auto x = numbers(operands[0].tensor);
               if (x.empty() || results[0].tensor.size() != 1) return;
               const double least = *std::min_element(x.begin(), x.end());
               eachFloat(results[0].tensor, [&](double, size_t) { return least; });
               eachInteger(results[0].tensor,
                           [&](int64_t, size_t) { return static_cast<int64_t>(least); });
             }))},
      {"reduce_product_integer_overflow", "integer products overflow at 8 bits",
       "stablehlo.reduce", "", "reduce_prod",
       where(foldsBy("stablehlo.multiply"), results([](auto, std::vector<Value>& results) {
               eachInteger(results[0].tensor, [](int64_t value, size_t) {
                 return static_cast<int64_t>(static_cast<int8_t>(value));
               });
             }))},
      {"reduce_window_padding", "windows are padded one element too far",
       "stablehlo.reduce_window", "", "reduce_window_mul", shiftedPadding()},
      {"reduce_window_sum_in_half", "window sums are accumulated in binary16",
       "stablehlo.reduce_window", "", "reduce_window_add",
       where(foldsBy("stablehlo.add"), resultsInHalf())},
      {"select_and_scatter_padding", "windows are padded one element too far",
       "stablehlo.select_and_scatter", "", "select_and_scatter_add", shiftedPadding()},
      {"dot_in_half", "float operands are rounded to binary16", "stablehlo.dot_general", "",
       "dot_general", operands([](std::vector<Value>& values) {
         for (Value& value : values)
           eachFloat(value.tensor, [](double x, size_t) { return inHalf(x); });
       })},
      {"dot_ignores_batch", "every batch uses the first batch's left operand",
       "stablehlo.dot_general", "", "dot_general", ignoresBatch()},
      {"dot_integer_overflow", "integer products are accumulated in 8 bits",
       "stablehlo.dot_general", "", "dot_general",
       results([](auto, std::vector<Value>& results) {
         eachInteger(results[0].tensor, [](int64_t value, size_t) {
           return static_cast<int64_t>(static_cast<int8_t>(value));
         });
       })},
      {"convolution_padding", "the image is padded one element too far", "stablehlo.convolution",
       "", "conv_general_dilated", shiftedPadding()},
      {"convolution_in_half", "the image is rounded to binary16", "stablehlo.convolution", "",
       "conv_general_dilated", operands([](std::vector<Value>& values) {
         eachFloat(values[0].tensor, [](double x, size_t) { return inHalf(x); });
       })},
      {"fft_inverse_unscaled", "the inverse transform is not divided by the length",
       "stablehlo.fft", "", "fft",
       where(isInverse, results([](auto, std::vector<Value>& results) {
               visitElementType(results[0].tensor.type(), [&]<typename T>() {
                 if constexpr (kIsComplexStorage<T>) {
                   const auto length = results[0].tensor.shape().back();
                   for (T& value : results[0].tensor.mutableValues<T>())
                     value *= static_cast<typename T::value_type>(length);
                 }
               });
             }))},
      {"fft_wrong_sign", "the exponent of the transform has the wrong sign", "stablehlo.fft", "",
       "fft", eachComplex([](auto value) { return std::conj(value); })},
  };
}

}  // namespace vintage::harness
