#include "golden/compare/factorized_matrix.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

namespace vintage::golden {
namespace {

// Values closer than this many allowed errors count as equal.
constexpr double kClusterWidth = 100;

double squaredNorm(const Matrix& matrix, size_t column) {
  double sum = 0;
  for (size_t i = 0; i < matrix.rows(); ++i) sum += std::norm(matrix(i, column));
  return sum;
}

// The expected value that each actual one stands for: pairs are taken by their
// distance, nearest first.
std::vector<size_t> matchValues(const Matrix& expected, const Matrix& actual, double& farthest) {
  struct Pair {
    double distance;
    size_t expected, actual;
  };
  std::vector<Pair> pairs;
  for (size_t i = 0; i < expected.rows(); ++i)
    for (size_t j = 0; j < actual.rows(); ++j)
      pairs.push_back({std::abs(expected(i, 0) - actual(j, 0)), i, j});
  std::ranges::sort(pairs, [](const Pair& a, const Pair& b) {
    return std::tie(a.distance, a.expected, a.actual) < std::tie(b.distance, b.expected, b.actual);
  });
  std::vector<size_t> match(actual.rows(), expected.rows());
  std::vector<bool> taken(expected.rows());
  farthest = 0;
  for (const Pair& pair : pairs) {
    if (taken[pair.expected] || match[pair.actual] != expected.rows()) continue;
    taken[pair.expected] = true;
    match[pair.actual] = pair.expected;
    farthest = std::max(farthest, pair.distance);
  }
  return match;
}

// How much of `actual`'s column is outside the span of the chosen columns.
double outsideSpan(const Matrix& expected, const std::vector<size_t>& columns, const Matrix& actual,
                   size_t column) {
  const size_t size = expected.rows();
  std::vector<std::vector<Complex>> basis;
  const auto project = [&](std::vector<Complex>& vector) {
    for (const auto& direction : basis) {
      Complex along = 0;
      for (size_t i = 0; i < size; ++i) along += std::conj(direction[i]) * vector[i];
      for (size_t i = 0; i < size; ++i) vector[i] -= along * direction[i];
    }
    double sum = 0;
    for (const Complex element : vector) sum += std::norm(element);
    return std::sqrt(sum);
  };
  for (const size_t chosen : columns) {
    std::vector<Complex> vector(size);
    for (size_t i = 0; i < size; ++i) vector[i] = expected(i, chosen);
    const double length = project(vector);
    // A nearly dependent vector leaves only rounding error.
    if (length < 1e-4) continue;
    for (Complex& element : vector) element /= length;
    basis.push_back(std::move(vector));
  }
  std::vector<Complex> vector(size);
  for (size_t i = 0; i < size; ++i) vector[i] = actual(i, column);
  return project(vector);
}

void checkAgainstExpected(std::string_view role, std::string_view what, const Factors& expected,
                          const Factors& actual, const std::vector<size_t>& match, double relative,
                          const ReportResidual& report) {
  const Matrix& values = expected.find("values")->second;
  const Matrix& from = expected.find(role)->second;
  const Matrix& to = actual.find(role)->second;
  double largest = 0;
  for (size_t i = 0; i < values.rows(); ++i) largest = std::max(largest, std::abs(values(i, 0)));
  for (size_t column = 0; column < to.columns(); ++column) {
    const Complex value = values(match[column], 0);
    std::vector<size_t> cluster;
    double gap = std::numeric_limits<double>::infinity();
    for (size_t other = 0; other < values.rows(); ++other) {
      const double distance = std::abs(values(other, 0) - value);
      if (distance <= kClusterWidth * relative * largest)
        cluster.push_back(other);
      else
        gap = std::min(gap, distance);
    }
    const double sensitivity = largest == 0 || std::isinf(gap) ? 1 : 1 + largest / gap;
    report(what, outsideSpan(from, cluster, to, column), relative * sensitivity, 1);
  }
}

}  // namespace

double eigenResidual(const Matrix& matrix, const Factors& factors) {
  const Matrix& values = factors.find("values")->second;
  const auto residual = [&](const Matrix& a, const Matrix& vectors, bool conjugate) {
    Matrix scaled = vectors;
    for (size_t i = 0; i < vectors.rows(); ++i)
      for (size_t j = 0; j < vectors.columns(); ++j)
        scaled(i, j) *= conjugate ? std::conj(values(j, 0)) : values(j, 0);
    return normOf(a * vectors - scaled);
  };
  double worst = 0;
  const auto right = factors.find("vectors");
  if (right != factors.end()) worst = residual(matrix, right->second, false);
  const auto left = factors.find("left_vectors");
  if (left != factors.end())
    worst = std::max(worst, residual(matrix.conjugateTransposed(), left->second, true));
  return worst;
}

void checkEigenvectors(const Matrix* matrix, const Factors& expected, const Factors& actual,
                       double relative, const ReportResidual& report) {
  const Matrix& values = expected.find("values")->second;
  double farthest = 0, scale = matrix ? normOf(*matrix) : normOf(values);
  const std::vector<size_t> match = matchValues(values, actual.find("values")->second, farthest);
  report("an eigenvalue is not among the expected ones", farthest, relative * scale, scale);
  for (const std::string_view role : {"vectors", "left_vectors"}) {
    const auto found = actual.find(role);
    if (found == actual.end()) continue;
    for (size_t column = 0; column < found->second.columns(); ++column)
      report("an eigenvector is not of length 1",
             std::abs(std::sqrt(squaredNorm(found->second, column)) - 1), relative, 1);
    if (!matrix)
      checkAgainstExpected(role, "an eigenvector differs by more than a phase", expected, actual,
                           match, relative, report);
  }
  if (matrix)
    report("A v = lambda v does not hold", eigenResidual(*matrix, actual), relative * scale, scale);
}

}  // namespace vintage::golden
