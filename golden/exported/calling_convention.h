// How an exported module's main function is called: JAX's calling conventions
// 4 to 10, as JAX's documentation of jax.export describes them.
//
//   main([platform index,] [token for each ordered effect,] kept inputs…)
//     -> ([token for each ordered effect,] outputs…)
//
//   platform index  i32 or i64 scalar, where the module serves several
//                   platforms; from version 9 on tagged
//                   jax.global_constant = "_platform_index"
//   tokens          from version 9 on; before, main neither takes nor returns
//                   any and makes its own
//   kept inputs     those of module_kept_var_idx, in order
//
// main computes dimension variables from the shapes of its arguments and checks them by custom
// calls @shape_assertion (from version 7 on). An argument of main that is tagged with the name of a
// dimension variable takes its value.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "golden/base/result.h"
#include "golden/exported/dimension_expression.h"
#include "golden/exported/exported.h"
#include "golden/module/module_tree.h"
#include "golden/tensor/tensor.h"

namespace vintage::golden {

inline constexpr int kOldestCallingConvention = 4;
inline constexpr int kNewestCallingConvention = 10;

// The metadata beside a module.
struct CallingMetadata {
  int version = kNewestCallingConvention;
  std::vector<std::string> platforms;
  std::vector<AbstractValue> inputs, outputs;
  std::vector<uint16_t> keptInputs;
  size_t orderedEffects = 0;
};
CallingMetadata callingMetadata(const Exported& exported);

struct MainArgument {
  enum class Kind { kPlatformIndex, kDimensionVariable, kToken, kInput };
  Kind kind = Kind::kInput;
  size_t index = 0;               // Index of a token or an input (in `inputs`, not among the kept).
  std::string dimensionVariable;  // For kDimensionVariable.
};

struct MainSignature {
  std::vector<MainArgument> arguments;  // One for each argument of main.
  size_t tokenResults = 0;              // They come first; then the outputs.
};

// Checks counts, element types and shapes, and classifies each argument.
Result<MainSignature> matchMain(const CallingMetadata& metadata, const Function& main);

// The place of `platform` among the metadata's platforms.
Result<size_t> platformIndex(const CallingMetadata& metadata, std::string_view platform);

// Checks all inputs (those that are not kept too) against the metadata and
// solves its dimension variables.
Result<DimensionValues> solveInputs(const CallingMetadata& metadata,
                                    std::span<const Tensor> inputs);

// Shapes of the outputs once the dimension variables are known, with the
// trailing dimension of PRNG keys.
Result<std::vector<Shape>> outputShapes(const CallingMetadata& metadata,
                                        const DimensionValues& values);

// Whether a consumer must refine the shapes before it compiles: in version 7
// always, from 8 on where the module says jax.uses_shape_polymorphism.
bool needsShapeRefinement(int version, const AttributeMap& moduleAttributes);

}  // namespace vintage::golden
