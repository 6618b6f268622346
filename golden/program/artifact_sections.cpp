#include "golden/program/portable_artifact.h"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "golden/program/bytecode_cursor.h"

namespace vintage::golden {
namespace {

// From MLIR's Encoding.h.
enum Section : uint8_t {
  kString = 0,
  kDialect = 1,
  kAttributeType = 2,
  kAttributeTypeOffset = 3,
  kIr = 4,
  kResource = 5,
  kResourceOffset = 6,
  kDialectVersions = 7,
  kProperties = 8,
  kSections = 9,
};
constexpr uint8_t kHasAlignment = 0x80;
constexpr size_t kHeaderMagic = 4;
constexpr uint64_t kLargestAlignment = 64;
constexpr uint64_t kDialectVersioning = 1;
constexpr uint64_t kElidesArgumentLocations = 4, kProperty = 5, kUseLists = 3, kLazyRegions = 2;

struct Sections : std::array<std::optional<std::string_view>, kSections> {
  uint64_t alignment = 1;  // The largest that one asks for.
};

// Bits of an operation's mask.
enum OperationPart : uint8_t {
  kAttributes = 1,
  kResults = 2,
  kOperands = 4,
  kSuccessors = 8,
  kRegions = 16,
  kUseListOrders = 32,
  kHasProperties = 64,
};

// Counts of the operations and of what they hold.
class IrCheck {
 public:
  IrCheck(std::string_view bytes, uint64_t version) : in_(bytes), version_(version) {}

  bool run() {
    // MLIR has no place for values yet when it reads the outermost block's arguments.
    if (BytecodeCursor(in_).varint() & 1) return false;
    block(/*depth=*/0);
    return in_.ok();
  }

 private:
  static constexpr int kDeepest = 512;
  static constexpr uint64_t kMostUses = uint64_t{1} << 24;

  void block(int depth) {
    in_.require(depth <= kDeepest);
    const uint64_t head = in_.varint();
    if (head & 1) {
      const uint64_t arguments = in_.count();
      for (uint64_t i = 0; in_.ok() && i < arguments; ++i) {
        const uint64_t type = in_.varint();
        if (version_ < kElidesArgumentLocations || (type & 1)) in_.varint();
      }
      if (version_ >= kUseLists && in_.byte() != 0) orders(arguments);
    }
    in_.require((head >> 1) <= in_.remaining());
    for (uint64_t i = 0; in_.ok() && i < (head >> 1); ++i) operation(depth);
  }

  // Use-list orders of `values` values: for one value its indices alone, for
  // several how many have one, and each with its number.
  void orders(uint64_t values) {
    const uint64_t entries = values > 1 ? in_.count() : 1;
    for (uint64_t i = 0; in_.ok() && i < entries; ++i) {
      if (values > 1) in_.require(in_.varint() < values);
      const uint64_t size = in_.varint() >> 1;
      in_.require(size <= in_.remaining());
      // Permutations stay below their size; pairs name two places.
      for (uint64_t j = 0; in_.ok() && j < size; ++j) in_.require(in_.varint() <= kMostUses);
    }
  }

  void operation(int depth) {
    in_.varint();  // Name.
    const uint8_t parts = in_.byte();
    in_.varint();  // Location.
    uint64_t results = 0;
    if (parts & kAttributes) in_.varint();
    if ((parts & kHasProperties) && version_ >= kProperty) in_.varint();
    if (parts & kResults) results = in_.list();
    if (parts & kOperands) in_.list();
    if (parts & kSuccessors) in_.list();
    if ((parts & kUseListOrders) && version_ >= kUseLists) orders(results);
    if (!(parts & kRegions)) return;
    const uint64_t head = in_.varint();
    const bool isolated = head & 1;
    in_.require((head >> 1) <= in_.remaining());
    if (!isolated || version_ < kLazyRegions) return regions(head >> 1, depth + 1);
    // Isolated regions stand together in a section of their own.
    in_.require(in_.byte() == kIr);
    const uint64_t length = in_.varint();
    IrCheck nested(in_.take(length), version_);
    nested.regions(head >> 1, depth + 1);
    in_.require(nested.in_.ok());
  }

  void regions(uint64_t count, int depth) {
    for (uint64_t i = 0; in_.ok() && i < count; ++i) {
      const uint64_t blocks = in_.count();
      if (blocks == 0) continue;
      // Each value takes a byte where it is defined.
      const uint64_t values = in_.varint();
      in_.require(values <= in_.remaining());
      for (uint64_t j = 0; in_.ok() && j < blocks; ++j) block(depth);
    }
  }

