// iota, iota_2x32_shape.
#include <fmt/format.h>

#include "golden/oracle/number.h"
#include "primitives/catalogue/families.h"

namespace vintage::primitives {
using namespace golden;

namespace {

// `like`: an argument that is there for its shape alone.
void addIota(CaseList& cases, ElementType type, const Shape& shape, int64_t dimension,
             std::vector<CaseArgument> like = {}) {
  cases.add({.primitive = "iota",
             .label = fmt::format("{}_dimension={}", describe(type, shape), dimension),
             .arguments = std::move(like),
             .emit = [=](FunctionBuilder& main, Arguments) {
               return main.iota(type, shape, dimension);
             },
             .expect = [=](Tensors) -> Result<std::vector<Tensor>> {
               Tensor result(type, shape);
               int64_t position = 0;
               oracle::forEachIndex(shape, [&](const Shape& index) {
                 const int64_t value = index[static_cast<size_t>(dimension)];
                 oracle::store(result, position++, {value, static_cast<double>(value), 0});
               });
               return std::vector<Tensor>{std::move(result)};
             },
             .oracle = "definition"});
}

// The row-major position of each element, as its high and its low 32 bits.
void addIota2x32(CaseList& cases, const Shape& shape) {
  constexpr ElementType kWord = ElementType::kUi32, kPosition = ElementType::kUi64;
  cases.add({.primitive = "iota_2x32_shape",
             .label = describe(kWord, shape),
             .emit = [=](FunctionBuilder& main, Arguments) -> SsaValues {
               SsaValue position;
               const Shape strides = oracle::stridesOf(shape);
               for (size_t i = 0; i < shape.size(); ++i) {
                 const SsaValue count = main.iota(kPosition, shape, static_cast<int64_t>(i));
                 const SsaValue stride =
                     main.fill(kPosition, static_cast<double>(strides[i]), shape);
                 const SsaValue part = main.same("stablehlo.multiply", stride, count);
                 position = i == 0 ? part : main.same("stablehlo.add", position, part);
               }
               const SsaValue shift = main.fill(kPosition, 32, shape);
               const SsaValue high = main.same("stablehlo.shift_right_logical", position, shift);
               const SsaValue highWord = main.convert(high, kWord);
               return {highWord, main.convert(position, kWord)};
             },
             .expect = [=](Tensors) -> Result<std::vector<Tensor>> {
               Tensor high(kWord, shape), low(kWord, shape);
               for (int64_t i = 0; i < low.size(); ++i) {
                 oracle::store(high, i, {i >> 32});
                 oracle::store(low, i, {i & 0xFFFFFFFF});
               }
               return std::vector<Tensor>{std::move(high), std::move(low)};
             },
             .oracle = "definition"});
}

}  // namespace

VINTAGE_FAMILY(addIotaCases) {
  for (ElementType type : types::numbers()) {
    addIota(cases, type, {2, 3}, 0);
    addIota(cases, type, {2, 3}, 1);
    cases.addPoly([&](CaseList& list, Sizes s) {
      addIota(list, type, {2, s.b}, 1, {{type, {s.b}}});
    });
    if (type != ElementType::kF32) continue;
    addIota(cases, type, {4, 8, 1, 1}, 1);
    addIota(cases, type, {4, 8, 1, 1}, 2);
    addIota(cases, type, {0}, 0);
  }
  addIota2x32(cases, {3});
  addIota2x32(cases, {5, 7, 4});
  addIota2x32(cases, {100, 35});
}

}  // namespace vintage::primitives
