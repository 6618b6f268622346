// fft: forward, inverse, of real input and to real output, one to three
// dimensions, lengths that are powers of two, odd and prime.
#include <fmt/format.h>

#include "golden/oracle/fourier.h"
#include "primitives/catalogue/families.h"

namespace vintage::primitives::catalogue {
namespace {

struct Transform {
  const char* name;
  oracle::FourierKind kind;
};
const Transform kTransforms[] = {{"FFT", oracle::FourierKind::kForward},
                                 {"IFFT", oracle::FourierKind::kInverse},
                                 {"RFFT", oracle::FourierKind::kRealForward},
                                 {"IRFFT", oracle::FourierKind::kRealInverse}};

void addTransform(CaseList& cases, const Transform& transform, bool wide, const Shape& batch,
                  const Shape& lengths) {
  const bool realInput = transform.kind == oracle::FourierKind::kRealForward;
  const bool realOutput = transform.kind == oracle::FourierKind::kRealInverse;
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
  cases.add(
      {.primitive = "fft",
       .label = fmt::format("{}_lengths={}", transform.name, dashed(lengths)),
       .arguments = {{realInput ? real : complex, input}},
       .emit = [=, name = transform.name](FunctionWriter& main, std::span<const SsaValue> arguments,
                                          const std::string&) -> SsaValues {
         return {main.emit(result, output,
                           fmt::format("stablehlo.fft {}, type = {}, length = {} : ({}) -> {}",
                                       arguments[0].name, name, listText(lengths),
                                       typeText(arguments[0]), tensorText(result, output)))};
       },
       .expect =
           one([lengths, kind = transform.kind](std::span<const Tensor> inputs) -> Result<Tensor> {
             Tensor operand = inputs[0];
             return oracle::fourier(operand, kind, lengths);
           }),
       .oracle = "quadruple",
       // Errors grow with the logarithm of the length, relative to the norm.
       .comparators = {withinRelative(unit, unit * 5 * (realOutput ? 1 : count))},
       .makeInputs =
           [=](Random& random) {
             Tensor operand = makeInput(realInput ? real : complex, input, domains::kPlain, random);
             // Half of a spectrum of real numbers: the transform of some.
             if (realOutput) {
               Tensor signal = makeInput(real, full, domains::kPlain, random);
               operand = oracle::fourier(signal, oracle::FourierKind::kRealForward, lengths);
             }
             return std::vector<Tensor>{std::move(operand)};
           }});
}

}  // namespace

VINTAGE_FAMILY(addFourierCases) {
  static const std::pair<Shape, Shape> kShapes[] = {
      {{3}, {8}}, {{}, {7}}, {{2}, {12}}, {{2}, {4, 6}}, {{}, {3, 4, 5}}, {{2}, {1}}};
  for (const Transform& transform : kTransforms) {
    for (const auto& [batch, lengths] : kShapes) {
      for (bool wide : {false, true}) addTransform(cases, transform, wide, batch, lengths);
    }
    cases.addPolymorphic([&](CaseList& list, const DimensionSizes& sizes) {
      addTransform(list, transform, false, {sizes.b}, {8});
    });
  }
}

}  // namespace vintage::primitives::catalogue
