#include "golden/program/portable_structures.h"

#include "golden/dialects/stablehlo/stablehlo_attributes.h"
#include "llvm/ADT/StringMap.h"

namespace vintage::golden::program {
namespace {

namespace stablehlo = mlir::stablehlo;
using mlir::Attribute;

template <typename T>
bool splitIf(Attribute attribute, PortablePartWriter& out, void (*split)(T, PortablePartWriter&)) {
  auto typed = mlir::dyn_cast<T>(attribute);
  if (typed) split(typed, out);
  return static_cast<bool>(typed);
}

constexpr PortableStructure kDotDimensions = {
    "dot_dimension_numbers",
    [](mlir::MLIRContext* context, PortablePartReader& in) -> Attribute {
      auto lhsBatching = in.integers("lhs_batching_dimensions");
      auto rhsBatching = in.integers("rhs_batching_dimensions");
      auto lhsContracting = in.integers("lhs_contracting_dimensions");
      auto rhsContracting = in.integers("rhs_contracting_dimensions");
      return stablehlo::DotDimensionNumbersAttr::get(context, lhsBatching, rhsBatching,
                                                     lhsContracting, rhsContracting);
    },
    [](Attribute attribute, PortablePartWriter& out) {
      return splitIf<stablehlo::DotDimensionNumbersAttr>(
          attribute, out,
          [](stablehlo::DotDimensionNumbersAttr numbers, PortablePartWriter& parts) {
            parts.integers("lhs_batching_dimensions", numbers.getLhsBatchingDimensions());
            parts.integers("rhs_batching_dimensions", numbers.getRhsBatchingDimensions());
            parts.integers("lhs_contracting_dimensions", numbers.getLhsContractingDimensions());
            parts.integers("rhs_contracting_dimensions", numbers.getRhsContractingDimensions());
          });
    },
    nullptr};

constexpr PortableStructure kDotAlgorithm = {
    "algorithm",
    [](mlir::MLIRContext* context, PortablePartReader& in) -> Attribute {
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
    [](Attribute attribute, PortablePartWriter& out) {
      return splitIf<stablehlo::DotAlgorithmAttr>(
          attribute, out, [](stablehlo::DotAlgorithmAttr algorithm, PortablePartWriter& parts) {
            parts.type("lhs_precision_type", algorithm.getLhsPrecisionType());
            parts.type("rhs_precision_type", algorithm.getRhsPrecisionType());
            parts.type("accumulation_type", algorithm.getAccumulationType());
            parts.integer("lhs_component_count", algorithm.getLhsComponentCount());
            parts.integer("rhs_component_count", algorithm.getRhsComponentCount());
            parts.integer("num_primitive_operations", algorithm.getNumPrimitiveOperations());
            parts.boolean("allow_imprecise_accumulation",
                          algorithm.getAllowImpreciseAccumulation());
          });
    },
    [](const llvm::StringSet<>& consumed) {
      return consumed.contains("lhs_precision_type") &&
             consumed.contains("num_primitive_operations");
    }};

constexpr PortableStructure kGatherDimensions = {
    "dimension_numbers",
    [](mlir::MLIRContext* context, PortablePartReader& in) -> Attribute {
      auto offset = in.integers("offset_dims");
      auto collapsed = in.integers("collapsed_slice_dims");
      auto operandBatching = in.integers("operand_batching_dims");
      auto indicesBatching = in.integers("start_indices_batching_dims");
      auto map = in.integers("start_index_map");
      const int64_t vectorDimension = in.integer("index_vector_dim");
      return stablehlo::GatherDimensionNumbersAttr::get(context, offset, collapsed, operandBatching,
                                                        indicesBatching, map, vectorDimension);
    },
    [](Attribute attribute, PortablePartWriter& out) {
      return splitIf<stablehlo::GatherDimensionNumbersAttr>(
          attribute, out,
          [](stablehlo::GatherDimensionNumbersAttr numbers, PortablePartWriter& parts) {
            parts.integers("offset_dims", numbers.getOffsetDims());
            parts.integers("collapsed_slice_dims", numbers.getCollapsedSliceDims());
            parts.integers("operand_batching_dims", numbers.getOperandBatchingDims());
            parts.integers("start_indices_batching_dims", numbers.getStartIndicesBatchingDims());
            parts.integers("start_index_map", numbers.getStartIndexMap());
            parts.integer("index_vector_dim", numbers.getIndexVectorDim());
          });
    },
    nullptr};

constexpr PortableStructure kScatterDimensions = {
    "scatter_dimension_numbers",
    [](mlir::MLIRContext* context, PortablePartReader& in) -> Attribute {
      auto window = in.integers("update_window_dims");
      auto inserted = in.integers("inserted_window_dims");
      auto inputBatching = in.integers("input_batching_dims");
      auto indicesBatching = in.integers("scatter_indices_batching_dims");
      auto map = in.integers("scatter_dims_to_operand_dims");
      const int64_t vectorDimension = in.integer("index_vector_dim");
      return stablehlo::ScatterDimensionNumbersAttr::get(context, window, inserted, inputBatching,
                                                         indicesBatching, map, vectorDimension);
    },
    [](Attribute attribute, PortablePartWriter& out) {
      return splitIf<stablehlo::ScatterDimensionNumbersAttr>(
          attribute, out,
          [](stablehlo::ScatterDimensionNumbersAttr numbers, PortablePartWriter& parts) {
            parts.integers("update_window_dims", numbers.getUpdateWindowDims());
            parts.integers("inserted_window_dims", numbers.getInsertedWindowDims());
            parts.integers("input_batching_dims", numbers.getInputBatchingDims());
            parts.integers("scatter_indices_batching_dims",
                           numbers.getScatterIndicesBatchingDims());
            parts.integers("scatter_dims_to_operand_dims", numbers.getScatterDimsToOperandDims());
            parts.integer("index_vector_dim", numbers.getIndexVectorDim());
          });
    },
    nullptr};

// As many as the parser accepts.
constexpr int64_t kMostConvolutionDimensions = 1 << 20;

constexpr PortableStructure kConvolutionDimensions = {
    "dimension_numbers",
    [](mlir::MLIRContext* context, PortablePartReader& in) -> Attribute {
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
          context, inputBatch, inputFeature, inputSpatial, kernelInput, kernelOutput, kernelSpatial,
          outputBatch, outputFeature, outputSpatial);
    },
    [](Attribute attribute, PortablePartWriter& out) {
      return splitIf<stablehlo::ConvDimensionNumbersAttr>(
          attribute, out,
          [](stablehlo::ConvDimensionNumbersAttr numbers, PortablePartWriter& parts) {
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
    },
    nullptr};

constexpr PortableStructure kChannel = {
    "channel_handle",
    [](mlir::MLIRContext* context, PortablePartReader& in) -> Attribute {
      const int64_t handle = in.integer("channel_id");
      const int64_t type = in.integer("channel_type");
      return stablehlo::ChannelHandleAttr::get(context, handle, type);
    },
    [](Attribute attribute, PortablePartWriter& out) {
      return splitIf<stablehlo::ChannelHandleAttr>(
          attribute, out, [](stablehlo::ChannelHandleAttr channel, PortablePartWriter& parts) {
            parts.integer("channel_id", channel.getHandle());
            parts.integer("channel_type", channel.getType());
          });
    },
    nullptr};

// Collective operations keep the number alone.
constexpr PortableStructure kChannelNumber = {
    "channel_handle",
    [](mlir::MLIRContext* context, PortablePartReader& in) -> Attribute {
      return stablehlo::ChannelHandleAttr::get(context, in.integer("channel_id"), 0);
    },
    [](Attribute attribute, PortablePartWriter& out) {
      return splitIf<stablehlo::ChannelHandleAttr>(
          attribute, out, [](stablehlo::ChannelHandleAttr channel, PortablePartWriter& parts) {
            parts.integer("channel_id", channel.getHandle());
          });
    },
    [](const llvm::StringSet<>& consumed) { return consumed.contains("channel_id"); }};

}  // namespace

llvm::ArrayRef<const PortableStructure*> structuresOf(llvm::StringRef operation) {
  static const llvm::StringMap<llvm::SmallVector<const PortableStructure*, 2>> table = {
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
  return found == table.end() ? llvm::ArrayRef<const PortableStructure*>() : found->second;
}

}  // namespace vintage::golden::program
