// The index's rows of builds.
#include <algorithm>

#include "archive/records/records.h"
#include "archive/store/archive_implementation.h"
#include "archive/store/record_fields.h"
#include "archive/store/record_json.h"
#include "golden/base/failures.h"

namespace vintage::archive {
namespace {

const std::string& selectBuild() {
  static const std::string kSql = selectFields<BuildRecord>("build");
  return kSql;
}

// What is replaced is noted, or refused (kConflict) where the author may only add.
Status checkReplaced(Database& database, const BuildRecord& build, const Author& author) {
  static const std::string kByName = selectBuild() + " WHERE name = ?";
  ASSIGN_OR_RETURN(const auto found,
                   within(build.name, selectRecords<BuildRecord>(database, kByName, build.name)));
  if (found.empty()) return {};
  const BuildRecord& kept = found.front();
  if (kept.buildDate != build.buildDate)
    return conflict(
        "build '{}' is kept with build date {}, and {} here; outcomes were judged by the kept "
        "date: give the new build another name",
        build.name, formatDate(kept.buildDate), formatDate(build.buildDate));
  const auto before = recordJson(kept), after = recordJson(build);
  RETURN_IF_ERROR(checkOnlyAdds(author, fmt::format("build '{}'", build.name), before, after));
  return noteChange(database, author, "build replaced", build.name, before, after);
}

}  // namespace

Status Archive::putBuild(const BuildRecord& build) {
  return implementation_->inTransaction([&]() -> Status {
    if (build.name.empty())
      return failure(Error::Kind::kUsage, "a build needs a name, such as 'jax 0.4.14'");
    RETURN_IF_ERROR(checkLimits(build));
    Database& database = *implementation_->database;
    RETURN_IF_ERROR(checkReplaced(database, build, implementation_->author()));
    static const std::string kPut = replaceFields<BuildRecord>("build", "name");
    ASSIGN_OR_RETURN(auto query, database.query(kPut));
    return bindFields(query, build).run();
  });
}

Result<std::vector<BuildRecord>> Archive::builds() const {
  ASSIGN_OR_RETURN(auto builds,
                   selectRecords<BuildRecord>(*implementation_->database, selectBuild()));
  std::ranges::sort(builds, [](const auto& a, const auto& b) { return isOlder(a, b); });
  return builds;
}

Result<std::vector<Archive::FormerCommand>> Archive::formerCommands() const {
  return selectMembers<&FormerCommand::build, &FormerCommand::worker, &FormerCommand::exporter,
                       &FormerCommand::environment>(
      *implementation_->database,
      "SELECT build, command, exporter, environment FROM former_command ORDER BY build");
}

Status Archive::forgetFormerCommand(std::string_view build) {
  return runWith(*this, "DELETE FROM former_command WHERE build = ?", build);
}

Status Archive::removeBuild(std::string_view name, bool withOutcomes) {
  return implementation_->inTransaction([&]() -> Status {
    Database& database = *implementation_->database;
    int64_t row = 0, outcomes = 0;
    ASSIGN_OR_RETURN(const bool found, firstRow(database, R"(
        SELECT id, (SELECT count(*) FROM outcome WHERE build = build.id) FROM build
        WHERE name = ?)",
                                                std::tie(row, outcomes), name));
    if (!found) return notFound("no build is registered as '{}'", name);
    if (outcomes > 0 && !withOutcomes)
      return conflict(
          "{} outcomes of build '{}' would go with it; pass --with-outcomes to remove them too",
          outcomes, name);
    RETURN_IF_ERROR(noteChange(database, implementation_->author(), "build removed", name,
                               {{"outcomes", outcomes}}, nlohmann::json::object()));
    RETURN_IF_ERROR(runWith(database, "DELETE FROM outcome WHERE build = ?", row));
    RETURN_IF_ERROR(runWith(database, "DELETE FROM former_command WHERE build = ?", name));
    return runWith(database, "DELETE FROM build WHERE id = ?", row);
  });
}

}  // namespace vintage::archive
