// syevd/heevd, geev, gees, gesdd, gesvd.

#include <algorithm>

#include "golden/base/failures.h"
#include "harness/engine/custom_calls/lapack.h"
#include "harness/engine/custom_calls/lapack_calls.h"

namespace vintage::harness {
using namespace golden;

namespace {

using lapack::elementTypeOf;
using lapack::Int;
using lapack::kIsComplex;
using lapack::Real;

constexpr ElementType kInfo = ElementType::kI32;

template <typename T>
Result<LapackResults> syevd(const LapackCall& call) {
  using R = Real<T>;
  ASSIGN_OR_RETURN(auto batch, matrixBatch(call, 0, true));
  const int64_t n = batch.rows;
  const char mode = call.parameter("mode", 'V') == 'N' ? 'N' : 'V';
  LapackResults results{{"a", call.operands[0]},
                        {"w", Tensor(elementTypeOf<R>(), batch.with({n}))},
                        {"info", Tensor(kInfo, batch.leading)}};
  T* a = results["a"].mutableValues<T>().data();
  R* w = results["w"].mutableValues<R>().data();
  int32_t* info = results["info"].mutableValues<int32_t>().data();
  for (int64_t i = 0; i < batch.count; ++i) {
    info[i] = lapack::syevd(mode, call.uplo(), static_cast<Int>(n), a + i * n * n, w + i * n);
  }
  return results;
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
  using R = Real<T>;
  using C = std::complex<R>;
  ASSIGN_OR_RETURN(auto batch, matrixBatch(call, 0, true));
  const int64_t n = batch.rows, nn = n * n;
  const char left = vectorsWanted(call, "compute_left", "jobvl");
  const char right = vectorsWanted(call, "compute_right", "jobvr");
  Tensor work = call.operands[0];
  T* a = work.mutableValues<T>().data();
  LapackResults results{{"info", Tensor(kInfo, batch.leading)}};
  Tensor vl(elementTypeOf<C>(), batch.with({n, n})), vr = vl;
  int32_t* info = results["info"].mutableValues<int32_t>().data();
  C* leftVectors = vl.mutableValues<C>().data();
  C* rightVectors = vr.mutableValues<C>().data();
  const Int size = static_cast<Int>(n);
  if constexpr (kIsComplex<T>) {
    Tensor w(elementTypeOf<T>(), batch.with({n}));
    T* values = w.mutableValues<T>().data();
    for (int64_t i = 0; i < batch.count; ++i) {
      info[i] = lapack::geev(left, right, size, a + i * nn, values + i * n, leftVectors + i * nn,
                             rightVectors + i * nn);
    }
    results["w"] = std::move(w);
  } else {
    Tensor wr(elementTypeOf<T>(), batch.with({n})), wi = wr;
    T* re = wr.mutableValues<T>().data();
    T* im = wi.mutableValues<T>().data();
    std::vector<T> packedLeft(nn), packedRight(nn);
    for (int64_t i = 0; i < batch.count; ++i) {
      info[i] = lapack::geev(left, right, size, a + i * nn, re + i * n, im + i * n,
                             packedLeft.data(), packedRight.data());
      if (left == 'V') unpackVectors(n, im + i * n, packedLeft.data(), leftVectors + i * nn);
      if (right == 'V') unpackVectors(n, im + i * n, packedRight.data(), rightVectors + i * nn);
    }
    results["wr"] = std::move(wr);
    results["wi"] = std::move(wi);
  }
  if (left == 'V') results["vl"] = std::move(vl);
  if (right == 'V') results["vr"] = std::move(vr);
  return results;
}

template <typename T>
Result<LapackResults> gees(const LapackCall& call) {
  ASSIGN_OR_RETURN(auto batch, matrixBatch(call, 0, true));
  if (call.parameter("sort", 'N') != 'N') {
    return unsupported(
        "Sorted eigenvalues ('sort' other than 'N') need a selecting function, which "
        "an artifact cannot carry; only sort = 'N' (78) is run.");
  }
  const int64_t n = batch.rows, nn = n * n;
  const char mode = vectorsWanted(call, "mode", "jobvs");
  LapackResults results{{"a", call.operands[0]},
                        {"vs", Tensor(elementTypeOf<T>(), batch.with({n, n}))},
                        {"sdim", Tensor(kInfo, batch.leading)},
                        {"info", Tensor(kInfo, batch.leading)}};
  T* a = results["a"].mutableValues<T>().data();
  T* vs = results["vs"].mutableValues<T>().data();
  Int* selected = results["sdim"].mutableValues<Int>().data();
  int32_t* info = results["info"].mutableValues<int32_t>().data();
  const Int size = static_cast<Int>(n);
  Tensor first(elementTypeOf<T>(), batch.with({n})), second = first;
  T* w = first.mutableValues<T>().data();
  [[maybe_unused]] T* wi = second.mutableValues<T>().data();
  for (int64_t i = 0; i < batch.count; ++i) {
    if constexpr (kIsComplex<T>) {
      info[i] = lapack::gees(mode, size, a + i * nn, selected + i, w + i * n, vs + i * nn);
    } else {
      info[i] =
          lapack::gees(mode, size, a + i * nn, selected + i, w + i * n, wi + i * n, vs + i * nn);
    }
  }
  results[kIsComplex<T> ? "w" : "wr"] = std::move(first);
  if (!kIsComplex<T>) results["wi"] = std::move(second);
  return results;
}

// 'A' all vectors, 'S' the first min(m, n) of them, 'N' none.
char singularVectors(const LapackCall& call) {
  const int64_t mode = call.parameter("mode", 0);
  if (mode != 0) return mode == 'N' || mode == 'S' ? static_cast<char>(mode) : 'A';
  if (call.parameter("compute_uv", 1) == 0) return 'N';
  return call.parameter("full_matrices", 1) != 0 ? 'A' : 'S';
}

template <typename T>
using SingularValues = lapack::Int (*)(char mode, lapack::Int m, lapack::Int n, T* a, Real<T>* s,
                                       T* u, T* vt, lapack::Int vtRows);

template <typename T>
Result<LapackResults> singularValues(const LapackCall& call, SingularValues<T> compute) {
  using R = Real<T>;
  ASSIGN_OR_RETURN(auto batch, matrixBatch(call, 0, false));
  const char mode = singularVectors(call);
  const int64_t m = batch.rows, n = batch.columns, k = std::min(m, n);
  const int64_t uColumns = mode == 'A' ? m : k, vtRows = mode == 'A' ? n : k;
  LapackResults results{{"a", call.operands[0]},
                        {"s", Tensor(elementTypeOf<R>(), batch.with({k}))},
                        {"info", Tensor(kInfo, batch.leading)}};
  Tensor u(elementTypeOf<T>(), batch.with({m, uColumns}));
  Tensor vt(elementTypeOf<T>(), batch.with({vtRows, n}));
  T* a = results["a"].mutableValues<T>().data();
  R* s = results["s"].mutableValues<R>().data();
  T* left = u.mutableValues<T>().data();
  T* right = vt.mutableValues<T>().data();
  int32_t* info = results["info"].mutableValues<int32_t>().data();
  for (int64_t i = 0; i < batch.count && k > 0; ++i) {
    info[i] = compute(mode, static_cast<Int>(m), static_cast<Int>(n), a + i * m * n, s + i * k,
                      left + i * m * uColumns, right + i * vtRows * n, static_cast<Int>(vtRows));
  }
  if (mode != 'N') {
    results["u"] = std::move(u);
    results["vt"] = std::move(vt);
  }
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
  const auto with = [](std::vector<std::string> list, std::initializer_list<std::string> last) {
    list.insert(list.end(), last);
    return list;
  };
  return {
      {"syevd",
       "heevd",
       {a},
       {"mode: ui8", "uplo: ui8"},
       symmetric,
       VINTAGE_FOUR(syevd),
       {"lower: i32", "batch: i32", "n: i32"},
       with(symmetric, {work, iwork}),
       {},
       with(symmetric, {work, rwork, iwork})},
      {"geev",
       "geev",
       {a},
       {"compute_left: ui8", "compute_right: ui8"},
       {wr, wi, vl, vr, info},
       VINTAGE_FOUR(geev),
       {"batch: i32", "n: i32", "jobvl: ui8", "jobvr: ui8"},
       {"work: T[*,n,n]", "vl_work: T[*,n,n]", "vr_work: T[*,n,n]", wr, wi, vl, vr, info},
       {w, vl, vr, info},
       {"work: T[*,n,n]", "rwork: R[2*n]", w, vl, vr, info}},
      {"gees",
       "gees",
       {a},
       {"mode: ui8", "sort: ui8"},
       {a, vs, wr, wi, sdim, info},
       VINTAGE_FOUR(gees),
       {"batch: i32", "n: i32", "jobvs: ui8", "sort: ui8"},
       {a, wr, wi, vs, sdim, info},
       {a, vs, w, sdim, info},
       {a, "rwork: R[n]", w, vs, sdim, info}},
      {"gesdd",
       "gesdd",
       {general},
       {"mode: ui8"},
       svd,
       VINTAGE_FOUR(gesdd),
       {"full_matrices: i32", "compute_uv: i32", "batch: i32", "m: i32", "n: i32", "lwork: i32"},
       with(svd, {iwork, work}),
       {},
       with(svd, {iwork, rwork, work})},
      {"gesvd", "gesvd", {general}, {"mode: ui8"}, svd, VINTAGE_FOUR(gesvd)},
  };
}

}  // namespace vintage::harness
