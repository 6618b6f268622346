// Names, families, and rows of artifacts as records.
#include "archive/store/artifact_table.h"

#include <string>
#include <tuple>
#include <unordered_map>

#include <fmt/format.h>

#include "archive/store/row_values.h"
#include "golden/base/failures.h"

namespace vintage::archive {
namespace {

// See the tables of names in archive/store/schema.cpp.
constexpr size_t kLongestSuffix = 32;

template <typename Value>
Value valueOfMember(Value ArtifactRecord::*);

// A small table's rows by their numbers, with the fields of a record that each says. One has a row
// also where nothing has this number.
template <auto... members>
class KnownRows {
 public:
  explicit KnownRows(std::string_view sql) : sql_(sql) {}

  Status give(Database& database, int64_t id, ArtifactRecord& record) {
    auto known = rows_.find(id);
    if (known == rows_.end()) {
      Row row;
      const auto places = std::apply([](auto&... value) { return std::tie(value...); }, row);
      RETURN_IF_ERROR(firstRow(database, sql_, places, id));
      known = rows_.emplace(id, std::move(row)).first;
    }
    std::tie(record.*members...) = known->second;
    return {};
  }

 private:
  using Row = std::tuple<decltype(valueOfMember(members))...>;
  std::string_view sql_;
  std::unordered_map<int64_t, Row> rows_;
};

using Record = ArtifactRecord;

}  // namespace

std::string selectByName(std::string_view columns, std::string_view rest) {
  return fmt::format(
      "SELECT {} FROM head AS h CROSS JOIN tail AS t CROSS JOIN family AS f INDEXED BY "
      "family_by_name ON f.head = h.id AND f.tail = t.id CROSS JOIN origin AS o ON o.id = f.origin "
      "CROSS JOIN artifact AS r ON {} CROSS JOIN form AS m ON m.id = r.form WHERE h.text = ? AND "
      "t.text = ? AND {}",
      columns, kArtifactsOfFamily, rest);
}

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
  static const std::string kSql =
      selectByName("r.id", "m.suffix = ? AND o.producer = ? ORDER BY r.id LIMIT 1");
  const NameParts parts = partsOfName(name);
  return firstInteger(database, kSql, parts.head, parts.tail, parts.suffix, producer);
}

