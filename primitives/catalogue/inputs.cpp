#include "primitives/catalogue/inputs.h"

#include <algorithm>
#include <cmath>

#include "golden/oracle/number.h"

namespace vintage::primitives {
using namespace golden;

namespace {

using oracle::Number;

std::vector<double> floatEdges(ElementType type, const Domain& domain) {
  const oracle::FloatFormat format = oracle::floatFormat(type);
  const double smallestSubnormal = std::ldexp(1.0, format.smallest - format.precision + 1);
  const double smallestNormal = std::ldexp(1.0, format.smallest);
  const double largest = format.largestFinite();
  // XLA's CPU treats numbers below the normal ones of f32 and f64 as zero, even when it computes
  // bf16, and zero is a valid result. So inputs contain no such number.
  const bool flushed =
      type == ElementType::kBF16 || type == ElementType::kF32 || type == ElementType::kF64;
  const double smallest = flushed ? smallestNormal : smallestSubnormal;
  std::vector<double> edges{
      0.0, -0.0, 1.0, -1.0, smallest, largest, oracle::kInfinity, -oracle::kInfinity};
  if (domain.edges == Domain::Edges::kAll) {
    const double epsilon = std::ldexp(1.0, 1 - format.precision);
    if (!flushed)
      edges.insert(edges.end(), {-smallestSubnormal, smallestNormal, smallestNormal / 2});
    edges.insert(edges.end(), {-smallestNormal, -largest, 1 + epsilon, 1 - epsilon / 2, 0.5, -0.5,
                               1.5, 2.5, -2.5, 10.0, -20.0, 88.0, -88.0});
  }
  std::erase_if(edges, [&](double edge) {
    if (format.overflow != oracle::FloatFormat::Overflow::kInfinity && std::isinf(edge))
      return true;
    if (!format.subnormals && edge < smallestNormal) return true;
    return edge < domain.edgeLow || edge > domain.edgeHigh || (edge == 0 && !domain.zero);
  });
  if (domain.nan && format.hasNan()) edges.push_back(oracle::kNan);
  return edges;
}

std::vector<oracle::Wide> integerEdges(ElementType type, const Domain& domain) {
  using oracle::highest;
  using oracle::lowest;
  std::vector<oracle::Wide> edges{0, 1, lowest(type), highest(type)};
  if (isSignedInteger(type)) edges.push_back(-1);
  if (domain.edges == Domain::Edges::kAll)
    edges.insert(edges.end(), {2, lowest(type) + 1, highest(type) - 1, highest(type) / 2 + 1});
  std::erase_if(edges, [&](oracle::Wide edge) {
    return static_cast<double>(edge) < domain.edgeLow ||
           static_cast<double>(edge) > domain.edgeHigh || (edge == 0 && !domain.zero);
  });
  return edges;
}

double randomReal(const Domain& domain, Random& random) {
  if (domain.wholeNumbers) {
    return static_cast<double>(random.integer(static_cast<int64_t>(std::ceil(domain.low)),
                                              static_cast<int64_t>(std::floor(domain.high))));
  }
  return domain.low + (domain.high - domain.low) * random.uniform();
}

Number randomNumber(ElementType type, const Domain& domain, Random& random) {
  Number number;
  if (isPredicate(type)) {
    number.integer = static_cast<int64_t>(random.next() >> 63);
  } else if (isInteger(type)) {
    const double low = std::max(std::ceil(domain.low), static_cast<double>(oracle::lowest(type)));
    const double high =
        std::min(std::floor(domain.high), static_cast<double>(oracle::highest(type)));
    number.integer = high < low
                         ? static_cast<int64_t>(low)
                         : random.integer(static_cast<int64_t>(low), static_cast<int64_t>(high));
    if (!domain.zero && number.integer == 0) number.integer = 1;
  } else {
    number.real = randomReal(domain, random);
    if (isComplex(type)) number.imaginary = randomReal(domain, random);
    if (!domain.zero && number.real == 0) number.real = 1;
  }
  return number;
}

}  // namespace

uint64_t Random::next() {
  uint64_t mixed = state_ += 0x9E3779B97F4A7C15u;
  mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9u;
  mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBu;
  return mixed ^ (mixed >> 31);
}

double Random::uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }

int64_t Random::integer(int64_t low, int64_t high) {
  const uint64_t count = static_cast<uint64_t>(high) - static_cast<uint64_t>(low) + 1;
  const uint64_t draw = count == 0 ? next() : next() % count;
  return static_cast<int64_t>(static_cast<uint64_t>(low) + draw);
}

uint64_t hashOf(std::string_view text) {
  uint64_t hash = 0xCBF29CE484222325u;
  for (unsigned char byte : text) hash = (hash ^ byte) * 0x100000001B3u;
  return hash;
}

Tensor makeInput(ElementType type, const Shape& shape, const Domain& domain, Random& random,
                 size_t argument) {
  Tensor tensor(type, shape);
  const int64_t count = tensor.size();
  if (domain.distinct) {
    std::vector<int64_t> order(static_cast<size_t>(count));
    for (int64_t i = 0; i < count; ++i) order[static_cast<size_t>(i)] = i;
    for (size_t i = order.size(); i > 1; --i) {
      std::swap(order[i - 1],
                order[static_cast<size_t>(random.integer(0, static_cast<int64_t>(i) - 1))]);
    }
    for (int64_t i = 0; i < count; ++i) {
      const int64_t value =
          order[static_cast<size_t>(i)] - (isUnsignedInteger(type) ? 0 : count / 2);
      const auto real = static_cast<double>(value);
      oracle::store(tensor, i, {value, real, isComplex(type) ? -real : 0});
    }
    return tensor;
  }
  for (int64_t i = 0; i < count; ++i) oracle::store(tensor, i, randomNumber(type, domain, random));
  if (domain.edges == Domain::Edges::kNone || isPredicate(type)) return tensor;
  if (isComplex(type)) {
    if (!domain.complexEdges) return tensor;
    const std::vector<double> parts = floatEdges(realPart(type), domain);
    const auto pairs = static_cast<int64_t>(parts.size() * parts.size());
    for (int64_t i = 0; i < std::min({count, pairs, int64_t{81}}); ++i) {
      const auto at = static_cast<size_t>(i);
      // Both parts get edges even if the tensor holds only a few of the pairs.
      oracle::store(tensor, i,
                    {0, parts[at % parts.size()], parts[(at + at / parts.size()) % parts.size()]});
    }
    return tensor;
  }

  std::vector<Number> edges;
  if (isFloat(type)) {
    for (double edge : floatEdges(type, domain)) edges.push_back({0, edge, 0});
  } else {
    for (oracle::Wide edge : integerEdges(type, domain)) edges.push_back({edge});
  }
  // The first argument runs through its edges fastest; the next one advances
  // each time that the first has been through (at most 18 in any list).
  constexpr int64_t kLongestFewList = 9;
  const auto number = static_cast<int64_t>(edges.size());
  int64_t repeat = 1;
  for (size_t i = 0; i < argument; ++i) repeat *= kLongestFewList;
  const int64_t last =
      domain.edges == Domain::Edges::kAll ? number : kLongestFewList * repeat * number;
  for (int64_t i = 0; number > 0 && i < std::min({count, last, int64_t{81}}); ++i)
    oracle::store(tensor, i, edges[static_cast<size_t>((i / repeat) % number)]);
  return tensor;
}

}  // namespace vintage::primitives
