#include "archive/store/artifact_parts.h"

#include <fmt/format.h>

#include "archive/store/row_values.h"

namespace vintage::archive::store {
namespace {

// See the tables of names in archive/store/schema.cpp.
constexpr size_t kLongestSuffix = 32;

std::string findByName(std::string_view rest) {
  return fmt::format(
      "SELECT r.id FROM head AS h CROSS JOIN tail AS t CROSS JOIN family AS f INDEXED BY "
      "family_by_name ON f.head = h.id AND f.tail = t.id CROSS JOIN origin AS o ON o.id = f.origin "
      "CROSS JOIN artifact AS r ON {} CROSS JOIN form AS m ON m.id = r.form WHERE h.text = ? AND "
      "t.text = ? AND m.suffix = ? {}",
      kArtifactsOfFamily, rest);
}

}  // namespace

NameParts partsOfName(std::string_view name) {
  NameParts parts{name, {}, {}, {}};
  if (const size_t slash = name.rfind('/');
      slash != std::string_view::npos && slash != 0 && name.size() - slash <= kLongestSuffix) {
    parts.stem = name.substr(0, slash);
    parts.suffix = name.substr(slash);
  }
  const size_t bracket = parts.stem.rfind(']');
  parts.head = bracket == std::string_view::npos ? parts.stem : parts.stem.substr(0, bracket + 1);
  parts.tail = parts.stem.substr(parts.head.size());
  return parts;
}

Result<std::optional<int64_t>> rowOfArtifact(Database& database, std::string_view name,
                                             std::string_view producer) {
  static const std::string kSql = findByName("AND o.producer = ? ORDER BY r.id LIMIT 1");
  const NameParts parts = partsOfName(name);
  return firstInteger(database, kSql, parts.head, parts.tail, parts.suffix, producer);
}

Result<std::optional<int64_t>> newestRowOfName(Database& database, std::string_view name) {
  static const std::string kSql = findByName("ORDER BY o.build_day DESC, r.id DESC LIMIT 1");
  const NameParts parts = partsOfName(name);
  return firstInteger(database, kSql, parts.head, parts.tail, parts.suffix);
}

Result<std::optional<int64_t>> newestRowOfContent(Database& database, int64_t blob) {
  static const std::string kSql = fmt::format(
      "SELECT r.id FROM artifact AS r LEFT JOIN family AS f ON {} LEFT JOIN origin AS o "
      "ON o.id = f.origin WHERE r.blob = ? ORDER BY o.build_day DESC, r.id DESC LIMIT 1",
      kFamilyOfArtifact);
  return firstInteger(database, kSql, blob);
}

}  // namespace vintage::archive::store
