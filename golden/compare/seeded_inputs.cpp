#include "golden/compare/seeded_inputs.h"

#include <cmath>
#include <limits>
#include <string>

#include <nlohmann/json.hpp>

#include "golden/base/failures.h"
#include "golden/tensor/visit.h"

namespace vintage::golden {
namespace {

using Json = nlohmann::json;

constexpr const char* kAlgorithm = "splitmix64";
// The smallest normal number of f16 is 2^-14; the other types reach further.
constexpr int kLeastExponent = -14;

uint64_t splitMix(uint64_t seed, uint64_t output) {
  uint64_t z = seed + (output + 1) * 0x9E3779B97F4A7C15;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
  return z ^ (z >> 31);
}

// The integers up to which every one is exact in T; 0: no input of T is given by a seed.
template <typename T>
constexpr int64_t leastExact(bool negative) {
  if constexpr (std::is_integral_v<T>) {
    // Ranges of 64 bits are not needed, and their differences would not fit.
    using Bounds = std::conditional_t<(sizeof(T) > 4), int32_t, T>;
    return negative
               ? static_cast<int64_t>(
                     std::numeric_limits<T>::is_signed ? std::numeric_limits<Bounds>::min() : 0)
               : static_cast<int64_t>(std::numeric_limits<Bounds>::max());
  } else if constexpr (kIsFloatStorage<T>) {
    int bits = 0;
    if constexpr (std::is_floating_point_v<T>)
      bits = 31;
    else if constexpr (T::kBits == 16)
      bits = T::kMantissaBits + 1;
    if constexpr (std::is_same_v<T, float>) bits = std::numeric_limits<float>::digits;
    if (bits == 0) return 0;
    return (int64_t{1} << bits) * (negative ? -1 : 1);
  } else {
    return 0;
  }
}

}  // namespace

Result<Tensor> seededTensor(const SeededInput& input, ElementType type, Shape shape,
                            size_t limitBytes) {
  const std::string what = describe(type, shape);
  return visitElementType(type, [&]<typename T>() -> Result<Tensor> {
    const int64_t least = leastExact<T>(true), most = leastExact<T>(false);
    if (most == 0)
      return badInput(
          "no seed gives {}; one gives integers of 8 bits and more, f16, bf16, f32 "
          "and f64",
          what);
    if (input.low > input.high || input.low < least || input.high > most)
      return badInput("the range from {} to {} of {} is not inside {} to {}", input.low, input.high,
                      what, least, most);
    if (input.exponent > 0 || input.exponent < (isFloat(type) ? kLeastExponent : 0))
      return badInput("the exponent {} of {} is not one of {} to 0", input.exponent, what,
                      isFloat(type) ? kLeastExponent : 0);
    ASSIGN_OR_RETURN(auto tensor, Tensor::makeUninitialized(type, std::move(shape), limitBytes));
    const auto count = static_cast<uint64_t>(input.high - input.low) + 1;
    uint64_t output = 0;
    for (T& element : tensor.mutableValues<T>()) {
      const uint64_t word = splitMix(input.seed, output++) >> 32;
      const int64_t k = input.low + static_cast<int64_t>(word % count);
      if constexpr (kIsFloatStorage<T>)
        element = static_cast<T>(std::ldexp(static_cast<double>(k), input.exponent));
      else if constexpr (std::is_integral_v<T>)
        element = static_cast<T>(k);
    }
    return tensor;
  });
}

Json seededInputJson(const SeededInput& input) {
  Json json{
      {"algorithm", kAlgorithm}, {"seed", input.seed}, {"low", input.low}, {"high", input.high}};
  if (input.exponent != 0) json["exponent"] = input.exponent;
  return json;
}

Result<SeededInput> seededInputOfJson(const Json& json) {
  const Json* algorithm =
      json.is_object() && json.contains("algorithm") ? &json["algorithm"] : nullptr;
  if (!algorithm || !algorithm->is_string())
    return badInput("an input's seed is malformed; it needs an algorithm, a seed, low and high");
  if (*algorithm != kAlgorithm)
    return unsupported(
        "the algorithm '{}' is unknown; this build knows {}. Use a newer build of "
        "Vintage",
        algorithm->get<std::string>(), kAlgorithm);
  SeededInput input;
  int64_t exponent = 0;
  for (const auto& [name, number] : {std::pair("low", &input.low), std::pair("high", &input.high),
                                     std::pair("exponent", &exponent)}) {
    const auto found = json.find(name);
    if (found == json.end() && number == &exponent) continue;
    // A number of 2^63 and more would come back as a negative one.
    if (found == json.end() || !found->is_number_integer() ||
        (found->is_number_unsigned() && found->get<uint64_t>() > INT64_MAX))
      return badInput("an input's seed is malformed: '{}' is not an integer", name);
    *number = found->get<int64_t>();
  }
  const auto seed = json.find("seed");
  if (seed == json.end() || !seed->is_number_unsigned())
    return badInput("an input's seed is malformed: 'seed' is not a number of 0 or more");
  input.seed = seed->get<uint64_t>();
  if (exponent < kLeastExponent || exponent > 0)
    return badInput("an input's seed is malformed: the exponent {} is not one of {} to 0", exponent,
                    kLeastExponent);
  input.exponent = static_cast<int>(exponent);
  return input;
}

}  // namespace vintage::golden
