#include "golden/tensor/npy.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "golden/base/failures.h"
#include "golden/tensor/npy_header.h"
#include "golden/tensor/visit.h"

namespace vintage::golden {
namespace {

struct NumpyType {
  ElementType type;
  char kind;
  int width;
};

using enum ElementType;
constexpr NumpyType kNumpyTypes[] = {
    {kI1, 'b', 1},  {kI8, 'i', 1},   {kI16, 'i', 2},  {kI32, 'i', 4},  {kI64, 'i', 8},
    {kUi8, 'u', 1}, {kUi16, 'u', 2}, {kUi32, 'u', 4}, {kUi64, 'u', 8}, {kF16, 'f', 2},
    {kF32, 'f', 4}, {kF64, 'f', 8},  {kC64, 'c', 8},  {kC128, 'c', 16},
};

const NumpyType* native(ElementType type) {
  const auto* found = std::ranges::find(kNumpyTypes, type, &NumpyType::type);
  return found == std::end(kNumpyTypes) ? nullptr : found;
}

std::string_view kindName(char kind) {
  switch (kind) {
    case 'b': return "predicates";
    case 'i': return "signed integers";
    case 'u': return "unsigned integers";
    case 'f': return "floats";
    case 'c': return "complex numbers";
    default: return "raw bytes";
  }
}

Result<ElementType> elementType(const NpyHeader& header, std::optional<ElementType> expected) {
  const std::string found =
      fmt::format("{} of {} bytes ('{}{}')", kindName(header.kind), header.width, header.kind,
                  header.width);
  if (expected && !native(*expected)) {
    // ml_dtypes registers its types as raw bytes, some as floats of one byte,
    // and people keep int4 in int8 arrays.
    if (static_cast<size_t>(header.width) == byteWidth(*expected) &&
        (header.kind == 'V' || (header.width == 1 && (header.kind == 'f' || isInteger(*expected)))))
      return *expected;
    return badInput("it holds {}; {} is kept as V{}", found, dtypeName(*expected),
                    byteWidth(*expected));
  }
  for (const NumpyType& candidate : kNumpyTypes) {
    if (candidate.kind != header.kind || candidate.width != header.width) continue;
    if (expected && *expected != candidate.type)
      return badInput("it holds {}; expected {}", found, dtypeName(*expected));
    return candidate.type;
  }
  return unsupported("it holds {}; say which element type that is (bfloat16, …)", found);
}

// Reverses the bytes of each component: a complex number has two.
void swapBytes(std::span<std::byte> bytes, size_t width) {
  for (size_t i = 0; i + width <= bytes.size(); i += width)
    std::reverse(bytes.begin() + static_cast<ptrdiff_t>(i),
                 bytes.begin() + static_cast<ptrdiff_t>(i + width));
}

// From column-major order of `shape` to row-major.
void reorder(std::span<const std::byte> from, std::span<std::byte> to, const Shape& shape,
             size_t width) {
  std::vector<int64_t> index(shape.size(), 0), stride(shape.size(), 1);
  for (size_t d = 1; d < shape.size(); ++d) stride[d] = stride[d - 1] * shape[d - 1];
  int64_t source = 0;
  for (size_t target = 0; target < to.size(); target += width) {
    std::memcpy(&to[target], &from[static_cast<size_t>(source) * width], width);
    for (size_t d = shape.size(); d-- > 0;) {
      source += stride[d];
      if (++index[d] < shape[d]) break;
      source -= stride[d] * shape[d];
      index[d] = 0;
    }
  }
}

// Types below eight bits are kept extended, whatever the unused bits were.
void normalize(Tensor& tensor) {
  visitElementType(tensor.type(), [&]<typename T>() {
    if constexpr (kIsNarrowFloat<T>) {
      if constexpr (T::kBits < 8)
        for (T& value : tensor.mutableValues<T>()) value = T::fromBits(value.bits());
    } else if constexpr (kIsNarrowIntegerStorage<T>) {
      for (T& value : tensor.mutableValues<T>()) value = T(static_cast<typename T::Byte>(value));
    }
  });
}

Result<Tensor> read(std::span<const std::byte> bytes, std::optional<ElementType> expected) {
  ASSIGN_OR_RETURN(NpyHeader header, parseNpyHeader(bytes));
  ASSIGN_OR_RETURN(ElementType type, elementType(header, expected));
  Result<Tensor> tensor = Tensor::fromBytes(type, header.shape, bytes.subspan(header.dataOffset));
  if (!tensor) return tensor;
  const size_t width = byteWidth(type);
  if (header.byteOrder == '>')
    swapBytes(tensor->mutableBytes(), isComplex(type) ? width / 2 : width);
  if (header.fortranOrder && tensor->size() > 1) {
    Tensor ordered = Tensor::uninitialized(type, header.shape);
    reorder(tensor->bytes(), ordered.mutableBytes(), header.shape, width);
    tensor = std::move(ordered);
  }
  if (isPredicate(type))
    for (size_t i = 0; i < tensor->bytes().size(); ++i)
      if (tensor->bytes()[i] > std::byte{1})
        return badInput("element {} is a predicate with the byte {}; 0 and 1 are valid", i,
                        static_cast<int>(tensor->bytes()[i]));
  normalize(*tensor);
  return tensor;
}

}  // namespace

Result<Tensor> readNpy(std::span<const std::byte> bytes, std::string_view name,
                       std::optional<ElementType> expected) {
  Result<Tensor> tensor = read(bytes, expected);
  if (!tensor) return within(std::string(name), std::move(tensor.error()));
  return tensor;
}

std::vector<std::byte> writeNpy(const Tensor& tensor) {
  const NumpyType* known = native(tensor.type());
  const size_t width = byteWidth(tensor.type());
  const std::string descr = fmt::format("{}{}{}", width == 1 ? '|' : '<', known ? known->kind : 'V',
                                        width);
  const std::string header = writeNpyHeader(descr, tensor.shape());
  const auto* begin = reinterpret_cast<const std::byte*>(header.data());
  std::vector<std::byte> file(begin, begin + header.size());
  file.insert(file.end(), tensor.bytes().begin(), tensor.bytes().end());
  return file;
}

}  // namespace vintage::golden
