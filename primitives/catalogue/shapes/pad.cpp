// pad, with edge and interior padding, negative too.
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "golden/oracle/data_movement.h"
#include "primitives/catalogue/families.h"

namespace vintage::primitives::catalogue {
namespace {

struct Padding {
  Shape operand, low, high, interior;
};

const Padding kPaddings[] = {
    {{2, 3}, {0, 0}, {0, 0}, {0, 0}},   {{2, 3}, {1, 2}, {1, 2}, {0, 0}},
    {{2, 3}, {1, 2}, {1, 2}, {1, 2}},   {{2, 3}, {1, -2}, {1, 1}, {0, 0}},
    {{2, 3}, {-1, 0}, {2, 0}, {0, 0}},  {{2, 3}, {1, 2}, {-1, -1}, {0, 0}},
    {{2, 3}, {0, 0}, {0, 0}, {1, 0}},   {{2, 3}, {-1, -2}, {1, 2}, {1, 2}},
    {{2, 3}, {0, 3}, {-1, 0}, {1, 1}},  {{2, 3}, {2, 0}, {0, 2}, {0, 1}},
    {{4}, {1}, {2}, {0}},               {{4}, {-1}, {-1}, {2}},
    {{0, 3}, {1, 1}, {1, 1}, {1, 1}},
};

std::string offsets(const Shape& values) {
  // A minus sign would read like a separator.
  std::string text;
  for (int64_t value : values) {
    text += fmt::format("{}{}{}", text.empty() ? "" : "-", value < 0 ? "m" : "", std::abs(value));
  }
  return text;
}

void addPad(CaseList& cases, ElementType type, const Padding& padding) {
  Shape result;
  for (size_t i = 0; i < padding.operand.size(); ++i) {
    const int64_t size = padding.operand[i];
    result.push_back(padding.low[i] + size + std::max<int64_t>(size - 1, 0) * padding.interior[i] +
                     padding.high[i]);
  }
  cases.add({.primitive = "pad",
             .label = fmt::format("low={}_high={}_interior={}", offsets(padding.low),
                                  offsets(padding.high), offsets(padding.interior)),
             .arguments = {{type, padding.operand}, {type, {}}},
             .domains = {domains::kComplexEdges, domains::kPlain},
             .emit = [padding, result](FunctionWriter& main, std::span<const SsaValue> arguments,
                                        const std::string&) -> SsaValues {
               return {main.emit(
                   arguments[0].type, result,
                   fmt::format("stablehlo.pad {}, low = {}, high = {}, interior = {} : ({}) -> {}",
                               namesText(arguments), listText(padding.low), listText(padding.high),
                               listText(padding.interior), typesText(arguments),
                               tensorText(arguments[0].type, result)))};
             },
             .expect = one([padding](std::span<const Tensor> inputs) -> Result<Tensor> {
               return oracle::padded(inputs[0], inputs[1], padding.low, padding.high,
                                     padding.interior);
             }),
             .oracle = "definition"});
}

}  // namespace

VINTAGE_FAMILY(addPadCases) {
  for (ElementType type : types::small()) addPad(cases, type, kPaddings[2]);
  for (ElementType type : types::all()) {
    for (const Padding& padding : kPaddings) addPad(cases, type, padding);
    cases.addPolymorphic([&](CaseList& list, const DimensionSizes& sizes) {
      addPad(list, type, {{sizes.b, 3}, {1, 2}, {2, -1}, {1, 0}});
    });
    cases.addPolymorphic([&](CaseList& list, const DimensionSizes& sizes) {
      addPad(list, type, {{sizes.b, sizes.c}, {sizes.c, 0}, {sizes.b, 1}, {0, 1}});
    });
  }
}

}  // namespace vintage::primitives::catalogue
