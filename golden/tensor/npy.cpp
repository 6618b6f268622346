#include "golden/tensor/npy.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "golden/base/failures.h"
#include "golden/tensor/visit.h"

namespace vintage::golden {
namespace {

// The header: a Python dictionary literal with three keys.
struct NpyHeader {
  // Taken apart from NumPy's type string "<f4": byte order, kind, bytes.
  char byteOrder = '|';  // '<', '>' or '|' (not applicable).
  char kind = 'V';       // b, i, u, f, c, V
  int width = 0;
  bool fortranOrder = false;
  Shape shape;
  size_t dataOffset = 0;  // Where the elements begin in the file.
};

constexpr std::string_view kMagic = "\x93NUMPY";

// Reads the subset of Python literals that numpy.lib.format writes.
class LiteralReader {
 public:
  explicit LiteralReader(std::string_view text) : text_(text) {}

  size_t position() const { return position_; }
  bool atEnd() {
    skipSpace();
    return position_ == text_.size();
  }
  bool take(char expected) {
    skipSpace();
    if (position_ >= text_.size() || text_[position_] != expected) return false;
    ++position_;
    return true;
  }
  bool takeWord(std::string_view word) {
    skipSpace();
    if (text_.substr(position_, word.size()) != word) return false;
    position_ += word.size();
    return true;
  }
  std::optional<std::string> string() {
    skipSpace();
    if (position_ >= text_.size()) return std::nullopt;
    const char quote = text_[position_];
    if (quote != '\'' && quote != '"') return std::nullopt;
    const size_t end = text_.find(quote, position_ + 1);
    if (end == std::string_view::npos) return std::nullopt;
    std::string value(text_.substr(position_ + 1, end - position_ - 1));
    position_ = end + 1;
    return value;
  }
  std::optional<int64_t> dimension() {
    skipSpace();
    int64_t value = 0;
    const char* begin = text_.data() + position_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (error != std::errc() || value < 0) return std::nullopt;
    position_ += static_cast<size_t>(end - begin);
    takeWord("L");  // Python 2 marked long integers with it.
    return value;
  }

 private:
  void skipSpace() {
    while (position_ < text_.size() &&
           (text_[position_] == ' ' || text_[position_] == '\n' || text_[position_] == '\t'))
      ++position_;
  }
  std::string_view text_;
  size_t position_ = 0;
};

Status parseDescr(const std::string& descr, NpyHeader& header) {
  std::string_view text = descr;
  if (!text.empty() && std::string_view("<>|=").find(text.front()) != std::string_view::npos) {
    header.byteOrder = text.front() == '=' ? '<' : text.front();
    text.remove_prefix(1);
  }
  const auto refuse = [&] {
    return unsupported(
        "the header's 'descr' is '{}'; b1, i1 to i8, u1 to u8, f2, f4, f8, c8, c16 and raw V1 and "
        "V2 can be read",
        descr);
  };
  if (text.size() < 2 || std::string_view("biufcV").find(text.front()) == std::string_view::npos)
    return refuse();
  header.kind = text.front();
  text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), header.width);
  if (error != std::errc() || end != text.data() + text.size() || header.width < 1 ||
      header.width > 16 || !std::has_single_bit(static_cast<unsigned>(header.width)))
    return refuse();
  return {};
}

bool parseShape(LiteralReader& reader, Shape& shape) {
  if (!reader.take('(')) return false;
  while (!reader.take(')')) {
    const std::optional<int64_t> dimension = reader.dimension();
    if (!dimension) return false;
    shape.push_back(*dimension);
    if (!reader.take(',')) return reader.take(')');
  }
  return true;
}

Status parseDictionary(std::string_view text, NpyHeader& header) {
  LiteralReader reader(text);
  const auto expected = [&](std::string_view what) {
    return badInput("the header is damaged at its character {}: expected {}", reader.position(),
                    what);
  };
  bool descr = false, order = false, shape = false;
  if (!reader.take('{')) return expected("'{'");
  while (!reader.take('}')) {
    const std::optional<std::string> key = reader.string();
    if (!key || !reader.take(':')) return expected("a key and ':'");
    if (*key == "descr" && !descr) {
      const std::optional<std::string> value = reader.string();
      if (!value)
        return unsupported(
            "the header's 'descr' is not a single type; arrays of records cannot be "
            "read, save each field as its own array");
      RETURN_IF_ERROR(parseDescr(*value, header));
      descr = true;
    } else if (*key == "fortran_order" && !order) {
      header.fortranOrder = reader.takeWord("True");
      if (!header.fortranOrder && !reader.takeWord("False")) return expected("True or False");
      order = true;
    } else if (*key == "shape" && !shape) {
      if (!parseShape(reader, header.shape))
        return expected("a tuple of dimensions, each 0 or more and below 2^63");
      shape = true;
    } else {
      return badInput(
          "the header has the key '{}' twice; it must have 'descr', "
          "'fortran_order' and 'shape', each once",
          *key);
    }
    if (!reader.take(',')) {
      if (!reader.take('}')) return expected("',' or '}'");
      break;
    }
  }
  if (!reader.atEnd()) return expected("the end of the header");
  if (!descr || !order || !shape)
    return badInput("the header lacks '{}'", !descr ? "descr" : !order ? "fortran_order" : "shape");
  return {};
}

