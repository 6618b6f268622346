#include "golden/compare/factors.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "golden/base/failures.h"
#include "golden/tensor/visit.h"

namespace vintage::golden {
namespace {

constexpr std::string_view kVectorRoles[] = {"values", "s",      "d",          "e",
                                             "taus",   "pivots", "permutation"};

bool isVectorRole(std::string_view role) {
  return std::ranges::find(kVectorRoles, role) != std::end(kVectorRoles);
}

struct Layout {
  Comparator::Kind kind;
  std::vector<std::string> roles;
};

using enum Comparator::Kind;

// The first layout whose vectors and matrices suit the ranks of the outputs is
// taken.
const std::vector<Layout>& layouts() {
  static const std::vector<Layout> all = {
      {kEigenvectors, {"vectors", "values"}},
      {kEigenvectors, {"values", "vectors"}},
      {kEigenvectors, {"values", "left_vectors", "vectors"}},
      {kEigenvectors, {"values"}},
      {kSingularVectors, {"u", "s", "vh"}},
      {kSingularVectors, {"s", "u", "vh"}},
      {kQr, {"packed", "taus"}},
      {kQr, {"q", "r"}},
      {kSchur, {"t", "z"}},
      {kHessenberg, {"packed", "taus"}},
      {kHessenberg, {"h", "q"}},
      {kTridiagonal, {"packed", "d", "e", "taus"}},
      {kLu, {"lu", "pivots", "permutation"}},
      {kLu, {"lu", "pivots"}},
      {kCholesky, {"lower"}},
  };
  return all;
}

// The roles that a kind requires; alternatives are tried in turn.
std::vector<std::vector<std::string>> requiredRoles(Comparator::Kind kind) {
  switch (kind) {
    // Values alone, where a program asks for no vectors.
    case kEigenvectors:
      return {{"values"}};
    case kSingularVectors:
      return {{"u", "s", "vh"}};
    case kQr:
      return {{"q", "r"}, {"packed", "taus"}};
    case kSchur:
      return {{"t", "z"}};
    case kHessenberg:
      return {{"packed", "taus"}, {"h", "q"}};
    case kTridiagonal:
      return {{"packed", "d", "e", "taus"}, {"packed_upper", "d", "e", "taus"}};
    case kLu:
      return {{"lu", "pivots"}, {"lu", "permutation"}};
    case kCholesky:
      return {{"lower"}, {"upper"}};
    default:
      return {{}};
  }
}

// Matrices have one dimension more than vectors of the same batch.
bool suits(std::span<const std::string> roles, std::span<const Tensor> outputs) {
  if (roles.size() != outputs.size()) return false;
  int64_t batchRank = -1;
  for (size_t i = 0; i < roles.size(); ++i) {
    if (roles[i] == "other") continue;
    const int64_t rank = outputs[i].rank() - (isVectorRole(roles[i]) ? 1 : 2);
    if (rank < 0 || (batchRank >= 0 && rank != batchRank)) return false;
    batchRank = rank;
  }
  return batchRank >= 0;
}

template <typename T>
Complex widen(T value) {
  if constexpr (kIsComplexStorage<T>)
    return Complex(value.real(), value.imag());
  else if constexpr (kIsNarrowFloat<T>)
    return static_cast<float>(value);
  else
    return static_cast<double>(value);
}

Matrix load(const Tensor& tensor, int64_t batch, bool vector) {
  const Shape& shape = tensor.shape();
  const auto rows = static_cast<size_t>(shape[shape.size() - (vector ? 1 : 2)]);
  const auto columns = static_cast<size_t>(vector ? 1 : shape.back());
  Matrix matrix(rows, columns);
  visitElementType(tensor.type(), [&]<typename T>() {
    const T* from = tensor.values<T>().data() + static_cast<size_t>(batch) * rows * columns;
    for (size_t i = 0; i < rows; ++i)
      for (size_t j = 0; j < columns; ++j) matrix(i, j) = widen(from[i * columns + j]);
  });
  return matrix;
}

constexpr double kInfinite = std::numeric_limits<double>::infinity();
constexpr size_t kLargest = 512;  // Larger ones would take seconds.

// By elimination with pivots over [A I].
std::optional<Matrix> inverseOf(Matrix matrix) {
  const size_t n = matrix.rows();
  Matrix inverse = Matrix::identity(n);
  for (size_t column = 0; column < n; ++column) {
    size_t pivot = column;
    for (size_t row = column; row < n; ++row)
      if (std::abs(matrix(row, column)) > std::abs(matrix(pivot, column))) pivot = row;
    const Complex divisor = matrix(pivot, column);
    if (divisor == Complex(0)) return std::nullopt;
    for (size_t j = 0; j < n; ++j) {
      std::swap(matrix(pivot, j), matrix(column, j));
      std::swap(inverse(pivot, j), inverse(column, j));
      matrix(column, j) /= divisor;
      inverse(column, j) /= divisor;
    }
    for (size_t row = 0; row < n; ++row) {
      const Complex factor = matrix(row, column);
      if (row == column || factor == Complex(0)) continue;
      for (size_t j = 0; j < n; ++j) {
        matrix(row, j) -= factor * matrix(column, j);
        inverse(row, j) -= factor * inverse(column, j);
      }
    }
  }
  return inverse;
}

double conditionOf(const Matrix& matrix) {
  const double norm = normOf(matrix);
  if (!std::isfinite(norm)) return kInfinite;
  const std::optional<Matrix> inverse = inverseOf(matrix);
  if (!inverse) return kInfinite;
  const double condition = norm * normOf(*inverse);
  return std::isfinite(condition) ? condition : kInfinite;
}

}  // namespace

Result<std::vector<std::string>> factorRoles(const Comparator& comparator,
                                             std::span<const Tensor> outputs) {
  std::vector<std::string> roles = comparator.roles;
  if (roles.empty())
    for (const Layout& layout : layouts())
      if (roles.empty() && layout.kind == comparator.kind && suits(layout.roles, outputs))
        roles = layout.roles;
  const std::string kind = comparatorName(comparator.kind);
  if (!suits(roles, outputs))
    return badInput(
        "the comparator {} does not suit {} outputs of these shapes; give each its role", kind,
        outputs.size());
  const auto has = [&](const std::string& role) {
    return std::ranges::find(roles, role) != roles.end();
  };
  for (const std::vector<std::string>& required : requiredRoles(comparator.kind))
    if (std::ranges::all_of(required, has)) return roles;
  return badInput("the comparator {} lacks one of its roles; {} are needed", kind,
                  fmt::join(requiredRoles(comparator.kind).front(), ", "));
}

Result<int64_t> batchCount(std::span<const std::string> roles, std::span<const Tensor> outputs) {
  std::optional<Shape> batch;
  for (size_t i = 0; i < roles.size(); ++i) {
    if (roles[i] == "other") continue;
    Shape leading = outputs[i].shape();
    leading.resize(leading.size() - (isVectorRole(roles[i]) ? 1 : 2));
    if (batch && *batch != leading) return badInput("the outputs differ in their batch dimensions");
    batch = std::move(leading);
  }
  return elementCount(*batch);
}

Factors loadFactors(std::span<const std::string> roles, std::span<const Tensor> outputs,
                    int64_t batch) {
  Factors factors;
  for (size_t i = 0; i < roles.size(); ++i)
    if (roles[i] != "other") factors[roles[i]] = load(outputs[i], batch, isVectorRole(roles[i]));
  return factors;
}

Matrix loadMatrix(const Tensor& tensor, int64_t batch) { return load(tensor, batch, false); }

double epsilonOf(std::span<const Tensor> outputs) {
  for (const Tensor& output : outputs) {
    const ElementType real = realPart(output.type());
    if (!isFloat(real)) continue;
    return visitElementType(real, []<typename T>() -> double {
      if constexpr (kIsFloatStorage<T>)
        return static_cast<double>(std::numeric_limits<T>::epsilon());
      else
        return 0;
    });
  }
  return 0;
}

double conditionOf(const Tensor& matrices) {
  if (matrices.rank() < 2 || matrices.size() == 0 ||
      !(isFloat(matrices.type()) || isComplex(matrices.type())))
    return 1;
  const Shape& shape = matrices.shape();
  const int64_t elements = shape[shape.size() - 2] * shape.back();
  double largest = 1;
  for (int64_t batch = 0; batch < matrices.size() / elements; ++batch) {
    Matrix matrix = loadMatrix(matrices, batch);
    if (std::max(matrix.rows(), matrix.columns()) > kLargest) return kInfinite;
    const bool square = matrix.rows() == matrix.columns();
    if (matrix.rows() < matrix.columns()) matrix = matrix.conjugateTransposed();
    largest =
        std::max(largest, square ? conditionOf(matrix)
                                 : std::sqrt(conditionOf(matrix.conjugateTransposed() * matrix)));
  }
  return largest;
}

}  // namespace vintage::golden
