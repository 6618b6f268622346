#include "harness/engine/operations/random_distributions.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "golden/tensor/visit.h"
#include "harness/engine/operations/random_bits.h"

namespace vintage::harness::engine {
namespace {

// In [0, 1), with as many bits as a double holds.
double unit(uint64_t bits) { return static_cast<double>(bits >> 11) * 0x1p-53; }

template <typename S>
S uniformFloat(double u, double a, double b) {
  const S value(static_cast<Computation<S>>(a + (b - a) * u));
  // Rounding up to b would leave the half-open interval.
  return a < b && static_cast<double>(value) >= b ? S(static_cast<Computation<S>>(a)) : value;
}

}  // namespace

Result<Tensor> drawNumbers(Distribution distribution, const Tensor& a, const Tensor& b,
                           const Shape& shape, uint64_t seed, size_t limitBytes) {
  const ElementType type = a.type();
  const bool typeFits = distribution == Distribution::kUniform ? !isComplex(type) : isFloat(type);
  if (!typeFits || a.size() != 1 || b.size() != 1 || b.type() != type) {
    return failure(
        Error::Kind::kBadInput,
        fmt::format("The bounds are {} and {}; two scalars of one {} type are needed.", describe(a),
                    describe(b), distribution == Distribution::kUniform ? "real" : "float"));
  }
  auto result = Tensor::makeUninitialized(type, shape, limitBytes);
  if (!result) return result;
  Tensor state(ElementType::kUi64, {3});
  state.mutableValues<uint64_t>()[0] = seed;
  // Two words for each number: Box and Muller's method takes a pair.
  ASSIGN_OR_RETURN(const auto bits, generateBits(BitGenerator::kPhilox, state, ElementType::kUi64,
                                                 {2 * result->size()}, limitBytes));
  const auto words = bits.values.values<uint64_t>();
  visitElementType(type, [&]<typename S>() {
    if constexpr (!kIsComplexStorage<S>) {
      const S first = a.values<S>()[0], second = b.values<S>()[0];
      auto out = result->mutableValues<S>();
      for (size_t i = 0; i < out.size(); ++i) {
        if constexpr (kIsFloatStorage<S>) {
          const double low = static_cast<double>(first), high = static_cast<double>(second);
          if (distribution == Distribution::kUniform) {
            out[i] = uniformFloat<S>(unit(words[2 * i]), low, high);
          } else {
            const double radius = std::sqrt(-2 * std::log(1 - unit(words[2 * i])));
            const double angle = 2 * std::numbers::pi * unit(words[2 * i + 1]);
            out[i] = S(static_cast<Computation<S>>(low + high * radius * std::cos(angle)));
          }
        } else if constexpr (kIsPredicateStorage<S>) {
          out[i] = S(first == second ? static_cast<bool>(first) : (words[2 * i] & 1) != 0);
        } else {
          const auto low = static_cast<uint64_t>(static_cast<Computation<S>>(first));
          const uint64_t range = static_cast<uint64_t>(static_cast<Computation<S>>(second)) - low;
          const uint64_t value = low + (range == 0 ? 0 : words[2 * i] % range);
          out[i] = S(static_cast<int64_t>(value));
        }
      }
    }
  });
  return result;
}

}  // namespace vintage::harness::engine
