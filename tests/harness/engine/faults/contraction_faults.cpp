// Faults of sums over dimensions: reductions, windows, products of matrices,
// convolutions, Fourier transforms; and of linear algebra: operations, and LAPACK's
// custom-call targets.
#include <algorithm>
#include <complex>
#include <cstring>

#include "tests/harness/engine/faults/damage.h"

namespace vintage::harness {
using namespace golden;

namespace {

using namespace damage;

// Rounded to the eleven bits of binary16.
double inHalf(double value) { return static_cast<double>(Float16(static_cast<float>(value))); }

FaultyFactory resultsInHalf() {
  return floatResults([](double y, size_t) { return inHalf(y); });
}

FaultyFactory resultsInEightBits() {
  return integerResults(
      [](int64_t value, size_t) { return static_cast<int64_t>(static_cast<int8_t>(value)); });
}

// The padding of the last window dimension moves by one; the result keeps its shape.
FaultyFactory shiftedPadding() {
  return attributes([](AttributeMap& attributes) {
    if (!attributes.contains("padding")) {
      // JAX leaves out a padding of nothing.
      const auto* sizes = attributeField<std::vector<int64_t>>(attributes, "window_dimensions");
      if (sizes == nullptr || sizes->empty()) return;
      attributes["padding"] = {Tensor(ElementType::kI64, {std::ssize(*sizes), 2}),
                               ElementType::kI64};
    }
    auto* padding = fieldOf<Tensor>(attributes, "padding");
    if (padding == nullptr || padding->type() != ElementType::kI64 || padding->size() < 2) return;
    const auto values = padding->mutableValues<int64_t>();
    ++values[values.size() - 2];
    --values[values.size() - 1];
  });
}

// Every batch of the first operand is a copy of the first one.
FaultyFactory ignoresBatch() {
  return [](KernelFactory sound, const KernelRequest& request) -> Result<Kernel> {
    CheckedAttributes read =
        CheckedAttributes(request.operation).dictionary("dot_dimension_numbers");
    const auto batch = read.integers("lhs_batching_dimensions", std::vector<int64_t>{});
    if (batch.empty() || batch.front() != 0) return sound(request);
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

// change(element, length of the last dimension) instead of each element.
template <typename Change>
FaultyFactory complexResults(Change change) {
  return results([change](auto, ResultValues& results) {
    visitElementType(results[0].tensor.type(), [&]<typename T>() {
      if constexpr (kIsComplexStorage<T>) {
        const auto length = static_cast<typename T::value_type>(results[0].tensor.shape().back());
        for (T& value : results[0].tensor.mutableValues<T>()) value = change(value, length);
      }
    });
  });
}

// An attribute of the target's own, as an older or newer producer might mean it.
FaultyFactory staleAttribute(const char* name, int64_t from, int64_t to) {
  return attributes([=](AttributeMap& attributes) {
    for (const char* config : {"mhlo.backend_config", "backend_config"}) {
      auto* fields = fieldOf<AttributeMap>(attributes, config);
      auto* value = fields ? fieldOf<int64_t>(*fields, name) : nullptr;
      if (value != nullptr) *value = *value == from ? to : from;
    }
  });
}

bool isInverse(const KernelRequest& request) { return hasText(request, "fft_type", "IFFT"); }

}  // namespace

std::vector<SeededFault> contractionFaults() {
  return {
      {"reduce_sum_in_half", "float sums are accumulated in binary16", "stablehlo.reduce",
       "reduce_sum", where(foldsBy("stablehlo.add"), resultsInHalf())},
      {"reduce_max_is_min", "the largest element is the smallest", "stablehlo.reduce", "reduce_max",
       where(foldsBy("stablehlo.maximum"),
             results([](OperandValues operands, ResultValues& results) {
               const auto x = numbers(operands[0].tensor);
               if (x.empty() || results[0].tensor.size() != 1) return;
               const double least = *std::min_element(x.begin(), x.end());
               eachFloat(results[0].tensor, [&](double, size_t) { return least; });
               eachInteger(results[0].tensor,
                           [&](int64_t, size_t) { return static_cast<int64_t>(least); });
             }))},
      {"reduce_product_integer_overflow", "integer products overflow at 8 bits", "stablehlo.reduce",
       "reduce_prod", where(foldsBy("stablehlo.multiply"), resultsInEightBits())},
      {"reduce_window_padding", "windows are padded one element too far", "stablehlo.reduce_window",
       "reduce_window_mul", shiftedPadding()},
      {"reduce_window_sum_in_half", "window sums are accumulated in binary16",
       "stablehlo.reduce_window", "reduce_window_add",
       where(foldsBy("stablehlo.add"), resultsInHalf())},
      {"select_and_scatter_padding", "windows are padded one element too far",
       "stablehlo.select_and_scatter", "select_and_scatter_add", shiftedPadding()},
      {"dot_in_half", "float operands are rounded to binary16", "stablehlo.dot_general",
       "dot_general", operands([](std::vector<Value>& values) {
         for (Value& value : values)
           eachFloat(value.tensor, [](double x, size_t) { return inHalf(x); });
       })},
      {"dot_ignores_batch", "every batch uses the first batch's left operand",
       "stablehlo.dot_general", "dot_general", ignoresBatch()},
      {"dot_integer_overflow", "integer products are accumulated in 8 bits",
       "stablehlo.dot_general", "dot_general", resultsInEightBits()},
      {"convolution_padding", "the image is padded one element too far", "stablehlo.convolution",
       "conv_general_dilated", shiftedPadding()},
      {"convolution_in_half", "the image is rounded to binary16", "stablehlo.convolution",
       "conv_general_dilated", operands([](std::vector<Value>& values) {
         eachFloat(values[0].tensor, [](double x, size_t) { return inHalf(x); });
       })},
      {"fft_inverse_unscaled", "the inverse transform is not divided by the length",
       "stablehlo.fft", "fft",
       where(isInverse, complexResults([](auto value, auto length) { return value * length; }))},
      {"fft_wrong_sign", "the exponent of the transform has the wrong sign", "stablehlo.fft", "fft",
       complexResults([](auto value, auto) { return std::conj(value); })},
      {"potrf_stale_triangle", "the attribute uplo is taken for its opposite",
       "stablehlo.custom_call @lapack_dpotrf_ffi", "cholesky", staleAttribute("uplo", 'L', 'U')},
      {"syevd_negative_values", "the eigenvalues have the wrong sign",
       "stablehlo.custom_call @lapack_dsyevd_ffi", "eigh", negatedResult(1)},
      {"getrf_pivots_from_zero", "the pivots count from zero",
       "stablehlo.custom_call @lapack_dgetrf_ffi", "lu",
       integerResults([](int64_t pivot, size_t) { return pivot - 1; }, 1)},
      {"geqrf_reflector_lost", "the reflectors' factors have the wrong sign",
       "stablehlo.custom_call @lapack_dgeqrf_ffi", "geqrf", negatedResult(1)},
      {"gesdd_negative_values", "the singular values have the wrong sign",
       "stablehlo.custom_call @lapack_dgesdd_ffi", "svd", negatedResult(1)},
      {"geev_imaginary_sign", "the imaginary parts of the eigenvalues have the wrong sign",
       "stablehlo.custom_call @lapack_dgeev_ffi", "eig", negatedResult(1)},
      {"triangular_solve_unit_ignored", "the diagonal counts where it is said to be one",
       "stablehlo.triangular_solve", "triangular_solve",
       attributes([](AttributeMap& attributes) { attributes["unit_diagonal"].value = false; })},
      {"gtsv_right_side_sign", "the solution has the wrong sign",
       "stablehlo.custom_call @lapack_dgtsv_ffi", "tridiagonal_solve", negatedResult(3)},
  };
}

}  // namespace vintage::harness
