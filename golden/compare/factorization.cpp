#include "golden/compare/factorization.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "golden/compare/eigenvectors.h"
#include "golden/compare/factors.h"

namespace vintage {
namespace {

constexpr double kDefaultEpsilons = 50;

Matrix diagonal(const Matrix& values, size_t rows, size_t columns) {
  Matrix matrix(rows, columns);
  for (size_t i = 0; i < std::min({rows, columns, values.rows()}); ++i)
    matrix(i, i) = values(i, 0);
  return matrix;
}

std::vector<Complex> column(const Matrix& vector) {
  std::vector<Complex> values;
  for (size_t i = 0; i < vector.rows(); ++i) values.push_back(vector(i, 0));
  return values;
}

// One batch element's factors with what can be said of them. Dimensions were
// not checked before: shaped() says whether they fit together.
class Factorization {
 public:
  Factorization(Comparator::Kind kind, const Factors& factors, bool real)
      : kind_(kind), factors_(factors), real_(real) {}

  bool has(std::string_view role) const { return factors_.contains(role); }
  const Matrix& get(std::string_view role) const { return factors_.find(role)->second; }

  bool finite() const {
    return std::ranges::all_of(factors_,
                               [](const auto& entry) { return std::isfinite(entry.second.norm()); });
  }

  // Whether the dimensions of the factors fit together.
  bool shaped() const;
  // Empty: a general eigenproblem has no product to compute safely.
  std::optional<Matrix> product() const;
  bool generalEigenproblem() const {
    return kind_ == Comparator::Kind::kEigenvectors && !real_;
  }
  void checkStructure(double relative, double norm, const ReportResidual& report) const;

 private:
  Matrix q() const;
  std::vector<size_t> permutation() const;
  void checkUnitary(const Matrix& matrix, double relative, const ReportResidual& report) const;
  void checkPermutation(const ReportResidual& report) const;

