// trsm (also blas_strsm and its siblings) and gtsv.

#include "golden/base/failures.h"
#include "harness/engine/custom_calls/lapack.h"
#include "harness/engine/custom_calls/lapack_calls.h"

namespace vintage::harness {
using namespace golden;

namespace {

using lapack::Int;

// The operation of a triangular solve: "trans_x" as a character, or the older
// "trans_a" as 0, 1, 2.
CBLAS_TRANSPOSE transposition(const LapackCall& call) {
  const int64_t letter = call.parameter("trans_x", 0), number = call.parameter("trans_a", 0);
  if (letter == 'T' || (letter == 0 && number == 1)) return CblasTrans;
  if (letter == 'C' || (letter == 0 && number == 2)) return CblasConjTrans;
  return CblasNoTrans;
}

template <typename T>
Result<LapackResults> trsm(const LapackCall& call) {
  // The older form and the first typed one scale by alpha: a scalar before or
  // after the two matrices.
  T alpha(1);
  LapackCall matrices{call.parameters, {}};
  for (const Tensor& operand : call.operands) {
    if (operand.rank() == 0) {
      alpha = operand.values<T>()[0];
    } else {
      matrices.operands.push_back(operand);
    }
  }
  if (matrices.operands.size() != 2) {
    return badInput("Two matrices are needed: the triangle and the right side.");
  }
  matrices.parameters.erase("m");  // They describe the right side.
  matrices.parameters.erase("n");
  ASSIGN_OR_RETURN(auto triangle, matrixBatch(matrices, 0, true));
  std::swap(matrices.operands[0], matrices.operands[1]);
  matrices.parameters = call.parameters;
  ASSIGN_OR_RETURN(auto batch, matrixBatch(matrices, 0, false));
  const bool left = call.parameter("side", call.parameter("left_side", 1) != 0 ? 'L' : 'R') == 'L';
  const int64_t m = batch.rows, n = batch.columns, k = triangle.rows;
  if (k != (left ? m : n) || triangle.leading != batch.leading) {
    return badInput("The triangle {} does not fit the right side {}.",
                    describe(matrices.operands[1]), describe(matrices.operands[0]));
  }
  const int64_t unit = call.parameter("diag", 0);
  const bool unitDiagonal = unit == 'U' || unit == 1;
  const T* a = matrices.operands[1].values<T>().data();
  LapackResults results{{"y", matrices.operands[0]}};
  T* y = results["y"].mutableValues<T>().data();
  for (int64_t i = 0; i < batch.count && m > 0 && n > 0; ++i) {
    lapack::trsm(left ? CblasLeft : CblasRight, call.uplo() == 'U' ? CblasUpper : CblasLower,
                 transposition(call), unitDiagonal ? CblasUnit : CblasNonUnit, static_cast<Int>(m),
                 static_cast<Int>(n), alpha, a + i * k * k, lapack::leading(static_cast<Int>(k)),
                 y + i * m * n);
  }
  return results;
}

template <typename T>
Result<LapackResults> gtsv(const LapackCall& call) {
  LapackCall right{{}, {call.operands[3]}};
  ASSIGN_OR_RETURN(auto batch, matrixBatch(right, 0, false));
  const int64_t n = batch.rows, columns = batch.columns;
  static constexpr const char* kDiagonals[] = {"dl", "d", "du"};
  LapackResults results{{"b", call.operands[3]},
                        {"info", Tensor(ElementType::kI32, batch.leading)}};
  T* diagonals[3];
  for (size_t i = 0; i < 3; ++i) {
    if (call.operands[i].shape() != batch.with({n})) {
      return badInput("The diagonal {} is {}; {} is needed.", kDiagonals[i],
                      describe(call.operands[i]),
                      describe(call.operands[i].type(), batch.with({n})));
    }
    Tensor& diagonal = results[kDiagonals[i]] = call.operands[i];
    diagonals[i] = diagonal.mutableValues<T>().data();
  }
  T* b = results["b"].mutableValues<T>().data();
  int32_t* info = results["info"].mutableValues<int32_t>().data();
  for (int64_t i = 0; i < batch.count && n > 0; ++i) {
    // All three diagonals have n elements here; the first one of dl is unused.
    info[i] = lapack::gtsv(static_cast<Int>(n), static_cast<Int>(columns), diagonals[0] + i * n + 1,
                           diagonals[1] + i * n, diagonals[2] + i * n, b + i * n * columns);
  }
  return results;
}

}  // namespace

std::vector<LapackFamily> lapackSolveFamilies() {
  const std::string x = "x: T[*,k,k]", y = "y: T[*,m,n]", info = "info: i32[*]";
  const std::vector<std::string> diagonals{"dl: T[*,n]", "d: T[*,n]", "du: T[*,n]",
                                           "b: T[*,n,columns]"};
  std::vector<std::string> solved = diagonals;
  solved.push_back(info);
  LapackFamily triangular{"trsm",
                          "trsm",
                          {x, y, "alpha?: T[]"},
                          {"side: ui8", "uplo: ui8", "trans_x: ui8", "diag: ui8"},
                          {y},
                          VINTAGE_FOUR(trsm),
                          {"left_side: i32", "lower: i32", "trans_a: i32", "diag: i32", "m: i32",
                           "n: i32", "batch: i32", "alpha: T[]"},
                          {y}};
  triangular.oldPrefix = "blas_";
  LapackFamily tridiagonal{"gtsv", "gtsv", diagonals, {}, solved, VINTAGE_FOUR(gtsv)};
  return {triangular, tridiagonal};
}

}  // namespace vintage::harness
