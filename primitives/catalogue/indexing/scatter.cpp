// scatter, scatter_add, scatter_mul, scatter_min, scatter_max.
#include <limits>

#include <fmt/format.h>

#include "primitives/catalogue/case_list.h"
#include "primitives/catalogue/indexing/indexing_cases.h"
#include "primitives/lowering/operations.h"

namespace vintage::primitives {
using namespace golden;

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

// Clipped indices are clamped by operations of the program.
SsaValue clipped(const SsaValue& indices, const IndexingUse& use) {
  FunctionBuilder& main = *indices.builder;
  const SsaValue highest = main.constant(ElementType::kI32, highestStarts(use));
  const int64_t vectorDimension[] = {use.dimensions.indexVector};
  // The bounds must be representable in the indices' type, too.
  const SsaValue representable = broadcast(
      main.constant(ElementType::kI32, std::numeric_limits<int32_t>::max()), highest.shape);
  const SsaValue bounds = same("stablehlo.minimum", highest, representable);
  const SsaValue limits = broadcast(bounds, vectorDimension, indices.shape);
  const SsaValue zeros = main.fill(ElementType::kI32, 0, indices.shape);
  return same("stablehlo.clamp", {zeros, indices, limits});
}

Comparator comparatorOf(std::string_view function, ElementType type) {
  const bool rounds = function == "add" || function == "mul";
  if (isInteger(type) || isPredicate(type) || !rounds) return exactly();
  // Up to three updates hit one element, in any order; each step rounds.
  return withinRelative(8 * epsilonOf(type), (function == "add" ? 40 : 0) * epsilonOf(type));
}

CaseSpecification scatterCase(const ScatterPrimitive& primitive, ElementType type,
                              const IndexingUse& use, IndexMode mode, IndexPromise promise) {
  const std::string_view function = primitive.function;
  const Shape updates = oracle::windowsShape(use.indices, use.dimensions, use.slice);
  // The winner of two updates of one element is not specified: plain scatters have indices without
  // repetition.
  const bool promised = promise.unique || promise.sorted;
  const bool distinct = promised || function == "replace";
  // Clipping would move an index onto another one.
  const bool outside =
      !promised && (mode == IndexMode::kFillOrDrop || (mode == IndexMode::kClip && !distinct));
  const bool unimplemented = isPredicate(type) && (function == "add" || function == "mul");
  const bool rounds = (function == "add" || function == "mul") && !isInteger(type);
  const Domain values = rounds ? domains::kPlain : domains::kFewEdges;
  return {.primitive = primitive.name,
          .label = fmt::format("{}_mode={}_sorted={}_unique={}", use.name, indexModeName(mode),
                               promise.sorted, promise.unique),
          .arguments = {{type, use.operand}, {ElementType::kI32, use.indices}, {type, updates}},
          .emit =
              [use, function, mode, promise](Arguments x) {
                const SsaValue indices = mode == IndexMode::kClip ? clipped(x[1], use) : x[1];
                return scatter(function, x[0], indices, x[2], use.dimensions, promise);
              },
          .expect =
              [use, function, mode](Tensors inputs) {
                return oracle::scatter(inputs[0], inputs[1], inputs[2], use.dimensions, use.slice,
                                       oracle::combineFunction(function), mode == IndexMode::kClip);
              },
          .oracle = "definition",
          .comparators = {comparatorOf(function, type)},
          .makeInputs =
              [type, use, distinct, outside, updates, values](Random& random) {
                return std::vector<Tensor>{makeInput(type, use.operand, values, random),
                                           makeIndices(use, distinct, outside, random),
                                           makeInput(type, updates, values, random, 1)};
              },
          .platforms = unimplemented ? std::vector<std::string>{}
                                     : std::vector<std::string>{"cpu", "cuda", "rocm", "tpu"}};
}

}  // namespace

VINTAGE_FAMILY(addScatterCases) {
  static constexpr IndexPromise kPromises[] = {
      {false, false}, {true, false}, {false, true}, {true, true}};
  for (const ScatterPrimitive& primitive : kScatters) {
    for (ElementType type : types::kAll) {
      cases.addPoly([&](Sizes s) {
        return scatterCase(primitive, type,
                           {"rows", {2 * s.b, 5}, {s.b, 1}, {1, 3}, {{1}, {0}, {}, {}, {0}, 1}},
                           IndexMode::kFillOrDrop, kPromises[0]);
      });
      for (const IndexingUse& use : indexingUses()) {
        for (IndexMode mode : kIndexModes) {
          for (IndexPromise promise : kPromises)
            cases.add(scatterCase(primitive, type, use, mode, promise));
        }
      }
    }
  }
}

}  // namespace vintage::primitives
