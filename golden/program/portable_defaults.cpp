#include "golden/program/portable_defaults.h"

#include "golden/dialects/vhlo/vhlo_attributes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

namespace vintage::golden::program {
namespace {

namespace vhlo = mlir::vhlo;
using mlir::Attribute;

enum class Default {
  kFalse,
  kZero,              // i64
  kMinusOne,          // i64
  kEmptyString,
  kEmptyArray,
  kEmptyDictionary,
  kEmptyIntegers,     // tensor<0xi64>
  kNoComparisonType,
  kOriginalApiVersion,
  kBackendConfig,     // A string, or a dictionary for the typed interface.
  kTwoPrecisions,
  kAccuracy,
  kNoneType,
  // Of the rank that another attribute has.
  kOnes, kZeroPadding, kNoReversal,
};

struct DefaultRule {
  llvm::SmallVector<const char*, 12> operations;
  const char* attribute;
  Default value;
};

// From openxla/stablehlo, StablehloLegalizeToVhlo (addDefaults).
llvm::ArrayRef<DefaultRule> defaultRules() {
  static const DefaultRule rules[] = {
      {{"func"}, "sym_visibility", Default::kEmptyString},
      {{"func"}, "arg_attrs", Default::kEmptyArray},
      {{"func"}, "res_attrs", Default::kEmptyArray},
      {{"all_gather", "all_reduce", "reduce_scatter", "collective_reduce"},
       "use_global_device_ids",
       Default::kFalse},
      {{"all_gather", "all_reduce", "reduce_scatter", "collective_reduce", "all_to_all",
        "collective_permute", "collective_broadcast"},
       "channel_id",
       Default::kZero},
      {{"collective_reduce", "collective_broadcast"}, "has_dynamic_root", Default::kFalse},
      {{"cholesky"}, "lower", Default::kFalse},
      {{"compare"}, "compare_type", Default::kNoComparisonType},
      {{"composite"}, "version", Default::kZero},
      {{"composite"}, "composite_attributes", Default::kEmptyDictionary},
      {{"convolution", "dynamic_conv"}, "window_strides", Default::kOnes},
      {{"convolution"}, "padding", Default::kZeroPadding},
      {{"convolution", "dynamic_conv"}, "lhs_dilation", Default::kOnes},
      {{"convolution", "dynamic_conv"}, "rhs_dilation", Default::kOnes},
      {{"convolution", "dynamic_conv"}, "window_reversal", Default::kNoReversal},
      {{"convolution", "dynamic_conv", "dot", "dot_general"},
       "precision_config",
       Default::kTwoPrecisions},
      {{"custom_call"}, "has_side_effect", Default::kFalse},
      {{"custom_call"}, "backend_config", Default::kBackendConfig},
      {{"custom_call"}, "api_version", Default::kOriginalApiVersion},
      {{"custom_call"}, "called_computations", Default::kEmptyArray},
      {{"custom_call"}, "operand_layouts", Default::kEmptyArray},
      {{"custom_call"}, "result_layouts", Default::kEmptyArray},
      {{"custom_call"}, "output_operand_aliases", Default::kEmptyArray},
      {{"custom_call"}, "result_tilings", Default::kEmptyArray},
      {{"dot_general"}, "lhs_precision_type", Default::kNoneType},
      {{"dot_general"}, "rhs_precision_type", Default::kNoneType},
      {{"dot_general"}, "accumulation_type", Default::kNoneType},
      {{"dot_general"}, "lhs_component_count", Default::kNoneType},
      {{"dot_general"}, "rhs_component_count", Default::kNoneType},
      {{"dot_general"}, "num_primitive_operations", Default::kNoneType},
      {{"dot_general"}, "allow_imprecise_accumulation", Default::kNoneType},
      {{"dynamic_broadcast_in_dim"}, "known_expanding_dimensions", Default::kEmptyIntegers},
      {{"dynamic_broadcast_in_dim"}, "known_nonexpanding_dimensions", Default::kEmptyIntegers},
      {{"gather", "dynamic_gather", "scatter"}, "indices_are_sorted", Default::kFalse},
      {{"scatter"}, "unique_indices", Default::kFalse},
      {{"infeed"}, "infeed_config", Default::kEmptyString},
      {{"infeed"}, "layout", Default::kEmptyArray},
      {{"outfeed"}, "outfeed_config", Default::kEmptyString},
      {{"send", "recv"}, "is_host_transfer", Default::kFalse},
      {{"send", "recv"}, "source_target_pairs", Default::kEmptyIntegers},
      {{"reduce_window", "select_and_scatter"}, "window_strides", Default::kOnes},
      {{"reduce_window"}, "base_dilations", Default::kOnes},
      {{"reduce_window"}, "window_dilations", Default::kOnes},
      {{"reduce_window", "select_and_scatter"}, "padding", Default::kZeroPadding},
      {{"sort"}, "dimension", Default::kMinusOne},
      {{"sort"}, "is_stable", Default::kFalse},
      {{"cbrt", "cosine", "exponential", "exponential_minus_one", "log", "log_plus_one",
        "logistic", "rsqrt", "sine", "sqrt", "tan", "tanh"},
       "result_accuracy",
       Default::kAccuracy},
  };
  return rules;
}

const llvm::StringMap<llvm::SmallVector<const DefaultRule*, 8>>& rulesByOperation() {
  static const auto table = [] {
    llvm::StringMap<llvm::SmallVector<const DefaultRule*, 8>> byOperation;
    for (const DefaultRule& rule : defaultRules())
      for (const char* operation : rule.operations) byOperation[operation].push_back(&rule);
    return byOperation;
  }();
  return table;
}

// Spatial dimensions of a convolution, or dimensions of a window.
std::optional<int64_t> windowRank(PortableAttributes& translator,
                                  const mlir::NamedAttrList& portable) {
  for (const char* name : {"input_spatial_dimensions", "window_dimensions"})
    if (auto values = translator.integersOf(portable.get(name))) return values->size();
  return std::nullopt;
}

Attribute makeDefault(Default kind, PortableAttributes& translator,
                      const mlir::NamedAttrList& portable, mlir::MLIRContext* context) {
  switch (kind) {
    case Default::kFalse:
      return vhlo::BooleanV1Attr::get(context, false);
    case Default::kZero:
      return translator.integer(0);
    case Default::kMinusOne:
      return translator.integer(-1);
    case Default::kEmptyString:
      return vhlo::StringV1Attr::get(context, "");
    case Default::kEmptyArray:
      return vhlo::ArrayV1Attr::get(context, {});
    case Default::kEmptyDictionary:
      return vhlo::DictionaryV1Attr::get(context, {});
    case Default::kEmptyIntegers:
      return translator.integers({});
    case Default::kNoComparisonType:
      return vhlo::ComparisonTypeV1Attr::get(context, vhlo::ComparisonTypeV1::NOTYPE);
    case Default::kOriginalApiVersion:
      return vhlo::CustomCallApiVersionV1Attr::get(
          context, vhlo::CustomCallApiVersionV1::API_VERSION_ORIGINAL);
    case Default::kBackendConfig: {
      auto version =
          mlir::dyn_cast_or_null<vhlo::CustomCallApiVersionV1Attr>(portable.get("api_version"));
      if (version && version.getValue() == vhlo::CustomCallApiVersionV1::API_VERSION_TYPED_FFI)
        return vhlo::DictionaryV1Attr::get(context, {});
      return vhlo::StringV1Attr::get(context, "");
    }
    case Default::kTwoPrecisions: {
      Attribute each = vhlo::PrecisionV1Attr::get(context, vhlo::PrecisionV1::DEFAULT);
      return vhlo::ArrayV1Attr::get(context, {each, each});
    }
    case Default::kAccuracy:
      return defaultAccuracy(context);
    case Default::kNoneType:
      return portableNone(context);
    case Default::kOnes:
      if (auto rank = windowRank(translator, portable)) return translator.splat({*rank}, 1);
      return {};
    case Default::kZeroPadding:
      if (auto rank = windowRank(translator, portable)) return translator.splat({*rank, 2}, 0);
      return {};
    case Default::kNoReversal:
      if (auto rank = windowRank(translator, portable))
        return translator.toPortable(mlir::DenseBoolArrayAttr::get(
            context, llvm::SmallVector<bool>(static_cast<size_t>(*rank), false)));
      return {};
  }
  return {};
}

}  // namespace

llvm::SmallVector<PortableDefault> portableDefaults(llvm::StringRef unversioned,
                                                    PortableAttributes& translator,
                                                    const mlir::NamedAttrList& portable) {
  llvm::SmallVector<PortableDefault> defaults;
  auto rules = rulesByOperation().find(unversioned);
  if (rules == rulesByOperation().end()) return defaults;
  for (const DefaultRule* rule : rules->second)
    if (Attribute value = makeDefault(rule->value, translator, portable, translator.context()))
      defaults.push_back({rule->attribute, value});
  return defaults;
}

Attribute defaultAccuracy(mlir::MLIRContext* context) {
  return vhlo::ResultAccuracyV1Attr::get(
      context, llvm::APFloat(0.0), llvm::APFloat(0.0), 0,
      vhlo::ResultAccuracyModeV1Attr::get(context, vhlo::ResultAccuracyModeV1::DEFAULT));
}

Attribute portableNone(mlir::MLIRContext* context) {
  return vhlo::TypeV1Attr::get(context, vhlo::NoneV1Type::get(context));
}

bool saysDefault(Attribute attribute, Attribute value) {
  if (attribute == value) return true;
  auto number = mlir::dyn_cast<vhlo::IntegerV1Attr>(attribute);
  auto wanted = mlir::dyn_cast<vhlo::IntegerV1Attr>(value);
  if (number && wanted)
    return PortableAttributes::integerOf(number) == PortableAttributes::integerOf(wanted);
  auto list = mlir::dyn_cast<vhlo::ArrayV1Attr>(attribute);
  auto pattern = mlir::dyn_cast<vhlo::ArrayV1Attr>(value);
  if (list && pattern && !pattern.getValue().empty())
    return llvm::all_of(list.getValue(),
                        [&](Attribute each) { return each == pattern.getValue().front(); });
  return false;
}

}  // namespace vintage::golden::program
