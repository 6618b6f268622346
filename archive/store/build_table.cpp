#include "archive/store/record_tables.h"

#include "archive/store/outside_json.h"
#include "archive/store/record_json.h"
#include "archive/store/record_limits.h"
#include "archive/store/row_values.h"
#include "golden/base/failures.h"

namespace vintage::archive::store {

namespace {

constexpr const char* kSelectBuild =
    "SELECT name, version, build_day, platforms, modes, oldest_calling_convention, "
    "newest_calling_convention, newest_serialization, stablehlo, targets, kind, details "
    "FROM build";

Status readBuild(const Query& query, BuildRecord& build) {
  std::string details;
  RETURN_IF_ERROR(readRow(query, 0, build.name, build.version, build.buildDate, build.platforms,
                          build.modes, build.oldestCallingConvention,
                          build.newestCallingConvention, build.newestSerialization,
                          build.stablehloVersion, build.customCallTargets, build.kind, details));
  if (details.empty()) return {};
  ASSIGN_OR_RETURN(const auto document, parseOutsideJson(details));
  ASSIGN_OR_RETURN(build.details, detailsOfJson(document));
  return {};
}

// Empty where nothing is known, as before there were details.
std::string detailsText(const BuildDetails& details) {
  const nlohmann::json document = detailsJson(details);
  return document.empty() ? "" : jsonText(document);
}

}  // namespace

Status putBuildRow(Database& database, const BuildRecord& build, const Author& author) {
  if (build.name.empty())
    return failure(Error::Kind::kUsage, "a build needs a name, such as 'jax 0.4.14'");
  RETURN_IF_ERROR(checkLimits(build));
  {
    static const std::string kByName = fmt::format("{} WHERE name = ?", kSelectBuild);
    ASSIGN_OR_RETURN(auto query, database.query(kByName));
    ASSIGN_OR_RETURN(const auto found, query.bind(build.name).step());
    if (found) {
      BuildRecord kept;
      RETURN_IF_ERROR(within(build.name, readBuild(query, kept)));
      query.reset();
      if (kept.buildDate != build.buildDate)
        return conflict(
            "build '{}' is kept with build date {}, and {} here; outcomes were judged by the kept "
            "date: give the new build another name",
            build.name, formatDate(kept.buildDate), formatDate(build.buildDate));
      const auto before = recordJson(kept), after = recordJson(build);
      RETURN_IF_ERROR(checkOnlyAdds(author, fmt::format("build '{}'", build.name), before, after));
      RETURN_IF_ERROR(noteChange(database, author, "build replaced", build.name, before, after));
    }
  }
  return runWith(database, R"(
      INSERT INTO build (name, version, build_day, platforms, modes, oldest_calling_convention,
        newest_calling_convention, newest_serialization, stablehlo, targets, kind, details)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (name) DO UPDATE SET
        version = excluded.version, platforms = excluded.platforms, modes = excluded.modes,
        oldest_calling_convention = excluded.oldest_calling_convention,
        newest_calling_convention = excluded.newest_calling_convention,
        newest_serialization = excluded.newest_serialization, stablehlo = excluded.stablehlo,
        targets = excluded.targets, kind = excluded.kind, details = excluded.details)",
                 build.name, build.version, build.buildDate, build.platforms, build.modes,
                 build.oldestCallingConvention, build.newestCallingConvention,
                 build.newestSerialization, build.stablehloVersion, build.customCallTargets,
                 build.kind, detailsText(build.details));
}

Result<std::vector<BuildRecord>> allBuilds(Database& database) {
  static const std::string kAll = fmt::format("{} ORDER BY build_day, name", kSelectBuild);
  ASSIGN_OR_RETURN(auto query, database.query(kAll));
  std::vector<BuildRecord> builds;
  while (true) {
    ASSIGN_OR_RETURN(const auto row, query.step());
    if (!row) return builds;
    BuildRecord& build = builds.emplace_back();
    RETURN_IF_ERROR(within(build.name, readBuild(query, build)));
  }
}

Result<std::vector<Archive::FormerCommand>> allFormerCommands(Database& database) {
  ASSIGN_OR_RETURN(auto query, database.query("SELECT build, command, exporter, environment FROM "
                                              "former_command ORDER BY build"));
  std::vector<Archive::FormerCommand> commands;
  while (true) {
    ASSIGN_OR_RETURN(const auto row, query.step());
    if (!row) return commands;
    Archive::FormerCommand& one = commands.emplace_back();
    RETURN_IF_ERROR(readRow(query, 0, one.build, one.worker, one.exporter, one.environment));
  }
}

Status removeBuildRow(Database& database, std::string_view name, bool withOutcomes,
                      const Author& author) {
  ASSIGN_OR_RETURN(auto find, database.query(R"(
      SELECT id, (SELECT count(*) FROM outcome WHERE build = build.id) FROM build
      WHERE name = ?)"));
  ASSIGN_OR_RETURN(const auto found, find.bind(name).step());
  if (!found) return notFound("no build is registered as '{}'", name);
  const int64_t row = find.integer(0), outcomes = find.integer(1);
  find.reset();
  if (outcomes > 0 && !withOutcomes)
    return conflict(
        "{} outcomes of build '{}' would go with it; pass --with-outcomes to remove them too",
        outcomes, name);
  RETURN_IF_ERROR(noteChange(database, author, "build removed", name, {{"outcomes", outcomes}},
                             nlohmann::json::object()));
  RETURN_IF_ERROR(runWith(database, "DELETE FROM outcome WHERE build = ?", row));
  RETURN_IF_ERROR(runWith(database, "DELETE FROM former_command WHERE build = ?", name));
  return runWith(database, "DELETE FROM build WHERE id = ?", row);
}

}  // namespace vintage::archive::store
