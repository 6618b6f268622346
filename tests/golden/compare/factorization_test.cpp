// The comparators by meaning, on factorizations that LAPACK computes: an equally good result passes
// and a wrong one fails, with the matrix among the inputs and without it.
#include <complex>
#include <random>

#define lapack_complex_float std::complex<float>
#define lapack_complex_double std::complex<double>
#include <lapacke.h>

#include <gmock/gmock.h>

#include "golden/compare/comparator.h"
#include "golden/compare/comparator_kinds.h"
#include "golden/tensor/visit.h"

namespace vintage::tests {
using namespace golden;

namespace {

using C = std::complex<double>;
using Kind = Comparator::Kind;

constexpr int64_t kSize = 6;

Tensor randomMatrix(int64_t rows, int64_t columns, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  Tensor tensor(ElementType::kC128, {rows, columns});
  for (C& value : tensor.mutableValues<C>()) value = C(normal(random), normal(random));
  return tensor;
}

Tensor hermitian(unsigned seed) {
  Tensor a = randomMatrix(kSize, kSize, seed);
  auto v = a.mutableValues<C>();
  for (int64_t i = 0; i < kSize; ++i)
    for (int64_t j = 0; j <= i; ++j) v[j * kSize + i] = std::conj(v[i * kSize + j]);
  for (int64_t i = 0; i < kSize; ++i) v[i * kSize + i] = v[i * kSize + i].real();
  return a;
}

C* data(Tensor& tensor) { return tensor.mutableValues<C>().data(); }

bool same(Kind kind, const std::vector<Tensor>& inputs, const std::vector<Tensor>& expected,
          const std::vector<Tensor>& actual, std::vector<std::string> roles = {}) {
  Comparator comparator;
  comparator.kind = kind;
  comparator.roles = std::move(roles);
  const Comparison comparison = compareOutputs(comparator, inputs, expected, actual);
  EXPECT_EQ(comparison.same, comparison.firstDifference.empty());
  EXPECT_EQ(comparison.same, comparison.differingElements == 0);
  return comparison.same;
}

// Whether the factors are recognized as those of `matrix`.
bool areFactorsOf(Kind kind, const Tensor& matrix, const std::vector<Tensor>& expected,
                  std::vector<std::string> roles = {}) {
  Comparator comparator;
  comparator.kind = kind;
  comparator.roles = std::move(roles);
  const Tensor inputs[] = {Tensor(ElementType::kF32, {}), matrix};
  return areFactorsOfAnInput(comparator, inputs, expected);
}

// Each output in turn with one element changed must not pass.
void expectDamageIsSeen(Kind kind, const std::vector<Tensor>& inputs,
                        const std::vector<Tensor>& expected,
                        const std::vector<std::string>& roles = {}) {
  for (size_t output = 0; output < expected.size(); ++output) {
    std::vector<Tensor> actual = expected;
    visitElementType(expected[output].type(), [&]<typename T>() {
      if constexpr (!kIsPredicateStorage<T>) {
        T& element = actual[output].mutableValues<T>()[1];
        element = T(element + element + T(1));
      }
    });
    EXPECT_FALSE(same(kind, inputs, expected, actual, roles)) << output;
    if (isFloat(realPart(expected[output].type()))) {
      actual = expected;
      visitElementType(expected[output].type(), [&]<typename T>() {
        if constexpr (kIsFloatStorage<T> || kIsComplexStorage<T>)
          actual[output].mutableValues<T>()[0] = T(std::numeric_limits<float>::quiet_NaN());
      });
      EXPECT_FALSE(same(kind, inputs, expected, actual, roles)) << output;
    }
  }
}

void multiplyColumn(Tensor& matrix, int64_t column, C factor) {
  const int64_t rows = matrix.shape()[0], columns = matrix.shape()[1];
  for (int64_t i = 0; i < rows; ++i) data(matrix)[i * columns + column] *= factor;
}

void swapColumns(Tensor& matrix, int64_t a, int64_t b) {
  const int64_t columns = matrix.shape()[1];
  for (int64_t i = 0; i < matrix.shape()[0]; ++i)
    std::swap(data(matrix)[i * columns + a], data(matrix)[i * columns + b]);
}

const C kPhase = std::polar(1.0, 0.7);

TEST(Eigenvectors, OfAHermitianMatrixUpToPhase) {
  const Tensor a = hermitian(1);
  Tensor vectors = a, values(ElementType::kF64, {kSize});
  ASSERT_EQ(LAPACKE_zheev(LAPACK_ROW_MAJOR, 'V', 'L', kSize, data(vectors), kSize,
                          values.mutableValues<double>().data()),
            0);
  for (const std::vector<Tensor>& inputs : {std::vector<Tensor>{a}, std::vector<Tensor>{}}) {
    const std::vector<Tensor> expected = {vectors, values};
    std::vector<Tensor> actual = expected;
    multiplyColumn(actual[0], 2, kPhase);
    EXPECT_TRUE(same(Kind::kEigenvectors, inputs, expected, actual));
    swapColumns(actual[0], 1, 4);
    EXPECT_FALSE(same(Kind::kEigenvectors, inputs, expected, actual));
    actual = expected;
    multiplyColumn(actual[0], 2, 1.01);
    EXPECT_FALSE(same(Kind::kEigenvectors, inputs, expected, actual));
    expectDamageIsSeen(Kind::kEigenvectors, inputs, expected);
  }
}

TEST(Eigenvectors, OfEqualValuesSpanTheSame) {
  // The identity: any unitary matrix holds its eigenvectors.
  Tensor identity(ElementType::kC128, {kSize, kSize}), values(ElementType::kF64, {kSize});
  for (int64_t i = 0; i < kSize; ++i) {
    data(identity)[i * kSize + i] = 1;
    values.mutableValues<double>()[i] = 1;
  }
  Tensor vectors = hermitian(2), ignored(ElementType::kF64, {kSize});
  ASSERT_EQ(LAPACKE_zheev(LAPACK_ROW_MAJOR, 'V', 'L', kSize, data(vectors), kSize,
                          ignored.mutableValues<double>().data()),
            0);
  EXPECT_TRUE(same(Kind::kEigenvectors, {}, {identity, values}, {vectors, values}));
  EXPECT_TRUE(same(Kind::kEigenvectors, {identity}, {identity, values}, {vectors, values}));
  // The same for complex values when the matrix is not known.
  Tensor ones(ElementType::kC128, {kSize});
  for (int64_t i = 0; i < kSize; ++i) data(ones)[i] = 1;
  EXPECT_TRUE(same(Kind::kEigenvectors, {}, {identity, ones}, {vectors, ones}));
}

TEST(Eigenvectors, ValuesAloneInAnyOrder) {
  auto complexes = [](std::vector<C> values) {
    Tensor tensor(ElementType::kC128, {static_cast<int64_t>(values.size())});
    std::ranges::copy(values, tensor.mutableValues<C>().begin());
    return tensor;
  };
  const C pair(1, 2);
  const Tensor expected = complexes({3.0, pair, std::conj(pair), -4.0});
  EXPECT_TRUE(same(Kind::kEigenvectors, {}, {expected}, {expected}));
  EXPECT_TRUE(same(Kind::kEigenvectors, {}, {expected},
                   {complexes({-4.0, std::conj(pair), 3.0 + 1e-15, pair})}));
  // A repeated value does not match two values.
  EXPECT_FALSE(same(Kind::kEigenvectors, {}, {expected}, {complexes({3.0, pair, pair, -4.0})}));
  EXPECT_FALSE(
      same(Kind::kEigenvectors, {}, {expected}, {complexes({3.001, pair, std::conj(pair), -4.0})}));
  EXPECT_FALSE(same(Kind::kEigenvectors, {}, {expected},
                    {complexes({std::nan(""), pair, std::conj(pair), -4.0})}));
  expectDamageIsSeen(Kind::kEigenvectors, {}, {expected});
  const Tensor reals(ElementType::kF64, {3});
  EXPECT_TRUE(same(Kind::kEigenvectors, {}, {reals}, {reals}));
}

TEST(Eigenvectors, OfAGeneralMatrixInAnyOrder) {
  const Tensor a = randomMatrix(kSize, kSize, 3);
  Tensor work = a, values(ElementType::kC128, {kSize}), left = a, right = a;
  ASSERT_EQ(LAPACKE_zgeev(LAPACK_ROW_MAJOR, 'V', 'V', kSize, data(work), kSize, data(values),
                          data(left), kSize, data(right), kSize),
            0);
  for (const std::vector<Tensor>& inputs : {std::vector<Tensor>{a}, std::vector<Tensor>{}}) {
    const std::vector<Tensor> expected = {values, left, right};
    std::vector<Tensor> actual = expected;
    multiplyColumn(actual[1], 0, -kPhase);
    multiplyColumn(actual[2], 3, kPhase);
    std::swap(data(actual[0])[1], data(actual[0])[4]);
    swapColumns(actual[1], 1, 4);
    swapColumns(actual[2], 1, 4);
    EXPECT_TRUE(same(Kind::kEigenvectors, inputs, expected, actual));
    swapColumns(actual[2], 0, 2);
    EXPECT_FALSE(same(Kind::kEigenvectors, inputs, expected, actual));
    // A v = lambda v holds for vectors of any length.
    for (const size_t output : {1, 2}) {
      actual = expected;
      multiplyColumn(actual[output], 3, 1.01);
      EXPECT_FALSE(same(Kind::kEigenvectors, inputs, expected, actual)) << output;
    }
    EXPECT_TRUE(areFactorsOf(Kind::kEigenvectors, a, expected));
    expectDamageIsSeen(Kind::kEigenvectors, inputs, expected);
  }
}

TEST(SingularVectors, UpToPhase) {
  const int64_t rows = 5, columns = 3;
  const Tensor a = randomMatrix(rows, columns, 4);
  Tensor work = a, u(ElementType::kC128, {rows, rows}), s(ElementType::kF64, {columns}),
         vh(ElementType::kC128, {columns, columns});
  ASSERT_EQ(LAPACKE_zgesdd(LAPACK_ROW_MAJOR, 'A', rows, columns, data(work), columns,
                           s.mutableValues<double>().data(), data(u), rows, data(vh), columns),
            0);
  for (const std::vector<Tensor>& inputs : {std::vector<Tensor>{a}, std::vector<Tensor>{}})
    for (const bool valuesFirst : {false, true}) {
      const std::vector<Tensor> expected =
          valuesFirst ? std::vector<Tensor>{s, u, vh} : std::vector<Tensor>{u, s, vh};
      std::vector<Tensor> actual = expected;
      Tensor& phased = actual[valuesFirst ? 1 : 0];
      multiplyColumn(phased, 1, kPhase);
      EXPECT_FALSE(same(Kind::kSingularVectors, inputs, expected, actual));
      for (int64_t j = 0; j < columns; ++j) data(actual[2])[columns + j] /= kPhase;
      EXPECT_TRUE(same(Kind::kSingularVectors, inputs, expected, actual));
      multiplyColumn(phased, 4, -1);  // Beyond the rank: any phase.
      EXPECT_TRUE(same(Kind::kSingularVectors, inputs, expected, actual));
      // The product is the same without it, but its length must be 1.
      multiplyColumn(phased, 4, 2);
      EXPECT_FALSE(same(Kind::kSingularVectors, inputs, expected, actual));
      expectDamageIsSeen(Kind::kSingularVectors, inputs, expected);
    }
}

TEST(Qr, InFullAndPacked) {
  const Tensor a = randomMatrix(kSize, 4, 5);
  Tensor packed = a, taus(ElementType::kC128, {4});
  ASSERT_EQ(LAPACKE_zgeqrf(LAPACK_ROW_MAJOR, kSize, 4, data(packed), 4, data(taus)), 0);
  Tensor q = packed, r(ElementType::kC128, {4, 4});
  for (int64_t i = 0; i < 4; ++i)
    for (int64_t j = i; j < 4; ++j) data(r)[i * 4 + j] = data(packed)[i * 4 + j];
  ASSERT_EQ(LAPACKE_zungqr(LAPACK_ROW_MAJOR, kSize, 4, 4, data(q), 4, data(taus)), 0);
  for (const std::vector<Tensor>& inputs : {std::vector<Tensor>{a}, std::vector<Tensor>{}}) {
    std::vector<Tensor> actual = {q, r};
    multiplyColumn(actual[0], 1, kPhase);
    for (int64_t j = 0; j < 4; ++j) data(actual[1])[4 + j] /= kPhase;
    EXPECT_TRUE(same(Kind::kQr, inputs, {q, r}, actual));
    expectDamageIsSeen(Kind::kQr, inputs, {q, r});
    EXPECT_TRUE(same(Kind::kQr, inputs, {packed, taus}, {packed, taus}));
    expectDamageIsSeen(Kind::kQr, inputs, {packed, taus});
  }
  // Any matrix is itself times the identity.
  Tensor identity(ElementType::kC128, {4, 4}), square = randomMatrix(4, 4, 50);
  for (int64_t i = 0; i < 4; ++i) data(identity)[i * 5] = 1;
  EXPECT_FALSE(same(Kind::kQr, {}, {identity, square}, {identity, square}));
  // The packed form multiplies to the same matrix as the factors in full.
  EXPECT_TRUE(same(Kind::kQr, {a}, {packed, taus}, {packed, taus}));
}

TEST(Schur, ComplexAndRealQuasiTriangular) {
  const Tensor a = randomMatrix(kSize, kSize, 6);
  Tensor t = a, values(ElementType::kC128, {kSize}), z = a;
  lapack_int selected = 0;
  ASSERT_EQ(LAPACKE_zgees(LAPACK_ROW_MAJOR, 'V', 'N', nullptr, kSize, data(t), kSize, &selected,
                          data(values), data(z), kSize),
            0);
  for (const std::vector<Tensor>& inputs : {std::vector<Tensor>{a}, std::vector<Tensor>{}}) {
    EXPECT_TRUE(same(Kind::kSchur, inputs, {t, z}, {t, z}));
    expectDamageIsSeen(Kind::kSchur, inputs, {t, z});
  }
  // A rotation has a pair of complex eigenvalues: a block of two stays.
  Tensor rotation(ElementType::kF64, {2, 2}), identity(ElementType::kF64, {2, 2});
  const double numbers[] = {0, -1, 1, 0};
  std::ranges::copy(numbers, rotation.mutableValues<double>().begin());
  identity.mutableValues<double>()[0] = identity.mutableValues<double>()[3] = 1;
  EXPECT_TRUE(same(Kind::kSchur, {}, {rotation, identity}, {rotation, identity}));
  // Blocks of three do not exist.
  Tensor cycle(ElementType::kF64, {3, 3}), three(ElementType::kF64, {3, 3});
  for (const int i : {3, 7, 2}) cycle.mutableValues<double>()[i] = 1;
  for (const int i : {0, 4, 8}) three.mutableValues<double>()[i] = 1;
  EXPECT_FALSE(same(Kind::kSchur, {}, {cycle, three}, {cycle, three}));
}

TEST(Hessenberg, ByItsReflectors) {
  const Tensor a = randomMatrix(kSize, kSize, 7);
  Tensor packed = a, taus(ElementType::kC128, {kSize - 1});
  ASSERT_EQ(LAPACKE_zgehrd(LAPACK_ROW_MAJOR, kSize, 1, kSize, data(packed), kSize, data(taus)), 0);
  Tensor q = packed, h = packed;
  ASSERT_EQ(LAPACKE_zunghr(LAPACK_ROW_MAJOR, kSize, 1, kSize, data(q), kSize, data(taus)), 0);
  for (int64_t i = 2; i < kSize; ++i)
    for (int64_t j = 0; j + 1 < i; ++j) data(h)[i * kSize + j] = 0;
  for (const std::vector<Tensor>& inputs : {std::vector<Tensor>{a}, std::vector<Tensor>{}}) {
    EXPECT_TRUE(same(Kind::kHessenberg, inputs, {packed, taus}, {packed, taus}));
    expectDamageIsSeen(Kind::kHessenberg, inputs, {packed, taus});
    EXPECT_TRUE(same(Kind::kHessenberg, inputs, {h, q}, {h, q}, {"h", "q"}));
    expectDamageIsSeen(Kind::kHessenberg, inputs, {h, q}, {"h", "q"});
  }
  // Our reflectors are LAPACK's: the product of the factors is the matrix.
  Tensor other = randomMatrix(kSize, kSize, 70);
  EXPECT_FALSE(same(Kind::kHessenberg, {a}, {packed, taus}, {other, taus}));
}

TEST(Tridiagonal, OfBothTriangles) {
  for (const char triangle : {'L', 'U'}) {
    const Tensor a = hermitian(8);
    Tensor packed = a, d(ElementType::kF64, {kSize}), e(ElementType::kF64, {kSize - 1}),
           taus(ElementType::kC128, {kSize - 1});
    ASSERT_EQ(LAPACKE_zhetrd(LAPACK_ROW_MAJOR, triangle, kSize, data(packed), kSize,
                             d.mutableValues<double>().data(), e.mutableValues<double>().data(),
                             data(taus)),
              0);
    const std::vector<std::string> roles = {triangle == 'L' ? "packed" : "packed_upper", "d", "e",
                                            "taus"};
    const std::vector<Tensor> expected = {packed, d, e, taus};
    // The input is only found if the factors multiply back to it.
    EXPECT_TRUE(areFactorsOf(Kind::kTridiagonal, a, expected, roles));
    EXPECT_TRUE(same(Kind::kTridiagonal, {a}, expected, expected, roles));
    EXPECT_TRUE(same(Kind::kTridiagonal, {}, expected, expected, roles));
    for (size_t output = 1; output < 4; ++output) {
      std::vector<Tensor> actual = expected;
      visitElementType(expected[output].type(), [&]<typename T>() {
        if constexpr (std::is_same_v<T, double> || std::is_same_v<T, C>)
          actual[output].mutableValues<T>()[1] += 0.01;
      });
      EXPECT_FALSE(same(Kind::kTridiagonal, {a}, expected, actual, roles)) << output;
    }
  }
}

TEST(Lu, WithPivotsAndPermutation) {
  for (const int64_t columns : {kSize, kSize - 2, kSize + 1}) {
    const Tensor a = randomMatrix(kSize, columns, 9);
    const int64_t inner = std::min(kSize, columns);
    Tensor lu = a, pivots(ElementType::kI32, {inner}), permutation(ElementType::kI32, {kSize});
    auto swaps = pivots.mutableValues<int32_t>(), rows = permutation.mutableValues<int32_t>();
    ASSERT_EQ(LAPACKE_zgetrf(LAPACK_ROW_MAJOR, kSize, columns, data(lu), columns, swaps.data()), 0);
    for (int32_t i = 0; i < kSize; ++i) rows[i] = i;
    for (int64_t i = 0; i < inner; ++i) std::swap(rows[i], rows[--swaps[i]]);
    for (const std::vector<Tensor>& inputs : {std::vector<Tensor>{a}, std::vector<Tensor>{}}) {
      const std::vector<Tensor> expected = {lu, pivots, permutation};
      EXPECT_TRUE(same(Kind::kLu, inputs, expected, expected));
      EXPECT_TRUE(same(Kind::kLu, inputs, {lu, pivots}, {lu, pivots}));
      expectDamageIsSeen(Kind::kLu, inputs, expected);
      std::vector<Tensor> actual = expected;
      actual[2].mutableValues<int32_t>()[0] = 1 << 30;
      EXPECT_FALSE(same(Kind::kLu, inputs, expected, actual));
      actual[2].mutableValues<int32_t>()[0] = -1;
      EXPECT_FALSE(same(Kind::kLu, inputs, expected, actual));
    }
  }
}

TEST(Factorization, BatchesAreJudgedOneByOne) {
  Tensor q(ElementType::kF32, {2, 2, 2}), r(ElementType::kF32, {2, 2, 2});
  for (const int i : {0, 3, 4, 7}) {
    q.mutableValues<float>()[i] = 1;
    r.mutableValues<float>()[i] = 2;
  }
  EXPECT_TRUE(same(Kind::kQr, {}, {q, r}, {q, r}));
  Tensor other = r;
  other.mutableValues<float>()[7] = 3;
  EXPECT_FALSE(same(Kind::kQr, {}, {q, r}, {q, other}));
  // A factorization that failed is NaN in both.
  Tensor nan = r;
  nan.mutableValues<float>()[7] = NAN;
  EXPECT_TRUE(same(Kind::kQr, {}, {q, nan}, {q, nan}));
  EXPECT_FALSE(same(Kind::kQr, {}, {q, r}, {q, nan}));
  EXPECT_FALSE(same(Kind::kQr, {}, {q, nan}, {q, r}));
  EXPECT_TRUE(same(Kind::kQr, {},
                   {Tensor(ElementType::kF32, {0, 2, 2}), Tensor(ElementType::kF32, {0, 2, 2})},
                   {Tensor(ElementType::kF32, {0, 2, 2}), Tensor(ElementType::kF32, {0, 2, 2})}));
}

TEST(Factorization, OutputsThatDoNotSuitTheKindDiffer) {
  const Tensor scalar(ElementType::kF32, {}), matrix(ElementType::kF32, {2, 2}),
      vector(ElementType::kF32, {3});
  EXPECT_FALSE(same(Kind::kQr, {}, {scalar, scalar}, {scalar, scalar}));
  EXPECT_FALSE(same(Kind::kLu, {}, {matrix}, {matrix}));
  EXPECT_FALSE(same(Kind::kEigenvectors, {}, {matrix, vector}, {matrix, vector}));
  EXPECT_FALSE(same(Kind::kSchur, {}, {matrix, matrix}, {matrix, matrix}, {"t", "q"}));
  EXPECT_FALSE(same(Kind::kQr, {}, {matrix, matrix}, {matrix}));
}

}  // namespace
}  // namespace vintage::tests
