// potrf, getrf, geqrf, orgqr/ungqr, gehrd, sytrd/hetrd.

#include <algorithm>

#include "golden/base/failures.h"
#include "harness/engine/custom_calls/lapack.h"
#include "harness/engine/custom_calls/lapack_calls.h"

namespace vintage::harness {
using namespace golden;

namespace {

using lapack::Int;

constexpr ElementType kInfoType = ElementType::kI32;

template <typename T>
Result<LapackResults> potrf(const LapackCall& call) {
  ASSIGN_OR_RETURN(auto batch, matrixBatch(call, 0, true));
  LapackResults results{{"a", call.operands[0]}, {"info", Tensor(kInfoType, batch.leading)}};
  T* a = results["a"].mutableValues<T>().data();
  int32_t* info = results["info"].mutableValues<int32_t>().data();
  const int64_t n = batch.rows;
  for (int64_t i = 0; i < batch.count; ++i) {
    info[i] = lapack::potrf(call.uplo(), static_cast<Int>(n), a + i * n * n);
  }
  return results;
}

template <typename T>
Result<LapackResults> getrf(const LapackCall& call) {
  ASSIGN_OR_RETURN(auto batch, matrixBatch(call, 0, false));
  const int64_t m = batch.rows, n = batch.columns, k = std::min(m, n);
  LapackResults results{{"a", call.operands[0]},
                        {"ipiv", Tensor(kInfoType, batch.with({k}))},
                        {"info", Tensor(kInfoType, batch.leading)}};
  T* a = results["a"].mutableValues<T>().data();
  int32_t* pivots = results["ipiv"].mutableValues<int32_t>().data();
  int32_t* info = results["info"].mutableValues<int32_t>().data();
  for (int64_t i = 0; i < batch.count; ++i) {
    info[i] =
        lapack::getrf(static_cast<Int>(m), static_cast<Int>(n), a + i * m * n, pivots + i * k);
  }
  return results;
}

template <typename T>
Result<LapackResults> geqrf(const LapackCall& call) {
  ASSIGN_OR_RETURN(auto batch, matrixBatch(call, 0, false));
  const int64_t m = batch.rows, n = batch.columns, k = std::min(m, n);
  LapackResults results{{"a", call.operands[0]},
                        {"tau", Tensor(lapack::elementTypeOf<T>(), batch.with({k}))},
                        {"info", Tensor(kInfoType, batch.leading)}};
  T* a = results["a"].mutableValues<T>().data();
  T* tau = results["tau"].mutableValues<T>().data();
  int32_t* info = results["info"].mutableValues<int32_t>().data();
  for (int64_t i = 0; i < batch.count; ++i) {
    info[i] = lapack::geqrf(static_cast<Int>(m), static_cast<Int>(n), a + i * m * n, tau + i * k);
  }
  return results;
}

template <typename T>
Result<LapackResults> orgqr(const LapackCall& call) {
  ASSIGN_OR_RETURN(auto batch, matrixBatch(call, 0, false));
  const Tensor& reflectors = call.operands[1];
  const int64_t m = batch.rows, n = batch.columns;
  const int64_t k = reflectors.rank() > 0 ? reflectors.shape().back() : -1;
  if (k < 0 || k > n || n > m || reflectors.shape() != batch.with({k}) ||
      call.parameter("k", k) != k) {
    return badInput(
        "a {} and tau {} do not fit: m >= n >= k is needed, and the same batch dimensions.",
        describe(call.operands[0]), describe(reflectors));
  }
  LapackResults results{{"a", call.operands[0]}, {"info", Tensor(kInfoType, batch.leading)}};
  T* a = results["a"].mutableValues<T>().data();
  const T* tau = reflectors.values<T>().data();
  int32_t* info = results["info"].mutableValues<int32_t>().data();
  for (int64_t i = 0; i < batch.count; ++i) {
    info[i] = lapack::orgqr(static_cast<Int>(m), static_cast<Int>(n), static_cast<Int>(k),
                            a + i * m * n, tau + i * k);
  }
  return results;
}

template <typename T>
Result<LapackResults> gehrd(const LapackCall& call) {
  ASSIGN_OR_RETURN(auto batch, matrixBatch(call, 0, true));
  const int64_t n = batch.rows, k = std::max<int64_t>(n - 1, 0);
  const int64_t low = call.parameter("low", 1), high = call.parameter("high", n);
  if (n > 0 && (low < 1 || low > high || high > n)) {
    return badInput("low {} and high {} are not 1 <= low <= high <= {}.", low, high, n);
  }
  LapackResults results{{"a", call.operands[0]},
                        {"tau", Tensor(lapack::elementTypeOf<T>(), batch.with({k}))},
                        {"info", Tensor(kInfoType, batch.leading)}};
  T* a = results["a"].mutableValues<T>().data();
  T* tau = results["tau"].mutableValues<T>().data();
  int32_t* info = results["info"].mutableValues<int32_t>().data();
  for (int64_t i = 0; i < batch.count; ++i) {
    info[i] = lapack::gehrd(static_cast<Int>(n), static_cast<Int>(low), static_cast<Int>(high),
                            a + i * n * n, tau + i * k);
  }
  return results;
}

template <typename T>
Result<LapackResults> sytrd(const LapackCall& call) {
  using R = lapack::Real<T>;
  ASSIGN_OR_RETURN(auto batch, matrixBatch(call, 0, true));
  const int64_t n = batch.rows, k = std::max<int64_t>(n - 1, 0);
  LapackResults results{{"a", call.operands[0]},
                        {"d", Tensor(lapack::elementTypeOf<R>(), batch.with({n}))},
                        {"e", Tensor(lapack::elementTypeOf<R>(), batch.with({k}))},
                        {"tau", Tensor(lapack::elementTypeOf<T>(), batch.with({k}))},
                        {"info", Tensor(kInfoType, batch.leading)}};
  T* a = results["a"].mutableValues<T>().data();
  R* d = results["d"].mutableValues<R>().data();
  R* e = results["e"].mutableValues<R>().data();
  T* tau = results["tau"].mutableValues<T>().data();
  int32_t* info = results["info"].mutableValues<int32_t>().data();
  for (int64_t i = 0; i < batch.count; ++i) {
    info[i] = lapack::sytrd(call.uplo(), static_cast<Int>(n), a + i * n * n, d + i * n, e + i * k,
                            tau + i * k);
  }
  return results;
}

}  // namespace

std::vector<LapackFamily> lapackFactorizationFamilies() {
  const std::string a = "a: T[*,n,n]", general = "a: T[*,m,n]", info = "info: i32[*]";
  const std::string tau = "tau: T[*,min(m,n)]", work = "work: T[lwork]";
  const std::vector<std::string> hessenberg{a, "tau: T[*,n-1]", info};
  const std::vector<std::string> tridiagonal{a, "d: R[*,n]", "e: R[*,n-1]", "tau: T[*,n-1]", info};
  const auto with = [](std::vector<std::string> list, const std::string& last) {
    list.push_back(last);
    return list;
  };
  const std::vector<std::string> lu{general, "ipiv: i32[*,min(m,n)]", info};
  return {
      {"potrf",
       "potrf",
       {a},
       {"uplo: ui8"},
       {a, info},
       VINTAGE_FOUR(potrf),
       {"lower: i32", "batch: i32", "n: i32"},
       {a, info}},
      {"getrf",
       "getrf",
       {general},
       {},
       lu,
       VINTAGE_FOUR(getrf),
       {"batch: i32", "m: i32", "n: i32"},
       lu},
      {"geqrf",
       "geqrf",
       {general},
       {},
       {general, tau},
       VINTAGE_FOUR(geqrf),
       {"batch: i32", "m: i32", "n: i32", "lwork: i32"},
       {general, tau, info, work}},
      {"orgqr",
       "ungqr",
       {general, "tau: T[*,k]"},
       {},
       {general},
       VINTAGE_FOUR(orgqr),
       {"batch: i32", "m: i32", "n: i32", "k: i32", "lwork: i32"},
       {general, info, work}},
      {"gehrd",
       "gehrd",
       {a},
       {"low: i32", "high: i32"},
       hessenberg,
       VINTAGE_FOUR(gehrd),
       {"n: i32", "low: i32", "high: i32", "lda: i32", "batch: i32", "lwork: i32"},
       with(hessenberg, work)},
      {"sytrd",
       "hetrd",
       {a},
       {"uplo: ui8"},
       tridiagonal,
       VINTAGE_FOUR(sytrd),
       {"n: i32", "lower: i32", "lda: i32", "batch: i32", "lwork: i32"},
       with(tridiagonal, work)},
  };
}

}  // namespace vintage::harness
