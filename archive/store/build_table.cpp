#include "archive/store/record_tables.h"

#include <algorithm>

#include "archive/records/build_order.h"
#include "archive/store/record_fields.h"
#include "archive/store/record_json.h"
#include "golden/base/failures.h"

namespace vintage::archive {

namespace {

const std::string& selectBuild() {
  static const std::string kSql = selectFields<BuildRecord>("build");
  return kSql;
}

}  // namespace

Status putBuildRow(Database& database, const BuildRecord& build, const Author& author) {
  if (build.name.empty())
    return failure(Error::Kind::kUsage, "a build needs a name, such as 'jax 0.4.14'");
  RETURN_IF_ERROR(checkLimits(build));
  {
    static const std::string kByName = selectBuild() + " WHERE name = ?";
    ASSIGN_OR_RETURN(auto query, database.query(kByName));
    ASSIGN_OR_RETURN(const auto found, query.bind(build.name).step());
    if (found) {
      BuildRecord kept;
      RETURN_IF_ERROR(within(build.name, readFields(query, kept)));
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
  static const std::string kPut = replaceFields<BuildRecord>("build", "name");
  ASSIGN_OR_RETURN(auto query, database.query(kPut));
  return bindFields(query, build).run();
}

Result<std::vector<BuildRecord>> allBuilds(Database& database) {
  ASSIGN_OR_RETURN(auto builds, selectRecords<BuildRecord>(database, selectBuild()));
  std::ranges::sort(builds, [](const auto& a, const auto& b) { return isOlder(a, b); });
  return builds;
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

}  // namespace vintage::archive
