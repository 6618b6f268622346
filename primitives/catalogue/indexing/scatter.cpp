// scatter, scatter_add, scatter_mul, scatter_min, scatter_max.
#include <fmt/format.h>

#include "primitives/catalogue/families.h"
#include "primitives/catalogue/indexing/indexing_cases.h"
#include "primitives/lowering/fold.h"

namespace vintage::primitives::catalogue {
namespace {

struct ScatterPrimitive {
  const char* name;
  const char* function;  // "replace" or a fold
};

const ScatterPrimitive kScatters[] = {{"scatter", "replace"},
                                      {"scatter_add", "add"},
                                      {"scatter_mul", "mul"},
                                      {"scatter_min", "min"},
                                      {"scatter_max", "max"}};

struct Promise {
  bool sorted, unique;
};

// Clipped indices are clamped by operations of the program.
SsaValue clipped(FunctionWriter& main, const SsaValue& indices, const IndexingUse& use) {
  const auto count = static_cast<int64_t>(use.dimensions.startIndexMap.size());
  const SsaValue highest = main.constant(ElementType::kI32, Shape{count}, highestStartLiteral(use));
  const int64_t vectorDimension[] = {use.dimensions.indexVector};
  const SsaValue limits = main.broadcast(highest, vectorDimension, indices.shape);
  const SsaValue zeros = main.fill(ElementType::kI32, 0, indices.shape);
  return main.emit(indices.type, indices.shape,
                   fmt::format("stablehlo.clamp {}, {}, {} : {}", zeros.name, indices.name,
                               limits.name, typeText(indices)));
}

SsaValues emitScatter(FunctionWriter& main, std::span<const SsaValue> arguments,
                      const IndexingUse& use, std::string_view function, IndexMode mode,
                      Promise promise) {
  const SsaValue& operand = arguments[0];
  const SsaValue indices =
      mode == IndexMode::kClip ? clipped(main, arguments[1], use) : arguments[1];
  const SsaValue all[] = {operand, indices, arguments[2]};
  const TensorType result{operand.type, operand.shape};
  SsaValues results = main.beginOperation(
      {&result, 1}, fmt::format("\"stablehlo.scatter\"({}) <{{indices_are_sorted = {}, "
                                "scatter_dimension_numbers = {}, unique_indices = {}}}> ",
                                namesText(all), promise.sorted,
                                scatterDimensionText(use.dimensions), promise.unique));
  const TensorType scalars[] = {{operand.type, {}}, {operand.type, {}}};
  main.region(scalars, [&](std::span<const SsaValue> pair) -> SsaValues {
    if (function == "replace") return {pair[1]};
    return {combined(main, function, pair[0], pair[1])};
  });
  main.append(fmt::format(" : ({}) -> {}", typesText(all), typeText(operand)));
  main.endOperation();
  return results;
}

Comparator comparatorOf(std::string_view function, ElementType type) {
  if (function != "add" && function != "mul") return exactly();
  const bool rounds = function == "add" || function == "mul";
  if (isInteger(type) || isPredicate(type) || !rounds) return exactly();
  // Up to three updates meet in one place, in any order; each step rounds.
  return withinRelative(8 * epsilonOf(type), (function == "add" ? 40 : 0) * epsilonOf(type));
}

void addScatter(CaseList& cases, const ScatterPrimitive& primitive, ElementType type,
                const IndexingUse& use, IndexMode mode, Promise promise) {
  const std::string_view function = primitive.function;
  const Shape updates = oracle::windowsShape(use.indices, use.dimensions, use.slice);
  // Which of two updates of one place wins is not specified: plain scatters
  // have indices without repetition.
  const bool promised = promise.unique || promise.sorted;
  const bool distinct = promised || function == "replace";
  // Clipping would move an index onto another one.
  const bool outside =
      !promised && (mode == IndexMode::kFillOrDrop || (mode == IndexMode::kClip && !distinct));
  const bool unimplemented = isPredicate(type) && (function == "add" || function == "mul");
  const bool rounds = (function == "add" || function == "mul") && !isInteger(type);
  const Domain values = rounds ? domains::kPlain : domains::kFewEdges;
  cases.add({.primitive = primitive.name,
             .label = fmt::format("{}_mode={}_sorted={}_unique={}", use.name, indexModeName(mode),
                                  promise.sorted, promise.unique),
             .arguments = {{type, use.operand}, {ElementType::kI32, use.indices}, {type, updates}},
             .emit = [use, function, mode, promise](FunctionWriter& main,
                                                     std::span<const SsaValue> arguments,
                                                     const std::string&) {
               return emitScatter(main, arguments, use, function, mode, promise);
             },
             .expect = one([use, function, mode](std::span<const Tensor> inputs) -> Result<Tensor> {
               return oracle::scatter(inputs[0], inputs[1], inputs[2], use.dimensions, use.slice,
                                      oracle::combineFunction(function), mode == IndexMode::kClip);
             }),
             .oracle = "definition",
             .comparators = {comparatorOf(function, type)},
             .makeInputs = [type, use, distinct, outside, updates, values](Random& random) {
               return std::vector<Tensor>{makeInput(type, use.operand, values, random),
                                          makeIndices(use, distinct, outside, random),
                                          makeInput(type, updates, values, random, 1)};
             },
             .platforms = unimplemented ? std::vector<std::string>{}
                                        : std::vector<std::string>{"cpu", "cuda", "rocm", "tpu"}});
}

}  // namespace

VINTAGE_FAMILY(addScatterCases) {
  static constexpr Promise kPromises[] = {
      {false, false}, {true, false}, {false, true}, {true, true}};
  for (const ScatterPrimitive& primitive : kScatters) {
    for (ElementType type : types::all()) {
      cases.addPolymorphic([&](CaseList& list, const DimensionSizes& sizes) {
        addScatter(list, primitive, type,
                   {"rows", {2 * sizes.b, 5}, {sizes.b, 1}, {1, 3}, {{1}, {0}, {}, {}, {0}, 1}},
                   IndexMode::kFillOrDrop, kPromises[0]);
      });
      for (const IndexingUse& use : indexingUses()) {
        for (IndexMode mode : kIndexModes) {
          for (Promise promise : kPromises) addScatter(cases, primitive, type, use, mode, promise);
        }
      }
    }
  }
}

}  // namespace vintage::primitives::catalogue
