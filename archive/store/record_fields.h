// The fields of each record, once: what JSON, limits and rows of the index need of them.
#pragma once

#include <concepts>
#include <cstddef>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include <fmt/format.h>

#include "archive/store/records.h"
#include "archive/store/row_values.h"

namespace vintage::archive {

// Limits of a record's texts. A client that may push fills the index with them, and every reader of
// a list gets them. The archive itself applies the limits to every record that is put, wherever it
// comes from.
//
// Kept records are never checked against them. They are wide enough for all that Vintage wrote
// before there were limits, so that any archive can be mirrored.
inline constexpr size_t kLongestRecordText = 4096;       // Bytes.
inline constexpr size_t kLongestRecordList = 64 * 1024;  // Bytes of all its texts together.
// A limitation's description and issue, which people write.
inline constexpr size_t kLongestExplanation = 64 * 1024;
// A build's details: what it registers.
inline constexpr size_t kLongestBuildDetails = size_t{1} << 20;
// A run's command line: no system passes a longer one to a program.
inline constexpr size_t kLongestCommandLine = size_t{8} << 20;
// An outcome's detail: what a worker's message can hold (FrameLimits), since a
// compiler's error may quote the whole program.
inline constexpr size_t kLongestOutcomeDetail = size_t{16} << 20;
// kUsage names the record, the field, what it has and what is kept.
Status checkLimits(const ArtifactRecord& record);
Status checkLimits(const BuildRecord& build);
Status checkLimits(const RunRecord& run);
Status checkLimits(const Limitation& limitation);
Status checkLimits(const OutcomeRecord& outcome);

inline constexpr size_t kUsual = 0, kUnlimited = std::numeric_limits<size_t>::max();

struct RecordField {
  const char* name;           // In JSON, and in messages.
  const char* column = name;  // Null: the record's row has none.
  size_t longest = kUsual;    // Bytes.
  bool ofOne = false;         // Of an artifact: its family's others may differ in it.
};

template <std::same_as<ArtifactRecord> Record, typename Visit>
void visitMembers(const Visit& visit) {
  visit(RecordField{.name = "id", .ofOne = true}, &Record::id);
  visit(RecordField{.name = "name", .ofOne = true}, &Record::name);
  visit(RecordField{"format"}, &Record::format);
  visit(RecordField{"producer"}, &Record::producer);
  visit(RecordField{"build_date"}, &Record::buildDate);
  visit(RecordField{"calling_convention_version"}, &Record::callingConventionVersion);
  visit(RecordField{"serialization_version"}, &Record::serializationVersion);
  visit(RecordField{"stablehlo_version"}, &Record::stablehloVersion);
  visit(RecordField{"primitive"}, &Record::primitive);
  visit(RecordField{"case"}, &Record::caseId);
  visit(RecordField{"dtypes"}, &Record::dtypes);
  visit(RecordField{.name = "platforms", .ofOne = true}, &Record::platforms);
  visit(RecordField{"variant"}, &Record::variant);
  visit(RecordField{"device_count"}, &Record::deviceCount);
  visit(RecordField{"custom_call_targets"}, &Record::customCallTargets);
  visit(RecordField{.name = "golden", .ofOne = true}, &Record::golden);
  visit(RecordField{.name = "bytes", .ofOne = true}, &Record::bytes);
}

template <std::same_as<BuildRecord> Record, typename Visit>
void visitMembers(const Visit& visit) {
  visit(RecordField{"name"}, &Record::name);
  visit(RecordField{"version"}, &Record::version);
  visit(RecordField{"build_date", "build_day"}, &Record::buildDate);
  visit(RecordField{"platforms"}, &Record::platforms);
  visit(RecordField{"modes"}, &Record::modes);
  visit(RecordField{"oldest_calling_convention"}, &Record::oldestCallingConvention);
  visit(RecordField{"newest_calling_convention"}, &Record::newestCallingConvention);
  visit(RecordField{"newest_serialization"}, &Record::newestSerialization);
  visit(RecordField{"stablehlo_version", "stablehlo"}, &Record::stablehloVersion);
  visit(RecordField{"custom_call_targets", "targets"}, &Record::customCallTargets);
  visit(RecordField{"kind"}, &Record::kind);
  visit(RecordField{"details", "details", kLongestBuildDetails}, &Record::details);
}

template <std::same_as<RunRecord> Record, typename Visit>
void visitMembers(const Visit& visit) {
  visit(RecordField{"id"}, &Record::id);
  visit(RecordField{"kind"}, &Record::kind);
  visit(RecordField{"command_line", "command_line", kLongestCommandLine}, &Record::commandLine);
  visit(RecordField{"started"}, &Record::started);
  visit(RecordField{"finished"}, &Record::finished);
  visit(RecordField{"result"}, &Record::result);
  visit(RecordField{"label"}, &Record::label);
  visit(RecordField{"reporter"}, &Record::reporter);
  visit(RecordField{"verdict", nullptr, kUnlimited}, &Record::verdict);
}

template <std::same_as<Limitation> Record, typename Visit>
void visitMembers(const Visit& visit) {
  visit(RecordField{"id"}, &Record::id);
  visit(RecordField{"primitive"}, &Record::primitive);
  visit(RecordField{"dtypes"}, &Record::dtypes);
  visit(RecordField{"platforms"}, &Record::platforms);
  visit(RecordField{"modes"}, &Record::modes);
  visit(RecordField{"variants"}, &Record::variants);
  visit(RecordField{"description", "description", kLongestExplanation}, &Record::description);
  visit(RecordField{"issue", "issue", kLongestExplanation}, &Record::issue);
  visit(RecordField{"since"}, &Record::since);
  visit(RecordField{"failures"}, &Record::failures);
  visit(RecordField{"until"}, &Record::until);
  visit(RecordField{"skip_run"}, &Record::skipRun);
}

template <std::same_as<OutcomeRecord> Record, typename Visit>
void visitMembers(const Visit& visit) {
  visit(RecordField{"artifact", "blob"}, &Record::artifact);
  visit(RecordField{"golden"}, &Record::golden);
  visit(RecordField{"build"}, &Record::build);
  visit(RecordField{"platform"}, &Record::platform);
  visit(RecordField{"mode"}, &Record::mode);
  visit(RecordField{"run"}, &Record::run);
  visit(RecordField{"outcome"}, &Record::outcome);
  visit(RecordField{"stage"}, &Record::stage);
  visit(RecordField{"detail", "detail", kLongestOutcomeDetail}, &Record::detail);
  visit(RecordField{"seconds"}, &Record::seconds);
  visit(RecordField{"limitation"}, &Record::limitation);
}

// Each field with its value in the record.
template <typename Record, typename Fields>
void visitFields(Record& record, Fields& fields) {
  visitMembers<std::remove_const_t<Record>>(
      [&](const RecordField& field, auto member) { fields(field, record.*member); });
}

// Rows of a table whose columns are the record's fields.

template <typename Record>
std::vector<std::string> columnsOf() {
  std::vector<std::string> columns;
  const auto add = [&](const RecordField& field, const auto&) {
    if (field.column != nullptr) columns.emplace_back(field.column);
  };
  const Record record;
  visitFields(record, add);
  return columns;
}

template <typename Record>
std::string selectFields(std::string_view table) {
  return fmt::format("SELECT {} FROM {}", fmt::join(columnsOf<Record>(), ", "), table);
}

// `before`: columns in front of the record's.
template <typename Record>
std::string insertFields(std::string_view table, std::vector<std::string> before = {}) {
  const std::vector<std::string> columns = columnsOf<Record>();
  before.insert(before.end(), columns.begin(), columns.end());
  const std::vector<std::string> values(before.size(), "?");
  return fmt::format("INSERT INTO {} ({}) VALUES ({})", table, fmt::join(before, ", "),
                     fmt::join(values, ", "));
}
// Takes the place of a row with this `key`.
template <typename Record>
std::string replaceFields(std::string_view table, std::string_view key) {
  std::string set;
  for (const std::string& column : columnsOf<Record>())
    set += fmt::format("{}{} = excluded.{}", set.empty() ? "" : ", ", column, column);
  return fmt::format("{} ON CONFLICT ({}) DO UPDATE SET {}", insertFields<Record>(table), key, set);
}

template <typename Record>
Query& bindFields(Query& query, const Record& record) {
  const auto bind = [&](const RecordField& field, const auto& value) {
    if (field.column != nullptr) bindValue(query, value);
  };
  visitFields(record, bind);
  return query;
}

// From this column of the row on.
template <typename Record>
Status readFields(const Query& query, Record& record, int column = 0) {
  Status status;
  const auto read = [&](const RecordField& field, auto& value) {
    if (field.column != nullptr && status) status = readValue(query, column++, value);
  };
  visitFields(record, read);
  return status;
}

// All records of a query over selectFields().
template <typename Record, typename... Values>
Result<std::vector<Record>> selectRecords(Database& database, std::string_view sql,
                                          const Values&... values) {
  const auto read = [](const Query& row) -> Result<Record> {
    Record record;
    RETURN_IF_ERROR(readFields(row, record));
    return record;
  };
  return selectRows<Record>(database, sql, read, values...);
}

}  // namespace vintage::archive