// `file` is the whole file. Errors name the place in the header.
Result<NpyHeader> parseNpyHeader(std::span<const std::byte> file) {
  const std::string_view text(reinterpret_cast<const char*>(file.data()), file.size());
  if (text.substr(0, kMagic.size()) != kMagic)
    return badInput("it does not begin with \\x93NUMPY; it is not a NumPy .npy file");
  if (text.size() < kMagic.size() + 2) return badInput("it ends within the version number");
  const auto byteAt = [&](size_t i) { return static_cast<size_t>(static_cast<uint8_t>(text[i])); };
  const size_t major = byteAt(6), minor = byteAt(7);
  if (major < 1 || major > 3 || minor != 0)
    return unsupported("it is of .npy version {}.{}; 1.0, 2.0 and 3.0 can be read", major, minor);
  const size_t lengthBytes = major == 1 ? 2 : 4;
  if (text.size() < 8 + lengthBytes) return badInput("it ends within the length of the header");
  size_t length = 0;
  for (size_t i = 0; i < lengthBytes; ++i) length |= byteAt(8 + i) << (8 * i);
  const size_t begin = 8 + lengthBytes;
  if (length > text.size() - begin)
    return badInput("the header should have {} bytes, but the file ends after {}", length,
                    text.size() - begin);
  NpyHeader header;
  RETURN_IF_ERROR(parseDictionary(text.substr(begin, length), header));
  header.dataOffset = begin + length;
  return header;
}

// Everything before the elements, padded to a multiple of 64 bytes.
std::string writeNpyHeader(std::string_view descr, std::span<const int64_t> shape) {
  std::string dictionary =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}", descr,
                  fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
  const bool wide = dictionary.size() + 64 > 0xFFFF;
  const size_t prefix = kMagic.size() + 2 + (wide ? 4 : 2);
  const size_t unpadded = prefix + dictionary.size() + 1;
  dictionary.append((64 - unpadded % 64) % 64, ' ');
  dictionary += '\n';
  std::string header(kMagic);
  header += static_cast<char>(wide ? 2 : 1);
  header += '\0';
  for (size_t i = 0; i < (wide ? 4u : 2u); ++i)
    header += static_cast<char>(dictionary.size() >> (8 * i) & 0xFF);
  return header + dictionary;
}

struct NumpyType {
  ElementType type;
  char kind;
  int width;
};

using enum ElementType;
constexpr NumpyType kNumpyTypes[] = {
    {kI1, 'b', 1},  {kI8, 'i', 1},   {kI16, 'i', 2},  {kI32, 'i', 4},   {kI64, 'i', 8},
    {kUi8, 'u', 1}, {kUi16, 'u', 2}, {kUi32, 'u', 4}, {kUi64, 'u', 8},  {kF16, 'f', 2},
    {kF32, 'f', 4}, {kF64, 'f', 8},  {kC64, 'c', 8},  {kC128, 'c', 16},
};

const NumpyType* native(ElementType type) {
  const auto* found = std::ranges::find(kNumpyTypes, type, &NumpyType::type);
  return found == std::end(kNumpyTypes) ? nullptr : found;
}

std::string_view kindName(char kind) {
  switch (kind) {
    case 'b':
      return "predicates";
    case 'i':
      return "signed integers";
    case 'u':
      return "unsigned integers";
    case 'f':
      return "floats";
    case 'c':
      return "complex numbers";
    default:
      return "raw bytes";
  }
}

Result<ElementType> elementType(const NpyHeader& header, std::optional<ElementType> expected) {
  const std::string found = fmt::format("{} of {} bytes ('{}{}')", kindName(header.kind),
                                        header.width, header.kind, header.width);
  if (expected && !native(*expected)) {
    // ml_dtypes registers its types as raw bytes, some as floats of one byte, and int4 values are
    // often stored in int8 arrays.
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
  return within(std::string(name), read(bytes, expected));
}

std::vector<std::byte> writeNpy(const Tensor& tensor) {
  const NumpyType* known = native(tensor.type());
  const size_t width = byteWidth(tensor.type());
  const std::string descr =
      fmt::format("{}{}{}", width == 1 ? '|' : '<', known ? known->kind : 'V', width);
  const std::string header = writeNpyHeader(descr, tensor.shape());
  const auto* begin = reinterpret_cast<const std::byte*>(header.data());
  std::vector<std::byte> file(begin, begin + header.size());
  file.insert(file.end(), tensor.bytes().begin(), tensor.bytes().end());
  return file;
}

}  // namespace vintage::golden
