#include "golden/compare/comparator_kinds.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "golden/compare/factorized_matrix.h"
#include "golden/compare/factors.h"

namespace vintage::golden {
namespace {

constexpr double kDefaultEpsilons = 50;

// Values that every correct factorization shares.
void checkValues(std::string_view role, const Factors& expected, const Factors& actual,
                 double bound, double norm, const ReportResidual& report) {
  const auto e = expected.find(role), a = actual.find(role);
  if (e == expected.end()) return;
  double farthest = 0;
  for (size_t i = 0; i < e->second.rows(); ++i)
    farthest = std::max(farthest, std::abs(e->second(i, 0) - a->second(i, 0)));
  report(role == "s" ? "a singular value differs" : "an eigenvalue differs", farthest, bound, norm);
}

// Whether it is as many matrices of these dimensions.
bool holdsMatrices(const Tensor& tensor, size_t rows, size_t columns, int64_t batches) {
  const Shape& shape = tensor.shape();
  return tensor.rank() >= 2 && static_cast<size_t>(shape[shape.size() - 2]) == rows &&
         static_cast<size_t>(shape.back()) == columns &&
         tensor.size() == batches * static_cast<int64_t>(rows * columns);
}

// The input that the expected outputs multiply back to, if there is one.
const Tensor* inputMatrix(std::span<const Tensor> inputs, const Matrix& product, int64_t batch,
                          int64_t batches, double relative) {
  for (const Tensor& input : inputs) {
    if (isPredicate(input.type()) ||
        !holdsMatrices(input, product.rows(), product.columns(), batches))
      continue;
    if (normOf(loadMatrix(input, batch) - product) <= relative * normOf(product)) return &input;
  }
  return nullptr;
}

const Tensor* eigenMatrix(std::span<const Tensor> inputs, const Factors& expected, int64_t batch,
                          int64_t batches, double relative) {
  const size_t n = expected.find("values")->second.rows();
  for (const Tensor& input : inputs) {
    if (!holdsMatrices(input, n, n, batches)) continue;
    const Matrix matrix = loadMatrix(input, batch);
    if (eigenResidual(matrix, expected) <= relative * normOf(matrix)) return &input;
  }
  return nullptr;
}

// The type of eigenvalues and of the Schur form shows whether the matrix has
// special structure.
bool hasRealFactors(std::span<const std::string> roles, std::span<const Tensor> outputs) {
  for (size_t i = 0; i < roles.size(); ++i)
    if ((roles[i] == "values" || roles[i] == "t" || roles[i] == "lu") &&
        isComplex(outputs[i].type()))
      return false;
  return true;
}

double largestDimension(const Factors& factors) {
  size_t dimension = 1;
  for (const auto& [role, factor] : factors)
    dimension = std::max({dimension, factor.rows(), factor.columns()});
  return static_cast<double>(dimension);
}

}  // namespace

bool areFactorsOfAnInput(const Comparator& comparator, std::span<const Tensor> inputs,
                         std::span<const Tensor> expected) {
  const Result<std::vector<std::string>> roles = factorRoles(comparator, expected);
  if (!roles) return false;
  const Result<int64_t> batches = batchCount(*roles, expected);
  if (!batches || *batches == 0) return false;
  const double unit =
      comparator.tolerance.relative.value_or(kDefaultEpsilons * epsilonOf(expected));
  for (int64_t batch = 0; batch < *batches; ++batch) {
    const Factors factors = loadFactors(*roles, expected, batch);
    const FactorizedMatrix matrix(comparator.kind, factors, hasRealFactors(*roles, expected));
    if (!matrix.shaped() || !matrix.finite()) return false;
    const double relative = unit * largestDimension(factors);
    if (matrix.generalEigenproblem()) {
      if (!matrix.has("vectors") || !eigenMatrix(inputs, factors, batch, *batches, relative))
        return false;
      continue;
    }
    const std::optional<Matrix> product = matrix.product();
    if (!product || !inputMatrix(inputs, *product, batch, *batches, relative)) return false;
  }
  return true;
}

void compareFactorization(const Comparator& comparator, std::span<const Tensor> inputs,
                          std::span<const Tensor> expected, std::span<const Tensor> actual,
                          Comparison& comparison) {
  const Result<std::vector<std::string>> roles = factorRoles(comparator, expected);
  if (!roles) return comparison.differ(roles.error().message);
  const Result<int64_t> batches = batchCount(*roles, expected);
  if (!batches) return comparison.differ(batches.error().message);
  const double unit =
      comparator.tolerance.relative.value_or(kDefaultEpsilons * epsilonOf(expected));
  const std::string name = comparatorName(comparator.kind);
  const bool real = hasRealFactors(*roles, expected);

  for (int64_t batch = 0; batch < *batches; ++batch) {
    const std::string place =
        *batches > 1 ? fmt::format("{}, batch {}", name, batch) : std::string(name);
    const Factors expectedFactors = loadFactors(*roles, expected, batch);
    const Factors actualFactors = loadFactors(*roles, actual, batch);
    const FactorizedMatrix e(comparator.kind, expectedFactors, real);
    const FactorizedMatrix a(comparator.kind, actualFactors, real);
    if (!e.shaped())
      return comparison.differ(place + ": the dimensions of the outputs do not match each other");
    if (!e.finite() || !a.finite()) {
      // A factorization that failed is all NaN; the other one must be, too.
      if (e.finite() != a.finite())
        comparison.differ(fmt::format("{}: {} outputs hold a NaN or an infinity, {} do not", place,
                                      e.finite() ? "the" : "the expected",
                                      e.finite() ? "the expected ones" : "those that were found"));
      continue;
    }
    const double relative = unit * largestDimension(expectedFactors);
    const double absolute = comparator.tolerance.absolute.value_or(0);
    const ReportResidual report = [&](std::string_view what, double residual, double bound,
                                      double norm) {
      comparison.largestAbsolute = std::max(comparison.largestAbsolute, residual);
      if (norm > 0)
        comparison.largestRelative = std::max(comparison.largestRelative, residual / norm);
      if (!(residual <= bound + absolute))
        comparison.differ(fmt::format("{}: {} (off by {:.3g}, {:.3g} is allowed)", place, what,
                                      residual, bound + absolute));
    };
    if (e.generalEigenproblem()) {
      const Tensor* input = eigenMatrix(inputs, expectedFactors, batch, *batches, relative);
      const std::optional<Matrix> matrix =
          input ? std::optional(loadMatrix(*input, batch)) : std::nullopt;
      checkEigenvectors(matrix ? &*matrix : nullptr, expectedFactors, actualFactors, relative,
                        report);
      continue;
    }
    const std::optional<Matrix> expectedProduct = e.product(), actualProduct = a.product();
    if (!expectedProduct)
      return comparison.differ(place + ": the expected permutation is not a permutation");
    const Tensor* input = inputMatrix(inputs, *expectedProduct, batch, *batches, relative);
    const Matrix matrix = input ? loadMatrix(*input, batch) : *expectedProduct;
    const double norm = normOf(matrix);
    a.checkStructure(relative, norm, report);
    if (actualProduct)
      report("the factors do not multiply back to the matrix", normOf(matrix - *actualProduct),
             relative * norm, norm);
    checkValues("values", expectedFactors, actualFactors, relative * norm, norm, report);
    checkValues("s", expectedFactors, actualFactors, relative * norm, norm, report);
  }
}

}  // namespace vintage::golden
