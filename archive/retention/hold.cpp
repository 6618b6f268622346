#include "archive/retention/hold.h"

#include <fmt/format.h>

#include "archive/store/archive_implementation.h"
#include "archive/store/artifact_parts.h"
#include "archive/store/artifact_table.h"
#include "archive/store/row_values.h"
#include "golden/base/failures.h"

namespace vintage::archive::retention {
namespace {

Status note(Archive::Implementation& archive, std::string_view what, const ArtifactRecord& artifact,
            const nlohmann::json& after) {
  return noteChange(*archive.database, archive.author(), what,
                    fmt::format("{} of {}", artifact.name, artifact.producer),
                    after.empty() ? nlohmann::json{{"held", true}} : nlohmann::json::object(),
                    after);
}

}  // namespace

Status placeHold(Archive& archive, const ArtifactRecord& artifact, const std::string& reason,
                 std::optional<Date> until) {
  Archive::Implementation& self = archive.implementation();
  if (reason.empty())
    return failure(Error::Kind::kUsage, "a hold needs a reason, for those who find it later");
  return self.inTransaction([&]() -> Status {
    ASSIGN_OR_RETURN(const auto row,
                     rowOfArtifact(*self.database, artifact.name, artifact.producer));
    if (!row)
      return notFound("{}: the archive no longer holds {} of {}", self.folder, artifact.name,
                      artifact.producer);
    RETURN_IF_ERROR(runWith(*self.database, R"(
        INSERT INTO hold (artifact, reason, placed, until_day) VALUES (?, ?, ?, ?)
        ON CONFLICT (artifact) DO UPDATE SET reason = excluded.reason, placed = excluded.placed,
          until_day = excluded.until_day)",
                            *row, reason, self.seconds(), until));
    return note(self, "hold placed", artifact,
                {{"reason", reason}, {"until", until ? formatDate(*until) : std::string()}});
  });
}

Status releaseHold(Archive& archive, const ArtifactRecord& artifact) {
  Archive::Implementation& self = archive.implementation();
  return self.inTransaction([&]() -> Status {
    ASSIGN_OR_RETURN(const auto row,
                     rowOfArtifact(*self.database, artifact.name, artifact.producer));
    RETURN_IF_ERROR(runWith(*self.database, "DELETE FROM hold WHERE artifact = ?", row));
    if (self.database->changes() == 0)
      return notFound("{}: there is no hold on {} of {}; 'vintage hold --list' shows them",
                      self.folder, artifact.name, artifact.producer);
    return note(self, "hold released", artifact, nlohmann::json::object());
  });
}

Result<std::vector<Hold>> allHolds(const Archive& archive) {
  Database& database = *archive.implementation().database;
  ASSIGN_OR_RETURN(
      auto query,
      database.query(
          "SELECT h.artifact, h.reason, h.placed, h.until_day FROM hold AS h CROSS JOIN "
          "artifact_record AS a ON a.id = h.artifact ORDER BY a.build_day, a.name, a.id"));
  std::vector<Hold> holds;
  while (true) {
    ASSIGN_OR_RETURN(const auto row, query.step());
    if (!row) return holds;
    ASSIGN_OR_RETURN(auto artifact, artifactOfRow(database, query.integer(0)));
    Hold hold;
    hold.artifact = std::move(artifact);
    hold.reason = query.text(1);
    hold.placed =
        timeText(std::chrono::system_clock::time_point(std::chrono::seconds(query.integer(2))));
    if (!query.isNull(3)) hold.until = dateOfDay(query.integer(3));
    holds.push_back(std::move(hold));
  }
}

}  // namespace vintage::archive::retention