  BytecodeCursor in_;
  uint64_t version_;
};

std::string splitArtifact(std::span<const std::byte> bytes, uint64_t& version, Sections& sections) {
  const std::string_view all(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (all.size() < kHeaderMagic) return "there is no header";
  BytecodeCursor in(all.substr(kHeaderMagic));
  version = in.varint();
  while (in.ok() && in.byte() != 0) {
  }
  while (in.ok() && !in.atEnd()) {
    const uint8_t head = in.byte();
    const uint8_t id = head & ~kHasAlignment;
    const uint64_t length = in.varint();
    if (head & kHasAlignment) {
      const uint64_t alignment = in.varint();
      if (alignment == 0 || alignment > kLargestAlignment || (alignment & (alignment - 1)) != 0)
        return fmt::format("section {} asks for an alignment of {}", id, alignment);
      // Padding up to the next multiple, counted from the start of the file.
      in.take((alignment - (all.size() - in.remaining()) % alignment) % alignment);
      sections.alignment = std::max(sections.alignment, alignment);
    }
    const std::string_view content = in.take(length);
    if (!in.ok()) break;
    if (id >= kSections) return fmt::format("there is no section {}", id);
    if (sections[id]) return fmt::format("section {} occurs twice", id);
    sections[id] = content;
  }
  return in.ok() ? "" : "a section ends beyond the end of the file";
}

std::string checkStrings(std::string_view section) {
  BytecodeCursor in(section);
  const uint64_t strings = in.count();
  uint64_t total = 0;
  for (uint64_t i = 0; in.ok() && i < strings; ++i) {
    const uint64_t size = in.varint();
    if (size == 0 || size > section.size()) return "a string is longer than the strings together";
    total += size;
  }
  return in.ok() && total == in.remaining() ? "" : "the strings do not add up";
}

// Which of the numbered dialects MLIR takes for the builtin one: each of that name, for it may
// be listed twice. MLIR drops a string's last byte, whatever it is.
std::vector<bool> builtinDialects(std::string_view strings, std::string_view dialects,
                                  uint64_t version) {
  BytecodeCursor in(strings);
  const uint64_t count = in.count();
  std::vector<uint64_t> sizes;  // The last string's first; the strings stand in their order.
  for (uint64_t i = 0; in.ok() && i < count; ++i) sizes.push_back(in.varint());
  std::vector<std::string_view> texts;
  for (auto size = sizes.rbegin(); size != sizes.rend(); ++size) texts.push_back(in.take(*size));
  BytecodeCursor names(dialects);
  const uint64_t entries = names.count();
  std::vector<bool> builtin;
  for (uint64_t i = 0; names.ok() && i < entries; ++i) {
    uint64_t name = names.varint();
    const bool versioned = version >= kDialectVersioning && (name & 1);
    if (version >= kDialectVersioning) name >>= 1;
    builtin.push_back(name < texts.size() &&
                      texts[name].substr(0, texts[name].size() - 1) == "builtin");
    if (!versioned) continue;
    names.byte();
    names.take(names.varint());
  }
  return builtin;
}

// Codes of the builtin dialect's attributes and types, from MLIR's BuiltinDialectBytecode.td.

struct Entry {
  bool isType;     // Otherwise an attribute.
  bool isBuiltin;  // In the builtin dialect's own encoding.
  std::string_view bytes;
};

// How many bytes an element of this type takes in an `array<…>`; none where the
// type is neither an integer nor a float of whole bytes, or i1.
std::optional<uint64_t> elementBytes(const Entry& type) {
  constexpr uint64_t kInteger = 0, kBFloat16 = 3, kFloat16 = 4, kFloat32 = 5, kFloat64 = 6;
  if (!type.isBuiltin) return std::nullopt;
  BytecodeCursor in(type.bytes);
  switch (in.varint()) {
    case kInteger: {
      const uint64_t width = in.varint() >> 2;  // Behind it, whether it has a sign.
      if (!in.ok()) return std::nullopt;
      if (width == 1) return 1;
      if (width == 8 || width == 16 || width == 32 || width == 64) return width / 8;
      return std::nullopt;
    }
    case kBFloat16:
    case kFloat16:
      return 2;
    case kFloat32:
      return 4;
    case kFloat64:
      return 8;
    default:
      return std::nullopt;
  }
}

// `array<…>`: MLIR makes one of any element type and any size, and ends the process
// when it prints one of neither integers nor floats, or reads beyond its bytes. VHLO
// has arrays of its own; JAX writes this one into the attributes of composites.
bool checkDenseArray(const Entry& entry, std::span<const Entry> types) {
  constexpr uint64_t kDenseArray = 17;
  BytecodeCursor in(entry.bytes);
  if (entry.isType || in.varint() != kDenseArray) return true;
  const uint64_t type = in.varint(), count = in.varint(), size = in.varint();
  if (!in.ok() || type >= types.size() || size != in.remaining()) return false;
  const auto width = elementBytes(types[type]);
  return width && size % *width == 0 && count == size / *width;
}

// Lists, for which MLIR makes room as announced. The count comes first in nearly all of them.
bool checkList(bool isType, std::string_view entry) {
  BytecodeCursor in(entry);
  const uint64_t code = in.varint();
  constexpr uint64_t kArray = 0, kDictionary = 1, kFusedLocation = 12, kFusedWithMetadata = 13;
  constexpr uint64_t kFunction = 2, kRankedTensor = 13, kEncodedTensor = 14, kTuple = 15;
  const bool list = isType ? code == kFunction || code == kRankedTensor || code == kEncodedTensor ||
                                 code == kTuple
                           : code == kArray || code == kDictionary || code == kFusedLocation ||
                                 code == kFusedWithMetadata;
  if (!list) return true;
  if (isType && code == kFunction) in.list();         // Its results come behind.
  if (isType && code == kEncodedTensor) in.varint();  // The encoding, then the shape.
  in.count();
  return in.ok();
}

// Dialects with their versions, and the names of operations by dialect. MLIR allocates as many of
// each as the section announces.
std::string checkDialects(std::string_view section, uint64_t version) {
  BytecodeCursor in(section);
  const uint64_t dialects = in.count();
  for (uint64_t i = 0; in.ok() && i < dialects; ++i) {
    const uint64_t name = in.varint();
    if (version < kDialectVersioning || !(name & 1)) continue;
    const uint8_t head = in.byte();
    const uint64_t length = in.varint();
    if ((head & kHasAlignment) || head != kDialectVersions)
      return "the version of a dialect is no section of its own";
    in.take(length);
  }
  if (!in.ok()) return "more dialects are announced than there are";
  if (version >= kElidesArgumentLocations) in.count();
  while (in.ok() && !in.atEnd()) {
    in.varint();  // The dialect.
    in.list();    // The names.
  }
  return in.ok() ? "" : "more names of operations are announced than there are";
}

// Attributes and types by dialect: as many as announced, in as many bytes as
// there are.
std::string checkEntries(std::string_view offsets, std::string_view entries,
                         const std::vector<bool>& builtin) {
  BytecodeCursor in(offsets);
  const uint64_t announced[] = {in.varint(), in.varint()};
  uint64_t bytes = 0;
  bool isType = false;
  std::vector<Entry> all;
  for (uint64_t count : announced) {
    if (!in.ok() || count > offsets.size()) return "more entries are announced than there are";
    for (uint64_t seen = 0; seen < count;) {
      const uint64_t dialect = in.varint();
      const uint64_t group = in.varint();
      if (!in.ok() || group == 0 || group > count - seen)
        return "a group of attributes or types is larger than announced";
      for (uint64_t i = 0; i < group; ++i) {
        const uint64_t head = in.varint();  // The size, and whether it is no text.
        const uint64_t size = head >> 1;
        if (!in.ok() || size > entries.size() - bytes)
          return "an attribute or type lies beyond its section";
        const bool isBuiltin = (head & 1) && dialect < builtin.size() && builtin[dialect];
        all.push_back({isType, isBuiltin, entries.substr(bytes, size)});
        bytes += size;
      }
      seen += group;
    }
    isType = true;
  }
  const std::span<const Entry> types = std::span<const Entry>(all).subspan(announced[0]);
  for (const Entry& entry : all) {
    if (!entry.isBuiltin) continue;
    if (!checkList(entry.isType, entry.bytes))
      return "an attribute or type announces more entries than there are";
    if (!checkDenseArray(entry, types))
      return "there is an array<…> of the builtin dialect whose elements are no numbers, or are "
             "not as many as announced";
  }
  return "";
}

}  // namespace

uint64_t sectionAlignment(std::span<const std::byte> bytes) {
  uint64_t version = 0;
  Sections sections;
  (void)splitArtifact(bytes, version, sections);
  return sections.alignment;
}

std::string checkArtifactSections(std::span<const std::byte> bytes) {
  uint64_t version = 0;
  Sections sections;
  if (std::string problem = splitArtifact(bytes, version, sections); !problem.empty())
    return problem;
  for (Section needed : {kString, kDialect, kAttributeType, kAttributeTypeOffset, kIr})
    if (!sections[needed]) return fmt::format("section {} is missing", static_cast<int>(needed));
  if (std::string problem = checkStrings(*sections[kString]); !problem.empty()) return problem;
  if (std::string problem =
          checkEntries(*sections[kAttributeTypeOffset], *sections[kAttributeType],
                       builtinDialects(*sections[kString], *sections[kDialect], version));
      !problem.empty())
    return problem;
  if (std::string problem = checkDialects(*sections[kDialect], version); !problem.empty())
    return problem;
  if (sections[kProperties]) {
    BytecodeCursor properties(*sections[kProperties]);
    properties.count();
    if (!properties.ok()) return "more properties are announced than there are";
  }
  if (!IrCheck(*sections[kIr], version).run()) return "the operations do not add up";
  return "";
}

}  // namespace vintage::golden
