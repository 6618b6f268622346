// Loops of elementwise operations by the type that they compute in.
//
// A function is written once over types; loopTable<kFunction, …> instantiates it
// for those that the operation has. Narrow floats (bf16, f16, f8, …) have no
// loops of their own: chunks of them are widened to float, computed, and
// rounded once. Integers of 2 and 4 bits go through 8 bits in the same way.
#pragma once

#include <array>
#include <complex>
#include <cstddef>
#include <map>
#include <string_view>
#include <unordered_map>

#include "golden/tensor/visit.h"
#include "harness/engine/kernel.h"
#include "harness/engine/operations/processors.h"

namespace vintage::harness {

using RawLoop = void (*)(const void* const* operands, void* result, size_t count);

// By element type; null where the operation does not exist for the type.
using LoopTable = std::array<RawLoop, golden::kElementTypeCount>;

template <auto kFunction, typename T, ScalarOperands kScalars, size_t... kOperand>
[[gnu::always_inline]] inline void runLoop(const void* const* operands, void* result, size_t count,
                                           std::index_sequence<kOperand...>) {
  using Out = decltype(kFunction((static_cast<void>(kOperand), T())...));
  const std::array<const T*, sizeof...(kOperand)> in{static_cast<const T*>(operands[kOperand])...};
  auto* out = static_cast<Out*>(result);
  const std::array<T, sizeof...(kOperand)> first{
      ((kScalars >> kOperand & 1) != 0 && count > 0 ? in[kOperand][0] : T())...};
  // The result may lie in an operand's place; compilers take that for a reason not to vectorize.
#pragma clang loop vectorize(assume_safety)
  for (size_t i = 0; i < count; ++i)
    out[i] = kFunction(((kScalars >> kOperand & 1) != 0 ? first[kOperand] : in[kOperand][i])...);
}

template <auto kFunction, size_t kOperands, typename T, ScalarOperands kScalars = 0>
[[gnu::always_inline]] inline void rawLoop(const void* const* operands, void* result,
                                           size_t count) {
  runLoop<kFunction, T, kScalars>(operands, result, count, std::make_index_sequence<kOperands>());
}

template <typename... T>
struct TypeList {};
using SignedTypes = TypeList<int8_t, int16_t, int32_t, int64_t>;
using UnsignedTypes = TypeList<uint8_t, uint16_t, uint32_t, uint64_t>;
using FloatTypes = TypeList<float, double>;
using ComplexTypes = TypeList<std::complex<float>, std::complex<double>>;
using PredicateTypes = TypeList<golden::Predicate>;
using NarrowIntegers = TypeList<golden::Int2, golden::Int4, golden::Uint2, golden::Uint4>;
using NarrowFloats =
    TypeList<golden::Float4E2M1FN, golden::Float6E2M3FN, golden::Float6E3M2FN, golden::Float8E3M4,
             golden::Float8E4M3, golden::Float8E4M3B11FNUZ, golden::Float8E4M3FN,
             golden::Float8E4M3FNUZ, golden::Float8E5M2, golden::Float8E5M2FNUZ,
             golden::Float8E8M0FNU, golden::BFloat16, golden::Float16>;

template <auto kFunction, size_t kOperands, ScalarOperands kScalars, typename... T>
constexpr void addLoops(LoopTable& table, TypeList<T...>) {
  ((table[static_cast<size_t>(golden::kElementTypeOf<T>)] =
        &onAnyProcessor<&rawLoop<kFunction, kOperands, T, kScalars>>),
   ...);
}

template <auto kFunction, size_t kOperands, ScalarOperands kScalars, typename... Lists>
constexpr LoopTable scalarTable() {
  LoopTable table{};
  (addLoops<kFunction, kOperands, kScalars>(table, Lists{}), ...);
  return table;
}
template <auto kFunction, size_t kOperands, typename... Lists>
constexpr LoopTable loopTable() {
  return scalarTable<kFunction, kOperands, 0, Lists...>();
}
template <auto kFunction>
constexpr LoopTable kRealTable = loopTable<kFunction, 1, FloatTypes>();
template <auto kFunction>
constexpr LoopTable kFloatTable = loopTable<kFunction, 1, FloatTypes, ComplexTypes>();

// One elementwise operation: its loops by the type of its operands, or, where that has none of its
// own, by the type that it is computed in.
struct NamedLoops {
  LoopTable table;
  size_t operands = 1;
  enum class Gives { kOperandType, kPredicate, kRealPart, kComplex } gives = Gives::kOperandType;
  std::map<ScalarOperands, LoopTable> withScalars{};  // For some, which are faster.
};
using LoopsByName = std::unordered_map<std::string_view, NamedLoops>;
const LoopsByName& unaryLoops();
const LoopsByName& binaryLoops();           // Clamp included.
const LoopsByName& specialFunctionLoops();  // CHLO

// The type that `type` is computed in: kF32 for narrow floats, kI8 and kUi8 for
// integers of 2 and 4 bits, else itself.
golden::ElementType computedIn(golden::ElementType type);

// Widens `count` elements of `type` to computedIn(type), and back. Both work in
// steps of any size. Not for types that are computed in themselves.
void widen(golden::ElementType type, const void* from, void* to, size_t count);
void narrow(golden::ElementType type, const void* from, void* to, size_t count);

ElementLoop elementLoop(RawLoop loop);
// `loop`, which computes over computedIn() of the request's types, over the types themselves.
ElementLoop staged(ElementLoop loop, const LoopRequest& request);

// Operations without a table: their operand types differ, or attributes choose among their loops.
MadeLoop makeCompareLoop(const LoopRequest& request);
MadeLoop makeConvertLoop(const LoopRequest& request);
MadeLoop makeSelectLoop(const LoopRequest& request);
MadeLoop makeReducePrecisionLoop(const LoopRequest& request);

// As stablehlo.convert does it.
void convertElements(golden::ElementType type, golden::ElementType resultType, const void* source,
                     void* result, size_t count);
// The tensor itself where it has the type.
Result<golden::Tensor> convertTensor(const golden::Tensor& tensor, golden::ElementType type,
                                     size_t limitBytes);

// "stablehlo.popcnt does not take f32 and f32 to give f32".
tl::unexpected<Error> wrongTypes(const LoopRequest& request);

// Functions of floats, several at a time: a loop over operands of f32 for
// "stablehlo.tanh", "stablehlo.power" …; null where the C library or this machine's processor has
// none, or one at a time is as fast.
//
// Like the loops of one float at a time they are computed in double and rounded
// once: the vector functions of the C library err by at most four units of the
// last place of a double, so that a float comes out correctly rounded but for
// the rarest cases (a few in a hundred million). An element's value does not
// depend on those beside it.
RawLoop vectorFunction(std::string_view operation);

}  // namespace vintage::harness
