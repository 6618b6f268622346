// pallas_call in its emulated form: a loop over the grid that cuts each operand's block out, runs
// the kernel on it, and writes the result's block back.
//
// The kernels are those of Pallas' design document: the sum of two vectors, a count of programs,
// and the matrix product by blocks with an activation as a parameter. If a block does not divide an
// array, the array is padded, and the part beyond the border is cut off again.
#include <functional>

#include <fmt/format.h>

#include "golden/oracle/elementwise.h"
#include "golden/oracle/quad_matrix.h"
#include "primitives/catalogue/case_list.h"
#include "primitives/lowering/expression.h"
#include "primitives/lowering/operations.h"

namespace vintage::primitives {
using namespace golden;

namespace {

// One operand: the size of its block, and which grid axis (or none) counts the
// blocks along each dimension.
struct BlockSpecification {
  Shape block;
  std::vector<int> axes;
};

using Kernel = std::function<SsaValue(FunctionBuilder&, Arguments programIds, Arguments blocks)>;

struct Call {
  Shape grid;
  std::vector<BlockSpecification> inputs;
  BlockSpecification output;
  TensorType result;
  Kernel kernel;
};

Shape paddedShape(const Shape& shape, const Shape& block) {
  Shape padded;
  for (size_t i = 0; i < shape.size(); ++i)
    padded.push_back((shape[i] + block[i] - 1) / block[i] * block[i]);
  return padded;
}

SsaValue padded(const SsaValue& operand, const Shape& shape) {
  if (operand.shape == shape) return operand;
  const SsaValue zero = operand.builder->number(operand.type, 0);
  const Shape none(shape.size(), 0);
  Shape high;
  for (size_t i = 0; i < shape.size(); ++i) high.push_back(shape[i] - operand.shape[i]);
  return pad(operand, zero, none, high);
}

SsaValues blockStarts(FunctionBuilder& main, const BlockSpecification& specification,
                      Arguments programIds) {
  SsaValues starts;
  for (size_t i = 0; i < specification.block.size(); ++i) {
    if (specification.axes[i] < 0) {
      starts.push_back(main.constant(kInt, 0));
      continue;
    }
    const SsaValue size = main.constant(kInt, specification.block[i]);
    starts.push_back(
        same("stablehlo.multiply", programIds[static_cast<size_t>(specification.axes[i])], size));
  }
  return starts;
}

SsaValue emitPallasCall(FunctionBuilder& main, const Call& call, Arguments arguments) {
  SsaValues operands;
  for (size_t i = 0; i < arguments.size(); ++i)
    operands.push_back(padded(arguments[i], paddedShape(arguments[i].shape, call.inputs[i].block)));
  const Shape whole = paddedShape(call.result.shape, call.output.block);
  const SsaValue zero = main.constant(kInt, 0), one = main.constant(kInt, 1);
  const SsaValue programs = main.constant(kInt, elementCount(call.grid));
  // The number of runs, the program's position in the grid, the result so far.
  SsaValues initial{zero};
  for (size_t i = 0; i < call.grid.size(); ++i) initial.push_back(zero);
  initial.push_back(main.fill(call.result.type, 0, whole));
  const SsaValues done = whileLoop(
      initial, [&](Arguments v) { return compare("LT", v[0], programs); },
      [&](Arguments v) {
        const Arguments ids = v.subspan(1, call.grid.size());
        SsaValues blocks;
        for (size_t i = 0; i < operands.size(); ++i) {
          blocks.push_back(dynamicSlice(operands[i], blockStarts(main, call.inputs[i], ids),
                                        call.inputs[i].block));
        }
        const SsaValue block = call.kernel(main, ids, blocks);
        const SsaValues starts = blockStarts(main, call.output, ids);
        const SsaValue written = dynamicUpdateSlice(v.back(), block, starts);
        SsaValues next{v[0] + one};
        // The last axis runs fastest; each carries into the one before it.
        SsaValues advanced(ids.begin(), ids.end());
        SsaValue carry = main.constant(ElementType::kI1, 1);
        for (size_t axis = advanced.size(); axis-- > 0;) {
          const SsaValue size = main.constant(kInt, call.grid[axis]);
          const SsaValue counted = ids[axis] + one;
          const SsaValue moved = select(carry, counted, ids[axis]);
          const SsaValue full = compare("EQ", moved, size);
          advanced[axis] = select(full, zero, moved);
          carry = full;
        }
        next.insert(next.end(), advanced.begin(), advanced.end());
        next.push_back(written);
        return next;
      });
  const SsaValue& result = done.back();
  if (whole == call.result.shape) return result;
  return slice(result, Shape(whole.size(), 0), call.result.shape);
}

CaseSpecification vectorSumCase(ElementType type, int64_t size, int64_t block) {
  const Call call{{(size + block - 1) / block},
                  {{{block}, {0}}, {{block}, {0}}},
                  {{block}, {0}},
                  {type, {size}},
                  [](FunctionBuilder& main, Arguments, Arguments x) { return x[0] + x[1]; }};
  return {
      .primitive = "pallas_call",
      .label = fmt::format("add_block={}", block),
      .arguments = {{type, {size}}, {type, {size}}},
      .domains = {domains::kFewEdges},
      .emit = [call](FunctionBuilder& main, Arguments x) { return emitPallasCall(main, call, x); },
      .expect = [](Tensors inputs) { return oracle::applyBinary("add", inputs[0], inputs[1]); }};
}

// Each program writes its own number.
CaseSpecification programIdsCase(const Shape& grid) {
  BlockSpecification output{Shape(grid.size(), 1), {}};
  for (size_t i = 0; i < grid.size(); ++i) output.axes.push_back(static_cast<int>(i));
  const Call call{
      grid, {}, output, {kInt, grid}, [grid](FunctionBuilder& main, Arguments ids, Arguments) {
        SsaValue number = ids[0];
        for (size_t i = 1; i < ids.size(); ++i) {
          const SsaValue size = main.constant(kInt, grid[i]);
          number = same("stablehlo.add", number * size, ids[i]);
        }
        return reshape(number, Shape(grid.size(), 1));
      }};
  return {
      .primitive = "pallas_call",
      .label = "iota_grid=" + dashed(grid),
      .emit = [call](FunctionBuilder& main, Arguments x) { return emitPallasCall(main, call, x); },
      .expect =
          [grid](Tensors) {
            return oracle::eachElement(kInt, grid, [](int64_t i) { return oracle::Number{i}; });
          },
      .oracle = "definition"};
}

struct Product {
  int64_t rows, inner, columns;
  Shape block;  // Rows, inner, columns.
};

// One block of the product: a loop over the blocks of the inner dimension.
SsaValue productKernel(FunctionBuilder& main, Arguments blocks, const Product& product,
                       ElementType sum, bool activated) {
  const int64_t rows = product.block[0], inner = product.block[1], columns = product.block[2];
  const ElementType type = blocks[0].type;
  const SsaValue zero = main.constant(kInt, 0), one = main.constant(kInt, 1);
  const SsaValue count = main.constant(kInt, product.inner / inner);
  const SsaValue size = main.constant(kInt, inner);
  const SsaValue initial[] = {zero, main.fill(sum, 0, {rows, columns})};
  const SsaValues done = whileLoop(
      initial, [&](Arguments v) { return compare("LT", v[0], count); },
      [&](Arguments v) -> SsaValues {
        const SsaValue start = v[0] * size;
        const SsaValue left = dynamicSlice(blocks[0], {zero, start}, {rows, inner});
        const SsaValue right = dynamicSlice(blocks[1], {start, zero}, {inner, columns});
        const SsaValue part = dotGeneral(left, right, {{}, {}, {1}, {0}}, "", sum);
        return {v[0] + one, v[1] + part};
      });
  SsaValue result = done[1];
  if (activated) result = same("stablehlo.maximum", result, result.like(0));
  return convert(result, type);
}

CaseSpecification productCase(ElementType type, const Product& product, bool activated) {
  const bool narrow = type == ElementType::kBF16 || type == ElementType::kF16;
  const ElementType sum = narrow ? ElementType::kF32 : type;
  const Shape left{product.rows, product.inner}, right{product.inner, product.columns};
  const Call call{
      {product.rows / product.block[0], product.columns / product.block[2]},
      {{{product.block[0], product.inner}, {0, -1}}, {{product.inner, product.block[2]}, {-1, 1}}},
      {{product.block[0], product.block[2]}, {0, 1}},
      {type, {product.rows, product.columns}},
      [=](FunctionBuilder& main, Arguments, Arguments x) {
        return productKernel(main, x, product, sum, activated);
      }};
  const double unit = static_cast<double>(product.inner + 2) * epsilonOf(type);
  return {
      .primitive = "pallas_call",
      .label = fmt::format("matmul_block={}_activation={}", dashed(product.block),
                           activated ? "relu" : "none"),
      .arguments = {{type, left}, {type, right}},
      .emit = [call](FunctionBuilder& main, Arguments x) { return emitPallasCall(main, call, x); },
      .expect =
          [=](Tensors inputs) {
            const int64_t columns = product.columns;
            return oracle::eachElement(type, {product.rows, columns}, [&](int64_t at) {
              oracle::QuadComplex exact;
              for (int64_t k = 0; k < product.inner; ++k) {
                exact.re +=
                    oracle::Quad(oracle::load(inputs[0], at / columns * product.inner + k).real) *
                    oracle::load(inputs[1], k * columns + at % columns).real;
              }
              if (activated && exact.re < 0) exact.re = 0;
              return exact;
            });
          },
      .oracle = "quadruple",
      // Operands lie in [-5, 5].
      .comparators = {withinRelative(unit, 25 * unit)}};
}

}  // namespace

VINTAGE_FAMILY(addPallasCallCases) {
  for (ElementType type : types::kNumbers) {
    if (isComplex(type)) continue;
    cases.add(vectorSumCase(type, 8, 8));
    cases.add(vectorSumCase(type, 8, 2));
    cases.add(vectorSumCase(type, 7, 3));
  }
  for (const Shape& grid : {Shape{1}, Shape{5}, Shape{2, 3}, Shape{2, 3, 2}})
    cases.add(programIdsCase(grid));
  for (ElementType type : types::kFloats) {
    for (bool activated : {false, true}) {
      cases.add(productCase(type, {8, 8, 8, {4, 4, 4}}, activated));
      cases.add(productCase(type, {4, 6, 8, {2, 3, 4}}, activated));
      cases.add(productCase(type, {4, 4, 4, {4, 4, 4}}, activated));
    }
  }
}

}  // namespace vintage::primitives
