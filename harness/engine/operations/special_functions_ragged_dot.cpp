// chlo.ragged_dot: a dot_general over groups of uneven size along one dimension
// of the left operand.
//
//   ragged dimension free          each group of rows meets its own right matrix;
//   ragged dimension contracting   one product for each group, in a new first
//                                  dimension of the result;
//   ragged dimension batching      the groups change nothing.

#include <algorithm>

#include "golden/base/failures.h"
#include "harness/engine/checked_attributes.h"
#include "harness/engine/operations/data_movement.h"
#include "harness/engine/operations/dot_general.h"
#include "harness/engine/operations/special_functions.h"

namespace vintage::harness {
using namespace golden;

namespace {

struct RaggedDot {
  DotDimensionNumbers dot;
  int64_t ragged = 0;
  std::optional<int64_t> group;  // Of the right operand.
  ElementType type = ElementType::kF32;
};

Result<Tensor> range(const Tensor& tensor, int64_t dimension, int64_t start, int64_t limit) {
  const int64_t size = tensor.shape()[dimension];
  const int64_t first = std::min(start, size);
  return sliceDimension(tensor, dimension, first, std::clamp(limit, first, size));
}

// Where free dimension `dimension` of the left operand stands in the result.
int64_t placeInResult(const RaggedDot& ragged, int64_t dimension) {
  auto place = std::ssize(ragged.dot.leftBatch);
  for (int64_t i = 0; i < dimension; ++i)
    if (!hasDimension(ragged.dot.leftBatch, i) && !hasDimension(ragged.dot.leftContracting, i))
      ++place;
  return place;
}

std::vector<int64_t> without(std::vector<int64_t> dimensions, int64_t removed) {
  for (int64_t& dimension : dimensions) dimension -= dimension > removed ? 1 : 0;
  return dimensions;
}

// The product of group `index`, whose rows lie in [start, start + size).
Result<Tensor> groupProduct(const RaggedDot& ragged, const Tensor& left, const Tensor& right,
                            int64_t index, int64_t start, int64_t size) {
  ASSIGN_OR_RETURN(auto rows, range(left, ragged.ragged, start, start + size));
  if (!ragged.group) {
    const auto at = std::ranges::find(ragged.dot.leftContracting, ragged.ragged) -
                    ragged.dot.leftContracting.begin();
    ASSIGN_OR_RETURN(auto matching,
                     range(right, ragged.dot.rightContracting[at], start, start + size));
    return dotGeneral(rows, matching, ragged.dot, ragged.type, {});
  }
  ASSIGN_OR_RETURN(auto matrix, range(right, *ragged.group, index, index + 1));
  ASSIGN_OR_RETURN(auto dropped, withoutDimension(matrix, *ragged.group));
  DotDimensionNumbers dot = ragged.dot;
  dot.rightBatch = without(dot.rightBatch, *ragged.group);
  dot.rightContracting = without(dot.rightContracting, *ragged.group);
  return dotGeneral(rows, dropped, dot, ragged.type, {});
}

bool inRange(const std::vector<int64_t>& dimensions, const Tensor& tensor) {
  return std::ranges::all_of(
      dimensions, [&](int64_t dimension) { return dimension >= 0 && dimension < tensor.rank(); });
}

Result<Tensor> run(const RaggedDot& ragged, KernelCall& call) {
  const Tensor& left = call.operands[0].tensor;
  const Tensor& right = call.operands[1].tensor;
  if (hasDimension(ragged.dot.leftBatch, ragged.ragged))
    return dotGeneral(left, right, ragged.dot, ragged.type, {});
  const bool contracting = hasDimension(ragged.dot.leftContracting, ragged.ragged);
  if (ragged.ragged < 0 || ragged.ragged >= left.rank() ||
      contracting == ragged.group.has_value() ||
      (ragged.group && (*ragged.group < 0 || *ragged.group >= right.rank())) ||
      ragged.dot.leftContracting.size() != ragged.dot.rightContracting.size() ||
      !inRange(ragged.dot.rightContracting, right))
    return badInput("chlo.ragged_dot: the dimension numbers do not fit the operands.");
  ASSIGN_OR_RETURN(const auto sizes, integerOperand(call, 2));
  if (call.operands[2].tensor.rank() != 1)
    return unsupported("chlo.ragged_dot: the group sizes are {}; one dimension of them is needed.",
                       describe(call.operands[2].tensor));
  if (ragged.group && right.shape()[*ragged.group] != std::ssize(sizes))
    return badInput("chlo.ragged_dot: as many groups as right matrices are needed.");
  std::vector<Tensor> parts;
  int64_t start = 0;
  for (size_t i = 0; i <= sizes.size(); ++i) {
    const bool rest = i == sizes.size();  // Rows in no group give zeros.
    if (rest && contracting) break;
    const int64_t size =
        rest ? std::max<int64_t>(left.shape()[ragged.ragged] - start, 0) : sizes[i];
    if (size < 0 || size > left.shape()[ragged.ragged])
      return badInput("chlo.ragged_dot: a group of {} rows is impossible.", size);
    ASSIGN_OR_RETURN(
        auto part,
        within("chlo.ragged_dot",
               groupProduct(ragged, left, right, rest ? 0 : static_cast<int64_t>(i), start, size)));
    if (rest) part = Tensor(part.type(), part.shape());
    if (contracting) part = *withDimension(part, 0);
    parts.push_back(std::move(part));
    start += size;
  }
  std::vector<const Tensor*> pointers;
  for (const Tensor& part : parts) pointers.push_back(&part);
  if (pointers.empty()) return badInput("chlo.ragged_dot: there are no groups.");
  return concatenateTensors(pointers, contracting ? 0 : placeInResult(ragged, ragged.ragged),
                            call.availableBytes);
}

}  // namespace

Result<Kernel> makeRaggedDot(const KernelRequest& request) {
  CheckedAttributes read =
      CheckedAttributes(request.operation).dictionary("ragged_dot_dimension_numbers");
  RaggedDot ragged;
  ragged.dot = readDotDimensions(read);
  const auto raggedDimensions = read.integers("lhs_ragged_dimensions");
  const auto groups = read.integers("rhs_group_dimensions", std::vector<int64_t>{});
  RETURN_IF_ERROR(read.status());
  if (raggedDimensions.size() != 1 || groups.size() > 1)
    return badInput("chlo.ragged_dot: one ragged and at most one group dimension are needed.");
  ragged.ragged = raggedDimensions[0];
  if (!groups.empty()) ragged.group = groups[0];
  ragged.type = request.resultTypes[0].element;
  return tensorKernel([ragged](KernelCall& call) { return run(ragged, call); });
}

}  // namespace vintage::harness
