#include "primitives/catalogue/linear_algebra/solver_call.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "golden/oracle/number.h"
#include "primitives/lowering/symbolic_dimension.h"

namespace vintage::primitives {
using namespace golden;

namespace {

Attribute layoutOf(const Shape& shape, size_t batch) {
  const auto rank = static_cast<int64_t>(shape.size());
  Shape minorToMajor(shape.size());
  for (int64_t i = 0; i < rank; ++i) minorToMajor[static_cast<size_t>(i)] = rank - 1 - i;
  if (shape.size() == batch + 2) std::swap(minorToMajor[0], minorToMajor[1]);
  return minorToMajor;
}

Attribute aliasOf(int result, int operand, bool single) {
  return AttributeMap{{"output_tuple_indices", single ? Shape{} : Shape{result}},
                      {"operand_index", operand},
                      {"operand_tuple_indices", Shape{}}};
}

// If any result is not static: appends the shapes of the results to the operands, and their
// positions to the attributes. False: all are static.
bool takeShapes(FunctionBuilder& main, std::span<const TensorType> results, SsaValues& operands,
                AttributeMap& attributes) {
  const bool dynamic = std::ranges::any_of(results, [](const TensorType& result) {
    return std::ranges::any_of(result.shape, isSymbolic);
  });
  if (!dynamic) return false;
  Shape places;
  for (const TensorType& result : results) {
    places.push_back(static_cast<int64_t>(operands.size()));
    operands.push_back(main.sizes(result.shape));
  }
  attributes.emplace("indices_of_shape_operands", Attribute(places, ElementType::kI64));
  return true;
}

// How the call can be split along its batches: a dimension that operands and results share has one
// letter, every other one its own, and every letter has its size.
std::string shardingRule(const SolverCall& call, size_t batchRank) {
  std::vector<std::string> sizes;
  const auto letter = [&](int64_t size) {
    const auto name = static_cast<char>('i' + sizes.size());
    sizes.push_back(fmt::format("{}={}", name, size));
    return std::string(1, name);
  };
  std::vector<std::string> batch;
  for (size_t i = 0; i < batchRank; ++i) batch.push_back(letter(call.operands[0].shape[i]));
  const auto factors = [&](const Shape& shape) {
    std::vector<std::string> names = batch;
    for (size_t i = batchRank; i < shape.size(); ++i) names.push_back(letter(shape[i]));
    return fmt::format("[{}]", fmt::join(names, ", "));
  };
  std::vector<std::string> operands, results;
  for (const SsaValue& operand : call.operands) operands.push_back(factors(operand.shape));
  for (const TensorType& result : call.results) results.push_back(factors(result.shape));
  return fmt::format("#sdy.op_sharding_rule<({})->({}) {{{}}}, custom>", fmt::join(operands, ", "),
                     fmt::join(results, ", "), fmt::join(sizes, ", "));
}

SsaValue orNan(const SsaValue& ok, const SsaValue& value) {
  Shape narrow = ok.shape;
  narrow.resize(value.shape.size(), 1);
  const SsaValue wide = broadcast(ok, leadingAxes(ok.shape.size()), narrow);
  const SsaValue nans =
      ok.builder->fill(filledWith(value.type, {}, {0, oracle::kNan, oracle::kNan}), value.shape);
  if (narrow == value.shape) return select(wide, value, nans);
  return select(broadcast(wide, leadingAxes(value.shape.size()), value.shape), value, nans);
}

SsaValue triangle(const SsaValue& operand, bool lower, ElementType position) {
  FunctionBuilder& builder = *operand.builder;
  const size_t rank = operand.shape.size();
  const Shape plane{operand.shape[rank - 2], operand.shape[rank - 1]};
  const SsaValue rows = builder.iota(position, plane, 0);
  const SsaValue offset = builder.fill(position, lower ? 0 : -1, plane);
  const SsaValue shifted = rows + offset;
  const SsaValue columns = builder.iota(position, plane, 1);
  SsaValue mask = compare("GE", shifted, columns);
  if (rank > 2) {
    const Shape last{static_cast<int64_t>(rank) - 2, static_cast<int64_t>(rank) - 1};
    mask = broadcast(mask, last, operand.shape);
  }
  const SsaValue zeros = builder.fill(operand.type, 0, operand.shape);
  return lower ? select(mask, operand, zeros) : select(mask, zeros, operand);
}

}  // namespace

SsaValues emitSolverCall(const SolverCall& call) {
  FunctionBuilder& main = *call.operands[0].builder;
  const size_t batch = call.batch.value_or(call.operands[0].shape.size() - 2);
  AttributeList operandLayouts, resultLayouts, aliases;
  for (const SsaValue& operand : call.operands)
    operandLayouts.push_back(layoutOf(operand.shape, batch));
  for (const TensorType& result : call.results)
    resultLayouts.push_back(layoutOf(result.shape, batch));
  for (auto [result, operand] : call.aliases)
    aliases.push_back(aliasOf(result, operand, call.results.size() == 1));
  SsaValues operands = call.operands;
  AttributeMap attributes{{"mhlo.backend_config", call.configuration}};
  const bool dynamic = takeShapes(main, call.results, operands, attributes);
  operandLayouts.resize(operands.size(), Shape{0});
  if (!dynamic) {
    attributes.emplace("mhlo.frontend_attributes",
                       AttributeMap{{"num_batch_dims", std::to_string(batch)}});
  }
  attributes.emplace("operand_layouts", std::move(operandLayouts));
  if (!aliases.empty()) attributes.emplace("output_operand_aliases", std::move(aliases));
  attributes.emplace("result_layouts", std::move(resultLayouts));
  if (!dynamic && main.module().profile().shardy)
    attributes.emplace("sdy.sharding_rule", shardingRule(call, batch));
  return main.customCall(call.target, operands, call.results, std::move(attributes));
}

SsaValues emitTpuCall(const std::string& target, Operands operands, const Types& results,
                      std::string_view configuration) {
  FunctionBuilder& main = *operands[0].builder;
  AttributeMap attributes;
  takeShapes(main, results, operands, attributes);
  if (!configuration.empty()) attributes.emplace("backend_config", configuration);
  return main.customCall(target, operands, results, std::move(attributes));
}

std::string lapackTarget(ElementType type, std::string_view name, std::string_view complexName) {
  const char* letter = type == ElementType::kF32   ? "s"
                       : type == ElementType::kF64 ? "d"
                       : type == ElementType::kC64 ? "c"
                                                   : "z";
  return fmt::format("lapack_{}{}_ffi", letter,
                     isComplex(type) && !complexName.empty() ? complexName : name);
}

std::string solverTarget(const SsaValue& matrix, std::string_view name,
                         std::string_view complexName, std::string_view accelerator) {
  const std::string& platform = matrix.builder->platform();
  if (platform == "cpu") return lapackTarget(matrix.type, name, complexName);
  return fmt::format("{}solver_{}_ffi", platform == "rocm" ? "hip" : "cu",
                     accelerator.empty() ? name : accelerator);
}

SsaValues nanUnless(const SsaValue& info, std::string_view direction, const SsaValues& values) {
  const SsaValue zero = broadcast(info.builder->number(info.type, 0), info.shape);
  const SsaValue ok = compare(direction, info, zero);
  SsaValues results;
  for (const SsaValue& value : values) results.push_back(orNan(ok, value));
  return results;
}

SsaValue triangleOf(const SsaValue& matrix, bool lower) {
  return triangle(matrix, lower, ElementType::kI64);
}

SsaValue callTriangleOf(const SsaValue& matrix, bool lower) {
  return callPrivate(lower ? "tril" : "triu", {matrix},
                     [&](Arguments x) { return triangle(x[0], lower, ElementType::kI32); })[0];
}

Shape batchOf(const Shape& shape) { return {shape.begin(), shape.end() - 2}; }

Shape withLast(Shape batch, int64_t size) {
  batch.push_back(size);
  return batch;
}

Shape matrixShape(const Shape& batch, int64_t rows, int64_t columns) {
  return withLast(withLast(batch, rows), columns);
}

Tensor makeMatrix(ElementType type, const Shape& shape, Structure structure, Random& random) {
  // Sixteenths are exact in every type, and so are sums of their products.
  Tensor tensor(type, shape);
  const int64_t rows = shape[shape.size() - 2], columns = shape[shape.size() - 1];
  auto sixteenths = [&] { return static_cast<double>(random.integer(-16, 16)) / 16; };
  const int64_t size = rows * columns;
  for (int64_t start = 0; start < tensor.size(); start += size) {
    std::vector<oracle::Number> m(static_cast<size_t>(size));
    auto at = [&](int64_t i, int64_t j) -> oracle::Number& {
      return m[static_cast<size_t>(i * columns + j)];
    };
    for (oracle::Number& element : m)
      element = {0, sixteenths(), isComplex(type) ? sixteenths() : 0};
    for (int64_t i = 0; i < rows; ++i) {
      for (int64_t j = 0; j < columns; ++j) {
        const bool outside = structure == Structure::kLower ? j > i : j < i;
        switch (structure) {
          case Structure::kGeneral:
            break;
          case Structure::kHermitian:
          case Structure::kPositiveDefinite:
            if (j < i) at(i, j) = {0, at(j, i).real, -at(j, i).imaginary};
            if (i == j) {
              // A dominant diagonal makes it positive definite (Gershgorin).
              const double weight =
                  structure == Structure::kPositiveDefinite ? 2.0 * static_cast<double>(rows) : 0.0;
              at(i, j) = {0, at(i, j).real + weight, 0};
            }
            break;
          case Structure::kLower:
          case Structure::kUpper:
            if (outside) at(i, j) = {};
            if (i == j) at(i, j).real += at(i, j).real < 0 ? -2 : 2;  // Far from singular.
            break;
        }
      }
    }
    for (int64_t i = 0; i < size; ++i) oracle::store(tensor, start + i, m[static_cast<size_t>(i)]);
  }
  return tensor;
}

Comparator byMeaning(Comparator::Kind kind, ElementType type, double units) {
  Comparator comparator;
  comparator.kind = kind;
  comparator.tolerance.relative = units * epsilonOf(type);
  return comparator;
}

CaseSpecification matrixCase(const MatrixUse& use) {
  const auto& [type, shape] = use.matrix;
  const bool lowers = std::ranges::find(kSolverTypes, type) != kSolverTypes.end();
  return {
      .primitive = use.primitive,
      .label = use.label,
      .arguments = {use.matrix},
      .emit = use.emit,
      .expect =
          [types = use.results, expect = use.expect](Tensors inputs) {
            std::vector<Tensor> results;
            for (const TensorType& result : types) results.emplace_back(result.type, result.shape);
            for (int64_t b = 0; b < oracle::matrixCount(inputs[0]); ++b)
              expect(oracle::matrixAt(inputs[0], b), b, results);
            return results;
          },
      .oracle = "quadruple",
      .comparators = {use.comparator},
      .makeInputs =
          [matrix = use.matrix, structure = use.structure](Random& random) {
            return std::vector<Tensor>{makeMatrix(matrix.type, matrix.shape, structure, random)};
          },
      .platforms = lowers ? use.platforms : std::vector<std::string>{}};
}

}  // namespace vintage::primitives
