// fft: forward, inverse, of real input and to real output, one to three
// dimensions, lengths that are powers of two, odd and prime.
#include <fmt/format.h>

#include "golden/oracle/contraction.h"
#include "primitives/catalogue/case_list.h"
#include "primitives/catalogue/derivatives/rule.h"

namespace vintage::primitives {
using namespace golden;

namespace {

using oracle::FourierKind;

struct Transform {
  const char* name;
  FourierKind kind;
};
const Transform kTransforms[] = {{"FFT", FourierKind::kForward},
                                 {"IFFT", FourierKind::kInverse},
                                 {"RFFT", FourierKind::kRealForward},
                                 {"IRFFT", FourierKind::kRealInverse}};

// Leading dimensions and lengths.
const std::pair<Shape, Shape> kShapes[] = {{{3}, {8}},    {{}, {7}},       {{2}, {12}},
                                           {{2}, {4, 6}}, {{}, {3, 4, 5}}, {{2}, {1}}};

SsaValue transformed(const SsaValue& x, const char* kind, const Shape& lengths, TensorType result) {
  return emitOne(std::move(result), "stablehlo.fft", {x},
                 {{"fft_type", kind}, {"fft_length", lengths}});
}

CaseSpecification transformCase(const Transform& transform, bool wide, const Shape& batch,
                                const Shape& lengths) {
  const bool realInput = transform.kind == FourierKind::kRealForward;
  const bool realOutput = transform.kind == FourierKind::kRealInverse;
  const ElementType real = wide ? ElementType::kF64 : ElementType::kF32;
  const ElementType complex = wide ? ElementType::kC128 : ElementType::kC64;
  Shape full = batch;
  full.insert(full.end(), lengths.begin(), lengths.end());
  Shape half = full;
  half.back() = lengths.back() / 2 + 1;
  const Shape input = realOutput ? half : full, output = realInput ? half : full;
  const ElementType result = realOutput ? real : complex;
  const auto count = static_cast<double>(elementCount(lengths));
  const double unit = 8 * epsilonOf(result);
  return {.primitive = "fft",
          .label = fmt::format("{}_lengths={}", transform.name, dashed(lengths)),
          .arguments = {{realInput ? real : complex, input}},
          .emit =
              [=, name = transform.name](Arguments x) {
                return callPrivate("fft", x, [&](Arguments y) {
                  return transformed(y[0], name, lengths, {result, output});
                });
              },
          .expect = [lengths, kind = transform.kind](
                        Tensors inputs) { return oracle::fourier(inputs[0], kind, lengths); },
          .oracle = "quadruple",
          // Errors grow with the logarithm of the length, relative to the norm.
          .comparators = {withinRelative(unit, unit * 5 * (realOutput ? 1 : count))},
          .makeInputs =
              [=](Random& random) {
                Tensor operand =
                    makeInput(realInput ? real : complex, input, domains::kPlain, random);
                // The inputs are half spectra of real numbers: a real forward transform makes some.
                if (realOutput) {
                  Tensor signal = makeInput(real, full, domains::kPlain, random);
                  operand = oracle::fourier(signal, FourierKind::kRealForward, lengths);
                }
                return std::vector<Tensor>{std::move(operand)};
              }};
}

// Derivatives of fft. A transform is its own transpose. Those from and to real numbers omit half of
// the spectrum, and the transpose must not count it twice.

// The upper half of the spectrum is zero; only the real part of the sums counts.
SsaValues writeRealForward(const Pullback& p, const Shape& lengths) {
  const SsaValue& g = p.cotangents[0];
  const Shape zeros(g.shape.size(), 0);
  Shape high = zeros;
  high.back() = lengths.back() - g.shape.back();
  const SsaValue full = pad(g, p.builder.number(g.type, 0), zeros, high, zeros);
  return {realPart(transformed(full, "FFT", lengths, typeOf(full)))};
}

// Each frequency except the first and the middle one stands for two.
SsaValues writeRealInverse(const Pullback& p, const Shape& lengths) {
  const SsaValue &g = p.cotangents[0], &x = p.inputs[0];
  const SsaValue half = transformed(g, "RFFT", lengths, typeOf(x));
  const int64_t count = x.shape.back();
  const bool odd = lengths.back() % 2 != 0;
  std::vector<double> weights;
  for (int64_t k = 0; k < count; ++k) {
    const bool alone = k == 0 || (!odd && k == count - 1);
    weights.push_back((alone ? 1.0 : 2.0) / static_cast<double>(elementCount(lengths)));
  }
  const int64_t last[] = {static_cast<int64_t>(x.shape.size()) - 1};
  const SsaValue scale = broadcast(p.builder.constant(listOf(x.type, weights)), last, x.shape);
  const SsaValue scaled = scale * half;
  const SsaValue real = realPart(scaled);
  const SsaValue imaginary = -imaginaryPart(scaled);
  return {complexOf(real, imaginary)};
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

std::vector<Tensor> oracleOf(const PullbackValues& values, FourierKind kind, const Shape& lengths) {
  const Tensor &g = values.cotangents[0], &x = values.inputs[0];
  const bool fromReal = kind == FourierKind::kRealForward;
  const bool toReal = kind == FourierKind::kRealInverse;
  const FourierKind transposed = fromReal ? FourierKind::kForward
                                 : toReal ? FourierKind::kRealForward
                                          : kind;
  const Tensor wide =
      oracle::fourier(widened(g, fromReal ? x.shape() : g.shape()), transposed, lengths);
  const int64_t count = x.shape().back();
  const oracle::Real size(static_cast<double>(elementCount(lengths)));
  return {oracle::eachElement(x.type(), wide.shape(), [&](int64_t i) -> oracle::Complex {
    const oracle::Complex z = complexAt(wide, i);
    if (!toReal) return z;
    const int64_t k = i % count;
    const bool alone = k == 0 || 2 * k == lengths.back();
    const oracle::Real weight = oracle::Real(alone ? 1.0 : 2.0) / size;
    return {weight * z.re, -(weight * z.im)};
  })};
}

}  // namespace

VINTAGE_FAMILY(addFourierCases) {
  for (const Transform& transform : kTransforms) {
    for (const auto& [batch, lengths] : kShapes) {
      for (bool wide : {false, true}) cases.add(transformCase(transform, wide, batch, lengths));
    }
    cases.addPoly([&](Sizes s) { return transformCase(transform, false, {s.b}, {8}); });
  }
}

VINTAGE_DERIVATIVES(fourierDerivatives) {
  DerivativeRules rules;
  for (const auto& [name, kind] : kTransforms) {
    for (const auto& [batch, lengths] : std::span(kShapes).first(5)) {
      Shape shape = batch;
      shape.insert(shape.end(), lengths.begin(), lengths.end());
      if (kind == FourierKind::kRealInverse) shape.back() = shape.back() / 2 + 1;
      rules.push_back(
          {.primitive = "fft",
           .label = fmt::format("{}_lengths={}", name, dashed(lengths)),
           .shapes = {shape},
           .types = kind == FourierKind::kRealForward ? types::kFloats : types::kComplexes,
           .write =
               [name = name, kind = kind, &lengths = lengths](const Pullback& p) {
                 if (kind == FourierKind::kRealForward) return writeRealForward(p, lengths);
                 if (kind == FourierKind::kRealInverse) return writeRealInverse(p, lengths);
                 const SsaValue& g = p.cotangents[0];
                 return SsaValues{transformed(g, name, lengths, typeOf(g))};
               },
           .oracle = [kind = kind, &lengths = lengths](
                         const PullbackValues& values) { return oracleOf(values, kind, lengths); },
           // Errors grow with the logarithm of the length, relative to the norm.
           .units = 8,
           .scale = 5 * static_cast<double>(elementCount(lengths))});
    }
  }
  return rules;
}

}  // namespace vintage::primitives
