// Faults of arithmetic, bits, comparisons and conversions.
#include <bit>
#include <cmath>
#include <limits>

#include "tests/harness/engine/faults/damage.h"

namespace vintage::harness {
using namespace golden;

namespace {

using namespace damage;

bool isNarrow(ElementType type) { return type == ElementType::kBF16 || type == ElementType::kF16; }
bool isWide(ElementType type) { return type == ElementType::kI64 || type == ElementType::kUi64; }
bool isUnsigned(ElementType type) { return isInteger(type) && !isSignedInteger(type); }

bool isArray(const KernelRequest& request) { return !request.operandTypes[0].shape.empty(); }

auto direction(const char* which) {
  return [which](const KernelRequest& request) {
    return hasText(request, "comparison_direction", which);
  };
}

auto gives(bool (*is)(ElementType)) {
  return [is](const KernelRequest& request) { return is(request.resultTypes[0].element); };
}

// The sum, product, … is exact in binary64 for the operands of a narrow float.
template <typename Exact>
FaultyFactory towardZero(Exact exact) {
  return where(isNarrow, results([exact](OperandValues operands, ResultValues& results) {
                 const std::vector<double> x = numbers(operands[0].tensor);
                 const std::vector<double> y = numbers(operands[1].tensor);
                 Tensor& result = results[0].tensor;
                 visitElementType(result.type(), [&]<typename T>() {
                   if constexpr (kIsNarrowFloat<T> && sizeof(T) == sizeof(uint16_t)) {
                     const auto values = result.mutableValues<T>();
                     for (size_t i = 0; i < values.size(); ++i) {
                       const double truth = exact(x[i], y[i]);
                       const double rounded = static_cast<double>(values[i]);
                       if (!std::isfinite(rounded) || std::abs(rounded) <= std::abs(truth))
                         continue;
                       // The next one toward zero has the next lower bits.
                       values[i] = std::bit_cast<T>(
                           static_cast<uint16_t>(std::bit_cast<uint16_t>(values[i]) - 1));
                     }
                   }
                 });
               }));
}

FaultyFactory integers(int64_t (*change)(int64_t result, int64_t left, int64_t right)) {
  return results([change](OperandValues operands, ResultValues& results) {
    visitElementType(results[0].tensor.type(), [&]<typename T>() {
      if constexpr (std::is_integral_v<T>) {
        const auto left = operands[0].tensor.values<T>();
        const auto right = operands[operands.size() - 1].tensor.values<T>();
        const auto values = results[0].tensor.mutableValues<T>();
        for (size_t i = 0; i < values.size(); ++i)
          values[i] =
              static_cast<T>(change(static_cast<int64_t>(values[i]), static_cast<int64_t>(left[i]),
                                    static_cast<int64_t>(right[i])));
      }
    });
  });
}

// NaN where either operand is one becomes the other operand.
FaultyFactory ignoresNan() {
  return binary([](double x, double y, double z) {
    return std::isnan(x) ? y : std::isnan(y) ? x : z;
  });
}

constexpr int64_t kLowHalf = 0xffffffff;

}  // namespace

std::vector<SeededFault> arithmeticFaults() {
  return {
      {"add_carry_lost", "64-bit sums lose the carry into their upper half", "stablehlo.add", "add",
       where(isWide, integers([](int64_t, int64_t left, int64_t right) {
               const auto a = static_cast<uint64_t>(left), b = static_cast<uint64_t>(right);
               return static_cast<int64_t>((((a >> 32) + (b >> 32)) << 32) | ((a + b) & kLowHalf));
             }))},
      {"add_toward_zero", "sums of narrow floats are rounded toward zero", "stablehlo.add", "add",
       towardZero([](double x, double y) { return x + y; })},
      {"subtract_wrong_sign", "float differences have the other sign", "stablehlo.subtract", "sub",
       where(isFloat, swapped(0, 1))},
      {"multiply_toward_zero", "products of narrow floats are rounded toward zero",
       "stablehlo.multiply", "mul", towardZero([](double x, double y) { return x * y; })},
      {"multiply_integer_overflow", "64-bit products overflow at 32 bits", "stablehlo.multiply",
       "mul", where(isWide, integers([](int64_t result, int64_t, int64_t) {
                      return static_cast<int64_t>(static_cast<int32_t>(result));
                    }))},
      {"divide_floors", "signed quotients are rounded down rather than toward zero",
       "stablehlo.divide", "div",
       where(isSignedInteger, integers([](int64_t result, int64_t left, int64_t right) {
               const bool inexact = right != 0 && right != -1 && left % right != 0;
               return inexact && (left < 0) != (right < 0) ? result - 1 : result;
             }))},
      {"remainder_of_divisor", "the remainder takes the sign of the divisor", "stablehlo.remainder",
       "rem", binary([](double x, double y, double z) {
         return std::isfinite(y) && z != 0 && (z < 0) != (y < 0) ? z + y : z;
       })},
      {"maximum_ignores_nan", "the maximum with NaN is the other operand", "stablehlo.maximum",
       "max", ignoresNan()},
      {"minimum_ignores_nan", "the minimum with NaN is the other operand", "stablehlo.minimum",
       "min", ignoresNan()},
      {"negate_keeps_infinity", "the negative of an infinity is itself", "stablehlo.negate", "neg",
       unary([](double x, double y) { return std::isinf(x) ? x : y; })},
      {"absolute_of_nan", "the absolute value of NaN is zero", "stablehlo.abs", "abs",
       unary([](double x, double y) { return std::isnan(x) ? 0 : y; })},
      {"sign_of_nan", "the sign of NaN is zero", "stablehlo.sign", "sign",
       unary([](double x, double y) { return std::isnan(x) ? 0 : y; })},
      {"and_loses_sign_bit", "signed conjunctions lose the highest bit", "stablehlo.and", "and",
       where(isSignedInteger,
             integerResults([](int64_t value, size_t) { return value < 0 ? ~value : value; }))},
      {"or_is_xor", "disjunctions of unsigned integers are exclusive", "stablehlo.or", "or",
       where(isUnsigned, replacedBy("stablehlo.xor"))},
      {"not_negates", "the complement of a signed integer is its negative", "stablehlo.not", "not",
       where(isSignedInteger, replacedBy("stablehlo.negate"))},
      {"shift_right_fills_zero", "arithmetic shifts fill with zeros",
       "stablehlo.shift_right_arithmetic", "shift_right_arithmetic",
       where(isSignedInteger, replacedBy("stablehlo.shift_right_logical"))},
      {"shift_right_fills_sign", "logical shifts of signed integers fill with the sign",
       "stablehlo.shift_right_logical", "shift_right_logical",
       where(isSignedInteger, replacedBy("stablehlo.shift_right_arithmetic"))},
      {"popcnt_misses_a_bit", "the highest bit is not counted", "stablehlo.popcnt",
       "population_count", operands([](std::vector<Value>& values) {
         visitElementType(values[0].tensor.type(), [&]<typename T>() {
           if constexpr (std::is_integral_v<T>)
             for (T& value : values[0].tensor.mutableValues<T>())
               value = static_cast<T>(
                   value & (std::numeric_limits<T>::max() >> (std::is_signed_v<T> ? 0 : 1)));
         });
       })},
      {"leading_zeros_of_zero", "zero has one leading zero less than bits",
       "stablehlo.count_leading_zeros", "clz", integers([](int64_t result, int64_t value, int64_t) {
         return value == 0 ? result - 1 : result;
       })},
      {"equal_nan", "NaN equals NaN", "stablehlo.compare", "eq",
       where(direction("EQ"),
             where(isFloat, results([](OperandValues operands, ResultValues& results) {
                     const auto x = numbers(operands[0].tensor), y = numbers(operands[1].tensor);
                     const auto bytes = results[0].tensor.mutableBytes();
                     for (size_t i = 0; i < x.size(); ++i)
                       if (std::isnan(x[i]) && std::isnan(y[i])) bytes[i] = std::byte{1};
                   })))},
      {"less_is_less_or_equal", "less than holds for equal integers", "stablehlo.compare", "lt",
       where(direction("LT"),
             where(isArray, where(isInteger, attributes([](AttributeMap& attributes) {
                                    attributes["comparison_direction"].value = std::string("LE");
                                  }))))},
      {"greater_signed", "greater or equal of unsigned integers compares them as signed",
       "stablehlo.compare", "ge",
       where(direction("GE"),
             where(isUnsigned, results([](OperandValues operands, ResultValues& results) {
                     const auto bytes = results[0].tensor.mutableBytes();
                     visitElementType(operands[0].tensor.type(), [&]<typename T>() {
                       if constexpr (std::is_integral_v<T>) {
                         const auto x = operands[0].tensor.values<T>();
                         const auto y = operands[1].tensor.values<T>();
                         using Signed = std::make_signed_t<T>;
                         for (size_t i = 0; i < x.size(); ++i)
                           bytes[i] =
                               std::byte{static_cast<Signed>(x[i]) >= static_cast<Signed>(y[i])};
                       }
                     });
                   })))},
      {"clamp_bounds_swapped", "the upper bound clamps from below", "stablehlo.clamp", "clamp",
       swapped(0, 2)},
      {"convert_rounds_up", "a float becomes the nearest integer instead of the one toward zero",
       "stablehlo.convert", "convert_element_type",
       where(isFloat, where(gives(isInteger), operands([](std::vector<Value>& values) {
                              eachFloat(values[0].tensor,
                                        [](double x, size_t) { return std::nearbyint(x); });
                            })))},
      {"convert_flushes_subnormals", "a conversion between floats flushes subnormals to zero",
       "stablehlo.convert", "convert_element_type",
       where(isFloat, where(gives(isFloat), results([](auto, ResultValues& results) {
                              visitElementType(results[0].tensor.type(), [&]<typename T>() {
                                if constexpr (kIsFloatStorage<T>) {
                                  constexpr double kSmallest =
                                      static_cast<double>(std::numeric_limits<T>::min());
                                  eachFloat(results[0].tensor, [](double y, size_t) {
                                    return std::abs(y) < kSmallest ? std::copysign(0.0, y) : y;
                                  });
                                }
                              });
                            })))},
      {"reduce_precision_one_bit", "one more bit of the mantissa is kept",
       "stablehlo.reduce_precision", "reduce_precision", attributes([](AttributeMap& attributes) {
         if (auto* bits = std::get_if<int64_t>(&attributes["mantissa_bits"].value)) ++*bits;
       })},
      {"bitcast_swaps_bytes", "16-bit elements have their bytes swapped",
       "stablehlo.bitcast_convert", "bitcast_convert_type",
       results([](auto, ResultValues& results) {
         if (byteWidth(results[0].tensor.type()) != 2) return;
         const auto bytes = results[0].tensor.mutableBytes();
         for (size_t i = 0; i + 1 < bytes.size(); i += 2) std::swap(bytes[i], bytes[i + 1]);
       })},
      {"complex_parts_swapped", "the real and the imaginary part change places",
       "stablehlo.complex", "complex", swapped(0, 1)},
      {"imaginary_wrong_sign", "the imaginary part has the wrong sign", "stablehlo.imag", "imag",
       negatedResult(0)},
  };
}

}  // namespace vintage::harness
