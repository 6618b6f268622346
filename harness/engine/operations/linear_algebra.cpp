// stablehlo.cholesky and stablehlo.triangular_solve.

#include <limits>

#include "golden/base/failures.h"
#include "golden/tensor/visit.h"
#include "harness/engine/checked_attributes.h"
#include "harness/engine/custom_calls/lapack_calls.h"
#include "harness/engine/kernel.h"
#include "harness/engine/operations/dot_general.h"

namespace vintage::harness {
using namespace golden;

namespace {

using lapack::Int;

struct Matrices {
  int64_t count, rows, columns;
};

Result<Matrices> matricesOf(const Tensor& tensor, bool square) {
  const Shape& shape = tensor.shape();
  const bool fits = shape.size() >= 2 && (isFloat(tensor.type()) || isComplex(tensor.type())) &&
                    (!square || shape.end()[-1] == shape.end()[-2]) &&
                    shape.end()[-1] <= std::numeric_limits<Int>::max() &&
                    shape.end()[-2] <= std::numeric_limits<Int>::max();
  if (!fits)
    return badInput("an operand is {}; a batch of {}float or complex matrices is needed.",
                    describe(tensor), square ? "square " : "");
  return Matrices{elementCount(std::span(shape).first(shape.size() - 2)), shape.end()[-2],
                  shape.end()[-1]};
}

// LAPACK sees row-major memory as the transposed matrix: a lower factor L with
// A = L Lᴴ appears to it as an upper one, conjugated, which potrf makes from
// that same (conjugated) half.
template <typename T>
void factor(const Matrices& matrices, bool lower, std::span<T> values) {
  const int64_t n = matrices.rows;
  for (int64_t i = 0; i < matrices.count; ++i) {
    T* a = values.data() + i * n * n;
    for (int64_t row = 0; row < n; ++row)
      for (int64_t column = 0; column < n; ++column)
        if (lower ? column > row : column < row) a[row * n + column] = T(0);
    if (lapack::potrf(lower ? 'U' : 'L', static_cast<Int>(n), a) == 0) continue;
    // Not positive definite: XLA answers with NaN in the half that it computes.
    for (int64_t row = 0; row < n; ++row)
      for (int64_t column = 0; column < n; ++column)
        if (lower ? column <= row : column >= row)
          a[row * n + column] = T(std::numeric_limits<lapack::Real<T>>::quiet_NaN());
  }
}

Result<Kernel> makeCholesky(const KernelRequest& request) {
  ASSIGN_OR_RETURN(const bool lower, flagOf(request.operation, "lower", false));
  lapack::prepareLinearAlgebra();
  return tensorKernel([lower](KernelCall& call) -> Result<Tensor> {
    const Tensor& a = call.operands[0].tensor;
    ASSIGN_OR_RETURN(const auto matrices, matricesOf(a, true));
    const auto accumulator = accumulatorFor(a.type(), a.type(), a.type());
    Tensor result = Tensor::uninitialized(a.type(), a.shape());
    visitAccumulator(*accumulator, [&]<typename T>() {
      if constexpr (!std::is_unsigned_v<T>) {
        AccumulatorView view(a, *accumulator);
        const auto values = view.mutableCopy().mutableValues<T>();
        factor<T>(matrices, lower, values);
        storeAccumulated(*accumulator, values.data(), result);
      }
    });
    return result;
  });
}

struct TriangularSolve {
  bool left, lower, unit;
  CBLAS_TRANSPOSE transpose;
};

template <typename T>
void solve(const TriangularSolve& form, const Matrices& triangle, const Matrices& right, const T* a,
           T* b) {
  const int64_t n = triangle.rows;
  if (right.rows == 0 || right.columns == 0) return;
  // Row-major memory is the transposed system, so that sides and halves swap:
  // op(A) X = B becomes Xᵀ op(A)ᵀ = Bᵀ with Aᵀ in the place of A.
  for (int64_t i = 0; i < right.count; ++i) {
    lapack::trsm(form.left ? CblasRight : CblasLeft, form.lower ? CblasUpper : CblasLower,
                 form.transpose, form.unit ? CblasUnit : CblasNonUnit,
                 static_cast<Int>(right.columns), static_cast<Int>(right.rows), T(1), a + i * n * n,
                 lapack::leading(static_cast<Int>(n)), b + i * right.rows * right.columns);
  }
}

// In double whatever the operands' type: substitution multiplies rounding errors
// by the triangle's condition, and in float the digits beyond it are lost.
template <typename T>
void solveIn(const TriangularSolve& form, const Matrices& triangle, const Matrices& right,
             const Tensor& a, const Tensor& b, Tensor& result) {
  const AccumulatorView matrix(a, kElementTypeOf<T>);
  AccumulatorView solution(b, kElementTypeOf<T>);
  const auto values = solution.mutableCopy().mutableValues<T>();
  solve<T>(form, triangle, right, matrix.data<T>(), values.data());
  storeAccumulated(kElementTypeOf<T>, values.data(), result);
}

Result<TriangularSolve> readSolve(const Operation& operation) {
  CheckedAttributes read(operation);
  TriangularSolve form;
  form.left = read.flag("left_side");
  form.lower = read.flag("lower");
  form.unit = read.flag("unit_diagonal");
  const std::string transpose = read.text("transpose_a", "NO_TRANSPOSE");
  RETURN_IF_ERROR(read.status());
  form.transpose = transpose == "TRANSPOSE" ? CblasTrans
                   : transpose == "ADJOINT" ? CblasConjTrans
                                            : CblasNoTrans;
  if (form.transpose == CblasNoTrans && transpose != "NO_TRANSPOSE")
    return badInput("{}: transpose_a {} is none of NO_TRANSPOSE, TRANSPOSE, ADJOINT.",
                    operation.name, transpose);
  return form;
}

Result<Kernel> makeTriangularSolve(const KernelRequest& request) {
  ASSIGN_OR_RETURN(const auto form, readSolve(request.operation));
  lapack::prepareLinearAlgebra();
  return tensorKernel([form](KernelCall& call) -> Result<Tensor> {
    const Tensor& a = call.operands[0].tensor;
    const Tensor& b = call.operands[1].tensor;
    ASSIGN_OR_RETURN(const auto triangle, matricesOf(a, true));
    ASSIGN_OR_RETURN(const auto right, matricesOf(b, false));
    if (a.type() != b.type() || triangle.count != right.count ||
        triangle.rows != (form.left ? right.rows : right.columns))
      return badInput("the triangle {} does not fit {}.", describe(a), describe(b));
    Tensor result = Tensor::uninitialized(b.type(), b.shape());
    if (isComplex(b.type())) {
      solveIn<std::complex<double>>(form, triangle, right, a, b, result);
    } else {
      solveIn<double>(form, triangle, right, a, b, result);
    }
    return result;
  });
}

}  // namespace

std::vector<OperationEntry> linearAlgebraOperations() {
  return {{"stablehlo.cholesky", makeCholesky, 1, 1},
          {"stablehlo.triangular_solve", makeTriangularSolve, 2, 1}};
}

}  // namespace vintage::harness
