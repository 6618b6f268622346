#include "golden/tensor/npy_header.h"

#include <bit>
#include <charconv>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "golden/base/failures.h"

namespace vintage::golden {
namespace {

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
    takeWord("L");  // Python 2 wrote long integers so.
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

}  // namespace

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

}  // namespace vintage::golden
