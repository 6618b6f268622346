// stablehlo.fft.
#include <fmt/format.h>

#include <algorithm>

#include "harness/engine/checked_attributes.h"
#include "harness/engine/operation_table.h"
#include "harness/engine/operations/fourier_transform.h"
#include "harness/engine/operations/tensor_kernel.h"

namespace vintage::harness::engine {
namespace {

constexpr std::pair<std::string_view, FftType> kKinds[] = {{"FFT", FftType::kComplex},
                                                           {"IFFT", FftType::kInverseComplex},
                                                           {"RFFT", FftType::kRealToComplex},
                                                           {"IRFFT", FftType::kComplexToReal}};

Result<Kernel> makeFft(const KernelRequest& request) {
  RETURN_IF_ERROR(checkCounts(request, 1));
  CheckedAttributes read(request.operation);
  const std::string type = read.text("fft_type");
  FourierTransform transform;
  transform.lengths = read.integers("fft_length");
  RETURN_IF_ERROR(read.status());
  const auto* kind = std::ranges::find(kKinds, type, &std::pair<std::string_view, FftType>::first);
  if (kind == std::end(kKinds)) {
    return failure(Error::Kind::kBadInput,
                   fmt::format("{}: fft_type {} is none of FFT, IFFT, RFFT, IRFFT.",
                               request.operation.name, type));
  }
  transform.kind = kind->second;
  if (transform.kind == FftType::kInverseComplex || transform.kind == FftType::kComplexToReal) {
    for (int64_t length : transform.lengths) transform.scale /= static_cast<long double>(length);
  }
  return tensorKernel([transform](KernelCall& call) -> Result<Tensor> {
    const Tensor& operand = call.operands[0].tensor;
    FourierTransform placed = transform;
    const int64_t first = operand.rank() - static_cast<int64_t>(transform.lengths.size());
    for (size_t i = 0; i < transform.lengths.size(); ++i) {
      placed.axes.push_back(first + static_cast<int64_t>(i));
    }
    auto result = fourierTransform(operand, placed);
    if (!result) return within("stablehlo.fft", result.error());
    return result;
  });
}

constexpr OperationEntry kFourierOperations[] = {{"stablehlo.fft", makeFft}};

}  // namespace

std::span<const OperationEntry> fourierOperations() { return kFourierOperations; }

}  // namespace vintage::harness::engine
