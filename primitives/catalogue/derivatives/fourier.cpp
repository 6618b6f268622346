// Derivatives of fft. A transform is its own transpose; those from and to real
// numbers leave off half of the spectrum, and the transpose must not count it twice.
#include <fmt/format.h>

#include "golden/oracle/fourier.h"
#include "primitives/catalogue/derivatives/movement.h"
#include "primitives/catalogue/derivatives/transposed.h"

namespace vintage::primitives::catalogue {
namespace {

using oracle::FourierKind;

SsaValue transformed(FunctionWriter& writer, const SsaValue& x, const char* kind,
                     const Shape& lengths, ElementType type, Shape shape) {
  const std::string result = tensorText(type, shape);
  return writer.emit(type, std::move(shape),
                     fmt::format("stablehlo.fft {}, type = {}, length = {} : ({}) -> {}", x.name,
                                 kind, listText(lengths), typeText(x), result));
}

SsaValues writeComplex(const PullbackWriter& p, const char* kind, const Shape& lengths) {
  const SsaValue& g = p.cotangents[0];
  return {transformed(p.writer, g, kind, lengths, g.type, g.shape)};
}

// The upper half of the spectrum is zero; of the sums the real part counts.
SsaValues writeRealForward(const PullbackWriter& p, const Shape& lengths) {
  const SsaValue& g = p.cotangents[0];
  const Shape zeros(g.shape.size(), 0);
  Shape high = zeros;
  high.back() = lengths.back() - g.shape.back();
  const SsaValue full = padOf(p.writer, g, p.writer.number(g.type, 0), zeros, high, zeros);
  return {p.writer.real(transformed(p.writer, full, "FFT", lengths, g.type, full.shape))};
}

// All but the first and the middle frequency stand for two each.
SsaValues writeRealInverse(const PullbackWriter& p, const Shape& lengths) {
  FunctionWriter& writer = p.writer;
  const SsaValue &g = p.cotangents[0], &x = p.inputs[0];
  const SsaValue half = transformed(writer, g, "RFFT", lengths, x.type, x.shape);
  const int64_t count = x.shape.back();
  const bool odd = lengths.back() % 2 != 0;
  std::string weights;
  for (int64_t k = 0; k < count; ++k) {
    const bool alone = k == 0 || (!odd && k == count - 1);
    const double weight = (alone ? 1.0 : 2.0) / static_cast<double>(elementCount(lengths));
    weights += (weights.empty() ? "" : ", ") + literalText(x.type, weight);
  }
  const int64_t last[] = {static_cast<int64_t>(x.shape.size()) - 1};
  const SsaValue scale = writer.broadcast(
      writer.constant(x.type, Shape{count}, count == 1 ? weights : "[" + weights + "]"), last,
      x.shape);
  const SsaValue scaled = writer.same("stablehlo.multiply", scale, half);
  const SsaValue real = writer.real(scaled);
  const SsaValue imaginary = writer.same("stablehlo.negate", writer.imaginary(scaled));
  return {writer.emit(x.type, x.shape,
                      fmt::format("stablehlo.complex {}, {} : {}", real.name, imaginary.name,
                                  typeText(x)))};
}

// In double precision, whatever the type is.
Tensor widened(const Tensor& tensor, const Shape& shape) {
  Tensor result(isComplex(tensor.type()) ? ElementType::kC128 : ElementType::kF64, shape);
  int64_t from = 0;
  oracle::forEachIndex(tensor.shape(), [&](const Shape& at) {
    oracle::store(result, oracle::positionOf(shape, at), oracle::load(tensor, from++));
  });
  return result;
}

Tensor narrowed(const Tensor& wide, ElementType type,
                const std::function<oracle::Complex(int64_t, const oracle::Complex&)>& change) {
  return eachPosition(type, wide.shape(),
                      [&](int64_t i) { return change(i, complexAt(wide, i)); });
}

std::vector<Tensor> oracleOf(const PullbackValues& values, FourierKind kind, const Shape& lengths) {
  const Tensor &g = values.cotangents[0], &x = values.inputs[0];
  const auto same = [](int64_t, const oracle::Complex& z) { return z; };
  if (kind == FourierKind::kForward || kind == FourierKind::kInverse) {
    return {narrowed(oracle::fourier(widened(g, g.shape()), kind, lengths), x.type(), same)};
  }
  if (kind == FourierKind::kRealForward) {
    Tensor full = oracle::fourier(widened(g, x.shape()), FourierKind::kForward, lengths);
    return {narrowed(full, x.type(), same)};
  }
  const Tensor half = oracle::fourier(widened(g, g.shape()), FourierKind::kRealForward, lengths);
  const int64_t count = x.shape().back();
  const oracle::Real size(static_cast<double>(elementCount(lengths)));
  return {narrowed(half, x.type(), [&](int64_t i, const oracle::Complex& z) -> oracle::Complex {
    const int64_t k = i % count;
    const bool alone = k == 0 || 2 * k == lengths.back();
    const oracle::Real weight = oracle::Real(alone ? 1.0 : 2.0) / size;
    return {weight * z.re, -(weight * z.im)};
  })};
}

}  // namespace

DerivativeRules fourierDerivatives() {
  static const std::pair<Shape, Shape> kShapes[] = {
      {{3}, {8}}, {{}, {7}}, {{2}, {12}}, {{2}, {4, 6}}, {{}, {3, 4, 5}}};
  static const std::pair<const char*, FourierKind> kKinds[] = {
      {"FFT", FourierKind::kForward}, {"IFFT", FourierKind::kInverse},
      {"RFFT", FourierKind::kRealForward}, {"IRFFT", FourierKind::kRealInverse}};
  DerivativeRules rules;
  for (const auto& [name, kind] : kKinds) {
    for (const auto& [batch, lengths] : kShapes) {
      Shape shape = batch;
      shape.insert(shape.end(), lengths.begin(), lengths.end());
      if (kind == FourierKind::kRealInverse) shape.back() = shape.back() / 2 + 1;
      rules.push_back(
          {.primitive = "fft", .label = fmt::format("{}_lengths={}", name, dashed(lengths)),
           .shapes = {shape},
           .types = kind == FourierKind::kRealForward ? types::floats : types::complexes,
           .write = [name, kind, &lengths](const PullbackWriter& p) {
             if (kind == FourierKind::kRealForward) return writeRealForward(p, lengths);
             if (kind == FourierKind::kRealInverse) return writeRealInverse(p, lengths);
             return writeComplex(p, name, lengths);
           },
           .oracle = [kind, &lengths](const PullbackValues& values) {
             return oracleOf(values, kind, lengths);
           },
           // Errors grow with the logarithm of the length, relative to the norm.
           .units = 8,
           .scale = 5 * static_cast<double>(elementCount(lengths))});
    }
  }
  return rules;
}

}  // namespace vintage::primitives::catalogue
