#include "golden/program/portable_operation_rules.h"

#include <fmt/format.h>

#include "golden/dialects/stablehlo/stablehlo_attributes.h"
#include "golden/dialects/vhlo/vhlo_attributes.h"
#include "golden/dialects/vhlo/vhlo_versions.h"
#include "golden/program/portable_defaults.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"
#include "mlir/IR/BuiltinTypes.h"

namespace vintage {
namespace {

namespace vhlo = mlir::vhlo;
namespace stablehlo = mlir::stablehlo;
using mlir::Attribute;
using mlir::NamedAttrList;

AttributeForm formOf(llvm::StringRef operation, llvm::StringRef attribute) {
  if (operation == "call" && attribute == "callee") return AttributeForm::kSymbol;
  if (operation == "composite" && attribute == "decomposition") return AttributeForm::kSymbol;
  if (operation == "custom_call" && attribute == "called_computations")
    return AttributeForm::kSymbols;
  return llvm::StringSwitch<AttributeForm>(attribute)
      .Cases({"base_dilations", "broadcast_dimensions", "broadcast_sizes", "dimensions",
              "edge_padding_high", "edge_padding_low", "fft_length", "interior_padding",
              "known_expanding_dimensions", "known_nonexpanding_dimensions", "lhs_dilation",
              "limit_indices", "permutation", "rhs_dilation", "slice_sizes", "start_indices",
              "strides", "window_dilations", "window_dimensions", "window_strides"},
             AttributeForm::kIntegers)
      .Case("window_reversal", AttributeForm::kBooleans)
      .Cases({"has_dynamic_root", "use_global_device_ids"}, AttributeForm::kFlag)
      .Default(AttributeForm::kGeneric);
}

// Reads the parts of one structured attribute out of an operation; `ok` turns
// false when one is missing or is not what it should be.
class PartReader {
 public:
  PartReader(PortableAttributes& translator, const NamedAttrList& portable,
             llvm::StringSet<>& consumed)
      : translator_(translator), portable_(portable), consumed_(consumed) {}

  bool ok = true;

  int64_t integer(llvm::StringRef name) {
    auto value = PortableAttributes::integerOf(take(name));
    ok = ok && value;
    return value.value_or(0);
  }
  llvm::SmallVector<int64_t> integers(llvm::StringRef name) {
    auto values = translator_.integersOf(take(name));
    ok = ok && values;
    return values.value_or(llvm::SmallVector<int64_t>());
  }
  mlir::Type type(llvm::StringRef name) {
    auto value = mlir::dyn_cast_or_null<mlir::TypeAttr>(
        translator_.fromPortable(take(name), AttributeForm::kGeneric));
    ok = ok && value;
    return value ? value.getValue() : mlir::Type();
  }
  bool boolean(llvm::StringRef name) {
    auto value = mlir::dyn_cast_or_null<vhlo::BooleanV1Attr>(take(name));
    ok = ok && value;
    return value && value.getValue();
  }

 private:
  Attribute take(llvm::StringRef name) {
    consumed_.insert(name);
    return portable_.get(name);
  }

  PortableAttributes& translator_;
  const NamedAttrList& portable_;
  llvm::StringSet<>& consumed_;
};

class PartWriter {
 public:
  PartWriter(PortableAttributes& translator, NamedAttrList& portable)
      : translator_(translator), portable_(portable) {}
  void integer(llvm::StringRef name, int64_t value) {
    portable_.set(name, translator_.integer(value));
  }
  void integers(llvm::StringRef name, llvm::ArrayRef<int64_t> values) {
    portable_.set(name, translator_.integers(values));
  }
  void type(llvm::StringRef name, mlir::Type type) {
    portable_.set(name, translator_.toPortable(mlir::TypeAttr::get(type)));
  }
  void boolean(llvm::StringRef name, bool value) {
    portable_.set(name, vhlo::BooleanV1Attr::get(translator_.context(), value));
  }

