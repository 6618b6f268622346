// Matrix products: tpu.matmul and vector.contract.
#include <algorithm>

#include "golden/base/failures.h"
#include "harness/engine/checked_attributes.h"
#include "harness/engine/kernels/kernel_plan.h"
#include "harness/engine/operations/data_movement.h"
#include "harness/engine/operations/dot_general.h"

namespace vintage::harness {
using namespace golden;

namespace {

// A product as a kernel states it, with the order of the result's dimensions among those of
// dotGeneral: batch, left, right.
struct KernelProduct {
  std::vector<int64_t> leftBatch, rightBatch, leftContracting, rightContracting;
  std::vector<int64_t> order;
  // For 32-bit floats: 1 rounds the operands to bf16, 3 adds two products with the remainders of
  // that rounding, 0 keeps the operands.
  int bf16Passes = 0;
};

struct PlannedProduct {
  DotPlan plan;
  std::vector<int64_t> order;
  int bf16Passes = 0;
  KernelLoop add, subtract, toBf16, fromBf16;  // The last three where there are three passes.
};

// The rest of a float of 32 bits after it was rounded to bf16.
Result<Tensor> rest(const PlannedProduct& product, const Tensor& tensor) {
  const Tensor* const whole[] = {&tensor};
  ASSIGN_OR_RETURN(const Tensor rounded, applyLoop(product.toBf16, whole, ElementType::kBF16));
  const Tensor* const narrow[] = {&rounded};
  ASSIGN_OR_RETURN(const Tensor high, applyLoop(product.fromBf16, narrow, ElementType::kF32));
  const Tensor* const both[] = {&tensor, &high};
  return applyLoop(product.subtract, both, ElementType::kF32);
}

Result<Tensor> add(const PlannedProduct& product, const Tensor& a, const Tensor& b) {
  const Tensor* const both[] = {&a, &b};
  return applyLoop(product.add, both, a.type());
}

Result<Tensor> multiply(const PlannedProduct& product, const Tensor& left, const Tensor& right) {
  ASSIGN_OR_RETURN(Tensor sum, runDot(product.plan, left, right, kLargestArray));
  if (product.bf16Passes < 3) return sum;
  ASSIGN_OR_RETURN(const Tensor lowLeft, rest(product, left));
  ASSIGN_OR_RETURN(const Tensor lowRight, rest(product, right));
  for (const auto& [a, b] : {std::pair(&left, &lowRight), std::pair(&lowLeft, &right)}) {
    ASSIGN_OR_RETURN(const Tensor part, runDot(product.plan, *a, *b, kLargestArray));
    ASSIGN_OR_RETURN(sum, add(product, sum, part));
  }
  return sum;
}

// left, right, accumulator.
Result<KernelStep> makeProduct(const StepRequest& request, const KernelProduct& stated) {
  const ValueType &left = request.operandType(0), &right = request.operandType(1);
  const ElementType type = request.resultType().element;
  PlannedProduct product;
  DotAlgorithm algorithm;
  if (left.element == ElementType::kF32 && right.element == ElementType::kF32) {
    product.bf16Passes = stated.bf16Passes;
    if (stated.bf16Passes > 0) algorithm.left = algorithm.right = DotAlgorithm::Rounding::kBF16;
  }
  ASSIGN_OR_RETURN(product.plan, planDot(left.element, left.shape, right.element, right.shape,
                                         {stated.leftBatch, stated.rightBatch,
                                          stated.leftContracting, stated.rightContracting},
                                         type, algorithm));
  if (!isPermutation(stated.order, std::ssize(product.plan.shape)))
    return badInput("its result's dimensions {} are not those of the product",
                    fmt::join(stated.order, ", "));
  product.order = stated.order;
  ASSIGN_OR_RETURN(product.add, kernelLoop("stablehlo.add", {type, type}, type));
  if (product.bf16Passes == 3) {
    constexpr auto kWide = ElementType::kF32, kNarrow = ElementType::kBF16;
    ASSIGN_OR_RETURN(product.subtract, kernelLoop("stablehlo.subtract", {kWide, kWide}, kWide));
    ASSIGN_OR_RETURN(product.toBf16, kernelLoop("stablehlo.convert", {kWide}, kNarrow));
    ASSIGN_OR_RETURN(product.fromBf16, kernelLoop("stablehlo.convert", {kNarrow}, kWide));
  }
  const int64_t work = product.plan.product.batch * product.plan.product.rows *
                       product.plan.product.columns * product.plan.product.inner;
  KernelStep step = tensorStep(
      request,
      [product = std::move(product)](std::span<const Tensor* const> operands) -> Result<Tensor> {
        ASSIGN_OR_RETURN(Tensor sum, multiply(product, *operands[0], *operands[1]));
        if (!std::ranges::is_sorted(product.order)) {
          ASSIGN_OR_RETURN(sum, transposeTensor(sum, product.order));
        }
        return add(product, *operands[2], sum);
      });
  return KernelStep([step, work](KernelFrame& frame) -> Status {
    RETURN_IF_ERROR(frame.run().spend(work));
    return step(frame);
  });
}

int passesOf(const std::string& precision) {
  return precision == "fp32" ? 0 : precision == "bf16x3" ? 3 : 1;
}

// Contracting dimensions, others and the result's order, and dimensions of batches; without them
// two flags say which operand is transposed.
Result<KernelStep> makeMatmul(const StepRequest& request) {
  const AttributeMap& attributes = request.operation.attributes;
  KernelProduct product;
  product.bf16Passes = passesOf(keywordOf(attributes, "precision"));
  const int64_t rank = std::ssize(request.operandType(0).shape);
  if (!attributes.contains("dimension_numbers")) {
    ASSIGN_OR_RETURN(const bool left, flagOf(request.operation, "transpose_lhs", false));
    ASSIGN_OR_RETURN(const bool right, flagOf(request.operation, "transpose_rhs", false));
    if (rank < 2) return badInput("its operands have {} dimensions", rank);
    for (int64_t i = 0; i < rank; ++i) product.order.push_back(i);
    for (int64_t i = 0; i < rank - 2; ++i) product.leftBatch.push_back(i);
    product.rightBatch = product.leftBatch;
    product.leftContracting = {left ? rank - 2 : rank - 1};
    product.rightContracting = {right ? rank - 1 : rank - 2};
    return makeProduct(request, product);
  }
  const auto lists = listsIn(keywordOf(attributes, "dimension_numbers"));
  if (lists.size() < 5 || lists[4].size() % 2 != 0)
    return badInput("dimension_numbers has {} lists", lists.size());
  product.leftContracting = lists[0];
  product.rightContracting = lists[1];
  if (lists.size() > 5) product.leftBatch = lists[5];
  if (lists.size() > 6) product.rightBatch = lists[6];
  // The dimensions of dotGeneral's result, each as operand and dimension.
  std::vector<std::pair<int64_t, int64_t>> natural;
  for (int64_t i : product.leftBatch) natural.emplace_back(0, i);
  for (int64_t i : lists[2]) natural.emplace_back(0, i);
  for (int64_t i : lists[3]) natural.emplace_back(1, i);
  for (size_t i = 0; i < lists[4].size(); i += 2) {
    const auto found = std::ranges::find(natural, std::pair(lists[4][i], lists[4][i + 1]));
    product.order.push_back(found - natural.begin());
  }
  return makeProduct(request, product);
}

// The numbers of the loops in the results of an affine map: "(d0, d1) -> (d1)".
std::vector<int64_t> loopsOf(std::string_view map) {
  std::vector<int64_t> loops;
  const size_t arrow = map.find("->");
  for (size_t at = map.find('d', arrow == map.npos ? map.size() : arrow); at < map.size();
       at = map.find('d', at + 1))
    loops.push_back(std::strtoll(map.data() + at + 1, nullptr, 10));
  return loops;
}

Result<KernelStep> makeContract(const StepRequest& request) {
  const auto* maps = attributeField<AttributeList>(request.operation.attributes, "indexing_maps");
  if (!maps || maps->size() != 3) return badInput("it needs three indexing_maps");
  std::vector<std::vector<int64_t>> loops;
  for (const Attribute& map : *maps) {
    const auto* text = std::get_if<std::string>(&map.value);
    if (!text) return badInput("one of its indexing_maps is none");
    loops.push_back(loopsOf(*text));
  }
  if (const std::string kind = keywordOf(request.operation.attributes, "kind");
      !kind.empty() && kind != "add")
    return unsupported("it combines by {}", kind);
  KernelProduct product;
  product.bf16Passes = passesOf(keywordOf(request.operation.attributes, "precision"));
  std::vector<int64_t> batches, lefts, rights;
  for (size_t i = 0; i < loops[0].size(); ++i) {
    const int64_t loop = loops[0][i];
    const auto other = std::ranges::find(loops[1], loop);
    const bool stays = hasDimension(loops[2], loop);
    if (other == loops[1].end()) {
      lefts.push_back(loop);
      continue;
    }
    (stays ? product.leftBatch : product.leftContracting).push_back(static_cast<int64_t>(i));
    (stays ? product.rightBatch : product.rightContracting).push_back(other - loops[1].begin());
    if (stays) batches.push_back(loop);
  }
  for (int64_t loop : loops[1])
    if (!hasDimension(loops[0], loop)) rights.push_back(loop);
  const std::vector<int64_t> natural = joined(batches, lefts, rights);
  for (int64_t loop : loops[2])
    product.order.push_back(std::ranges::find(natural, loop) - natural.begin());
  return makeProduct(request, product);
}

constexpr StepEntry kProducts[] = {
    {"tpu.matmul", makeMatmul, 3, 1},
    {"vector.contract", makeContract, 3, 1},
};

}  // namespace

StepTable productSteps() { return kProducts; }

}  // namespace vintage::harness
