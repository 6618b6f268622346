// syevd/heevd, geev, gees, gesdd, gesvd.

#include <algorithm>

#include "golden/base/failures.h"
#include "harness/engine/custom_calls/lapack.h"
#include "harness/engine/custom_calls/lapack_calls.h"

namespace vintage::harness {
namespace {

using lapack::Int;
using lapack::kIsComplex;
using lapack::Real;

template <typename T>
Result<LapackResults> syevd(const LapackCall& call) {
  ASSIGN_OR_RETURN(auto run, InPlaceCall::make(call, true));
  const char mode = call.parameter("mode", 'V') == 'N' ? 'N' : 'V';
  auto* w = run.result<Real<T>>("w", {run.n});
  return run.each<T>(
      [&](T* a, int64_t i) { return lapack::syevd(mode, call.uplo(), run.n, a, w + i * run.n); });
}

// LAPACK packs the vectors of a conjugate pair of eigenvalues as two real
// columns, real part and imaginary part.
template <typename R>
void unpackVectors(int64_t n, const R* imaginary, const R* packed, std::complex<R>* vectors) {
  for (int64_t j = 0; j < n;) {
    const bool pair = imaginary[j] != R(0) && j + 1 < n;
    for (int64_t i = 0; i < n; ++i) {
      const R re = packed[j * n + i], im = pair ? packed[(j + 1) * n + i] : R(0);
      vectors[j * n + i] = {re, im};
      if (pair) vectors[(j + 1) * n + i] = {re, -im};
    }
    j += pair ? 2 : 1;
  }
}

char vectorsWanted(const LapackCall& call, std::string_view name, std::string_view oldName) {
  return call.parameter(name, call.parameter(oldName, 'V')) == 'N' ? 'N' : 'V';
}

template <typename T>
Result<LapackResults> geev(const LapackCall& call) {
  using C = std::complex<Real<T>>;
  ASSIGN_OR_RETURN(auto run, InPlaceCall::make(call, true));
  const int64_t n = run.n, nn = n * n;
  const char left = vectorsWanted(call, "compute_left", "jobvl");
  const char right = vectorsWanted(call, "compute_right", "jobvr");
  C* vl = run.result<C>("vl", {n, n});
  C* vr = run.result<C>("vr", {n, n});
  LapackResults results;
  if constexpr (kIsComplex<T>) {
    T* w = run.result<T>("w", {n});
    results = run.each<T>([&](T* a, int64_t i) {
      return lapack::geev(left, right, run.n, a, w + i * n, vl + i * nn, vr + i * nn);
    });
  } else {
    T* wr = run.result<T>("wr", {n});
    T* wi = run.result<T>("wi", {n});
    std::vector<T> packedLeft(nn), packedRight(nn);
    results = run.each<T>([&](T* a, int64_t i) {
      const Int info = lapack::geev(left, right, run.n, a, wr + i * n, wi + i * n,
                                    packedLeft.data(), packedRight.data());
      if (left == 'V') unpackVectors(n, wi + i * n, packedLeft.data(), vl + i * nn);
      if (right == 'V') unpackVectors(n, wi + i * n, packedRight.data(), vr + i * nn);
      return info;
    });
  }
  if (left != 'V') results.erase("vl");
  if (right != 'V') results.erase("vr");
  return results;
}

template <typename T>
Result<LapackResults> gees(const LapackCall& call) {
  ASSIGN_OR_RETURN(auto run, InPlaceCall::make(call, true));
  if (call.parameter("sort", 'N') != 'N')
    return unsupported(
        "Sorted eigenvalues ('sort' other than 'N') need a selecting function, which "
        "an artifact cannot carry; only sort = 'N' (78) is run.");
  const int64_t n = run.n;
  const char mode = vectorsWanted(call, "mode", "jobvs");
  T* vs = run.result<T>("vs", {n, n});
  Int* selected = run.result<Int>("sdim", {});
  T* w = run.result<T>(kIsComplex<T> ? "w" : "wr", {n});
  if constexpr (kIsComplex<T>) {
    return run.each<T>([&](T* a, int64_t i) {
      return lapack::gees(mode, run.n, a, selected + i, w + i * n, vs + i * n * n);
    });
  } else {
    T* wi = run.result<T>("wi", {n});
    return run.each<T>([&](T* a, int64_t i) {
      return lapack::gees(mode, run.n, a, selected + i, w + i * n, wi + i * n, vs + i * n * n);
    });
  }
}

// 'A' all vectors, 'S' the first min(m, n) of them, 'N' none.
char singularVectors(const LapackCall& call) {
  const int64_t mode = call.parameter("mode", 0);
  if (mode != 0) return mode == 'N' || mode == 'S' ? static_cast<char>(mode) : 'A';
  if (call.parameter("compute_uv", 1) == 0) return 'N';
  return call.parameter("full_matrices", 1) != 0 ? 'A' : 'S';
}

template <typename T>
using SingularValues = Int (*)(char mode, Int m, Int n, T* a, Real<T>* s, T* u, T* vt, Int vtRows);

template <typename T>
Result<LapackResults> singularValues(const LapackCall& call, SingularValues<T> compute) {
  ASSIGN_OR_RETURN(auto run, InPlaceCall::make(call, false));
  const char mode = singularVectors(call);
  const int64_t m = run.m, n = run.n, k = std::min(m, n);
  const int64_t uColumns = mode == 'A' ? m : k, vtRows = mode == 'A' ? n : k;
  auto* s = run.result<Real<T>>("s", {k});
  T* u = run.result<T>("u", {m, uColumns});
  T* vt = run.result<T>("vt", {vtRows, n});
  LapackResults results = run.each<T>([&](T* a, int64_t i) {
    return k == 0 ? 0
                  : compute(mode, run.m, run.n, a, s + i * k, u + i * m * uColumns,
                            vt + i * vtRows * n, static_cast<Int>(vtRows));
  });
  if (mode != 'N') return results;
  results.erase("u");
  results.erase("vt");
  return results;
}

template <typename T>
Result<LapackResults> gesdd(const LapackCall& call) {
  return singularValues<T>(call, &lapack::gesdd);
}

template <typename T>
Result<LapackResults> gesvd(const LapackCall& call) {
  return singularValues<T>(call, &lapack::gesvd);
}

}  // namespace

std::vector<LapackFamily> lapackEigenFamilies() {
  const std::string a = "a: T[*,n,n]", general = "a: T[*,m,n]", info = "info: i32[*]";
  const std::string w = "w: T[*,n]", wr = "wr: T[*,n]", wi = "wi: T[*,n]", vs = "vs: T[*,n,n]";
  const std::string vl = "vl: C[*,n,n]", vr = "vr: C[*,n,n]", sdim = "sdim: i32[*]";
  const std::string work = "work: T[lwork]", rwork = "rwork: R[lrwork]",
                    iwork = "iwork: i32[liwork]";
  const std::vector<std::string> symmetric{a, "w: R[*,n]", info};
  const std::vector<std::string> svd{general, "s: R[*,min(m,n)]", "u: T[*,m,?]", "vt: T[*,?,n]",
                                     info};
  return {
      {"syevd/heevd",
       {a},
       {"mode: ui8", "uplo: ui8"},
       symmetric,
       VINTAGE_FOUR(syevd),
       {"lower: i32", "batch: i32", "n: i32"},
       withMore(symmetric, {work, iwork}),
       {},
       withMore(symmetric, {work, rwork, iwork})},
      {"geev",
       {a},
       {"compute_left: ui8", "compute_right: ui8"},
       {wr, wi, vl, vr, info},
       VINTAGE_FOUR(geev),
       {"batch: i32", "n: i32", "jobvl: ui8", "jobvr: ui8"},
       {"work: T[*,n,n]", "vl_work: T[*,n,n]", "vr_work: T[*,n,n]", wr, wi, vl, vr, info},
       {w, vl, vr, info},
       {"work: T[*,n,n]", "rwork: R[2*n]", w, vl, vr, info}},
      {"gees",
       {a},
       {"mode: ui8", "sort: ui8"},
       {a, vs, wr, wi, sdim, info},
       VINTAGE_FOUR(gees),
       {"batch: i32", "n: i32", "jobvs: ui8", "sort: ui8"},
       {a, wr, wi, vs, sdim, info},
       {a, vs, w, sdim, info},
       {a, "rwork: R[n]", w, vs, sdim, info}},
      {"gesdd",
       {general},
       {"mode: ui8"},
       svd,
       VINTAGE_FOUR(gesdd),
       {"full_matrices: i32", "compute_uv: i32", "batch: i32", "m: i32", "n: i32", "lwork: i32"},
       withMore(svd, {iwork, work}),
       {},
       withMore(svd, {iwork, rwork, work})},
      {"gesvd", {general}, {"mode: ui8"}, svd, VINTAGE_FOUR(gesvd)},
  };
}

}  // namespace vintage::harness