Result<std::optional<int64_t>> newestRowOfName(Database& database, std::string_view name) {
  static const std::string kSql =
      selectByName("r.id", "m.suffix = ? ORDER BY o.build_day DESC, r.id DESC LIMIT 1");
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

Result<std::optional<Family>> familyBefore(Database& database, int64_t row) {
  ASSIGN_OR_RETURN(
      auto query,
      database.query("SELECT id, span, head, tail, origin, kind, targets, case_id IS 1, case_id "
                     "FROM family WHERE id <= ? ORDER BY id DESC LIMIT 1"));
  ASSIGN_OR_RETURN(const auto found, query.bind(row).step());
  if (!found) return std::nullopt;
  Family family;
  FamilyFacts& facts = family.facts;
  RETURN_IF_ERROR(readRow(query, 0, family.id, family.span, facts.head, facts.tail, facts.origin,
                          facts.kind, facts.targets, facts.caseIsStem, facts.caseId));
  if (facts.caseIsStem) facts.caseId.reset();
  return family;
}

Status insertFamily(Database& database, const Family& family) {
  ASSIGN_OR_RETURN(
      auto insert,
      database.query("INSERT OR REPLACE INTO family (id, span, head, tail, origin, kind, targets, "
                     "case_id) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"));
  const FamilyFacts& facts = family.facts;
  bindRow(insert, family.id, family.span, facts.head, facts.tail, facts.origin, facts.kind,
          facts.targets);
  return (facts.caseIsStem ? insert.bind(1) : bindValue(insert, facts.caseId)).run();
}

Status setSpan(Database& database, int64_t family, int64_t span) {
  return runWith(database, "UPDATE family SET span = ? WHERE id = ?", span, family);
}

Status takeOut(Database& database, const Family& family, int64_t row) {
  const int64_t behind = family.id + family.span - row - 1;
  if (behind > 0) RETURN_IF_ERROR(insertFamily(database, {row + 1, behind, family.facts}));
  return row > family.id ? setSpan(database, family.id, row - family.id)
                         : runWith(database, "DELETE FROM family WHERE id = ?", family.id);
}

Status deleteArtifact(Database& database, int64_t row) {
  RETURN_IF_ERROR(runWith(database, "DELETE FROM artifact WHERE id = ?", row));
  ASSIGN_OR_RETURN(const auto family, familyBefore(database, row));
  if (!family || !family->covers(row)) return {};
  RETURN_IF_ERROR(takeOut(database, *family, row));
  return runWith(database,
                 "DELETE FROM head WHERE id = ? AND NOT EXISTS (SELECT 1 FROM family AS f WHERE "
                 "f.head = head.id)",
                 family->facts.head);
}

struct ArtifactReader::Parts {
  KnownRows<&Record::producer, &Record::buildDate, &Record::format,
            &Record::callingConventionVersion, &Record::serializationVersion,
            &Record::stablehloVersion>
      origins{
          "SELECT producer, build_day, format, calling_convention, serialization, stablehlo FROM "
          "(SELECT ? AS number) LEFT JOIN origin ON id = number"};
  KnownRows<&Record::primitive, &Record::variant, &Record::deviceCount, &Record::dtypes> kinds{
      "SELECT p.text, v.text, k.device_count, d.texts FROM (SELECT ? AS number) LEFT JOIN kind AS "
      "k ON k.id = number LEFT JOIN label AS p ON p.id = k.primitive LEFT JOIN label AS v ON v.id "
      "= k.variant LEFT JOIN list AS d ON d.id = k.dtypes"};
  // A suffix of names, and a tail: the name is put together of them.
  KnownRows<&Record::name, &Record::platforms> forms{
      "SELECT m.suffix, l.texts FROM (SELECT ? AS number) LEFT JOIN form AS m ON m.id = number "
      "LEFT JOIN list AS l ON l.id = m.platforms"};
  std::unordered_map<int64_t, std::optional<std::string>> tails;
  KnownRows<&Record::customCallTargets> targets{
      "SELECT texts FROM (SELECT ? AS number) LEFT JOIN list ON id = number"};

  Result<const std::optional<std::string>*> tail(Database& database, int64_t id) {
    auto known = tails.find(id);
    if (known == tails.end()) {
      std::optional<std::string> text;
      RETURN_IF_ERROR(firstRow(database, "SELECT text FROM tail WHERE id = ?", std::tie(text), id));
      known = tails.emplace(id, std::move(text)).first;
    }
    return &known->second;
  }

  Status read(Database& database, const Query& query, ArtifactRecord& record) {
    RETURN_IF_ERROR(forms.give(database, query.integer(1), record));
    const std::string suffix = std::exchange(record.name, {});
    ASSIGN_OR_RETURN(const auto* end, tail(database, query.integer(2)));
    // A name with a missing part counts as no name.
    if (!query.isNull(8) && *end) record.name = query.text(8) + **end;
    record.caseId = query.integer(7) != 0 ? record.name : query.text(6);
    if (!record.name.empty()) record.name += suffix;
    RETURN_IF_ERROR(origins.give(database, query.integer(3), record));
    RETURN_IF_ERROR(kinds.give(database, query.integer(4), record));
    return query.isNull(5) ? Status() : targets.give(database, query.integer(5), record);
  }
};

ArtifactReader::ArtifactReader(Database& database)
    : database_(database), parts_(std::make_shared<Parts>()) {}

Result<ArtifactInRow> ArtifactReader::read(const Query& query) {
  ArtifactInRow found{query.integer(0), {}};
  RETURN_IF_ERROR(readRow(query, 9, found.record.id, found.record.bytes, found.record.golden));
  if (const Status read = parts_->read(database_, query, found.record); !read)
    return within(found.record.name, read.error());
  return found;
}

Result<ArtifactRecord> ArtifactReader::row(int64_t id) {
  static const std::string kByRow =
      fmt::format("SELECT {} FROM artifact AS r LEFT JOIN family AS f ON {}{} WHERE r.id = ?",
                  kArtifactColumns, kFamilyOfArtifact, kArtifactContents);
  const auto read = [&](const Query& row) { return this->read(row); };
  ASSIGN_OR_RETURN(auto found, selectRows<ArtifactInRow>(database_, kByRow, read, id));
  if (found.empty()) return notFound("{}: artifact row {} is gone", database_.path(), id);
  return std::move(found.front().record);
}

}  // namespace vintage::archive
