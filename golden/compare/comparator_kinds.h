// The comparisons that compareOutputs() chooses from: element by element (exact, or under a
// tolerance), sorts, and factorizations.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "golden/compare/comparator.h"

namespace vintage::golden {

// Both tensors have one type and shape. Adds differences to `comparison`; the message of the first
// begins with `place` ("output 0"). `noise` may be null. An element that differs and is `permitted`
// is no difference.
void compareExactly(const Tensor& expected, const Tensor& actual, std::string_view place,
                    Comparison& comparison, const NoiseScale* noise = nullptr,
                    const PermittedElement& permitted = {});
void compareElements(const Tolerance& tolerance, const Tensor& expected, const Tensor& actual,
                     std::string_view place, Comparison& comparison,
                     const NoiseScale* noise = nullptr, const PermittedElement& permitted = {});

// For each element of a float or complex tensor: the largest difference that passes (of kExact: 0),
// and the distance to the next number of its type; for a complex one, of its modulus. 0 where it is
// not finite.
struct Allowance {
  double magnitude = 0, allowed = 0, spacing = 0;
};
std::vector<Allowance> allowances(const Comparator& comparator, const Tensor& expected);

// An element that is not the same in both.
struct ElementDifference {
  int64_t index = 0;  // In row-major order.
  double absolute = 0;
  int64_t ulps = 0;  // kFarApart: of a NaN, an infinity.
};
// The elements that differ (by compareExactly) and are furthest apart, at most `most` of them,
// the furthest first. Both tensors have one type and shape.
std::vector<ElementDifference> largestDifferences(const Tensor& expected, const Tensor& actual,
                                                  size_t most);

// Sorts that may leave elements with equal keys in any order.
//
// Each output has the role key or value, and all have one shape. Along
// Comparator::dimension (from the end where it is negative) the keys must be the
// expected ones, place by place; within a run of equal keys the rows (the
// values at one place in all outputs) may come in any order.
void compareSorted(const Comparator& comparator, std::span<const Tensor> expected,
                   std::span<const Tensor> actual, Comparison& comparison);

// Whether an approximate top-k may give `actual` where `expected` is exact. Along the
// comparator's dimension the keys are in order, none is better than the exact one of its place,
// and none is chosen twice; each is the operand's at its index, where the operand is an input.
bool mayBeApproximateTopK(const Comparator& comparator, const OpenValues& open,
                          std::span<const Tensor> inputs, std::span<const Tensor> expected,
                          std::span<const Tensor> actual);

// Comparators by meaning, for answers that are not unique.
//
// A factorization is judged by its properties, not by its numbers: it
// multiplies back to the matrix, its factors have their structure, and values
// that are unique (singular values, eigenvalues) agree with the expected ones.
// The matrix is an input of the program where one of them is what the expected
// outputs multiply back to; otherwise the product of the expected outputs.
// Leading dimensions are batches.
//
// Roles, one for each output; their order when Comparator::roles is empty is
// JAX's, as given here ("other": ignored):
//   eigenvectors      eigh: vectors, values
//                     eig: values, [left_vectors,] [vectors]
//                     (values are the vector; left vectors alone
//                     need their role). Values in any order.
//   singular_vectors  u, s, vh, or s, u, vh (s is the vector)
//   qr                q, r; or packed, taus, as LAPACK's geqrf leaves them
//   schur             t, z
//   hessenberg        packed, taus (gehrd); or h, q
//   tridiagonal       packed, d, e, taus (sytrd, the lower triangle; the role
//                     packed_upper says the upper one)
//   lu                lu, pivots, permutation
//   cholesky          lower; or upper
//
// A residual may be as large as `relative` times the dimension times the norm
// of what is compared; unset it is 50 times the epsilon of the real type.
// `absolute` is added where it is set. `ulps` is not used.

void compareFactorization(const Comparator& comparator, std::span<const Tensor> inputs,
                          std::span<const Tensor> expected, std::span<const Tensor> actual,
                          Comparison& comparison);

// Whether the expected outputs multiply back to an input, so that they are its factors.
bool areFactorsOfAnInput(const Comparator& comparator, std::span<const Tensor> inputs,
                         std::span<const Tensor> expected);

}  // namespace vintage::golden
