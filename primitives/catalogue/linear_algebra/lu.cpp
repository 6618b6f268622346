// lu: packed factors, the exchanges of rows, and the permutation they make.
#include <algorithm>

#include <fmt/format.h>

#include "golden/oracle/linear_algebra.h"
#include "primitives/catalogue/families.h"
#include "primitives/catalogue/linear_algebra/lu.h"
#include "primitives/catalogue/linear_algebra/solver_call.h"

namespace vintage::primitives::catalogue {
namespace {

constexpr ElementType kInt = ElementType::kI32;

// One exchange in the loop of permutationByLoop: the rows of all batches at once.
SsaValues exchange(FunctionWriter& body, const SsaValue& step, const SsaValue& permutation,
                const SsaValue& pivots) {
  const int64_t batches = permutation.shape[0];
  const SsaValue zero = body.constant(kInt, "0");
  const std::string slice =
      fmt::format(", {}, {}, sizes = [{}, 1] : ({}, tensor<i32>, tensor<i32>) -> {}", zero.name,
                  step.name, batches, "{}", tensorText(kInt, Shape{batches, 1}));
  auto column = [&](const SsaValue& operand) {
    return body.emit(kInt, {batches, 1},
                     "stablehlo.dynamic_slice " + operand.name +
                         fmt::format(fmt::runtime(slice), typeText(operand)));
  };
  const SsaValue target = column(pivots);      // Which row to exchange with.
  const SsaValue here = column(permutation);
  // Indices (batch, target) for a gather and a scatter of single elements.
  const SsaValue batch = body.iota(kInt, {batches, 1}, 0);
  const SsaValue both[] = {batch, target};
  const SsaValue indices = body.emit(kInt, {batches, 2},
                                  fmt::format("stablehlo.concatenate {}, dim = 1 : ({}) -> {}",
                                              namesText(both), typesText(both),
                                              tensorText(kInt, Shape{batches, 2})));
  const Shape flat{batches};
  const SsaValue there = body.emit(
      kInt, flat,
      fmt::format("\"stablehlo.gather\"({}, {}) <{{dimension_numbers = "
                  "#stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], "
                  "index_vector_dim = 1>, slice_sizes = array<i64: 1, 1>}}> : ({}, {}) -> {}",
                  permutation.name, indices.name, typeText(permutation), typeText(indices),
                  tensorText(kInt, flat)));
  const SsaValue update = body.reshape(there, {batches, 1});
  const SsaValue written = body.emit(
      kInt, permutation.shape,
      fmt::format("stablehlo.dynamic_update_slice {}, {}, {}, {} : ({}, {}, tensor<i32>, "
                  "tensor<i32>) -> {}",
                  permutation.name, update.name, zero.name, step.name, typeText(permutation),
                  typeText(update), typeText(permutation)));
  const SsaValue moved = body.reshape(here, flat);
  const TensorType result{kInt, permutation.shape};
  const SsaValue scattered =
      body.beginOperation(
              {&result, 1},
              fmt::format("\"stablehlo.scatter\"({}, {}, {}) <{{scatter_dimension_numbers "
                          "= #stablehlo.scatter<inserted_window_dims = [0, 1], "
                          "scatter_dims_to_operand_dims = [0, 1], index_vector_dim = "
                          "1>}}> ",
                          written.name, indices.name, moved.name))
          .front();
  const TensorType scalars[] = {{kInt, {}}, {kInt, {}}};
  body.region(scalars, [](std::span<const SsaValue> pair) -> SsaValues { return {pair[1]}; });
  body.append(fmt::format(" : ({}, {}, {}) -> {}", typeText(written), typeText(indices),
                          typeText(moved), typeText(written)));
  body.endOperation();
  return {scattered};
}

// Where the platform has no kernel for it, JAX replays the exchanges in a loop.
SsaValue permutationByLoop(FunctionWriter& main, const SsaValue& pivots, int64_t rows) {
  const int64_t count = pivots.shape.back();
  int64_t batches = 1;
  for (size_t i = 0; i + 1 < pivots.shape.size(); ++i) batches *= pivots.shape[i];
  Shape shape = pivots.shape;
  shape.back() = rows;
  const SsaValue initial = main.iota(kInt, {batches, rows}, 1);
  const SsaValue flatPivots = main.reshape(pivots, {batches, count});
  const SsaValue zero = main.constant(kInt, "0"), one = main.constant(kInt, "1");
  const SsaValue limit = main.constant(kInt, fmt::format("{}", count));
  const SsaValue carried[] = {zero, initial};
  const SsaValues results = main.whileLoop(
      carried,
      [&](std::span<const SsaValue> values) { return main.compare("LT", values[0], limit); },
      [&](std::span<const SsaValue> values) -> SsaValues {
        const SsaValues next = exchange(main, values[0], values[1], flatPivots);
        return {main.same("stablehlo.add", values[0], one), next[0]};
      });
  return main.reshape(results[1], shape);
}

}  // namespace

SsaValue emitPivotsToPermutation(FunctionWriter& main, const SsaValue& pivots, int64_t rows,
                                 const std::string& platform) {
  if (platform != "cuda" && platform != "rocm") return permutationByLoop(main, pivots, rows);
  Shape shape = pivots.shape;
  shape.back() = rows;
  return emitSolverCall(main, {.target = platform == "rocm" ? "hip_lu_pivots_to_permutation"
                                                            : "cu_lu_pivots_to_permutation",
                               .operands = {pivots},
                               .results = {{kInt, shape}},
                               .batch = shape.size() - 1})
      .front();
}

SsaValues emitLu(FunctionWriter& main, const SsaValue& matrix, const std::string& platform) {
  const size_t batch = matrix.shape.size() - 2;
  const Shape batchShape(matrix.shape.begin(), matrix.shape.end() - 2);
  const int64_t rows = matrix.shape[batch], columns = matrix.shape[batch + 1];
  Shape pivotShape = batchShape, permutationShape = batchShape;
  pivotShape.push_back(std::min(rows, columns));
  permutationShape.push_back(rows);
  if (platform == "tpu") {
    const TensorType results[] = {{matrix.type, matrix.shape}, {kInt, pivotShape},
                                  {kInt, permutationShape}};
    return emitTpuCall(main, "LuDecomposition", {&matrix, 1}, results);
  }
  const SsaValues factored = emitSolverCall(
      main, {.target = platform == "cpu" ? lapackTarget(matrix.type, "getrf")
                                         : acceleratorTarget(platform, "getrf"),
             .operands = {matrix},
             .results = {{matrix.type, matrix.shape}, {kInt, pivotShape}, {kInt, batchShape}},
             .aliases = {{0, 0}},
             .batch = batch});
  // LAPACK counts rows from one.
  const SsaValue one = main.fill(kInt, 1, pivotShape);
  const SsaValue pivots = main.same("stablehlo.subtract", factored[1], one);
  const SsaValue packed = nanUnless(main, factored[2], "GE", factored[0]);
  return {packed, pivots, emitPivotsToPermutation(main, pivots, rows, platform)};
}

namespace {

void addLu(CaseList& cases, ElementType type, const Shape& shape,
           std::vector<std::string> platforms) {
  Comparator comparator;
  comparator.kind = Comparator::Kind::kLu;
  comparator.tolerance.relative = 16 * epsilonOf(type);
  cases.add({.primitive = "lu",
             .arguments = {{type, shape}},
             .emit = [](FunctionWriter& main, std::span<const SsaValue> arguments,
                        const std::string& platform) {
               return emitLu(main, arguments[0], platform);
             },
             .expect = [](std::span<const Tensor> inputs) -> Result<std::vector<Tensor>> {
               const Shape& shape = inputs[0].shape();
               Shape pivotShape(shape.begin(), shape.end() - 1);
               Shape permutationShape = pivotShape;
               pivotShape.back() = std::min(shape.back(), pivotShape.back());
               Tensor packed(inputs[0].type(), shape), pivots(kInt, pivotShape),
                   permutation(kInt, permutationShape);
               int64_t pivotPosition = 0, permutationPosition = 0;
               for (int64_t b = 0; b < oracle::matrixCount(packed); ++b) {
                 const oracle::Lu factors = oracle::luDecomposition(oracle::matrixAt(inputs[0], b));
                 oracle::storeMatrix(packed, b, factors.packed);
                 for (int64_t pivot : factors.pivots)
                   oracle::store(pivots, pivotPosition++, {pivot});
                 for (int64_t row : factors.permutation) {
                   oracle::store(permutation, permutationPosition++, {row});
                 }
               }
               return std::vector<Tensor>{std::move(packed), std::move(pivots),
                                          std::move(permutation)};
             },
             .oracle = "quadruple",
             .comparators = {comparator},
             .makeInputs = oneMatrix(type, shape, Structure::kGeneral),
             .platforms = std::move(platforms)});
}

}  // namespace

VINTAGE_FAMILY(addLuCases) {
  static const Shape kShapes[] = {{5, 5}, {3, 5}, {5, 3}, {2, 4, 4}};
  for (const Shape& shape : kShapes) {
    for (ElementType type : solverTypes())
      addLu(cases, type, shape, {"cpu", "cuda", "rocm", "tpu"});
    for (ElementType type : narrowFloats()) addLu(cases, type, shape, {});
  }
  for (ElementType type : solverTypes()) {
    cases.addPolymorphic([&](CaseList& list, const DimensionSizes& sizes) {
      addLu(list, type, {sizes.b, 3, 4}, {"cpu", "cuda", "rocm", "tpu"});
    });
  }
}

}  // namespace vintage::primitives::catalogue
