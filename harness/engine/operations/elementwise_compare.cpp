// stablehlo.compare.
#include <bit>
#include <map>
#include <string>
#include <type_traits>

#include "harness/engine/checked_attributes.h"
#include "harness/engine/operations/loop_table.h"

namespace vintage::harness {
using namespace golden;

namespace {

// An integer that orders floats totally: -NaN < -inf < … < -0 < 0 < … < inf < NaN.
template <typename T>
auto totalOrderKey(T x) {
  using Bits = std::conditional_t<sizeof(T) == 4, int32_t, int64_t>;
  const auto bits = std::bit_cast<Bits>(x);
  constexpr Bits kMagnitude = std::numeric_limits<Bits>::max();
  return bits < 0 ? static_cast<Bits>(bits ^ kMagnitude) : bits;
}

#define VINTAGE_COMPARISON(NAME, OPERATOR)                                                   \
  struct NAME {                                                                              \
    template <typename T>                                                                    \
    static Predicate apply(T x, T y) { return Predicate(x OPERATOR y); }                     \
  };                                                                                         \
  struct Total##NAME {                                                                       \
    template <typename T>                                                                    \
    static Predicate apply(T x, T y) {                                                       \
      return Predicate(totalOrderKey(x) OPERATOR totalOrderKey(y));                          \
    }                                                                                        \
  };
VINTAGE_COMPARISON(Equal, ==)
VINTAGE_COMPARISON(NotEqual, !=)
VINTAGE_COMPARISON(Less, <)
VINTAGE_COMPARISON(LessOrEqual, <=)
VINTAGE_COMPARISON(Greater, >)
VINTAGE_COMPARISON(GreaterOrEqual, >=)
#undef VINTAGE_COMPARISON

struct Tables {
  LoopTable usual, total;
};

template <typename F, typename Total>
Tables ordering() {
  return {loopTable<F, 2, PredicateTypes, SignedTypes, UnsignedTypes, FloatTypes>(),
          loopTable<Total, 2, FloatTypes>()};
}
template <typename F, typename Total>
Tables equality() {
  return {loopTable<F, 2, PredicateTypes, SignedTypes, UnsignedTypes, FloatTypes, ComplexTypes>(),
          loopTable<Total, 2, FloatTypes>()};
}

const std::map<std::string, Tables>& comparisonTables() {
  static const std::map<std::string, Tables> kTables = {
      {"EQ", equality<Equal, TotalEqual>()},
      {"NE", equality<NotEqual, TotalNotEqual>()},
      {"LT", ordering<Less, TotalLess>()},
      {"LE", ordering<LessOrEqual, TotalLessOrEqual>()},
      {"GT", ordering<Greater, TotalGreater>()},
      {"GE", ordering<GreaterOrEqual, TotalGreaterOrEqual>()},
  };
  return kTables;
}

}  // namespace

std::optional<Result<ElementLoop>> makeCompareLoop(const Operation& operation,
                                                   std::span<const ElementType> operandTypes,
                                                   ElementType resultType) {
  if (operation.name != "stablehlo.compare") return std::nullopt;
  CheckedAttributes read(operation);
  const std::string direction = read.text("comparison_direction");
  const std::string type = read.text("compare_type", "NOTYPE");
  if (auto status = read.status(); !status)
    return Result<ElementLoop>(tl::unexpected(status.error()));
  const auto found = comparisonTables().find(direction);
  if (found == comparisonTables().end())
    return Result<ElementLoop>(failure(
        Error::Kind::kBadInput, "stablehlo.compare: there is no direction '" + direction + "'"));
  if (operandTypes.size() != 2 || operandTypes[0] != operandTypes[1] ||
      resultType != ElementType::kI1)
    return Result<ElementLoop>(wrongTypes(operation, operandTypes, resultType));
  const bool total = type == "TOTALORDER" && isFloat(operandTypes[0]);
  const LoopTable& table = total ? found->second.total : found->second.usual;
  const RawLoop loop = table[static_cast<size_t>(computedIn(operandTypes[0]))];
  if (loop == nullptr)
    return Result<ElementLoop>(wrongTypes(operation, operandTypes, resultType));
  return Result<ElementLoop>(staged(loop, operandTypes, resultType));
}

}  // namespace vintage::harness
