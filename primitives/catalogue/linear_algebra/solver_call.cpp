#include "primitives/catalogue/linear_algebra/solver_call.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "golden/oracle/number.h"
#include "primitives/lowering/symbolic_dimension.h"

namespace vintage::primitives::catalogue {
namespace {

std::string layoutOf(const Shape& shape, size_t batch) {
  const auto rank = static_cast<int64_t>(shape.size());
  Shape minorToMajor(shape.size());
  for (int64_t i = 0; i < rank; ++i) minorToMajor[static_cast<size_t>(i)] = rank - 1 - i;
  if (shape.size() == batch + 2) std::swap(minorToMajor[0], minorToMajor[1]);
  return layoutText(minorToMajor);
}

std::string aliasText(int result, int operand, bool single) {
  return fmt::format("#stablehlo.output_operand_alias<output_tuple_indices = [{}], operand_index = "
                     "{}, operand_tuple_indices = []>",
                     single ? "" : std::to_string(result), operand);
}

std::string typesText(std::span<const TensorType> types) {
  std::vector<std::string> texts;
  for (const TensorType& type : types) texts.push_back(tensorText(type.type, type.shape));
  return types.size() == 1 ? texts[0] : fmt::format("({})", fmt::join(texts, ", "));
}

// The shapes of results of which one is not static, behind the operands; and
// where they stand: "indices_of_shape_operands = dense<[1, 2]> : tensor<2xi64>".
std::string takeShapes(FunctionWriter& main, std::span<const TensorType> results,
                       std::vector<SsaValue>& operands) {
  const bool dynamic = std::ranges::any_of(results, [](const TensorType& result) {
    return std::ranges::any_of(result.shape, isSymbolic);
  });
  if (!dynamic) return "";
  Shape places;
  for (const TensorType& result : results) {
    places.push_back(static_cast<int64_t>(operands.size()));
    operands.push_back(main.sizes(result.shape));
  }
  return fmt::format("indices_of_shape_operands = dense<{}> : tensor<{}xi64>",
                     places.size() == 1 ? std::to_string(places[0]) : listText(places),
                     places.size());
}

}  // namespace

SsaValues emitSolverCall(FunctionWriter& main, const SolverCall& call) {
  std::vector<std::string> operandLayouts, resultLayouts, aliases;
  for (const SsaValue& operand : call.operands) {
    operandLayouts.push_back(layoutOf(operand.shape, call.batch));
  }
  for (const TensorType& result : call.results) {
    resultLayouts.push_back(layoutOf(result.shape, call.batch));
  }
  for (auto [result, operand] : call.aliases) {
    aliases.push_back(aliasText(result, operand, call.results.size() == 1));
  }
  std::vector<SsaValue> operands = call.operands;
  const std::string shapes = takeShapes(main, call.results, operands);
  operandLayouts.resize(operands.size(), layoutText(Shape{0}));
  std::string text = fmt::format("stablehlo.custom_call @{}({}) {{", call.target,
                                 namesText(operands));
  if (!shapes.empty()) text += shapes + ", ";
  text += fmt::format("mhlo.backend_config = {{{}}}, ", call.configuration);
  if (shapes.empty()) {
    text += fmt::format("mhlo.frontend_attributes = {{num_batch_dims = \"{}\"}}, ", call.batch);
  }
  text += fmt::format("operand_layouts = [{}]", fmt::join(operandLayouts, ", "));
  if (!aliases.empty()) {
    text += fmt::format(", output_operand_aliases = [{}]", fmt::join(aliases, ", "));
  }
  text += fmt::format(", result_layouts = [{}]}} : ({}) -> {}", fmt::join(resultLayouts, ", "),
                      vintage::primitives::lowering::typesText(operands), typesText(call.results));
  return main.emit(call.results, text);
}

SsaValues emitTpuCall(FunctionWriter& main, std::string_view target,
                      std::span<const SsaValue> given, std::span<const TensorType> results,
                      std::string_view configuration) {
  std::vector<SsaValue> operands(given.begin(), given.end());
  std::string attributes = takeShapes(main, results, operands);
  if (!configuration.empty()) {
    attributes = fmt::format("backend_config = \"{}\"{}{}", configuration,
                             attributes.empty() ? "" : ", ", attributes);
  }
  if (!attributes.empty()) attributes = " {" + attributes + "}";
  return main.emit(results, fmt::format("stablehlo.custom_call @{}({}){} : ({}) -> {}", target,
                                        namesText(operands), attributes,
                                        vintage::primitives::lowering::typesText(operands), typesText(results)));
}

std::string lapackTarget(ElementType type, std::string_view name, std::string_view complexName) {
  const char* letter = type == ElementType::kF32   ? "s"
                       : type == ElementType::kF64 ? "d"
                       : type == ElementType::kC64 ? "c"
                                                   : "z";
  return fmt::format("lapack_{}{}_ffi", letter,
                     isComplex(type) && !complexName.empty() ? complexName : name);
}

std::string acceleratorTarget(const std::string& platform, std::string_view name) {
  return fmt::format("{}solver_{}_ffi", platform == "rocm" ? "hip" : "cu", name);
}

SsaValue nanUnless(FunctionWriter& main, const SsaValue& info, std::string_view direction,
                const SsaValue& value) {
  const SsaValue zero = main.fill(info.type, 0, info.shape);
  const SsaValue ok = main.compare(direction, info, zero);
  Shape dimensions(info.shape.size());
  std::iota(dimensions.begin(), dimensions.end(), 0);
  Shape narrow = info.shape;
  narrow.resize(value.shape.size(), 1);
  const SsaValue wide = main.broadcast(ok, dimensions, narrow);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::string part = literalText(realPart(value.type), nan);
  const SsaValue nans = main.fillLiteral(
      value.type, isComplex(value.type) ? fmt::format("({0},{0})", part) : part, value.shape);
  Shape all(value.shape.size());
  std::iota(all.begin(), all.end(), 0);
  return main.select(main.broadcast(wide, all, value.shape), value, nans);
}

SsaValue triangleOf(FunctionWriter& main, const SsaValue& matrix, bool lower) {
  return main.module().callPrivate(
      main, lower ? "tril" : "triu", {&matrix, 1}, [&](FunctionWriter& callee) {
        const SsaValue operand = callee.arguments()[0];
        const size_t rank = operand.shape.size();
        const Shape plane{operand.shape[rank - 2], operand.shape[rank - 1]};
        const SsaValue rows = callee.iota(ElementType::kI32, plane, 0);
        const SsaValue offset = callee.fill(ElementType::kI32, lower ? 0 : -1, plane);
        const SsaValue shifted = callee.same("stablehlo.add", rows, offset);
        const SsaValue columns = callee.iota(ElementType::kI32, plane, 1);
        SsaValue mask = callee.compare("GE", shifted, columns);
        if (rank > 2) {
          const Shape last{static_cast<int64_t>(rank) - 2, static_cast<int64_t>(rank) - 1};
          mask = callee.broadcast(mask, last, operand.shape);
        }
        const SsaValue zeros = callee.fill(operand.type, 0, operand.shape);
        const SsaValue result = lower ? callee.select(mask, operand, zeros)
                                   : callee.select(mask, zeros, operand);
        callee.finish({&result, 1});
      }).front();
}

Shape matrixShape(const Shape& batch, int64_t rows, int64_t columns) {
  Shape shape = batch;
  shape.push_back(rows);
  shape.push_back(columns);
  return shape;
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
    for (oracle::Number& element : m) {
      element = {0, sixteenths(), isComplex(type) ? sixteenths() : 0};
    }
    for (int64_t i = 0; i < rows; ++i) {
      for (int64_t j = 0; j < columns; ++j) {
        const bool outside = structure == Structure::kLower ? j > i : j < i;
        switch (structure) {
          case Structure::kGeneral: break;
          case Structure::kHermitian:
          case Structure::kPositiveDefinite:
            if (j < i) at(i, j) = {0, at(j, i).real, -at(j, i).imaginary};
            if (i == j) {
              // A dominant diagonal makes it positive definite (Gershgorin).
              const double weight = structure == Structure::kPositiveDefinite
                                        ? 2.0 * static_cast<double>(rows) : 0.0;
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

std::function<std::vector<Tensor>(Random&)> oneMatrix(ElementType type, Shape shape,
                                                      Structure structure) {
  return [type, shape = std::move(shape), structure](Random& random) {
    return std::vector<Tensor>{makeMatrix(type, shape, structure, random)};
  };
}

std::span<const ElementType> solverTypes() { return types::inexact().subspan(2); }
std::span<const ElementType> narrowFloats() { return types::inexact().first(2); }

}  // namespace vintage::primitives::catalogue
