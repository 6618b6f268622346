// LAPACK by overload: one name for the four element types, column-major,
// leading dimensions at their smallest, workspaces left to LAPACKE.
//
// Call prepareLinearAlgebra() once before the first of them.
#pragma once

#include <algorithm>
#include <complex>
#include <type_traits>
#include <vector>

#define lapack_complex_float std::complex<float>
#define lapack_complex_double std::complex<double>
#include <cblas.h>
#include <lapacke.h>

namespace vintage::harness::lapack {

using Int = lapack_int;
using c64 = std::complex<float>;
using c128 = std::complex<double>;

// One thread (several workers share a machine), and no search for NaN: it must
// flow through as it does in XLA.
void prepareLinearAlgebra();

inline Int leading(Int rows) { return rows < 1 ? 1 : rows; }

template <typename T>
struct RealOf {
  using type = T;
};
template <typename T>
struct RealOf<std::complex<T>> {
  using type = T;
};
template <typename T>
using Real = typename RealOf<T>::type;
template <typename T>
inline constexpr bool kIsComplex = !std::is_same_v<T, Real<T>>;

// One function template for the four element types, in the order s, d, c, z.
#define VINTAGE_FOUR(function) \
  {function<float>, function<double>, function<lapack::c64>, function<lapack::c128>}

// T: element; p: LAPACK's prefix; or/sy: how the orthogonal and the symmetric
// families are called for that element; by: how BLAS takes a scalar, by value or by address.
#define VINTAGE_LAPACK_OVERLOADS(T, p, or_, sy, by)                                                \
  inline Int potrf(char uplo, Int n, T* a) {                                                       \
    return LAPACKE_##p##potrf(LAPACK_COL_MAJOR, uplo, n, a, leading(n));                           \
  }                                                                                                \
  inline Int getrf(Int m, Int n, T* a, Int* pivots) {                                              \
    return LAPACKE_##p##getrf(LAPACK_COL_MAJOR, m, n, a, leading(m), pivots);                      \
  }                                                                                                \
  inline Int geqrf(Int m, Int n, T* a, T* tau) {                                                   \
    return LAPACKE_##p##geqrf(LAPACK_COL_MAJOR, m, n, a, leading(m), tau);                         \
  }                                                                                                \
  inline Int orgqr(Int m, Int n, Int k, T* a, const T* tau) {                                      \
    return LAPACKE_##p##or_##gqr(LAPACK_COL_MAJOR, m, n, k, a, leading(m), tau);                   \
  }                                                                                                \
  inline Int ormqr(char side, char trans, Int m, Int n, Int k, const T* a, Int lda, const T* tau,  \
                   T* c) {                                                                         \
    return LAPACKE_##p##or_##mqr(LAPACK_COL_MAJOR, side, trans, m, n, k, a, leading(lda), tau, c,  \
                                 leading(m));                                                      \
  }                                                                                                \
  inline Int geqp3(Int m, Int n, T* a, Int* columns, T* tau) {                                     \
    return LAPACKE_##p##geqp3(LAPACK_COL_MAJOR, m, n, a, leading(m), columns, tau);                \
  }                                                                                                \
  inline Int syevd(char mode, char uplo, Int n, T* a, Real<T>* w) {                                \
    return LAPACKE_##p##sy##evd(LAPACK_COL_MAJOR, mode, uplo, n, a, leading(n), w);                \
  }                                                                                                \
  inline Int gesdd(char mode, Int m, Int n, T* a, Real<T>* s, T* u, T* vt, Int vtRows) {           \
    return LAPACKE_##p##gesdd(LAPACK_COL_MAJOR, mode, m, n, a, leading(m), s, u, leading(m), vt,   \
                              leading(vtRows));                                                    \
  }                                                                                                \
  inline Int gesvd(char mode, Int m, Int n, T* a, Real<T>* s, T* u, T* vt, Int vtRows) {           \
    std::vector<Real<T>> superdiagonal(static_cast<size_t>(std::max<Int>(1, std::min(m, n))));     \
    return LAPACKE_##p##gesvd(LAPACK_COL_MAJOR, mode, mode, m, n, a, leading(m), s, u, leading(m), \
                              vt, leading(vtRows), superdiagonal.data());                          \
  }                                                                                                \
  inline Int sytrd(char uplo, Int n, T* a, Real<T>* d, Real<T>* e, T* tau) {                       \
    return LAPACKE_##p##sy##trd(LAPACK_COL_MAJOR, uplo, n, a, leading(n), d, e, tau);              \
  }                                                                                                \
  inline Int gehrd(Int n, Int low, Int high, T* a, T* tau) {                                       \
    return LAPACKE_##p##gehrd(LAPACK_COL_MAJOR, n, low, high, a, leading(n), tau);                 \
  }                                                                                                \
  inline Int gtsv(Int n, Int columns, T* dl, T* d, T* du, T* b) {                                  \
    return LAPACKE_##p##gtsv(LAPACK_COL_MAJOR, n, columns, dl, d, du, b, leading(n));              \
  }                                                                                                \
  inline void trsm(CBLAS_SIDE side, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag,       \
                   Int m, Int n, T alpha, const T* a, Int lda, T* b) {                             \
    cblas_##p##trsm(CblasColMajor, side, uplo, trans, diag, m, n, by alpha, a, lda, b,             \
                    leading(m));                                                                   \
  }                                                                                                \
  inline void gemm(CBLAS_TRANSPOSE left, CBLAS_TRANSPOSE right, int m, int n, int k, const T* a,   \
                   int lda, const T* b, int ldb, T* c) {                                           \
    const T one(1), zero(0);                                                                       \
    cblas_##p##gemm(CblasRowMajor, left, right, m, n, k, by one, a, lda, b, ldb, by zero, c, n);   \
  }

