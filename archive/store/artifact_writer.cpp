#include "archive/store/artifact_table.h"

#include <algorithm>

#include <fmt/format.h>

#include "archive/store/record_fields.h"
#include "archive/store/row_values.h"

namespace vintage::archive {
namespace {

// Each value with its length: no two rows have one key.
void addToKey(std::string& key, std::string_view text) {
  key += std::to_string(text.size());
  key += ' ';
  key += text;
}
void addToKey(std::string& key, int64_t number) {
  key += std::to_string(number);
  key += ' ';
}

std::string keyOfNames(std::string_view stem, std::string_view producer) {
  std::string key;
  addToKey(key, stem);
  addToKey(key, producer);
  return key;
}

std::string_view stemOf(const ArtifactRecord& record) { return partsOfName(record.name).stem; }

// Whether both belong to one family if they stand side by side.
bool haveOneFamily(const ArtifactRecord& one, const ArtifactRecord& other) {
  bool same = stemOf(one) == stemOf(other);
  visitMembers<ArtifactRecord>([&](const RecordField& field, auto member) {
    same = same && (field.ofOne || one.*member == other.*member);
  });
  return same;
}

}  // namespace

template <typename... Values>
Result<int64_t> ArtifactWriter::keep(std::string_view table,
                                     std::initializer_list<std::string_view> columns,
                                     const Values&... values) {
  std::string key(table);
  (addToKey(key, values), ...);
  if (const auto known = rows_.find(key); known != rows_.end()) return known->second;
  // Nearly always it is there.
  ASSIGN_OR_RETURN(const auto found,
                   firstInteger(database_,
                                fmt::format("SELECT id FROM {} WHERE {} = ?", table,
                                            fmt::join(columns, " = ? AND ")),
                                values...));
  if (!found)
    RETURN_IF_ERROR(
        runWith(database_,
                fmt::format("INSERT INTO {} ({}) VALUES ({})", table, fmt::join(columns, ", "),
                            fmt::join(std::vector<std::string_view>(columns.size(), "?"), ", ")),
                values...));
  return rows_[std::move(key)] = found ? *found : database_.lastRow();
}

Result<int64_t> ArtifactWriter::keepList(const std::vector<std::string>& texts) {
  const std::string list = listText(texts);
  std::string key = "list";
  addToKey(key, list);
  if (const auto known = rows_.find(key); known != rows_.end()) return known->second;
  ASSIGN_OR_RETURN(const auto found,
                   firstInteger(database_, "SELECT id FROM list WHERE texts = ?", list));
  if (found) return rows_[std::move(key)] = *found;
  RETURN_IF_ERROR(runWith(database_, "INSERT INTO list (texts) VALUES (?)", list));
  const int64_t row = rows_[std::move(key)] = database_.lastRow();
  // One text may stand in a list twice.
  for (const std::string& term : texts)
    RETURN_IF_ERROR(runWith(database_, "INSERT OR IGNORE INTO list_term (term, list) VALUES (?, ?)",
                            term, row));
  return row;
}

Result<int64_t> ArtifactWriter::keepForm(const ArtifactRecord& record) {
  ASSIGN_OR_RETURN(const auto platforms, keepList(record.platforms));
  return keep("form", {"suffix", "platforms"}, partsOfName(record.name).suffix, platforms);
}

Result<int64_t> ArtifactWriter::keepKind(const ArtifactRecord& record) {
  ASSIGN_OR_RETURN(const auto primitive, keep("label", {"text"}, record.primitive));
  ASSIGN_OR_RETURN(const auto variant, keep("label", {"text"}, record.variant));
  ASSIGN_OR_RETURN(const auto dtypes, keepList(record.dtypes));
  return keep("kind", {"primitive", "variant", "device_count", "dtypes"}, primitive, variant,
              record.deviceCount, dtypes);
}

Result<FamilyFacts> ArtifactWriter::keepFacts(const ArtifactRecord& record) {
  const NameParts name = partsOfName(record.name);
  FamilyFacts facts;
  ASSIGN_OR_RETURN(facts.head, keep("head", {"text"}, name.head));
  ASSIGN_OR_RETURN(facts.tail, keep("tail", {"text"}, name.tail));
  ASSIGN_OR_RETURN(
      facts.origin,
      keep("origin",
           {"producer", "build_day", "format", "calling_convention", "serialization", "stablehlo"},
           record.producer, dayNumber(record.buildDate), static_cast<int64_t>(record.format),
           record.callingConventionVersion, record.serializationVersion, record.stablehloVersion));
  ASSIGN_OR_RETURN(facts.kind, keepKind(record));
  if (!record.customCallTargets.empty()) {
    ASSIGN_OR_RETURN(facts.targets, keepList(record.customCallTargets));
  }
  facts.caseIsStem = record.caseId == name.stem;
  if (!facts.caseIsStem && !record.caseId.empty()) facts.caseId = record.caseId;
  return facts;
}

Result<std::vector<ArtifactWriter::Named>> ArtifactWriter::findAll(const NameParts& name,
                                                                   std::string_view producer) {
  RETURN_IF_ERROR(writeFamily());
  // Most are new, and so is the beginning of their name: that alone says so for a fraction of what
  // the tables together cost.
  ASSIGN_OR_RETURN(const auto head,
                   firstInteger(database_, "SELECT id FROM head WHERE text = ?", name.head));
  if (!head) return std::vector<Named>();
  static const std::string kSql = selectByName("m.suffix, r.id", "o.producer = ? ORDER BY r.id");
  return selectMembers<&Named::suffix, &Named::row>(database_, kSql, name.head, name.tail,
                                                    producer);
}

Result<std::optional<int64_t>> ArtifactWriter::find(std::string_view name,
                                                    std::string_view producer) {
  const NameParts parts = partsOfName(name);
  std::string key = keyOfNames(parts.stem, producer);
  auto known = named_.find(key);
  if (known == named_.end()) {
    ASSIGN_OR_RETURN(auto named, findAll(parts, producer));
    known = named_.emplace(std::move(key), std::move(named)).first;
  }
  const auto found = std::ranges::find(known->second, parts.suffix, &Named::suffix);
  if (found == known->second.end()) return std::nullopt;
  return found->row;
}

Result<ArtifactRecord> ArtifactWriter::read(int64_t row) {
  RETURN_IF_ERROR(writeFamily());
  return reader_.row(row);
}

Status ArtifactWriter::writeFamily() {
  if (!family_ || family_->span == writtenSpan_) return {};
  RETURN_IF_ERROR(writtenSpan_ == 0 ? insertFamily(database_, *family_)
                                    : setSpan(database_, family_->id, family_->span));
  writtenSpan_ = family_->span;
  return {};
}

Status ArtifactWriter::joinFamily(int64_t row, const ArtifactRecord& record) {
  if (family_ && last_ && haveOneFamily(*last_, record)) {
    ++family_->span;
    return {};
  }
  ASSIGN_OR_RETURN(auto facts, keepFacts(record));
  if (!family_) {
    ASSIGN_OR_RETURN(family_, familyBefore(database_, row));
    writtenSpan_ = family_ ? family_->span : 0;
  }
  if (family_ && family_->facts == facts && family_->id + family_->span == row) {
    ++family_->span;
  } else {
    RETURN_IF_ERROR(writeFamily());
    family_ = Family{row, 1, std::move(facts)};
    writtenSpan_ = 0;
  }
  last_ = record;
  return {};
}

Status ArtifactWriter::insert(const ArtifactRecord& record, int64_t blob,
                              std::optional<int64_t> golden) {
  if (!nextRow_) {
    ASSIGN_OR_RETURN(const auto last, firstInteger(database_, "SELECT max(id) FROM artifact"));
    nextRow_ = last.value_or(0) + 1;
  }
  const int64_t row = *nextRow_;
  RETURN_IF_ERROR(joinFamily(row, record));
  ASSIGN_OR_RETURN(const auto form, keepForm(record));
  RETURN_IF_ERROR(runWith(database_,
                          "INSERT INTO artifact (id, blob, golden, form) VALUES (?, ?, ?, ?)", row,
                          blob, golden, form));
  ++*nextRow_;
  const NameParts name = partsOfName(record.name);
  if (const auto known = named_.find(keyOfNames(name.stem, record.producer)); known != named_.end())
    known->second.push_back({std::string(name.suffix), row});
  return {};
}

Status ArtifactWriter::update(int64_t row, const ArtifactRecord& record,
                              std::optional<int64_t> golden) {
  RETURN_IF_ERROR(writeFamily());
  ASSIGN_OR_RETURN(const auto facts, keepFacts(record));
  ASSIGN_OR_RETURN(const auto form, keepForm(record));
  RETURN_IF_ERROR(runWith(database_,
                          "UPDATE artifact SET form = ?, golden = coalesce(golden, ?) WHERE id = ?",
                          form, golden, row));
  ASSIGN_OR_RETURN(const auto family, familyBefore(database_, row));
  const bool covered = family && family->covers(row);
  if (covered && family->facts == facts) return {};
  if (covered) RETURN_IF_ERROR(takeOut(database_, *family, row));
  // The last family may be another now.
  family_.reset();
  last_.reset();
  return insertFamily(database_, {row, 1, facts});
}

}  // namespace vintage::archive
