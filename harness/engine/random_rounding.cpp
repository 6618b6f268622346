// The runs themselves: which elements move, and how far.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "golden/tensor/visit.h"
#include "harness/engine/rounding.h"

namespace vintage::harness {
using namespace golden;

namespace {

constexpr int kAccumulatorDigits = 24;         // Of f32.
constexpr uint64_t kStreamsOfAStep = 1 << 16;  // Operands or results.

uint64_t mixed(uint64_t x) {  // SplitMix64's finalizer.
  x += 0x9E3779B97F4A7C15;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
  return x ^ (x >> 31);
}

// A whole number of units whose mean square is that of a random number up to `units`.
int64_t moveOf(uint64_t stream, size_t index, double units) {
  constexpr double kStep = 1.0 / (uint64_t{1} << 32);
  const uint64_t bits = mixed(stream ^ mixed(index));
  const double place = static_cast<double>(bits >> 32) * 2 * kStep - 1;
  return static_cast<int64_t>(
      std::floor(place * units + static_cast<double>(bits & 0xFFFFFFFF) * kStep));
}

// The number `units` further from zero; never zero or beyond the largest, which only an exact
// operation or an overflow gives.
template <typename T>
T moved(T value, int64_t units) {
  if constexpr (kIsNarrowFloat<T>) {
    const auto magnitude = static_cast<int64_t>(value.bits() & ~T::kSignBit);
    if (!T::kSigned || magnitude == 0 || !value.isFinite()) return value;
    const int64_t wanted = std::clamp<int64_t>(magnitude + units, 1, T::kSignBit - 1);
    const T result =
        T::fromBits(static_cast<typename T::Bits>(wanted | (value.bits() & T::kSignBit)));
    return result.isFinite() ? result : value;
  } else {
    using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
    constexpr Bits kSign = Bits{1} << (sizeof(T) * 8 - 1);
    const Bits bits = std::bit_cast<Bits>(value);
    if (value == 0 || !std::isfinite(value)) return value;
    const auto largest = static_cast<int64_t>(std::bit_cast<Bits>(std::numeric_limits<T>::max()));
    const int64_t wanted =
        std::clamp<int64_t>(static_cast<int64_t>(bits & ~kSign) + units, 1, largest);
    return std::bit_cast<T>(static_cast<Bits>(static_cast<Bits>(wanted) | (bits & kSign)));
  }
}

// The elements of a float tensor, or the parts of a complex one.
template <typename Visitor>
void visitParts(ElementType type, Visitor visitor) {
  visitElementType(realPart(type), [&]<typename T>() {
    if constexpr (kIsFloatStorage<T>) visitor.template operator()<T>();
  });
}
template <typename T>
std::span<const T> partsOf(const Tensor& tensor) {
  const auto bytes = tensor.bytes();
  return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
}

// Moves the elements for which `stays` is false.
template <typename Stays>
void moveAll(Tensor& tensor, uint64_t stream, double units, Stays stays) {
  visitParts(tensor.type(), [&]<typename T>() {
    const auto bytes = tensor.mutableBytes();
    const std::span<T> parts(reinterpret_cast<T*>(bytes.data()), bytes.size() / sizeof(T));
    for (size_t i = 0; i < parts.size(); ++i)
      if (!stays(i, static_cast<double>(parts[i])))
        parts[i] = moved(parts[i], moveOf(stream, i, units));
  });
}

std::vector<double> doublesOf(const Tensor& tensor) {
  std::vector<double> values;
  visitElementType(realPart(tensor.type()), [&]<typename T>() {
    if constexpr (!kIsComplexStorage<T>) {
      const auto parts = partsOf<T>(tensor);
      values.resize(parts.size());
      for (size_t i = 0; i < parts.size(); ++i)
        values[i] = static_cast<double>(static_cast<Computation<T>>(parts[i]));
    }
  });
  return values;
}

// Whether `result` is what the operation gives of a and b without a rounding error.
bool isExact(Rounding::Kind kind, double a, double b, double result) {
  using enum Rounding::Kind;
  switch (kind) {
    case kAdd:
    case kSubtract: {
      if (kind == kSubtract) b = -b;
      const double total = a + b, rest = total - a;
      return total == result && (a - (total - rest)) + (b - rest) == 0;
    }
    case kMultiply:
      return a * b == result && std::fma(a, b, -result) == 0;
    case kDivide:
      return std::fma(result, b, -a) == 0;
    case kSquareRoot:
      return std::fma(result, result, -a) == 0;
    case kConvert:
      return a == result;
    default:
      return a == 0;
  }
}

// Between which powers of two the set bits of all elements lie.
struct Grid {
  int lowest = std::numeric_limits<int>::max(), highest = std::numeric_limits<int>::min();
  bool finite = true;
};
Grid gridOf(const Tensor& tensor) {
  Grid grid;
  visitParts(tensor.type(), [&]<typename T>() {
    for (const T part : partsOf<T>(tensor)) {
      const double value = std::abs(static_cast<double>(part));
      if (value == 0) continue;
      if (!std::isfinite(value)) {
        grid.finite = false;
        return;
      }
      int exponent = 0;
      const auto digits = static_cast<uint64_t>(std::ldexp(std::frexp(value, &exponent), 53));
      grid.lowest = std::min(grid.lowest, exponent - 53 + std::countr_zero(digits));
      grid.highest = std::max(grid.highest, exponent);
    }
  });
  return grid;
}

int digitsOf(ElementType type) {
  int digits = 0;
  visitParts(type, [&]<typename T>() {
    if constexpr (kIsNarrowFloat<T>)
      digits = T::kMantissaBits + 1;
    else
      digits = std::numeric_limits<T>::digits;
  });
  return digits;
}

// Whether no order in which the terms could be added rounds: all bits that a sum could have fit.
bool isExactSum(const Rounding& rounding, std::span<const Value> operands) {
  if (!rounding.onlyAdds) return false;
  const int carries = static_cast<int>(std::ceil(std::log2(rounding.terms)));
  int bits = carries, digits = rounding.accumulatesWide ? kAccumulatorDigits : 0;
  for (size_t i = rounding.firstMoved; i < rounding.lastMoved; ++i) {
    const Tensor& tensor = operands[i].tensor;
    if (!isFloat(tensor.type())) return false;
    const Grid grid = gridOf(tensor);
    if (!grid.finite) return false;
    const int own = std::max(grid.highest - grid.lowest, 0);
    // A product has the bits of both factors, and operands of other sums have nothing in common.
    bits = rounding.accumulatesWide ? bits + own : std::max(bits, carries + own);
    digits = std::max(digits, digitsOf(tensor.type()));
  }
  return bits <= digits;
}

}  // namespace

void RandomRounding::moveOperands(const Rounding& rounding, std::span<Value> operands) {
  ++step_;
  exact_ = isExactSum(rounding, operands);
  if (exact_) return;
  for (size_t i = rounding.firstMoved; i < std::min(rounding.lastMoved, operands.size()); ++i) {
    Tensor& tensor = operands[i].tensor;
    if (operands[i].isToken || operands[i].isTuple || !isFloat(realPart(tensor.type()))) continue;
    double units = rounding.operandUnits;
    if (rounding.accumulatesWide)
      units *= std::exp2(std::min(0, digitsOf(tensor.type()) - kAccumulatorDigits));
    moveAll(tensor, mixed(seed_ ^ mixed(step_ * kStreamsOfAStep + i)), units,
            [](size_t, double) { return false; });
  }
}

void RandomRounding::moveResults(const Rounding& rounding, std::span<const Value> operands,
                                 std::span<Value> results) {
  using enum Rounding::Kind;
  if (exact_) return;
  for (size_t i = 0; i < results.size(); ++i) {
    if (results[i].isToken || results[i].isTuple) continue;
    Tensor& tensor = results[i].tensor;
    if (!isFloat(realPart(tensor.type()))) continue;
    const uint64_t stream = mixed(seed_ ^ mixed(~(step_ * kStreamsOfAStep + i)));
    const bool scattered = rounding.kind == kScatteredSum;
    if (rounding.kind == kSum || rounding.kind == kSolver || operands.empty()) {
      moveAll(tensor, stream, rounding.resultUnits, [](size_t, double) { return false; });
      continue;
    }
    const std::vector<double> a = doublesOf(operands[scattered ? i : 0].tensor);
    const std::vector<double> b =
        operands.size() > 1 && !scattered ? doublesOf(operands[1].tensor) : a;
    const size_t parts = static_cast<size_t>(tensor.size()) * (isComplex(tensor.type()) ? 2 : 1);
    const bool known = a.size() == parts && b.size() == parts;
    moveAll(tensor, stream, rounding.resultUnits, [&](size_t element, double result) {
      if (!known) return false;
      return scattered ? result == a[element]
                       : isExact(rounding.kind, a[element], b[element], result);
    });
  }
}

}  // namespace vintage::harness
