#include "harness/engine/operations/fourier_transform.h"

#include <algorithm>

#include "golden/base/failures.h"
#include "golden/tensor/visit.h"
#include "harness/engine/checked_attributes.h"
#include "harness/engine/kernel.h"

namespace vintage::harness {
using namespace golden;

namespace {

// A dense complex array while it is transformed axis by axis.
template <typename Real>
struct Lines {
  using Complex = std::complex<Real>;

  Shape shape;
  std::vector<Complex> values;

  // Elements between neighbours along `axis`, and runs of lines before it.
  int64_t stride(int64_t axis) const {
    return elementCount(std::span(shape).subspan(static_cast<size_t>(axis) + 1));
  }
  int64_t outer(int64_t axis) const {
    return elementCount(std::span(shape).first(static_cast<size_t>(axis)));
  }
};

// Several lines at a time: they share the factors of each step.
template <typename Real>
void transformAxis(Lines<Real>& lines, int64_t axis, bool inverse) {
  using Complex = std::complex<Real>;
  const int64_t length = lines.shape[axis];
  if (length == 0 || lines.values.empty()) return;
  const auto plan = fourierPlan<Real>(length);
  const int64_t stride = lines.stride(axis), count = lines.outer(axis) * stride;
  const int64_t most = plan->linesAtOnce();
  std::vector<Complex> block(static_cast<size_t>(length * most)), scratch;
  for (int64_t first = 0; first < count;) {
    // Side by side in memory, or, along the last axis, one after the other.
    const int64_t width = std::min(most, stride > 1 ? stride - first % stride : count - first);
    Complex* start = lines.values.data() + first / stride * length * stride + first % stride;
    const int64_t next = stride > 1 ? 1 : length;
    for (int64_t i = 0; i < length; ++i)
      for (int64_t b = 0; b < width; ++b) block[i * width + b] = start[i * stride + b * next];
    plan->run(block.data(), inverse, scratch, width);
    for (int64_t i = 0; i < length; ++i)
      for (int64_t b = 0; b < width; ++b) start[i * stride + b * next] = block[i * width + b];
    first += width;
  }
}

// Keeps the first `kept` values of each line along `axis`, or, where `kept` is
// longer, continues a line by its conjugate symmetry.
template <typename Real>
Lines<Real> resizeAxis(const Lines<Real>& lines, int64_t axis, int64_t kept) {
  Lines<Real> out{lines.shape, {}};
  const int64_t had = lines.shape[axis], stride = lines.stride(axis);
  out.shape[axis] = kept;
  out.values.resize(static_cast<size_t>(elementCount(out.shape)));
  if (out.values.empty() || lines.values.empty()) return out;
  for (int64_t o = 0; o < lines.outer(axis); ++o) {
    const std::complex<Real>* source = lines.values.data() + o * had * stride;
    std::complex<Real>* target = out.values.data() + o * kept * stride;
    std::copy_n(source, std::min(had, kept) * stride, target);
    for (int64_t i = had; i < kept; ++i)
      for (int64_t s = 0; s < stride; ++s)
        target[i * stride + s] = std::conj(source[(kept - i) * stride + s]);
    if (kept <= had) continue;
    // A real signal has a real mean and a real highest frequency; what is
    // stored beside them is ignored.
    for (int64_t s = 0; s < stride; ++s) {
      target[s] = target[s].real();
      if (kept % 2 == 0) target[kept / 2 * stride + s] = target[kept / 2 * stride + s].real();
    }
  }
  return out;
}

// Wider than the operand, so that one type serves all four.
template <typename Real>
std::vector<std::complex<Real>> widened(const Tensor& operand) {
  std::vector<std::complex<Real>> values(static_cast<size_t>(operand.size()));
  visitElementType(operand.type(), [&]<typename S>() {
    if constexpr (kIsComplexStorage<S> || std::is_floating_point_v<S>)
      std::ranges::transform(operand.values<S>(), values.begin(),
                             [](S value) { return std::complex<Real>(value); });
  });
  return values;
}

template <typename Real>
void storeScaled(const std::vector<std::complex<Real>>& values, Real scale, Tensor& result) {
  visitElementType(result.type(), [&]<typename S>() {
    const auto out = result.mutableValues<S>();
    for (size_t i = 0; i < values.size(); ++i) {
      const std::complex<Real> scaled = values[i] * scale;
      if constexpr (kIsComplexStorage<S>) {
        using Part = typename S::value_type;
        out[i] = S(static_cast<Part>(static_cast<double>(scaled.real())),
                   static_cast<Part>(static_cast<double>(scaled.imag())));
      } else if constexpr (std::is_floating_point_v<S>) {
        out[i] = static_cast<S>(static_cast<double>(scaled.real()));
      }
    }
  });
}

Status check(const Tensor& operand, const FourierTransform& transform) {
  const bool fromReal = transform.kind == FftType::kRealToComplex;
  const ElementType type = operand.type();
  const bool typeFits =
      fromReal ? type == ElementType::kF32 || type == ElementType::kF64 : isComplex(type);
  if (!typeFits)
    return badInput("The operand is {}; {} is needed.", describe(operand),
                    fromReal ? "f32 or f64" : "complex<f32> or complex<f64>");
  bool fits = transform.axes.size() == transform.lengths.size();
  for (size_t i = 0; fits && i < transform.axes.size(); ++i) {
    const int64_t axis = transform.axes[i], length = transform.lengths[i];
    const bool half = transform.kind == FftType::kComplexToReal && i + 1 == transform.axes.size();
    fits = axis >= 0 && axis < operand.rank() && length >= 0 &&
           std::ranges::count(transform.axes, axis) == 1 &&
           operand.shape()[axis] == (half ? length / 2 + 1 : length);
    if (half && length == 0) fits = axis < operand.rank() && operand.shape()[axis] <= 1;
  }
  if (fits) return {};
  return badInput("Lengths [{}] along the axes [{}] do not fit the operand {}.",
                  fmt::join(transform.lengths, ", "), fmt::join(transform.axes, ", "),
                  describe(operand));
}

template <typename Real>
Result<Tensor> transformIn(const Tensor& operand, const FourierTransform& transform) {
  Lines<Real> lines{operand.shape(), widened<Real>(operand)};
  const bool toReal = transform.kind == FftType::kComplexToReal;
  const bool inverse = toReal || transform.kind == FftType::kInverseComplex;
  for (size_t i = transform.axes.size(); i-- > 0;) {
    const bool last = i + 1 == transform.axes.size();
    if (toReal && last) continue;  // Comes after the others.
    transformAxis(lines, transform.axes[i], inverse);
    if (last && transform.kind == FftType::kRealToComplex) {
      const int64_t half = transform.lengths[i] == 0 ? 0 : transform.lengths[i] / 2 + 1;
      lines = resizeAxis(lines, transform.axes[i], half);
    }
  }
  if (toReal && !transform.axes.empty()) {
    lines = resizeAxis(lines, transform.axes.back(), transform.lengths.back());
    transformAxis(lines, transform.axes.back(), true);
  }
  const bool wide = operand.type() == ElementType::kF64 || operand.type() == ElementType::kC128;
  const ElementType type = toReal ? (wide ? ElementType::kF64 : ElementType::kF32)
                                  : (wide ? ElementType::kC128 : ElementType::kC64);
  ASSIGN_OR_RETURN(auto result, Tensor::makeUninitialized(type, lines.shape));
  storeScaled<Real>(lines.values, static_cast<Real>(transform.scale), result);
  return result;
}

constexpr std::pair<std::string_view, FftType> kKinds[] = {{"FFT", FftType::kComplex},
                                                           {"IFFT", FftType::kInverseComplex},
                                                           {"RFFT", FftType::kRealToComplex},
                                                           {"IRFFT", FftType::kComplexToReal}};

Result<Kernel> makeFft(const KernelRequest& request) {
  CheckedAttributes read(request.operation);
  const std::string type = read.text("fft_type");
  FourierTransform transform;
  transform.lengths = read.integers("fft_length");
  RETURN_IF_ERROR(read.status());
  const auto* kind = std::ranges::find(kKinds, type, &std::pair<std::string_view, FftType>::first);
  if (kind == std::end(kKinds))
    return badInput("{}: fft_type {} is none of FFT, IFFT, RFFT, IRFFT.", request.operation.name,
                    type);
  transform.kind = kind->second;
  if (transform.kind == FftType::kInverseComplex || transform.kind == FftType::kComplexToReal)
    for (int64_t length : transform.lengths) transform.scale /= static_cast<long double>(length);
  return tensorKernel([transform](KernelCall& call) -> Result<Tensor> {
    const Tensor& operand = call.operands[0].tensor;
    FourierTransform placed = transform;
    const int64_t first = operand.rank() - std::ssize(transform.lengths);
    for (size_t i = 0; i < transform.lengths.size(); ++i)
      placed.axes.push_back(first + static_cast<int64_t>(i));
    return fourierTransform(operand, placed);
  });
}

}  // namespace

Result<Tensor> fourierTransform(const Tensor& operand, const FourierTransform& transform) {
  RETURN_IF_ERROR(check(operand, transform));
  const bool wide = operand.type() == ElementType::kF64 || operand.type() == ElementType::kC128;
  return wide ? transformIn<long double>(operand, transform)
              : transformIn<double>(operand, transform);
}

std::vector<OperationEntry> fourierOperations() { return {{"stablehlo.fft", makeFft, 1, 1}}; }

}  // namespace vintage::harness
