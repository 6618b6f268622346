// Faults of operations that move data: shapes, slices, indices, order, randomness.
#include <algorithm>
#include <cstring>

#include "harness/engine/operations/data_movement.h"
#include "tests/harness/engine/faults/damage.h"

namespace vintage::harness {
using namespace golden;

namespace {

using namespace damage;

// Ties come out in the opposite order, as of an algorithm that is not stable.
Result<Kernel> reversesTies(KernelFactory sound, const KernelRequest& request) {
  int64_t dimension = 0;
  if (const auto* value = attributeField<int64_t>(request.operation.attributes, "dimension"))
    dimension = *value;
  return operands([dimension](std::vector<Value>& values) {
    for (Value& value : values) {
      const int64_t rank = value.tensor.rank(), axis = dimension < 0 ? dimension + rank : dimension;
      if (axis >= 0 && axis < rank) value.tensor = *reverseTensor(value.tensor, {axis});
    }
  })(sound, request);
}

// Adds one to every index of these operands.
FaultyFactory shiftedIndices(size_t firstOperand) {
  return operands([firstOperand](std::vector<Value>& values) {
    for (size_t i = firstOperand; i < values.size(); ++i)
      eachInteger(values[i].tensor, [](int64_t index, size_t) { return index + 1; });
  });
}

}  // namespace

std::vector<SeededFault> structureFaults() {
  return {
      {"pad_one_too_far", "the operand lies one element too far along the last dimension",
       "stablehlo.pad", "pad", attributes([](AttributeMap& attributes) {
         auto* low = fieldOf<std::vector<int64_t>>(attributes, "edge_padding_low");
         auto* high = fieldOf<std::vector<int64_t>>(attributes, "edge_padding_high");
         if (low == nullptr || high == nullptr || low->empty()) return;
         ++low->back();
         --high->back();
       })},
      {"concatenate_reversed", "operands of one shape are joined in the opposite order",
       "stablehlo.concatenate", "concatenate", operands([](std::vector<Value>& values) {
         if (values.front().tensor.shape() == values.back().tensor.shape())
           std::swap(values.front(), values.back());
       })},
      {"slice_one_too_far", "a slice that starts behind zero starts one too early",
       "stablehlo.slice", "slice", attributes([](AttributeMap& attributes) {
         auto* start = fieldOf<std::vector<int64_t>>(attributes, "start_indices");
         auto* limit = fieldOf<std::vector<int64_t>>(attributes, "limit_indices");
         if (start == nullptr || limit == nullptr) return;
         for (size_t i = 0; i < start->size(); ++i)
           if ((*start)[i] > 0) --(*start)[i], --(*limit)[i];
       })},
      {"transpose_only_reshapes", "the elements stay in their order", "stablehlo.transpose",
       "transpose", results([](OperandValues operands, ResultValues& results) {
         const auto from = operands[0].tensor.bytes();
         const auto to = results[0].tensor.mutableBytes();
         std::copy(from.begin(), from.end(), to.begin());
       })},
      {"reverse_forgets_a_dimension", "the last of several dimensions is not reversed",
       "stablehlo.reverse", "rev", attributes([](AttributeMap& attributes) {
         auto* dimensions = fieldOf<std::vector<int64_t>>(attributes, "dimensions");
         if (dimensions != nullptr && !dimensions->empty()) dimensions->pop_back();
       })},
      {"broadcast_first_only", "every element of a broadcast scalar array is its first",
       "stablehlo.broadcast_in_dim", "broadcast_in_dim", operands([](std::vector<Value>& values) {
         Tensor& tensor = values[0].tensor;
         if (tensor.size() < 2) return;
         const auto width = byteWidth(tensor.type());
         const auto bytes = tensor.mutableBytes();
         for (size_t at = width; at < bytes.size(); at += width)
           std::memcpy(&bytes[at], &bytes[0], width);
       })},
      {"iota_from_one", "a float iota starts at one", "stablehlo.iota", "iota",
       floatResults([](double y, size_t) { return y + 1; })},
      {"dynamic_slice_shifted", "the start is one too far", "stablehlo.dynamic_slice",
       "dynamic_slice", shiftedIndices(1)},
      {"dynamic_update_shifted", "the update lands one too far", "stablehlo.dynamic_update_slice",
       "dynamic_update_slice", shiftedIndices(2)},
      {"gather_dimensions_swapped", "indices of two dimensions are taken for each other",
       "stablehlo.gather", "gather", attributes([](AttributeMap& attributes) {
         if (auto* numbers = fieldOf<AttributeMap>(attributes, "dimension_numbers"))
           if (auto* map = fieldOf<std::vector<int64_t>>(*numbers, "start_index_map"))
             std::reverse(map->begin(), map->end());
       })},
      {"gather_index_shifted", "every index is one too far", "stablehlo.gather", "gather",
       shiftedIndices(1)},
      {"scatter_add_overwrites", "a sum into an element overwrites it", "stablehlo.scatter",
       "scatter_add", where(foldsBy("stablehlo.add"), regionsReturnSecond())},
      {"sort_unstable", "equal elements come out in the opposite order", "stablehlo.sort", "sort",
       reversesTies},
      {"top_k_index_of_reversed", "the indices count from the other end",
       "stablehlo.custom_call @mhlo.topk", "top_k",
       results([](OperandValues operands, ResultValues& results) {
         const int64_t last = operands[0].tensor.shape().back() - 1;
         eachInteger(results[1].tensor, [last](int64_t index, size_t) { return last - index; });
       })},
  };
}

}  // namespace vintage::harness
