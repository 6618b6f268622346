// The fields of each record, once: what JSON, limits and rows of the index need of them.
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include <fmt/format.h>

#include "archive/store/record_limits.h"
#include "archive/store/records.h"
#include "archive/store/row_values.h"

namespace vintage::archive {

inline constexpr size_t kUsual = 0, kUnlimited = std::numeric_limits<size_t>::max();

struct RecordField {
  const char* name;           // In JSON, and in messages.
  const char* column = name;  // Null: the record's row has none.
  size_t longest = kUsual;    // Bytes (archive/store/record_limits.h).
};

template <typename Record, typename Fields>
  requires std::is_same_v<std::remove_const_t<Record>, ArtifactRecord>
void visitFields(Record& record, Fields& fields) {
  fields({"id"}, record.id);
  fields({"name"}, record.name);
  fields({"format"}, record.format);
  fields({"producer"}, record.producer);
  fields({"build_date", "build_day"}, record.buildDate);
  fields({"calling_convention_version"}, record.callingConventionVersion);
  fields({"serialization_version"}, record.serializationVersion);
  fields({"stablehlo_version", "stablehlo"}, record.stablehloVersion);
  fields({"primitive"}, record.primitive);
  fields({"case"}, record.caseId);
  fields({"dtypes"}, record.dtypes);
  fields({"platforms"}, record.platforms);
  fields({"variant"}, record.variant);
  fields({"device_count"}, record.deviceCount);
  fields({"custom_call_targets", "targets"}, record.customCallTargets);
  fields({"golden"}, record.golden);
  fields({"bytes"}, record.bytes);
}

template <typename Record, typename Fields>
  requires std::is_same_v<std::remove_const_t<Record>, BuildRecord>
void visitFields(Record& build, Fields& fields) {
  fields({"name"}, build.name);
  fields({"version"}, build.version);
  fields({"build_date", "build_day"}, build.buildDate);
  fields({"platforms"}, build.platforms);
  fields({"modes"}, build.modes);
  fields({"oldest_calling_convention"}, build.oldestCallingConvention);
  fields({"newest_calling_convention"}, build.newestCallingConvention);
  fields({"newest_serialization"}, build.newestSerialization);
  fields({"stablehlo_version", "stablehlo"}, build.stablehloVersion);
  fields({"custom_call_targets", "targets"}, build.customCallTargets);
  fields({"kind"}, build.kind);
  fields({"details", "details", kLongestBuildDetails}, build.details);
}

template <typename Record, typename Fields>
  requires std::is_same_v<std::remove_const_t<Record>, RunRecord>
void visitFields(Record& run, Fields& fields) {
  fields({"id"}, run.id);
  fields({"kind"}, run.kind);
  fields({"command_line", "command_line", kLongestCommandLine}, run.commandLine);
  fields({"started"}, run.started);
  fields({"finished"}, run.finished);
  fields({"result"}, run.result);
  fields({"verdict", nullptr, kUnlimited}, run.verdict);
}

template <typename Record, typename Fields>
  requires std::is_same_v<std::remove_const_t<Record>, Limitation>
void visitFields(Record& limitation, Fields& fields) {
  fields({"id"}, limitation.id);
  fields({"primitive"}, limitation.primitive);
  fields({"dtypes"}, limitation.dtypes);
  fields({"platforms"}, limitation.platforms);
  fields({"modes"}, limitation.modes);
  fields({"variants"}, limitation.variants);
  fields({"description", "description", kLongestExplanation}, limitation.description);
  fields({"issue", "issue", kLongestExplanation}, limitation.issue);
  fields({"since"}, limitation.since);
  fields({"failures"}, limitation.failures);
  fields({"until"}, limitation.until);
  fields({"skip_run"}, limitation.skipRun);
}

template <typename Record, typename Fields>
  requires std::is_same_v<std::remove_const_t<Record>, OutcomeRecord>
void visitFields(Record& outcome, Fields& fields) {
  fields({"artifact"}, outcome.artifact);
  fields({"golden"}, outcome.golden);
  fields({"build"}, outcome.build);
  fields({"platform"}, outcome.platform);
  fields({"mode"}, outcome.mode);
  fields({"run"}, outcome.run);
  fields({"outcome"}, outcome.outcome);
  fields({"stage"}, outcome.stage);
  fields({"detail", "detail", kLongestOutcomeDetail}, outcome.detail);
  fields({"seconds"}, outcome.seconds);
  fields({"limitation"}, outcome.limitation);
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

template <typename Record>
Status readFields(const Query& query, Record& record) {
  Status status;
  int column = 0;
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
