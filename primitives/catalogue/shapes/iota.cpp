// iota, iota_2x32_shape.
#include <fmt/format.h>

#include "golden/oracle/number.h"
#include "primitives/catalogue/case_list.h"

namespace vintage::primitives {
using namespace golden;

namespace {

// `like`: an argument that is there for its shape alone.
CaseSpecification iotaCase(ElementType type, const Shape& shape, int64_t dimension,
                           std::vector<TensorType> like = {}) {
  return {
      .primitive = "iota",
      .label = fmt::format("{}_dimension={}", describe(type, shape), dimension),
      .arguments = std::move(like),
      .emit = [=](FunctionBuilder& main, Arguments) { return main.iota(type, shape, dimension); },
      .expect =
          [=](Tensors) {
            return oracle::eachIndex(type, shape, [&](const Shape& index) {
              const int64_t value = index[static_cast<size_t>(dimension)];
              return oracle::Number{value, static_cast<double>(value), 0};
            });
          },
      .oracle = "definition"};
}

// The row-major position of each element, as its high and its low 32 bits.
CaseSpecification iota2x32Case(const Shape& shape) {
  constexpr ElementType kWord = ElementType::kUi32, kPosition = ElementType::kUi64;
  return {.primitive = "iota_2x32_shape",
          .label = describe(kWord, shape),
          .emit = [=](FunctionBuilder& main, Arguments) -> SsaValues {
            SsaValue position;
            const Shape strides = oracle::stridesOf(shape);
            for (size_t i = 0; i < shape.size(); ++i) {
              const SsaValue count = main.iota(kPosition, shape, static_cast<int64_t>(i));
              const SsaValue stride = main.fill(kPosition, static_cast<double>(strides[i]), shape);
              const SsaValue part = stride * count;
              position = i == 0 ? part : position + part;
            }
            const SsaValue shift = main.fill(kPosition, 32, shape);
            const SsaValue high = same("stablehlo.shift_right_logical", position, shift);
            return {convert(high, kWord), convert(position, kWord)};
          },
          .expect =
              [=](Tensors) {
                const auto part = [&](auto word) {
                  return oracle::eachElement(kWord, shape,
                                             [&](int64_t i) { return oracle::Number{word(i)}; });
                };
                return std::vector<Tensor>{part([](int64_t i) { return i >> 32; }),
                                           part([](int64_t i) { return i & 0xFFFFFFFF; })};
              },
          .oracle = "definition"};
}

}  // namespace

VINTAGE_FAMILY(addIotaCases) {
  for (ElementType type : types::kNumbers) {
    cases.add(iotaCase(type, {2, 3}, 0));
    cases.add(iotaCase(type, {2, 3}, 1));
    cases.addPoly([&](Sizes s) { return iotaCase(type, {2, s.b}, 1, {{type, {s.b}}}); });
    if (type != ElementType::kF32) continue;
    cases.add(iotaCase(type, {4, 8, 1, 1}, 1));
    cases.add(iotaCase(type, {4, 8, 1, 1}, 2));
    cases.add(iotaCase(type, {0}, 0));
  }
  cases.add(iota2x32Case({3}));
  cases.add(iota2x32Case({5, 7, 4}));
  cases.add(iota2x32Case({100, 35}));
}

}  // namespace vintage::primitives
