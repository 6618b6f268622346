// potrf, getrf, geqrf, geqp3, orgqr/ungqr, ormqr/unmqr, gehrd, sytrd/hetrd; trsm (also blas_strsm
// and its siblings) and gtsv.

#include <algorithm>

#include "golden/base/failures.h"
#include "harness/engine/custom_calls/lapack.h"
#include "harness/engine/custom_calls/lapack_calls.h"

namespace vintage::harness {
using namespace golden;

namespace {

using lapack::Int;

template <typename T>
Result<LapackResults> potrf(const LapackCall& call) {
  ASSIGN_OR_RETURN(auto run, InPlaceCall::make(call, true));
  return run.each<T>([&](T* a, int64_t) { return lapack::potrf(call.uplo(), run.n, a); });
}

template <typename T>
Result<LapackResults> getrf(const LapackCall& call) {
  ASSIGN_OR_RETURN(auto run, InPlaceCall::make(call, false));
  const int64_t k = std::min(run.m, run.n);
  auto* pivots = run.result<Int>("ipiv", {k});
  return run.each<T>(
      [&](T* a, int64_t i) { return lapack::getrf(run.m, run.n, a, pivots + i * k); });
}

template <typename T>
Result<LapackResults> geqrf(const LapackCall& call) {
  ASSIGN_OR_RETURN(auto run, InPlaceCall::make(call, false));
  const int64_t k = std::min(run.m, run.n);
  T* tau = run.result<T>("tau", {k});
  return run.each<T>([&](T* a, int64_t i) { return lapack::geqrf(run.m, run.n, a, tau + i * k); });
}

template <typename T>
Result<LapackResults> orgqr(const LapackCall& call) {
  ASSIGN_OR_RETURN(auto run, InPlaceCall::make(call, false));
  const Tensor& reflectors = call.operands[1];
  const int64_t k = reflectors.rank() > 0 ? reflectors.shape().back() : -1;
  if (k < 0 || k > run.n || run.n > run.m || reflectors.shape() != run.batch.with({k}) ||
      call.parameter("k", k) != k)
    return badInput(
        "a {} and tau {} do not fit: m >= n >= k is needed, and the same batch dimensions.",
        describe(call.operands[0]), describe(reflectors));
  const T* tau = reflectors.values<T>().data();
  return run.each<T>([&](T* a, int64_t i) {
    return lapack::orgqr(run.m, run.n, static_cast<Int>(k), a, tau + i * k);
  });
}

// The product of c and the orthogonal matrix whose reflectors are a and tau.
template <typename T>
Result<LapackResults> ormqr(const LapackCall& call) {
  ASSIGN_OR_RETURN(auto run, InPlaceCall::make({{}, call.operands}, false, 2, "c"));
  ASSIGN_OR_RETURN(const auto reflectors, matrixBatch(call, 0, false));
  const Tensor& factors = call.operands[1];
  const bool left = call.parameter("left", 1) != 0;
  const int64_t k = factors.rank() > 0 ? factors.shape().back() : -1;
  if (k < 0 || k > reflectors.columns || k > reflectors.rows ||
      reflectors.rows != (left ? run.m : run.n) || reflectors.leading != run.batch.leading ||
      factors.shape() != run.batch.with({k}))
    return badInput(
        "a {}, tau {} and c {} do not fit: c needs as many {} as a has rows, and the same batch "
        "dimensions.",
        describe(call.operands[0]), describe(factors), describe(call.operands[2]),
        left ? "rows" : "columns");
  const char transposed = lapack::kIsComplex<T> ? 'C' : 'T';
  const char trans = call.parameter("transpose", 0) != 0 ? transposed : 'N';
  const T* a = call.operands[0].values<T>().data();
  const T* tau = factors.values<T>().data();
  return run.each<T>([&](T* c, int64_t i) {
    return lapack::ormqr(left ? 'L' : 'R', trans, run.m, run.n, static_cast<Int>(k),
                         a + i * reflectors.rows * reflectors.columns,
                         static_cast<Int>(reflectors.rows), tau + i * k, c);
  });
}

// A column whose number in jpvt is not 0 goes first; the numbers of all come back, from 1 on.
template <typename T>
Result<LapackResults> geqp3(const LapackCall& call) {
  ASSIGN_OR_RETURN(auto run, InPlaceCall::make(call, false));
  const Tensor& columns = call.operands[1];
  if (columns.shape() != run.batch.with({run.n}))
    return badInput("jpvt is {}; {} is needed.", describe(columns),
                    describe(ElementType::kI32, run.batch.with({run.n})));
  const int64_t k = std::min(run.m, run.n);
  auto* jpvt = run.result<Int>("jpvt", columns);
  T* tau = run.result<T>("tau", {k});
  return run.each<T>([&](T* a, int64_t i) {
    return lapack::geqp3(run.m, run.n, a, jpvt + i * run.n, tau + i * k);
  });
}

template <typename T>
Result<LapackResults> gehrd(const LapackCall& call) {
  ASSIGN_OR_RETURN(auto run, InPlaceCall::make(call, true));
  const int64_t n = run.n, k = std::max<int64_t>(n - 1, 0);
  const int64_t low = call.parameter("low", 1), high = call.parameter("high", n);
  if (n > 0 && (low < 1 || low > high || high > n))
    return badInput("low {} and high {} are not 1 <= low <= high <= {}.", low, high, n);
  T* tau = run.result<T>("tau", {k});
  return run.each<T>([&](T* a, int64_t i) {
    return lapack::gehrd(run.n, static_cast<Int>(low), static_cast<Int>(high), a, tau + i * k);
  });
}

template <typename T>
Result<LapackResults> sytrd(const LapackCall& call) {
  using R = lapack::Real<T>;
  ASSIGN_OR_RETURN(auto run, InPlaceCall::make(call, true));
  const int64_t n = run.n, k = std::max<int64_t>(n - 1, 0);
  R* d = run.result<R>("d", {n});
  R* e = run.result<R>("e", {k});
  T* tau = run.result<T>("tau", {k});
  return run.each<T>([&](T* a, int64_t i) {
    return lapack::sytrd(call.uplo(), run.n, a, d + i * n, e + i * k, tau + i * k);
  });
}

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
  if (matrices.operands.size() != 2)
    return badInput("Two matrices are needed: the triangle and the right side.");
  matrices.parameters.erase("m");  // They describe the right side.
  matrices.parameters.erase("n");
  ASSIGN_OR_RETURN(auto triangle, matrixBatch(matrices, 0, true));
  matrices.parameters = call.parameters;
  ASSIGN_OR_RETURN(auto run, InPlaceCall::make(matrices, false, 1, "y"));
  const bool left = call.parameter("side", call.parameter("left_side", 1) != 0 ? 'L' : 'R') == 'L';
  const int64_t k = triangle.rows;
  if (k != (left ? run.m : run.n) || triangle.leading != run.batch.leading)
    return badInput("The triangle {} does not fit the right side {}.",
                    describe(matrices.operands[0]), describe(matrices.operands[1]));
  const int64_t unit = call.parameter("diag", 0);
  const bool unitDiagonal = unit == 'U' || unit == 1;
  const T* a = matrices.operands[0].values<T>().data();
  return run.each<T>([&](T* y, int64_t i) {
    if (run.m > 0 && run.n > 0)
      lapack::trsm(left ? CblasLeft : CblasRight, call.uplo() == 'U' ? CblasUpper : CblasLower,
                   transposition(call), unitDiagonal ? CblasUnit : CblasNonUnit, run.m, run.n,
                   alpha, a + i * k * k, lapack::leading(static_cast<Int>(k)), y);
    return 0;
  });
}

template <typename T>
Result<LapackResults> gtsv(const LapackCall& call) {
  ASSIGN_OR_RETURN(auto run, InPlaceCall::make({{}, call.operands}, false, 3, "b"));
  const int64_t n = run.m;
  static constexpr const char* kDiagonals[] = {"dl", "d", "du"};
  T* diagonals[3];
  for (size_t i = 0; i < 3; ++i) {
    const Tensor& diagonal = call.operands[i];
    if (diagonal.shape() != run.batch.with({n}))
      return badInput("The diagonal {} is {}; {} is needed.", kDiagonals[i], describe(diagonal),
                      describe(diagonal.type(), run.batch.with({n})));
    diagonals[i] = run.result<T>(kDiagonals[i], diagonal);
  }
  return run.each<T>([&](T* b, int64_t i) {
    // All three diagonals have n elements here; the first one of dl is unused.
    return n == 0 ? 0
                  : lapack::gtsv(run.m, run.n, diagonals[0] + i * n + 1, diagonals[1] + i * n,
                                 diagonals[2] + i * n, b);
  });
}

}  // namespace