 private:
  PortableAttributes& translator_;
  NamedAttrList& portable_;
};

// A structured attribute of StableHLO that VHLO keeps in parts.
struct Structure {
  const char* attribute;  // StableHLO's name.
  Attribute (*read)(mlir::MLIRContext*, PartReader&);
  bool (*write)(Attribute, PartWriter&);  // False: not of the class expected.
};

template <typename T>
bool splitIf(Attribute attribute, PartWriter& out, void (*split)(T, PartWriter&)) {
  auto typed = mlir::dyn_cast<T>(attribute);
  if (typed) split(typed, out);
  return static_cast<bool>(typed);
}

constexpr Structure kDotDimensions = {
    "dot_dimension_numbers",
    [](mlir::MLIRContext* context, PartReader& in) -> Attribute {
      auto lhsBatching = in.integers("lhs_batching_dimensions");
      auto rhsBatching = in.integers("rhs_batching_dimensions");
      auto lhsContracting = in.integers("lhs_contracting_dimensions");
      auto rhsContracting = in.integers("rhs_contracting_dimensions");
      return stablehlo::DotDimensionNumbersAttr::get(context, lhsBatching, rhsBatching,
                                                     lhsContracting, rhsContracting);
    },
    [](Attribute attribute, PartWriter& out) {
      return splitIf<stablehlo::DotDimensionNumbersAttr>(
          attribute, out, [](stablehlo::DotDimensionNumbersAttr numbers, PartWriter& parts) {
            parts.integers("lhs_batching_dimensions", numbers.getLhsBatchingDimensions());
            parts.integers("rhs_batching_dimensions", numbers.getRhsBatchingDimensions());
            parts.integers("lhs_contracting_dimensions", numbers.getLhsContractingDimensions());
            parts.integers("rhs_contracting_dimensions", numbers.getRhsContractingDimensions());
          });
    }};

constexpr Structure kDotAlgorithm = {
    "algorithm",
    [](mlir::MLIRContext* context, PartReader& in) -> Attribute {
      mlir::Type lhs = in.type("lhs_precision_type");
      mlir::Type rhs = in.type("rhs_precision_type");
      mlir::Type accumulation = in.type("accumulation_type");
      const int64_t lhsComponents = in.integer("lhs_component_count");
      const int64_t rhsComponents = in.integer("rhs_component_count");
      const int64_t operations = in.integer("num_primitive_operations");
      const bool imprecise = in.boolean("allow_imprecise_accumulation");
      if (!in.ok) return {};
      return stablehlo::DotAlgorithmAttr::get(context, lhs, rhs, accumulation, lhsComponents,
                                              rhsComponents, operations, imprecise);
    },
    [](Attribute attribute, PartWriter& out) {
      return splitIf<stablehlo::DotAlgorithmAttr>(
          attribute, out, [](stablehlo::DotAlgorithmAttr algorithm, PartWriter& parts) {
            parts.type("lhs_precision_type", algorithm.getLhsPrecisionType());
            parts.type("rhs_precision_type", algorithm.getRhsPrecisionType());
            parts.type("accumulation_type", algorithm.getAccumulationType());
            parts.integer("lhs_component_count", algorithm.getLhsComponentCount());
            parts.integer("rhs_component_count", algorithm.getRhsComponentCount());
            parts.integer("num_primitive_operations", algorithm.getNumPrimitiveOperations());
            parts.boolean("allow_imprecise_accumulation",
                          algorithm.getAllowImpreciseAccumulation());
          });
    }};

constexpr Structure kGatherDimensions = {
    "dimension_numbers",
    [](mlir::MLIRContext* context, PartReader& in) -> Attribute {
      auto offset = in.integers("offset_dims");
      auto collapsed = in.integers("collapsed_slice_dims");
      auto operandBatching = in.integers("operand_batching_dims");
      auto indicesBatching = in.integers("start_indices_batching_dims");
      auto map = in.integers("start_index_map");
      const int64_t vectorDimension = in.integer("index_vector_dim");
      return stablehlo::GatherDimensionNumbersAttr::get(
          context, offset, collapsed, operandBatching, indicesBatching, map, vectorDimension);
    },
    [](Attribute attribute, PartWriter& out) {
      return splitIf<stablehlo::GatherDimensionNumbersAttr>(
          attribute, out, [](stablehlo::GatherDimensionNumbersAttr numbers, PartWriter& parts) {
            parts.integers("offset_dims", numbers.getOffsetDims());
            parts.integers("collapsed_slice_dims", numbers.getCollapsedSliceDims());
            parts.integers("operand_batching_dims", numbers.getOperandBatchingDims());
            parts.integers("start_indices_batching_dims", numbers.getStartIndicesBatchingDims());
            parts.integers("start_index_map", numbers.getStartIndexMap());
            parts.integer("index_vector_dim", numbers.getIndexVectorDim());
          });
    }};

constexpr Structure kScatterDimensions = {
    "scatter_dimension_numbers",
    [](mlir::MLIRContext* context, PartReader& in) -> Attribute {
      auto window = in.integers("update_window_dims");
      auto inserted = in.integers("inserted_window_dims");
      auto inputBatching = in.integers("input_batching_dims");
      auto indicesBatching = in.integers("scatter_indices_batching_dims");
      auto map = in.integers("scatter_dims_to_operand_dims");
      const int64_t vectorDimension = in.integer("index_vector_dim");
      return stablehlo::ScatterDimensionNumbersAttr::get(
          context, window, inserted, inputBatching, indicesBatching, map, vectorDimension);
    },
    [](Attribute attribute, PartWriter& out) {
      return splitIf<stablehlo::ScatterDimensionNumbersAttr>(
          attribute, out, [](stablehlo::ScatterDimensionNumbersAttr numbers, PartWriter& parts) {
            parts.integers("update_window_dims", numbers.getUpdateWindowDims());
            parts.integers("inserted_window_dims", numbers.getInsertedWindowDims());
            parts.integers("input_batching_dims", numbers.getInputBatchingDims());
            parts.integers("scatter_indices_batching_dims",
                           numbers.getScatterIndicesBatchingDims());
            parts.integers("scatter_dims_to_operand_dims", numbers.getScatterDimsToOperandDims());
            parts.integer("index_vector_dim", numbers.getIndexVectorDim());
          });
    }};

// As many as the parser accepts.
constexpr int64_t kMostConvolutionDimensions = 1 << 20;

constexpr Structure kConvolutionDimensions = {
    "dimension_numbers",
    [](mlir::MLIRContext* context, PartReader& in) -> Attribute {
      const int64_t inputBatch = in.integer("input_batch_dimension");
      const int64_t inputFeature = in.integer("input_feature_dimension");
      auto inputSpatial = in.integers("input_spatial_dimensions");
      const int64_t kernelInput = in.integer("kernel_input_feature_dimension");
      const int64_t kernelOutput = in.integer("kernel_output_feature_dimension");
      auto kernelSpatial = in.integers("kernel_spatial_dimensions");
      const int64_t outputBatch = in.integer("output_batch_dimension");
      const int64_t outputFeature = in.integer("output_feature_dimension");
      auto outputSpatial = in.integers("output_spatial_dimensions");
      // The text has a place for each dimension up to the last.
      const auto hasPlace = [](int64_t d) { return d >= 0 && d < kMostConvolutionDimensions; };
      if (!llvm::all_of(std::initializer_list<int64_t>{inputBatch, inputFeature, kernelInput,
                                                       kernelOutput, outputBatch, outputFeature},
                        hasPlace) ||
          !llvm::all_of(inputSpatial, hasPlace) || !llvm::all_of(kernelSpatial, hasPlace) ||
          !llvm::all_of(outputSpatial, hasPlace))
        return {};
      return stablehlo::ConvDimensionNumbersAttr::get(
          context, inputBatch, inputFeature, inputSpatial, kernelInput, kernelOutput,
          kernelSpatial, outputBatch, outputFeature, outputSpatial);
    },
    [](Attribute attribute, PartWriter& out) {
      return splitIf<stablehlo::ConvDimensionNumbersAttr>(
          attribute, out, [](stablehlo::ConvDimensionNumbersAttr numbers, PartWriter& parts) {
            parts.integer("input_batch_dimension", numbers.getInputBatchDimension());
            parts.integer("input_feature_dimension", numbers.getInputFeatureDimension());
            parts.integers("input_spatial_dimensions", numbers.getInputSpatialDimensions());
            parts.integer("kernel_input_feature_dimension",
                          numbers.getKernelInputFeatureDimension());
            parts.integer("kernel_output_feature_dimension",
                          numbers.getKernelOutputFeatureDimension());
            parts.integers("kernel_spatial_dimensions", numbers.getKernelSpatialDimensions());
            parts.integer("output_batch_dimension", numbers.getOutputBatchDimension());
            parts.integer("output_feature_dimension", numbers.getOutputFeatureDimension());
            parts.integers("output_spatial_dimensions", numbers.getOutputSpatialDimensions());
          });
    }};

constexpr Structure kChannel = {
    "channel_handle",
    [](mlir::MLIRContext* context, PartReader& in) -> Attribute {
      const int64_t handle = in.integer("channel_id");
      const int64_t type = in.integer("channel_type");
      return stablehlo::ChannelHandleAttr::get(context, handle, type);
    },
    [](Attribute attribute, PartWriter& out) {
      return splitIf<stablehlo::ChannelHandleAttr>(
          attribute, out, [](stablehlo::ChannelHandleAttr channel, PartWriter& parts) {
            parts.integer("channel_id", channel.getHandle());
            parts.integer("channel_type", channel.getType());
          });
    }};

// Collective operations keep the number alone.
constexpr Structure kChannelNumber = {
    "channel_handle",
    [](mlir::MLIRContext* context, PartReader& in) -> Attribute {
      return stablehlo::ChannelHandleAttr::get(context, in.integer("channel_id"), 0);
    },
    [](Attribute attribute, PartWriter& out) {
      return splitIf<stablehlo::ChannelHandleAttr>(
          attribute, out, [](stablehlo::ChannelHandleAttr channel, PartWriter& parts) {
            parts.integer("channel_id", channel.getHandle());
          });
    }};

llvm::ArrayRef<const Structure*> structuresOf(llvm::StringRef operation) {
  static const llvm::StringMap<llvm::SmallVector<const Structure*, 2>> table = {
      {"dot_general", {&kDotDimensions, &kDotAlgorithm}},
      {"gather", {&kGatherDimensions}},
      {"dynamic_gather", {&kGatherDimensions}},
      {"scatter", {&kScatterDimensions}},
      {"convolution", {&kConvolutionDimensions}},
      {"dynamic_conv", {&kConvolutionDimensions}},
      {"send", {&kChannel}},
      {"recv", {&kChannel}},
      {"all_gather", {&kChannelNumber}},
      {"all_reduce", {&kChannelNumber}},
      {"all_to_all", {&kChannelNumber}},
      {"collective_broadcast", {&kChannelNumber}},
      {"collective_permute", {&kChannelNumber}},
      {"collective_reduce", {&kChannelNumber}},
      {"reduce_scatter", {&kChannelNumber}},
  };
  auto found = table.find(operation);
  return found == table.end() ? llvm::ArrayRef<const Structure*>() : found->second;
}

// Operations of the func dialect have a portable form too.
constexpr llvm::StringLiteral kFunctionOperations[] = {"func", "call", "return"};

}  // namespace

std::optional<std::string> portableOperationName(mlir::OperationName name) {
  llvm::StringRef full = name.getStringRef();
  const bool ofFunction = full.consume_front("func.");
  if (ofFunction ? !llvm::is_contained(kFunctionOperations, full)
                 : !full.consume_front("stablehlo."))
    return std::nullopt;
  std::string current = vhlo::currentOperation(full);
  if (!mlir::RegisteredOperationName::lookup("vhlo." + current, name.getContext()))
    return std::nullopt;
  return current;
}

llvm::StringRef unversionedName(llvm::StringRef portableName) {
  portableName.consume_front("vhlo.");
  const auto [name, version] = portableName.rsplit("_v");
  int number = 0;
  return version.getAsInteger(10, number) ? llvm::StringRef() : name;
}

std::string workingOperationName(llvm::StringRef unversioned, bool returnsFromFunction) {
  const bool ofFunction = unversioned == "return"
                              ? returnsFromFunction
                              : llvm::is_contained(kFunctionOperations, unversioned);
  return ((ofFunction ? "func." : "stablehlo.") + unversioned).str();
}

bool attributesFromPortable(llvm::StringRef unversioned, PortableAttributes& translator,
                            const NamedAttrList& portable, NamedAttrList& working,
                            std::string& problem) {
  llvm::StringSet<> consumed;
  // Defaults are left out. A structure whose first part is at its default is
  // not there at all (a channel, an algorithm).
  for (const PortableDefault& each : portableDefaults(unversioned, translator, portable)) {
    Attribute value = portable.get(each.attribute);
    if (value && saysDefault(value, each.value)) consumed.insert(each.attribute);
  }
  // Layouts come for operands and results together.
  if (consumed.contains("operand_layouts") != consumed.contains("result_layouts")) {
    consumed.erase("operand_layouts");
    consumed.erase("result_layouts");
  }
  for (const Structure* structure : structuresOf(unversioned)) {
    if (structure == &kChannelNumber && consumed.contains("channel_id")) continue;
    if (structure == &kDotAlgorithm && consumed.contains("lhs_precision_type") &&
        consumed.contains("num_primitive_operations"))
      continue;
    PartReader parts(translator, portable, consumed);
    Attribute whole = structure->read(translator.context(), parts);
    if (!parts.ok || !whole) {
      problem = fmt::format("the parts of its {} are missing or malformed", structure->attribute);
      return false;
    }
    working.set(structure->attribute, whole);
  }
  for (mlir::NamedAttribute attribute : portable) {
    const llvm::StringRef name = attribute.getName().getValue();
    if (consumed.contains(name)) continue;
    const AttributeForm form = formOf(unversioned, name);
    Attribute value = translator.fromPortable(attribute.getValue(), form);
    if (!value && form == AttributeForm::kFlag &&
        mlir::isa<vhlo::BooleanV1Attr>(attribute.getValue()))
      continue;
    // A discardable attribute may bear the name of an operation's own.
    if (!value && form != AttributeForm::kGeneric)
      value = translator.fromPortable(attribute.getValue(), AttributeForm::kGeneric);
    if (!value) {
      problem = fmt::format("its attribute {} is malformed", name.str());
      return false;
    }
    working.set(name, value);
  }
  return true;
}

bool attributesToPortable(llvm::StringRef unversioned, PortableAttributes& translator,
                          const NamedAttrList& working, NamedAttrList& portable,
                          std::string& problem) {
  PartWriter parts(translator, portable);
  for (mlir::NamedAttribute attribute : working) {
    const llvm::StringRef name = attribute.getName().getValue();
    bool split = false;
    for (const Structure* structure : structuresOf(unversioned))
      split = split || (name == structure->attribute && structure->write(attribute.getValue(), parts));
    if (split) continue;
    Attribute value;
    if (formOf(unversioned, name) == AttributeForm::kFlag &&
        mlir::isa<mlir::UnitAttr>(attribute.getValue()))
      value = vhlo::BooleanV1Attr::get(translator.context(), true);
    else if (unversioned == "custom_call" && name == "api_version")
      value = translator.apiVersion(attribute.getValue());
    else
      value = translator.toPortable(attribute.getValue());
    if (!value) {
      problem = fmt::format("its attribute {} has no portable form", name.str());
      return false;
    }
    portable.set(name, value);
  }
  for (const PortableDefault& each : portableDefaults(unversioned, translator, portable))
    if (!portable.get(each.attribute)) portable.set(each.attribute, each.value);
  return true;
}

}  // namespace vintage