VINTAGE_LAPACK_OVERLOADS(float, s, or, sy, )
VINTAGE_LAPACK_OVERLOADS(double, d, or, sy, )
VINTAGE_LAPACK_OVERLOADS(c64, c, un, he, &)
VINTAGE_LAPACK_OVERLOADS(c128, z, un, he, &)
#undef VINTAGE_LAPACK_OVERLOADS

#define VINTAGE_LAPACK_REAL(T, p)                                                                  \
  inline Int geev(char left, char right, Int n, T* a, T* wr, T* wi, T* vl, T* vr) {                \
    return LAPACKE_##p##geev(LAPACK_COL_MAJOR, left, right, n, a, leading(n), wr, wi, vl,          \
                             leading(n), vr, leading(n));                                          \
  }                                                                                                \
  inline Int gees(char mode, Int n, T* a, Int* selected, T* wr, T* wi, T* vs) {                    \
    return LAPACKE_##p##gees(LAPACK_COL_MAJOR, mode, 'N', nullptr, n, a, leading(n), selected, wr, \
                             wi, vs, leading(n));                                                  \
  }

VINTAGE_LAPACK_REAL(float, s)
VINTAGE_LAPACK_REAL(double, d)
#undef VINTAGE_LAPACK_REAL

#define VINTAGE_LAPACK_COMPLEX(T, p)                                                              \
  inline Int geev(char left, char right, Int n, T* a, T* w, T* vl, T* vr) {                       \
    return LAPACKE_##p##geev(LAPACK_COL_MAJOR, left, right, n, a, leading(n), w, vl, leading(n),  \
                             vr, leading(n));                                                     \
  }                                                                                               \
  inline Int gees(char mode, Int n, T* a, Int* selected, T* w, T* vs) {                           \
    return LAPACKE_##p##gees(LAPACK_COL_MAJOR, mode, 'N', nullptr, n, a, leading(n), selected, w, \
                             vs, leading(n));                                                     \
  }

VINTAGE_LAPACK_COMPLEX(c64, c)
VINTAGE_LAPACK_COMPLEX(c128, z)
#undef VINTAGE_LAPACK_COMPLEX

}  // namespace vintage::harness::lapack