  Comparator::Kind kind_;
  const Factors& factors_;
  // Eigenvalues are of a real type, or the Schur form is of a real matrix.
  bool real_;
};

bool Factorization::shaped() const {
  const auto square = [&](std::string_view role, size_t size) {
    return !has(role) || (get(role).rows() == size && get(role).columns() == size);
  };
  const auto length = [&](std::string_view role, size_t size) {
    return !has(role) || get(role).rows() == size;
  };
  switch (kind_) {
    case Comparator::Kind::kEigenvectors: {
      const size_t n = get("vectors").rows();
      return square("vectors", n) && square("left_vectors", n) && length("values", n);
    }
    case Comparator::Kind::kSingularVectors: {
      const size_t k = get("s").rows();
      return get("u").columns() >= k && get("vh").rows() >= k && get("u").rows() >= k &&
             get("vh").columns() >= k;
    }
    case Comparator::Kind::kQr:
      if (has("q")) return get("q").columns() == get("r").rows();
      return get("taus").rows() <= get("packed").rows();
    case Comparator::Kind::kSchur: return square("t", get("z").rows()) && square("z", get("z").rows());
    case Comparator::Kind::kHessenberg:
      if (has("h")) return square("h", get("q").rows()) && square("q", get("q").rows());
      return square("packed", get("packed").rows());
    case Comparator::Kind::kTridiagonal: {
      const size_t n = get("d").rows();
      return square("packed", n) && square("packed_upper", n) && n == get("e").rows() + (n > 0);
    }
    case Comparator::Kind::kLu:
      return length("permutation", get("lu").rows()) &&
             length("pivots", std::min(get("lu").rows(), get("lu").columns()));
    case Comparator::Kind::kExact:
    case Comparator::Kind::kElementwise: break;
  }
  return false;
}

// The unitary factor where it is one matrix.
Matrix Factorization::q() const {
  switch (kind_) {
    case Comparator::Kind::kQr:
      return has("q") ? get("q") : householderProduct(get("packed"), column(get("taus")), 0);
    case Comparator::Kind::kSchur: return get("z");
    case Comparator::Kind::kHessenberg:
      return has("q") ? get("q") : householderProduct(get("packed"), column(get("taus")), 1);
    case Comparator::Kind::kTridiagonal:
      return has("packed") ? householderProduct(get("packed"), column(get("taus")), 1)
                           : householderProductUpper(get("packed_upper"), column(get("taus")));
    default: return get("vectors");
  }
}

// Row i of L U is row permutation[i] of A. Empty where it is none.
std::vector<size_t> Factorization::permutation() const {
  const size_t size = get("lu").rows();
  std::vector<size_t> rows(size);
  for (size_t i = 0; i < size; ++i) rows[i] = i;
  if (has("permutation")) {
    for (size_t i = 0; i < size; ++i) rows[i] = static_cast<size_t>(get("permutation")(i, 0).real());
  } else {
    for (size_t i = 0; i < get("pivots").rows(); ++i) {
      const auto pivot = static_cast<size_t>(get("pivots")(i, 0).real());
      if (pivot >= size) return {};
      std::swap(rows[i], rows[pivot]);
    }
  }
  std::vector<bool> seen(size);
  for (const size_t row : rows) {
    if (row >= size || seen[row]) return {};
    seen[row] = true;
  }
  return rows;
}

std::optional<Matrix> Factorization::product() const {
  switch (kind_) {
    case Comparator::Kind::kEigenvectors: {
      if (generalEigenproblem()) return std::nullopt;
      const size_t n = get("values").rows();
      return get("vectors") * diagonal(get("values"), n, n) *
             get("vectors").conjugateTransposed();
    }
    case Comparator::Kind::kSingularVectors:
      return get("u") * diagonal(get("s"), get("u").columns(), get("vh").rows()) * get("vh");
    case Comparator::Kind::kQr:
      return has("q") ? get("q") * get("r") : q() * get("packed").upperTriangle();
    case Comparator::Kind::kSchur: return get("z") * get("t") * get("z").conjugateTransposed();
    case Comparator::Kind::kHessenberg: {
      Matrix h = has("h") ? get("h") : get("packed");
      for (size_t i = 0; !has("h") && i < h.rows(); ++i)
        for (size_t j = 0; j + 1 < i; ++j) h(i, j) = 0;
      return q() * h * q().conjugateTransposed();
    }
    case Comparator::Kind::kTridiagonal: {
      const size_t n = get("d").rows();
      Matrix t = diagonal(get("d"), n, n);
      for (size_t i = 0; i + 1 < n; ++i) {
        t(i + 1, i) = get("e")(i, 0);
        t(i, i + 1) = std::conj(get("e")(i, 0));
      }
      return q() * t * q().conjugateTransposed();
    }
    case Comparator::Kind::kLu: {
      const Matrix& lu = get("lu");
      const size_t inner = std::min(lu.rows(), lu.columns());
      Matrix lower(lu.rows(), inner);
      for (size_t i = 0; i < lu.rows(); ++i)
        for (size_t j = 0; j < inner; ++j)
          lower(i, j) = i > j ? lu(i, j) : i == j ? Complex(1) : Complex(0);
      const Matrix permuted = lower * lu.block(inner, lu.columns()).upperTriangle();
      const std::vector<size_t> rows = permutation();
      if (rows.size() != lu.rows()) return std::nullopt;
      Matrix matrix(lu.rows(), lu.columns());
      for (size_t i = 0; i < rows.size(); ++i)
        for (size_t j = 0; j < lu.columns(); ++j) matrix(rows[i], j) = permuted(i, j);
      return matrix;
    }
    case Comparator::Kind::kExact:
    case Comparator::Kind::kElementwise: break;
  }
  return std::nullopt;
}

void Factorization::checkUnitary(const Matrix& matrix, double relative,
                                 const ReportResidual& report) const {
  const Matrix gram = matrix.conjugateTransposed() * matrix;
  report("its columns are not orthonormal", (gram - Matrix::identity(gram.rows())).norm(),
         relative, 1);
}

void Factorization::checkPermutation(const ReportResidual& report) const {
  const std::vector<size_t> rows = permutation();
  const size_t size = get("lu").rows();
  if (rows.size() != size) return report("the permutation is none", 1, 0, 1);
  if (!has("pivots") || !has("permutation")) return;
  Factors pivotsOnly{{"lu", get("lu")}, {"pivots", get("pivots")}};
  if (Factorization(kind_, pivotsOnly, real_).permutation() != rows)
    report("the pivots and the permutation differ", 1, 0, 1);
}

void Factorization::checkStructure(double relative, double norm,
                                   const ReportResidual& report) const {
  const double bound = relative * norm;
  switch (kind_) {
    case Comparator::Kind::kSingularVectors: {
      checkUnitary(get("u"), relative, report);
      checkUnitary(get("vh").conjugateTransposed(), relative, report);
      return;
    }
    case Comparator::Kind::kQr: {
      const Matrix& r = has("r") ? get("r") : get("packed");
      checkUnitary(q(), relative, report);
      if (has("r")) report("R is not upper triangular", (r - r.upperTriangle()).norm(), bound, norm);
      return;
    }
    case Comparator::Kind::kSchur: {
      checkUnitary(q(), relative, report);
      const Matrix& t = get("t");
      double below = 0, coupled = 0;
      for (size_t i = 1; i < t.rows(); ++i) {
        for (size_t j = 0; j + (real_ ? 1 : 0) < i; ++j) below = std::max(below, std::abs(t(i, j)));
        // Blocks are of two rows at most.
        if (real_ && i + 1 < t.rows())
          coupled = std::max(coupled, std::min(std::abs(t(i, i - 1)), std::abs(t(i + 1, i))));
      }
      report("T is not (quasi-)triangular", std::max(below, coupled), bound, norm);
      return;
    }
    case Comparator::Kind::kHessenberg: {
      checkUnitary(q(), relative, report);
      double below = 0;
      if (has("h"))
        for (size_t i = 2; i < get("h").rows(); ++i)
          for (size_t j = 0; j + 1 < i; ++j) below = std::max(below, std::abs(get("h")(i, j)));
      report("H is not of Hessenberg form", below, bound, norm);
      return;
    }
    case Comparator::Kind::kLu: {
      checkPermutation(report);
      double largest = 0;
      for (size_t i = 0; i < get("lu").rows(); ++i)
        for (size_t j = 0; j < std::min(i, get("lu").columns()); ++j)
          largest = std::max(largest, std::abs(get("lu")(i, j)));
      // Complex pivots are chosen by |re| + |im|.
      report("L has elements above 1, so that the pivots were not the largest", largest,
             (real_ ? 1 : std::sqrt(2.0)) * (1 + relative), 1);
      return;
    }
    default: return checkUnitary(q(), relative, report);
  }
}

// Values that are the same for everybody.
void checkValues(std::string_view role, const Factors& expected, const Factors& actual,
                 double bound, double norm, const ReportResidual& report) {
  const auto e = expected.find(role), a = actual.find(role);
  if (e == expected.end()) return;
  double farthest = 0;
  for (size_t i = 0; i < e->second.rows(); ++i)
    farthest = std::max(farthest, std::abs(e->second(i, 0) - a->second(i, 0)));
  report(role == "s" ? "a singular value differs" : "an eigenvalue differs", farthest, bound, norm);
}

// The input that the expected outputs multiply back to, if there is one.
const Tensor* inputMatrix(std::span<const Tensor> inputs, const Matrix& product, int64_t batch,
                          int64_t batches, double relative) {
  for (const Tensor& input : inputs) {
    const int64_t rank = input.rank();
    if (rank < 2 || isPredicate(input.type()) ||
        static_cast<size_t>(input.shape()[static_cast<size_t>(rank) - 2]) != product.rows() ||
        static_cast<size_t>(input.shape().back()) != product.columns() ||
        input.size() != batches * static_cast<int64_t>(product.rows() * product.columns()))
      continue;
    if ((loadMatrix(input, batch) - product).norm() <= relative * product.norm()) return &input;
  }
  return nullptr;
}

const Tensor* eigenMatrix(std::span<const Tensor> inputs, const Factors& expected, int64_t batch,
                          int64_t batches, double relative) {
  const size_t n = expected.find("values")->second.rows();
  for (const Tensor& input : inputs) {
    if (input.rank() < 2 || input.size() != batches * static_cast<int64_t>(n * n) ||
        static_cast<size_t>(input.shape().back()) != n ||
        static_cast<size_t>(input.shape()[input.shape().size() - 2]) != n)
      continue;
    const Matrix matrix = loadMatrix(input, batch);
    if (eigenResidual(matrix, expected) <= relative * matrix.norm()) return &input;
  }
  return nullptr;
}

}  // namespace

void compareFactorization(const Comparator& comparator, std::span<const Tensor> inputs,
                          std::span<const Tensor> expected, std::span<const Tensor> actual,
                          Comparison& comparison) {
  const auto differ = [&](const std::string& message) {
    ++comparison.differingElements;
    if (comparison.firstDifference.empty()) comparison.firstDifference = message;
  };
  const Result<std::vector<std::string>> roles = factorRoles(comparator, expected);
  if (!roles) return differ(roles.error().message);
  const Result<int64_t> batches = batchCount(*roles, expected);
  if (!batches) return differ(batches.error().message);
  const double unit = comparator.tolerance.relative.value_or(kDefaultEpsilons * epsilonOf(expected));
  const std::string name = comparatorName(comparator.kind);
  // Eigenvalues and the Schur form tell by their type whether the matrix has
  // special structure.
  bool real = true;
  for (size_t i = 0; i < roles->size(); ++i)
    if (((*roles)[i] == "values" || (*roles)[i] == "t" || (*roles)[i] == "lu") &&
        isComplex(expected[i].type()))
      real = false;

  for (int64_t batch = 0; batch < *batches; ++batch) {
    const std::string place =
        *batches > 1 ? fmt::format("{}, batch {}", name, batch) : std::string(name);
    const Factors expectedFactors = loadFactors(*roles, expected, batch);
    const Factors actualFactors = loadFactors(*roles, actual, batch);
    const Factorization e(comparator.kind, expectedFactors, real);
    const Factorization a(comparator.kind, actualFactors, real);
    if (!e.shaped()) return differ(place + ": the dimensions of the outputs do not fit together");
    if (!e.finite() || !a.finite()) {
      // A factorization that failed is all NaN; so must the other one be.
      if (e.finite() != a.finite())
        differ(fmt::format("{}: {} outputs hold a NaN or an infinity, {} do not", place,
                           e.finite() ? "the" : "the expected",
                           e.finite() ? "the expected ones" : "those that were found"));
      continue;
    }
    size_t dimension = 1;
    for (const auto& [role, factor] : expectedFactors)
      dimension = std::max({dimension, factor.rows(), factor.columns()});
    const double relative = unit * static_cast<double>(dimension);
    const double absolute = comparator.tolerance.absolute.value_or(0);
    const ReportResidual report = [&](std::string_view what, double residual, double bound,
                                      double norm) {
      comparison.largestAbsolute = std::max(comparison.largestAbsolute, residual);
      if (norm > 0)
        comparison.largestRelative = std::max(comparison.largestRelative, residual / norm);
      if (!(residual <= bound + absolute))
        differ(fmt::format("{}: {} (off by {:.3g}, {:.3g} is allowed)", place, what, residual,
                           bound + absolute));
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
    if (!expectedProduct) return differ(place + ": the expected permutation is none");
    const Tensor* input = inputMatrix(inputs, *expectedProduct, batch, *batches, relative);
    const Matrix matrix = input ? loadMatrix(*input, batch) : *expectedProduct;
    const double norm = matrix.norm();
    a.checkStructure(relative, norm, report);
    if (actualProduct)
      report("the factors do not multiply back to the matrix", (matrix - *actualProduct).norm(),
             relative * norm, norm);
    checkValues("values", expectedFactors, actualFactors, relative * norm, norm, report);
    checkValues("s", expectedFactors, actualFactors, relative * norm, norm, report);
  }
}

}  // namespace vintage
