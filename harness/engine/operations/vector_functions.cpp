#include "harness/engine/operations/loop_table.h"

#include <algorithm>
#include <cstring>

// glibc has them from 2.35 on, and for other processors under other names.
#if defined(__x86_64__) && defined(__GLIBC__) && __GLIBC_PREREQ(2, 35)
#define VINTAGE_VECTOR_FUNCTIONS 1
#include <immintrin.h>
#endif

namespace vintage::harness {

#ifdef VINTAGE_VECTOR_FUNCTIONS

#define VINTAGE_WIDE __attribute__((target("avx512f,avx512dq,avx512vl")))
#define VINTAGE_NARROW __attribute__((target("avx2,fma")))

// By the names of the vector ABI: d4 for AVX2, e8 for AVX-512.
#define VINTAGE_DECLARE(NAME)                                 \
  extern "C" VINTAGE_NARROW __m256d _ZGVdN4v_##NAME(__m256d); \
  extern "C" VINTAGE_WIDE __m512d _ZGVeN8v_##NAME(__m512d);
#define VINTAGE_DECLARE_BINARY(NAME)                                    \
  extern "C" VINTAGE_NARROW __m256d _ZGVdN4vv_##NAME(__m256d, __m256d); \
  extern "C" VINTAGE_WIDE __m512d _ZGVeN8vv_##NAME(__m512d, __m512d);
VINTAGE_DECLARE(acos)
VINTAGE_DECLARE(acosh)
VINTAGE_DECLARE(asin)
VINTAGE_DECLARE(asinh)
VINTAGE_DECLARE(atan)
VINTAGE_DECLARE(atanh)
VINTAGE_DECLARE(cbrt)
VINTAGE_DECLARE(cos)
VINTAGE_DECLARE(cosh)
VINTAGE_DECLARE(erf)
VINTAGE_DECLARE(erfc)
VINTAGE_DECLARE(exp)
VINTAGE_DECLARE(expm1)
VINTAGE_DECLARE(log)
VINTAGE_DECLARE(log1p)
VINTAGE_DECLARE(sin)
VINTAGE_DECLARE(sinh)
VINTAGE_DECLARE(tan)
VINTAGE_DECLARE(tanh)
VINTAGE_DECLARE_BINARY(atan2)
VINTAGE_DECLARE_BINARY(pow)
#undef VINTAGE_DECLARE
#undef VINTAGE_DECLARE_BINARY

namespace {

// Beyond these an exponential is 0 or infinite as a float, and the library would call
// its slow way for doubles that overflow: a softmax with a mask has many. NaN stays.
constexpr double kLargestExponent = 200;
VINTAGE_WIDE __m512d ordinary(__m512d x) {
  return _mm512_min_pd(_mm512_set1_pd(kLargestExponent),
                       _mm512_max_pd(_mm512_set1_pd(-kLargestExponent), x));
}
VINTAGE_NARROW __m256d ordinary(__m256d x) {
  return _mm256_min_pd(_mm256_set1_pd(kLargestExponent),
                       _mm256_max_pd(_mm256_set1_pd(-kLargestExponent), x));
}

// Each with what it computes for eight and for four doubles; one of one operand has it twice.
#define VINTAGE_FUNCTION(STRUCT, WIDE, NARROW)                                 \
  struct STRUCT {                                                              \
    static constexpr size_t kOperands = 1;                                     \
    VINTAGE_WIDE static __m512d apply(__m512d x, __m512d) { return WIDE; }     \
    VINTAGE_NARROW static __m256d apply(__m256d x, __m256d) { return NARROW; } \
  };
#define VINTAGE_LIBRARY(STRUCT, NAME) \
  VINTAGE_FUNCTION(STRUCT, _ZGVeN8v_##NAME(x), _ZGVdN4v_##NAME(x))
#define VINTAGE_BINARY(STRUCT, NAME)                                                             \
  struct STRUCT {                                                                                \
    static constexpr size_t kOperands = 2;                                                       \
    VINTAGE_WIDE static __m512d apply(__m512d x, __m512d y) { return _ZGVeN8vv_##NAME(x, y); }   \
    VINTAGE_NARROW static __m256d apply(__m256d x, __m256d y) { return _ZGVdN4vv_##NAME(x, y); } \
  };
VINTAGE_LIBRARY(VectorArcCosine, acos)
VINTAGE_LIBRARY(VectorArcCosineHyperbolic, acosh)
VINTAGE_LIBRARY(VectorArcSine, asin)
VINTAGE_LIBRARY(VectorArcSineHyperbolic, asinh)
VINTAGE_LIBRARY(VectorArcTangent, atan)
VINTAGE_LIBRARY(VectorArcTangentHyperbolic, atanh)
VINTAGE_LIBRARY(VectorCosine, cos)
VINTAGE_LIBRARY(VectorCosineHyperbolic, cosh)
VINTAGE_LIBRARY(VectorCubeRoot, cbrt)
VINTAGE_LIBRARY(VectorErrorFunction, erf)
VINTAGE_LIBRARY(VectorErrorFunctionComplement, erfc)
VINTAGE_LIBRARY(VectorExponentialMinusOne, expm1)
VINTAGE_LIBRARY(VectorLog, log)
VINTAGE_LIBRARY(VectorLogPlusOne, log1p)
VINTAGE_LIBRARY(VectorSine, sin)
VINTAGE_LIBRARY(VectorSineHyperbolic, sinh)
VINTAGE_LIBRARY(VectorTangent, tan)
VINTAGE_LIBRARY(VectorTanh, tanh)
VINTAGE_BINARY(VectorArcTangentOfTwo, atan2)
VINTAGE_BINARY(VectorPower, pow)
VINTAGE_FUNCTION(VectorExponential, _ZGVeN8v_exp(ordinary(x)), _ZGVdN4v_exp(ordinary(x)))
VINTAGE_FUNCTION(
    VectorLogistic,
    _mm512_div_pd(_mm512_set1_pd(1),
                  _mm512_add_pd(_mm512_set1_pd(1),
                                _ZGVeN8v_exp(ordinary(_mm512_sub_pd(_mm512_set1_pd(-0.0), x))))),
    _mm256_div_pd(_mm256_set1_pd(1),
                  _mm256_add_pd(_mm256_set1_pd(1),
                                _ZGVdN4v_exp(ordinary(_mm256_sub_pd(_mm256_set1_pd(-0.0), x))))))
VINTAGE_FUNCTION(VectorRsqrt, _mm512_div_pd(_mm512_set1_pd(1), _mm512_sqrt_pd(x)),
                 _mm256_div_pd(_mm256_set1_pd(1), _mm256_sqrt_pd(x)))
#undef VINTAGE_LIBRARY
#undef VINTAGE_BINARY
#undef VINTAGE_FUNCTION

// Vector by vector; what does not fill one goes through one that is filled up with ones.
template <size_t kLanes, size_t kOperands, typename Step>
[[gnu::always_inline]] inline void eachVector(const void* const* operands, void* result,
                                              size_t count, Step step) {
  const float* in[2] = {static_cast<const float*>(operands[0]),
                        static_cast<const float*>(operands[kOperands - 1])};
  auto* out = static_cast<float*>(result);
  size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) step(in[0] + i, in[1] + i, out + i);
  if (i == count) return;
  float rest[2][kLanes];
  for (size_t operand = 0; operand < 2; ++operand) {
    std::ranges::fill(rest[operand], 1.0f);
    std::memcpy(rest[operand], in[operand] + i, (count - i) * sizeof(float));
  }
  step(rest[0], rest[1], rest[0]);
  std::memcpy(out + i, rest[0], (count - i) * sizeof(float));
}

template <typename F>
VINTAGE_WIDE void wideLoop(const void* const* operands, void* result, size_t count) {
  const auto wide = [](const float* x) VINTAGE_WIDE { return _mm512_cvtps_pd(_mm256_loadu_ps(x)); };
  eachVector<8, F::kOperands>(operands, result, count,
                              [&](const float* x, const float* y, float* to) VINTAGE_WIDE {
                                _mm256_storeu_ps(to, _mm512_cvtpd_ps(F::apply(wide(x), wide(y))));
                              });
}

template <typename F>
VINTAGE_NARROW void narrowLoop(const void* const* operands, void* result, size_t count) {
  const auto wide = [](const float* x) VINTAGE_NARROW { return _mm256_cvtps_pd(_mm_loadu_ps(x)); };
  eachVector<4, F::kOperands>(operands, result, count,
                              [&](const float* x, const float* y, float* to) VINTAGE_NARROW {
                                _mm_storeu_ps(to, _mm256_cvtpd_ps(F::apply(wide(x), wide(y))));
                              });
}

template <typename F>
RawLoop loopFor() {
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl"))
    return &wideLoop<F>;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return &narrowLoop<F>;
  return nullptr;
}

}  // namespace

RawLoop vectorFunction(std::string_view operation) {
  static const std::unordered_map<std::string_view, RawLoop> kLoops = {
      {"chlo.acos", loopFor<VectorArcCosine>()},
      {"chlo.acosh", loopFor<VectorArcCosineHyperbolic>()},
      {"chlo.asin", loopFor<VectorArcSine>()},
      {"chlo.asinh", loopFor<VectorArcSineHyperbolic>()},
      {"chlo.atan", loopFor<VectorArcTangent>()},
      {"chlo.atanh", loopFor<VectorArcTangentHyperbolic>()},
      {"chlo.cosh", loopFor<VectorCosineHyperbolic>()},
      {"chlo.erf", loopFor<VectorErrorFunction>()},
      {"chlo.erfc", loopFor<VectorErrorFunctionComplement>()},
      {"chlo.sinh", loopFor<VectorSineHyperbolic>()},
      {"stablehlo.atan2", loopFor<VectorArcTangentOfTwo>()},
      {"stablehlo.cbrt", loopFor<VectorCubeRoot>()},
      {"stablehlo.cosine", loopFor<VectorCosine>()},
      {"stablehlo.exponential", loopFor<VectorExponential>()},
      {"stablehlo.exponential_minus_one", loopFor<VectorExponentialMinusOne>()},
      {"stablehlo.log", loopFor<VectorLog>()},
      {"stablehlo.log_plus_one", loopFor<VectorLogPlusOne>()},
      {"stablehlo.logistic", loopFor<VectorLogistic>()},
      {"stablehlo.power", loopFor<VectorPower>()},
      {"stablehlo.rsqrt", loopFor<VectorRsqrt>()},
      {"stablehlo.sine", loopFor<VectorSine>()},
      {"stablehlo.tan", loopFor<VectorTangent>()},
      {"stablehlo.tanh", loopFor<VectorTanh>()},
  };
  const auto found = kLoops.find(operation);
  return found == kLoops.end() ? nullptr : found->second;
}

#else

RawLoop vectorFunction(std::string_view) { return nullptr; }

#endif

}  // namespace vintage::harness
