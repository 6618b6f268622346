// stablehlo.rng_bit_generator and stablehlo.rng.
#include <cmath>
#include <numbers>

#include "golden/base/failures.h"
#include "golden/tensor/visit.h"
#include "harness/engine/checked_attributes.h"
#include "harness/engine/kernel.h"
#include "harness/engine/operations/random_bits.h"

namespace vintage::harness {
using namespace golden;

namespace {

Result<Kernel> makeRngBitGenerator(const KernelRequest& request) {
  ASSIGN_OR_RETURN(const std::string algorithm, textOf(request.operation, "rng_algorithm"));
  if (request.operandTypes.size() != 1 || request.resultTypes.size() != 2) {
    return badInput("stablehlo.rng_bit_generator needs one operand and two results.");
  }
  BitGenerator generator = BitGenerator::kPhilox;
  if (algorithm == "THREE_FRY") {
    generator = BitGenerator::kThreefry;
  } else if (algorithm != "PHILOX" && algorithm != "DEFAULT") {  // XLA's CPU default is Philox.
    return badInput(
        "stablehlo.rng_bit_generator: the algorithm {} is none of DEFAULT, THREE_FRY, PHILOX.",
        algorithm);
  }
  return Kernel([=, type = request.resultTypes[1]](KernelCall& call) -> Status {
    ASSIGN_OR_RETURN(auto bits, within("stablehlo.rng_bit_generator",
                                       generateBits(generator, call.operands[0].tensor,
                                                    type.element, type.shape)));
    call.results[0].tensor = std::move(bits.state);
    call.results[1].tensor = std::move(bits.values);
    return {};
  });
}

Result<Kernel> makeRng(const KernelRequest& request) {
  ASSIGN_OR_RETURN(const std::string name, textOf(request.operation, "rng_distribution"));
  if (request.operandTypes.size() != 3 || (name != "UNIFORM" && name != "NORMAL")) {
    return badInput(
        "stablehlo.rng needs three operands and UNIFORM or NORMAL; it has {} "
        "and {}.",
        request.operandTypes.size(), name);
  }
  const auto distribution = name == "UNIFORM" ? Distribution::kUniform : Distribution::kNormal;
  // Several draws in one program must differ: each is seeded by its own place.
  uint64_t seed = 0x9E3779B97F4A7C15u;
  for (ValueId id : request.operation.results) seed += id;
  return Kernel([=](KernelCall& call) -> Status {
    const Tensor& dimensions = call.operands[2].tensor;
    Shape shape;
    if (dimensions.type() == ElementType::kI64) {
      const auto values = dimensions.values<int64_t>();
      shape.assign(values.begin(), values.end());
    } else if (dimensions.type() == ElementType::kI32) {
      const auto values = dimensions.values<int32_t>();
      shape.assign(values.begin(), values.end());
    } else {
      return badInput("stablehlo.rng: the shape is {}; i64 or i32 is needed.",
                      describe(dimensions));
    }
    ASSIGN_OR_RETURN(call.results[0].tensor,
                     within("stablehlo.rng", drawNumbers(distribution, call.operands[0].tensor,
                                                         call.operands[1].tensor, shape, seed,
                                                         call.availableBytes)));
    return {};
  });
}

constexpr OperationEntry kRandomOperations[] = {{"stablehlo.rng_bit_generator", makeRngBitGenerator},
                                          {"stablehlo.rng", makeRng}};

// In [0, 1), with as many bits as a double holds.
double unit(uint64_t bits) { return static_cast<double>(bits >> 11) * 0x1p-53; }

template <typename S>
S uniformFloat(double u, double a, double b) {
  const S value(static_cast<Computation<S>>(a + (b - a) * u));
  // Rounding up to b would leave the half-open interval.
  return a < b && static_cast<double>(value) >= b ? S(static_cast<Computation<S>>(a)) : value;
}

}  // namespace

std::span<const OperationEntry> randomOperations() { return kRandomOperations; }

Result<Tensor> drawNumbers(Distribution distribution, const Tensor& a, const Tensor& b,
                           const Shape& shape, uint64_t seed, size_t limitBytes) {
  const ElementType type = a.type();
  const bool typeFits = distribution == Distribution::kUniform ? !isComplex(type) : isFloat(type);
  if (!typeFits || a.size() != 1 || b.size() != 1 || b.type() != type) {
    return badInput("The bounds are {} and {}; two scalars of one {} type are needed.", describe(a),
                    describe(b), distribution == Distribution::kUniform ? "real" : "float");
  }
  ASSIGN_OR_RETURN(auto result, Tensor::makeUninitialized(type, shape, limitBytes));
  Tensor state(ElementType::kUi64, {3});
  state.mutableValues<uint64_t>()[0] = seed;
  // Two words for each number: Box and Muller's method takes a pair.
  ASSIGN_OR_RETURN(const auto bits, generateBits(BitGenerator::kPhilox, state, ElementType::kUi64,
                                                 {2 * result.size()}, limitBytes));
  const auto words = bits.values.values<uint64_t>();
  visitElementType(type, [&]<typename S>() {
    if constexpr (!kIsComplexStorage<S>) {
      const S first = a.values<S>()[0], second = b.values<S>()[0];
      auto out = result.mutableValues<S>();
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

}  // namespace vintage::harness
