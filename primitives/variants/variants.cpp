// Exports that are not a static function of arrays: dimension variables
// (poly), several platforms in one module (multi_platform), tokens (effects).
// Calling convention 9 and later; primitives whose meaning is simple, over all
// their dtypes.
#include <fmt/format.h>

#include "golden/oracle/elementwise.h"
#include "primitives/families.h"

namespace vintage {
namespace {

struct VariantPrimitive {
  const char* name;
  const char* operation;
};
const VariantPrimitive kPrimitives[] = {{"neg", "stablehlo.negate"}, {"sign", "stablehlo.sign"}};

constexpr int64_t kRows = 3, kColumns = 4;

std::string moduleText(std::string_view name, bool polymorphic, const std::string& functions) {
  return fmt::format(
      "module @jit_{} attributes {{jax.uses_shape_polymorphism = {}, mhlo.num_partitions = 1 : i32, "
      "mhlo.num_replicas = 1 : i32}} {{\n{}}}\n",
      name, polymorphic, functions);
}

// The first dimension is `b`, at least one; main checks it and passes it on.
std::string polyText(const VariantPrimitive& primitive, ElementType type) {
  const std::string array = fmt::format("tensor<?x{}x{}>", kColumns, stablehloName(type));
  return moduleText(
      primitive.name, true,
      fmt::format(
          "  func.func public @main(%arg0: {0}) -> ({0} {{jax.result_info = \"result\"}}) {{\n"
          "    %c = stablehlo.constant dense<1> : tensor<i32>\n"
          "    %0 = stablehlo.get_dimension_size %arg0, dim = 0 : ({0}) -> tensor<i32>\n"
          "    %1 = stablehlo.compare  GE, %0, %c,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
          "    stablehlo.custom_call @shape_assertion(%1, %0) {{api_version = 2 : i32, error_message = "
          "\"Input shapes do not match the polymorphic shapes specification. Expected value >= 1 for "
          "dimension variable 'b'. Obtained 'b' = {{0}} from dimension args[0].shape[0].\", "
          "has_side_effect = true}} : (tensor<i1>, tensor<i32>) -> ()\n"
          "    %2 = call @_wrapped_jax_export_main(%0, %arg0) : (tensor<i32>, {0}) -> {0}\n"
          "    return %2 : {0}\n"
          "  }}\n"
          "  func.func private @_wrapped_jax_export_main(%arg0: tensor<i32> {{jax.global_constant = "
          "\"b\"}}, %arg1: {0}) -> {0} {{\n"
          "    %0 = {1} %arg1 : {0}\n"
          "    return %0 : {0}\n"
          "  }}\n",
          array, primitive.operation));
}

// One branch for each platform, chosen by the index that the consumer passes.
std::string multiPlatformText(const VariantPrimitive& primitive, ElementType type, size_t platforms) {
  const std::string array = tensorText(type, Shape{kRows, kColumns});
  std::string branches;
  for (size_t i = 0; i < platforms; ++i) {
    branches += fmt::format("{}{{\n      %1 = {} %arg1 : {}\n      stablehlo.return %1 : {}\n    }}",
                            i == 0 ? "" : ", ", primitive.operation, array, array);
  }
  return moduleText(
      primitive.name, false,
      fmt::format("  func.func public @main(%arg0: tensor<i32> {{jax.global_constant = "
                  "\"_platform_index\"}}, %arg1: {0}) -> ({0} {{jax.result_info = \"result\"}}) {{\n"
                  "    %0 = \"stablehlo.case\"(%arg0) ({1}) : (tensor<i32>) -> {0}\n"
                  "    return %0 : {0}\n"
                  "  }}\n",
                  array, branches));
}

// A token comes in and goes out beside the array.
std::string effectsText(const VariantPrimitive& primitive, ElementType type) {
  const std::string array = tensorText(type, Shape{kRows, kColumns});
  return moduleText(
      primitive.name, false,
      fmt::format("  func.func public @main(%arg0: !stablehlo.token {{jax.token = true}}, %arg1: {0}) "
                  "-> (!stablehlo.token {{jax.token = true}}, {0} {{jax.result_info = \"result\"}}) {{\n"
                  "    %0 = {1} %arg1 : {0}\n"
                  "    %1 = stablehlo.after_all %arg0 : !stablehlo.token\n"
                  "    return %1, %0 : !stablehlo.token, {0}\n"
                  "  }}\n",
                  array, primitive.operation));
}

LoweredCase lowerVariant(const VariantPrimitive& primitive, const std::string& variant,
                         ElementType type, const std::string& platform) {
  LoweredCase lowered;
  lowered.platforms = {platform};
  lowered.inputs = lowered.outputs = {{type, {kRows, kColumns}}};
  lowered.keptInputs = {0};
  if (variant == "poly") {
    lowered.text = polyText(primitive, type);
    lowered.symbolicInputs = lowered.symbolicOutputs = {{"b", std::to_string(kColumns)}};
  } else if (variant == "multi_platform") {
    lowered.platforms = {"cpu", "cuda", "rocm", "tpu"};
    lowered.text = multiPlatformText(primitive, type, lowered.platforms.size());
  } else {
    lowered.text = effectsText(primitive, type);
    lowered.orderedEffects = {"jax._src.debugging.OrderedDebugEffect"};
  }
  return lowered;
}

}  // namespace

VINTAGE_FAMILY(addVariantCases) {
  for (const VariantPrimitive& primitive : kPrimitives) {
    for (ElementType type : types::numbers()) {
      if (isUnsignedInteger(type)) continue;
      for (const char* variant : {"poly", "multi_platform", "effects"}) {
        cases.add({.primitive = primitive.name,
                   .arguments = {{type, {kRows, kColumns}}},
                   .domains = {isComplex(type) ? domains::kPlain : domains::kFewEdges},
                   .expect = one([&primitive](std::span<const Tensor> inputs) {
                     return oracle::applyUnary(primitive.name, inputs[0]);
                   }),
                   .oracle = isInteger(type) ? "exact" : "mpfr",
                   .comparators = {isComplex(type) ? withinUlps(type, 16) : exactly()},
                   .variant = variant,
                   .lower = [&primitive, variant = std::string(variant),
                             type](const std::string& platform) {
                     return lowerVariant(primitive, variant, type, platform);
                   }});
      }
    }
  }
}

}  // namespace vintage
