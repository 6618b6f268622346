#include "golden/compare/factorized_matrix.h"

#include <utility>

namespace vintage::golden {
namespace {

Matrix diagonal(const Matrix& values, size_t rows, size_t columns) {
  Matrix matrix(rows, columns);
  for (size_t i = 0; i < std::min({rows, columns, values.rows()}); ++i) matrix(i, i) = values(i, 0);
  return matrix;
}

std::vector<Complex> column(const Matrix& vector) {
  std::vector<Complex> values;
  for (size_t i = 0; i < vector.rows(); ++i) values.push_back(vector(i, 0));
  return values;
}

}  // namespace

bool FactorizedMatrix::shaped() const {
  const auto square = [&](std::string_view role, size_t size) {
    return !has(role) || (get(role).rows() == size && get(role).columns() == size);
  };
  const auto length = [&](std::string_view role, size_t size) {
    return !has(role) || get(role).rows() == size;
  };
  switch (kind_) {
    case Comparator::Kind::kEigenvectors: {
      const size_t n = get("values").rows();
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
    case Comparator::Kind::kSchur:
      return square("t", get("z").rows()) && square("z", get("z").rows());
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
    case Comparator::Kind::kCholesky: {
      const Matrix& factor = get(has("lower") ? "lower" : "upper");
      return factor.rows() == factor.columns();
    }
    default:
      return false;
  }
}

// The unitary factor where it is one matrix.
Matrix FactorizedMatrix::q() const {
  switch (kind_) {
    case Comparator::Kind::kQr:
      return has("q") ? get("q") : householderProduct(get("packed"), column(get("taus")), 0);
    case Comparator::Kind::kSchur:
      return get("z");
    case Comparator::Kind::kHessenberg:
      return has("q") ? get("q") : householderProduct(get("packed"), column(get("taus")), 1);
    case Comparator::Kind::kTridiagonal:
      return has("packed") ? householderProduct(get("packed"), column(get("taus")), 1)
                           : householderProductUpper(get("packed_upper"), column(get("taus")));
    default:
      return get("vectors");
  }
}

Matrix FactorizedMatrix::lowerFactor() const {
  const bool lower = has("lower");
  const Matrix& factor = get(lower ? "lower" : "upper");
  Matrix result(factor.rows(), factor.columns());
  for (size_t i = 0; i < factor.rows(); ++i)
    for (size_t j = 0; j <= i && j < factor.columns(); ++j)
      result(i, j) = lower ? factor(i, j) : std::conj(factor(j, i));
  return result;
}

// Row i of L U is row permutation[i] of A. Empty where it is none.
std::vector<size_t> FactorizedMatrix::permutation() const {
  const size_t size = get("lu").rows();
  // `size` where it is not the number of a row.
  const auto rowNumber = [&](std::string_view role, size_t i) {
    const double number = get(role)(i, 0).real();
    return number >= 0 && number < static_cast<double>(size) ? static_cast<size_t>(number) : size;
  };
  std::vector<size_t> rows(size);
  for (size_t i = 0; i < size; ++i) rows[i] = has("permutation") ? rowNumber("permutation", i) : i;
  if (!has("permutation")) {
    for (size_t i = 0; i < get("pivots").rows(); ++i) {
      const size_t pivot = rowNumber("pivots", i);
      if (pivot == size) return {};
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

std::optional<Matrix> FactorizedMatrix::product() const {
  switch (kind_) {
    case Comparator::Kind::kEigenvectors: {
      if (generalEigenproblem()) return std::nullopt;
      const size_t n = get("values").rows();
      return get("vectors") * diagonal(get("values"), n, n) * get("vectors").conjugateTransposed();
    }
    case Comparator::Kind::kSingularVectors:
      return get("u") * diagonal(get("s"), get("u").columns(), get("vh").rows()) * get("vh");
    case Comparator::Kind::kQr:
      return has("q") ? get("q") * get("r") : q() * upperTriangle(get("packed"));
    case Comparator::Kind::kSchur:
      return get("z") * get("t") * get("z").conjugateTransposed();
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
      const Matrix permuted = lower * upperTriangle(lu.block(inner, lu.columns()));
      const std::vector<size_t> rows = permutation();
      if (rows.size() != lu.rows()) return std::nullopt;
      Matrix matrix(lu.rows(), lu.columns());
      for (size_t i = 0; i < rows.size(); ++i)
        for (size_t j = 0; j < lu.columns(); ++j) matrix(rows[i], j) = permuted(i, j);
      return matrix;
    }
    case Comparator::Kind::kCholesky: {
      const Matrix lower = lowerFactor();
      return lower * lower.conjugateTransposed();
    }
    default:
      return std::nullopt;
  }
}

void FactorizedMatrix::checkUnitary(const Matrix& matrix, double relative,
                                    const ReportResidual& report) const {
  const Matrix gram = matrix.conjugateTransposed() * matrix;
  report("its columns are not orthonormal", normOf(gram - Matrix::identity(gram.rows())), relative,
         1);
}

void FactorizedMatrix::checkPermutation(const ReportResidual& report) const {
  const std::vector<size_t> rows = permutation();
  const size_t size = get("lu").rows();
  if (rows.size() != size) return report("the permutation is not a permutation", 1, 0, 1);
  if (!has("pivots") || !has("permutation")) return;
  Factors pivotsOnly{{"lu", get("lu")}, {"pivots", get("pivots")}};
  if (FactorizedMatrix(kind_, pivotsOnly, real_).permutation() != rows)
    report("the pivots and the permutation differ", 1, 0, 1);
}

void FactorizedMatrix::checkStructure(double relative, double norm,
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
      if (has("r")) report("R is not upper triangular", normOf(r - upperTriangle(r)), bound, norm);
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
    case Comparator::Kind::kCholesky: {
      double worst = 0;
      const Matrix lower = lowerFactor();
      for (size_t i = 0; i < lower.rows(); ++i) {
        const Complex value = lower(i, i);
        worst = std::max({worst, -value.real(), std::abs(value.imag())});
      }
      return report("the diagonal is not positive", worst, relative * std::sqrt(norm),
                    std::sqrt(norm));
    }
    default:
      return checkUnitary(q(), relative, report);
  }
}

}  // namespace vintage::golden
