#include "harness/engine/operations/bitcast.h"

#include <cstring>

#include <fmt/format.h>

#include "golden/tensor/visit.h"

namespace vintage::harness::engine {
namespace {

// Types below eight bits take a byte each in a tensor; their bits are moved one
// by one. Slow and rare.
void copyBits(const Tensor& from, Tensor& to) {
  const int sourceBits = bitWidth(from.type()), targetBits = bitWidth(to.type());
  const std::span<const std::byte> source = from.bytes();
  const std::span<std::byte> target = to.mutableBytes();
  const size_t total = static_cast<size_t>(from.size()) * static_cast<size_t>(sourceBits);
  std::memset(target.data(), 0, target.size());
  const auto bitPlace = [](size_t bit, int bits, size_t width) {
    const size_t element = bit / static_cast<size_t>(bits);
    const size_t within = bit % static_cast<size_t>(bits);
    return std::pair(element * width + within / 8, within % 8);
  };
  for (size_t bit = 0; bit < total; ++bit) {
    const auto [byte, shift] = bitPlace(bit, sourceBits, byteWidth(from.type()));
    if ((static_cast<unsigned>(source[byte]) >> shift & 1) == 0) continue;
    const auto [targetByte, targetShift] = bitPlace(bit, targetBits, byteWidth(to.type()));
    target[targetByte] |= static_cast<std::byte>(1u << targetShift);
  }
  // Restores the sign extension.
  visitElementType(to.type(), [&]<typename T>() {
    if constexpr (kIsNarrowIntegerStorage<T>)
      for (T& value : to.mutableValues<T>()) value = T(static_cast<typename T::Byte>(value));
  });
}

}  // namespace

Result<Tensor> bitcastTensor(const Tensor& tensor, ElementType type, size_t limitBytes) {
  const int from = bitWidth(tensor.type()), to = bitWidth(type);
  Shape shape = tensor.shape();
  const auto impossible = [&] {
    return failure(Error::Kind::kBadInput, fmt::format("{} has no bits for elements of {}",
                                                       describe(tensor), stablehloName(type)));
  };
  if (from > to) {
    if (from % to != 0) return impossible();
    shape.push_back(from / to);
  } else if (from < to) {
    if (to % from != 0 || shape.empty() || shape.back() != to / from) return impossible();
    shape.pop_back();
  }
  auto result = Tensor::makeUninitialized(type, std::move(shape), limitBytes);
  if (!result || result->size() == 0) return result;
  if (from < 8 || to < 8)
    copyBits(tensor, *result);
  else
    std::memcpy(result->mutableBytes().data(), tensor.bytes().data(), tensor.bytes().size());
  return result;
}

}  // namespace vintage::harness::engine
