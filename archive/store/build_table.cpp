#include "archive/store/record_tables.h"

#include <fmt/format.h>

#include "archive/store/record_limits.h"
#include "archive/store/row_values.h"

namespace vintage::archive::store {

Status putBuildRow(Database& database, const BuildRecord& build) {
  if (build.name.empty())
    return failure(Error::Kind::kUsage, "a build needs a name, such as 'jax 0.4.14'");
  RETURN_IF_ERROR(checkLimits(build));
  {
    ASSIGN_OR_RETURN(auto query, database.query("SELECT build_day FROM build WHERE name = ?"));
    ASSIGN_OR_RETURN(const auto found, query.bind(build.name).step());
    if (found && query.integer(0) != dayNumber(build.buildDate))
      return failure(Error::Kind::kConflict,
                     fmt::format("build '{}' is kept with build date {}, and {} here; outcomes "
                                 "were judged by the kept date: give the new build another name",
                                 build.name, formatDate(dateOfDay(query.integer(0))),
                                 formatDate(build.buildDate)));
  }
  ASSIGN_OR_RETURN(
      auto query,
      database.query(
          "INSERT INTO build (name, version, build_day, platforms, modes, "
          "oldest_calling_convention, "
          "newest_calling_convention, newest_serialization, stablehlo, targets, kind, command, "
          "details) "
          "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (name) DO UPDATE SET "
          "version = excluded.version, platforms = excluded.platforms, modes = excluded.modes, "
          "oldest_calling_convention = excluded.oldest_calling_convention, "
          "newest_calling_convention = excluded.newest_calling_convention, "
          "newest_serialization = excluded.newest_serialization, stablehlo = excluded.stablehlo, "
          "targets = excluded.targets, kind = excluded.kind, command = excluded.command, "
          "details = excluded.details"));
  return query.bind(build.name)
      .bind(build.version)
      .bind(dayNumber(build.buildDate))
      .bind(listText(build.platforms))
      .bind(listText(build.modes))
      .bind(build.oldestCallingConvention)
      .bind(build.newestCallingConvention)
      .bind(build.newestSerialization)
      .bind(build.stablehloVersion)
      .bind(listText(build.customCallTargets))
      .bind(build.kind)
      .bind(listText(build.command))
      .bind(build.details)
      .run();
}

Result<std::vector<BuildRecord>> allBuilds(Database& database) {
  ASSIGN_OR_RETURN(
      auto query,
      database.query(
          "SELECT name, version, build_day, platforms, modes, oldest_calling_convention, "
          "newest_calling_convention, newest_serialization, stablehlo, targets, kind, command, "
          "details FROM build ORDER BY build_day, name"));
  std::vector<BuildRecord> builds;
  while (true) {
    ASSIGN_OR_RETURN(const auto row, query.step());
    if (!row) return builds;
    BuildRecord build;
    build.name = query.text(0);
    build.version = query.text(1);
    build.buildDate = dateOfDay(query.integer(2));
    build.oldestCallingConvention = static_cast<int>(query.integer(5));
    build.newestCallingConvention = static_cast<int>(query.integer(6));
    build.newestSerialization = static_cast<int>(query.integer(7));
    build.stablehloVersion = query.text(8);
    build.kind = query.text(10);
    build.details = query.text(12);
    const std::pair<int, std::vector<std::string>*> lists[] = {
        {3, &build.platforms}, {4, &build.modes}, {9, &build.customCallTargets}, {11, &build.command}};
    for (const auto& [column, list] : lists) {
      auto values = parseList(query.text(column));
      if (!values) return within(build.name, values.error());
      *list = std::move(*values);
    }
    builds.push_back(std::move(build));
  }
}

Status removeBuildRow(Database& database, std::string_view name, bool withOutcomes) {
  ASSIGN_OR_RETURN(auto find, database.query("SELECT id, (SELECT count(*) FROM outcome WHERE build "
                                             "= build.id) FROM build WHERE name = ?"));
  ASSIGN_OR_RETURN(const auto found, find.bind(name).step());
  if (!found)
    return failure(Error::Kind::kNotFound, fmt::format("no build is registered as '{}'", name));
  const int64_t row = find.integer(0), outcomes = find.integer(1);
  find.reset();
  if (outcomes > 0 && !withOutcomes)
    return failure(Error::Kind::kConflict,
                   fmt::format("{} outcomes of build '{}' would go with it; "
                               "pass --with-outcomes to remove them too",
                               outcomes, name));
  for (const char* sql : {"DELETE FROM outcome WHERE build = ?", "DELETE FROM build WHERE id = ?"}) {
    ASSIGN_OR_RETURN(auto remove, database.query(sql));
    RETURN_IF_ERROR(remove.bind(row).run());
  }
  return {};
}

}  // namespace vintage::archive::store
