#include "harness/engine/operations/fourier_transform.h"

#include <fmt/format.h>

#include <algorithm>
#include <complex>

#include "harness/engine/operations/dot_accumulator.h"
#include "harness/engine/operations/fourier_plan.h"

namespace vintage::harness::engine {
namespace {

// A dense complex array while it is transformed axis by axis.
template <typename Real>
struct Lines {
  using Complex = std::complex<Real>;

  Shape shape;
  std::vector<Complex> values;

  // Calls visit(first element, stride) for each line along `axis`.
  template <typename Visit>
  void forEach(int64_t axis, Visit visit) {
    int64_t stride = 1, outer = 1;
    for (size_t i = axis + 1; i < shape.size(); ++i) stride *= shape[i];
    for (int64_t i = 0; i < axis; ++i) outer *= shape[i];
    for (int64_t o = 0; o < outer; ++o) {
      for (int64_t s = 0; s < stride; ++s) {
        visit(values.data() + o * shape[axis] * stride + s, stride);
      }
    }
  }
};

template <typename Real>
void transformAxis(Lines<Real>& lines, int64_t axis, bool inverse) {
  const int64_t length = lines.shape[axis];
  if (length == 0 || lines.values.empty()) return;
  const auto plan = fourierPlan<Real>(length);
  std::vector<std::complex<Real>> line(length), scratch;
  lines.forEach(axis, [&](std::complex<Real>* first, int64_t stride) {
    for (int64_t i = 0; i < length; ++i) line[i] = first[i * stride];
    plan->run(line.data(), inverse, scratch);
    for (int64_t i = 0; i < length; ++i) first[i * stride] = line[i];
  });
}

// Keeps the first `kept` values of each line along `axis`, or, where `kept` is
// longer, continues a line by its conjugate symmetry.
template <typename Real>
Lines<Real> resizeAxis(Lines<Real>& lines, int64_t axis, int64_t kept) {
  Lines<Real> out{lines.shape, {}};
  const int64_t had = lines.shape[axis];
  out.shape[axis] = kept;
  out.values.resize(static_cast<size_t>(elementCount(out.shape)));
  std::vector<std::complex<Real>*> starts;
  out.forEach(axis, [&](std::complex<Real>* first, int64_t) { starts.push_back(first); });
  size_t next = 0;
  lines.forEach(axis, [&](const std::complex<Real>* first, int64_t stride) {
    if (next >= starts.size()) return;
    std::complex<Real>* target = starts[next++];
    for (int64_t i = 0; i < kept; ++i) {
      target[i * stride] = i < had ? first[i * stride] : std::conj(first[(kept - i) * stride]);
    }
    if (kept <= had) return;
    // A real signal has a real mean and a real highest frequency; what is
    // stored beside them is ignored.
    target[0] = target[0].real();
    if (kept % 2 == 0) target[kept / 2 * stride] = target[kept / 2 * stride].real();
  });
  return out;
}

Status check(const Tensor& operand, const FourierTransform& transform) {
  const bool fromReal = transform.kind == FftType::kRealToComplex;
  const ElementType type = operand.type();
  const bool typeFits =
      fromReal ? type == ElementType::kF32 || type == ElementType::kF64 : isComplex(type);
  if (!typeFits) {
    return failure(Error::Kind::kBadInput,
                   fmt::format("The operand is {}; {} is needed.", describe(operand),
                               fromReal ? "f32 or f64" : "complex<f32> or complex<f64>"));
  }
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
  return failure(Error::Kind::kBadInput,
                 fmt::format("Lengths [{}] along the axes [{}] do not fit the operand {}.",
                             fmt::join(transform.lengths, ", "), fmt::join(transform.axes, ", "),
                             describe(operand)));
}

template <typename Real>
Result<Tensor> transformIn(const Tensor& operand, const FourierTransform& transform) {
  std::vector<int64_t> order(operand.shape().size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int64_t>(i);
  const AccumulatorView<std::complex<double>> view(operand, order);
  Lines<Real> lines{operand.shape(), {view.data(), view.data() + operand.size()}};
  const bool inverse =
      transform.kind == FftType::kInverseComplex || transform.kind == FftType::kComplexToReal;
  const bool toReal = transform.kind == FftType::kComplexToReal;
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
  auto result = Tensor::makeUninitialized(type, lines.shape);
  if (!result) return result;
  std::vector<std::complex<double>> rounded(lines.values.size());
  for (size_t i = 0; i < rounded.size(); ++i) {
    rounded[i] = std::complex<double>(lines.values[i] * static_cast<Real>(transform.scale));
  }
  storeAccumulated<std::complex<double>>(rounded, *result);
  return result;
}

}  // namespace

Result<Tensor> fourierTransform(const Tensor& operand, const FourierTransform& transform) {
  RETURN_IF_ERROR(check(operand, transform));
  const bool wide = operand.type() == ElementType::kF64 || operand.type() == ElementType::kC128;
  return wide ? transformIn<long double>(operand, transform)
              : transformIn<double>(operand, transform);
}

}  // namespace vintage::harness::engine