std::vector<LapackFamily> lapackFactorizationFamilies() {
  const std::string a = "a: T[*,n,n]", general = "a: T[*,m,n]", info = "info: i32[*]";
  const std::string tau = "tau: T[*,min(m,n)]", work = "work: T[lwork]";
  const std::vector<std::string> hessenberg{a, "tau: T[*,n-1]", info};
  const std::vector<std::string> tridiagonal{a, "d: R[*,n]", "e: R[*,n-1]", "tau: T[*,n-1]", info};
  const std::vector<std::string> diagonals{"dl: T[*,n]", "d: T[*,n]", "du: T[*,n]",
                                           "b: T[*,n,columns]"};
  const std::vector<std::string> lu{general, "ipiv: i32[*,min(m,n)]", info};
  return {
      {"potrf",
       {a},
       {"uplo: ui8"},
       {a, info},
       VINTAGE_FOUR(potrf),
       {"lower: i32", "batch: i32", "n: i32"},
       {a, info}},
      {"getrf", {general}, {}, lu, VINTAGE_FOUR(getrf), {"batch: i32", "m: i32", "n: i32"}, lu},
      {"geqrf",
       {general},
       {},
       {general, tau},
       VINTAGE_FOUR(geqrf),
       {"batch: i32", "m: i32", "n: i32", "lwork: i32"},
       {general, tau, info, work}},
      {"orgqr/ungqr",
       {general, "tau: T[*,k]"},
       {},
       {general},
       VINTAGE_FOUR(orgqr),
       {"batch: i32", "m: i32", "n: i32", "k: i32", "lwork: i32"},
       {general, info, work}},
      {"ormqr/unmqr",
       {"a: T[*,r,k]", "tau: T[*,k]", "c: T[*,m,n]"},
       {"left: bool", "transpose: bool"},
       {"c: T[*,m,n]"},
       VINTAGE_FOUR(ormqr)},
      {"geqp3",
       {general, "jpvt: i32[*,n]"},
       {},
       {general, "jpvt: i32[*,n]", tau},
       VINTAGE_FOUR(geqp3)},
      {"gehrd",
       {a},
       {"low: i32", "high: i32"},
       hessenberg,
       VINTAGE_FOUR(gehrd),
       {"n: i32", "low: i32", "high: i32", "lda: i32", "batch: i32", "lwork: i32"},
       withMore(hessenberg, {work})},
      {"sytrd/hetrd",
       {a},
       {"uplo: ui8"},
       tridiagonal,
       VINTAGE_FOUR(sytrd),
       {"n: i32", "lower: i32", "lda: i32", "batch: i32", "lwork: i32"},
       withMore(tridiagonal, {work})},
      {"trsm",
       {"x: T[*,k,k]", "y: T[*,m,n]", "alpha?: T[]"},
       {"side: ui8", "uplo: ui8", "trans_x: ui8", "diag: ui8"},
       {"y: T[*,m,n]"},
       VINTAGE_FOUR(trsm),
       {"left_side: i32", "lower: i32", "trans_a: i32", "diag: i32", "m: i32", "n: i32",
        "batch: i32", "alpha: T[]"},
       {"y: T[*,m,n]"},
       {},
       {},
       "blas_"},
      {"gtsv", diagonals, {}, withMore(diagonals, {info}), VINTAGE_FOUR(gtsv)},
  };
}

}  // namespace vintage::harness
