#include "archive/build_table.h"

#include <fmt/format.h>

#include "archive/row_values.h"

namespace vintage {

Status putBuildRow(Database& database, const BuildRecord& build) {
  if (build.name.empty())
    return failure(Error::Kind::kUsage, "a build needs a name, such as 'jax 0.4.14'");
  {
    auto query = database.query("SELECT build_day FROM build WHERE name = ?");
    if (!query) return tl::unexpected(query.error());
    const auto found = query->bind(build.name).step();
    if (!found) return tl::unexpected(found.error());
    if (*found && query->integer(0) != dayNumber(build.buildDate))
      return failure(Error::Kind::kConflict,
                     fmt::format("build '{}' is kept with build date {}, and {} here; outcomes "
                                 "were judged by the kept date: give the new build another name",
                                 build.name, formatDate(dateOfDay(query->integer(0))),
                                 formatDate(build.buildDate)));
  }
  auto query = database.query(
      "INSERT INTO build (name, version, build_day, platforms, modes, oldest_calling_convention, "
      "newest_calling_convention, newest_serialization, stablehlo, targets, kind, command) "
      "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (name) DO UPDATE SET "
      "version = excluded.version, platforms = excluded.platforms, modes = excluded.modes, "
      "oldest_calling_convention = excluded.oldest_calling_convention, "
      "newest_calling_convention = excluded.newest_calling_convention, "
      "newest_serialization = excluded.newest_serialization, stablehlo = excluded.stablehlo, "
      "targets = excluded.targets, kind = excluded.kind, command = excluded.command");
  if (!query) return tl::unexpected(query.error());
  return query->bind(build.name)
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
      .run();
}

Result<std::vector<BuildRecord>> allBuilds(Database& database) {
  auto query = database.query(
      "SELECT name, version, build_day, platforms, modes, oldest_calling_convention, "
      "newest_calling_convention, newest_serialization, stablehlo, targets, kind, command "
      "FROM build ORDER BY build_day, name");
  if (!query) return tl::unexpected(query.error());
  std::vector<BuildRecord> builds;
  while (true) {
    const auto row = query->step();
    if (!row) return tl::unexpected(row.error());
    if (!*row) return builds;
    BuildRecord build;
    build.name = query->text(0);
    build.version = query->text(1);
    build.buildDate = dateOfDay(query->integer(2));
    build.oldestCallingConvention = static_cast<int>(query->integer(5));
    build.newestCallingConvention = static_cast<int>(query->integer(6));
    build.newestSerialization = static_cast<int>(query->integer(7));
    build.stablehloVersion = query->text(8);
    build.kind = query->text(10);
    const std::pair<int, std::vector<std::string>*> lists[] = {
        {3, &build.platforms}, {4, &build.modes}, {9, &build.customCallTargets}, {11, &build.command}};
    for (const auto& [column, list] : lists) {
      auto values = parseList(query->text(column));
      if (!values) return within(build.name, values.error());
      *list = std::move(*values);
    }
    builds.push_back(std::move(build));
  }
}

}  // namespace vintage
