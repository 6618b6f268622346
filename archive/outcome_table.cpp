#include "archive/outcome_table.h"

#include <optional>
#include <set>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "archive/blob_store.h"
#include "archive/conditions.h"
#include "archive/record_limits.h"
#include "archive/row_values.h"
#include "golden/content_hash.h"

namespace vintage {
namespace {

Result<std::optional<int64_t>> lookUp(Database& database, std::string_view sql,
                                      const std::function<void(Query&)>& bind) {
  auto query = database.query(sql);
  if (!query) return tl::unexpected(query.error());
  bind(*query);
  const auto found = query->step();
  if (!found) return tl::unexpected(found.error());
  if (!*found) return std::nullopt;
  return query->integer(0);
}

// The golden of the only artifact with these bytes; empty where there are
// several goldens, or none.
Result<ContentId> onlyGolden(Database& database, int64_t blob) {
  auto query = database.query(
      "SELECT DISTINCT g.hash FROM artifact AS a LEFT JOIN blob AS g ON g.id = a.golden "
      "WHERE a.blob = ? LIMIT 2");
  if (!query) return tl::unexpected(query.error());
  auto row = query->bind(blob).step();
  if (!row) return tl::unexpected(row.error());
  if (!*row) return ContentId();
  const ContentId golden = hashText(query->blob(0));
  row = query->step();
  if (!row) return tl::unexpected(row.error());
  return *row ? ContentId() : golden;
}

// A run that is not known yet gets an empty record.
Status knowRun(Database& database, const std::string& run) {
  auto query = database.query(
      "INSERT OR IGNORE INTO run (id, kind, command_line, started, finished) "
      "VALUES (?, '', '', '', '')");
  if (!query) return tl::unexpected(query.error());
  return query->bind(run).run();
}

Status putOutcomeRow(Database& database, const OutcomeRecord& outcome) {
  constexpr size_t kShownOfId = 80;
  if (!isContentHash(outcome.artifact) ||
      (!outcome.golden.empty() && !isContentHash(outcome.golden)) || outcome.run.empty())
    return failure(Error::Kind::kUsage,
                   fmt::format("an outcome of artifact '{}', golden '{}', run '{}': it needs the "
                               "artifact's and the golden's whole ids and a run",
                               outcome.artifact.substr(0, kShownOfId),
                               outcome.golden.substr(0, kShownOfId),
                               outcome.run.substr(0, kShownOfId)));
  if (Status status = checkLimits(outcome); !status) return status;
  const auto blob = lookUp(database,
                           "SELECT b.id FROM blob AS b WHERE b.hash = ? AND EXISTS (SELECT 1 FROM "
                           "artifact AS a WHERE a.blob = b.id)",
                           [&](Query& query) { query.bindBlob(hashBytes(outcome.artifact)); });
  if (!blob) return tl::unexpected(blob.error());
  if (!*blob)
    return failure(Error::Kind::kNotFound,
                   fmt::format("{}: an outcome names artifact {}, which is not kept; put it first",
                               database.path(), outcome.artifact));
  const auto build = lookUp(database, "SELECT id FROM build WHERE name = ?",
                            [&](Query& query) { query.bind(outcome.build); });
  if (!build) return tl::unexpected(build.error());
  if (!*build)
    return failure(Error::Kind::kNotFound,
                   fmt::format("{}: an outcome names build '{}', which is not kept; put it first",
                               database.path(), outcome.build));
  ContentId golden = outcome.golden;
  if (golden.empty() && !outcome.goldenIsFinal) {
    auto only = onlyGolden(database, **blob);
    if (!only) return tl::unexpected(only.error());
    golden = std::move(*only);
  }
  auto query = database.query(
      "INSERT INTO outcome (blob, golden, build, platform, mode, run, outcome, stage, detail, "
      "seconds, limitation) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "
      "ON CONFLICT (blob, golden, build, platform, mode, run) DO UPDATE SET "
      "outcome = excluded.outcome, stage = excluded.stage, detail = excluded.detail, "
      "seconds = excluded.seconds, limitation = excluded.limitation");
  if (!query) return tl::unexpected(query.error());
  return query->bind(**blob)
      .bindBlob(hashBytes(golden))
      .bind(**build)
      .bind(outcome.platform)
      .bind(outcome.mode)
      .bind(outcome.run)
      .bind(static_cast<int>(outcome.outcome))
      .bind(static_cast<int>(outcome.stage))
      .bind(outcome.detail)
      .bind(outcome.seconds)
      .bind(outcome.limitation)
      .run();
}

class Builder : private Conditions {
 public:
  explicit Builder(const OutcomeFilter& filter) : filter_(filter) {}

  OutcomeQuery build() {
    std::string from = "outcome AS o";
    const bool byArtifact = !filter_.artifacts.empty();
    if (byArtifact) {
      from = "json_each(?) AS wanted CROSS JOIN blob AS wanted_blob ON wanted_blob.hash = "
             "hash_bytes(wanted.value) CROSS JOIN outcome AS o ON o.blob = wanted_blob.id";
      bindList(filter_.artifacts);
    }
    // The list that is likely to fit the fewest outcomes is left to an index,
    // the others get a plus, which takes them out of SQLite's choice.
    bool driven = byArtifact;
    const auto list = [&](std::string_view column, const std::vector<std::string>& values) {
      if (values.empty()) return;
      where(fmt::format("{}o.{} {}", driven ? "+" : "", column, kInList));
      bindList(values);
      driven = true;
    };
    list("run", filter_.runs);
    if (!filter_.builds.empty()) {
      where(fmt::format("{}o.build IN (SELECT id FROM build WHERE name {})", driven ? "+" : "",
                        kInList));
      bindList(filter_.builds);
      driven = true;
    }
    if (!filter_.outcomes.empty()) {
      nlohmann::json numbers = nlohmann::json::array();
      for (const OutcomeKind outcome : filter_.outcomes) numbers.push_back(static_cast<int>(outcome));
      where(fmt::format("{}o.outcome {}", driven ? "+" : "", kInList));
      bind([text = numbers.dump()](Query& query) { query.bind(text); });
      driven = true;
    }
    list("mode", filter_.modes);
    list("platform", filter_.platforms);
    if (filter_.latestOnly) latestOnly();
    OutcomeQuery query;
    query.bindings = bindings();
    query.sql = fmt::format(
        "SELECT b.hash, o.golden, u.name, o.platform, o.mode, o.run, o.outcome, o.stage, o.detail, "
        "o.seconds, o.limitation FROM {} CROSS JOIN blob AS b ON b.id = o.blob CROSS JOIN build AS "
        "u ON u.id = o.build{} ORDER BY o.run, u.name, b.hash, o.golden, o.platform, o.mode",
        from, text());
    return query;
  }

 private:
  // Among the runs that are asked for.
  void latestOnly() {
    std::string among;
    if (!filter_.runs.empty()) {
      among = fmt::format(" AND later.run {}", kInList);
      bindList(filter_.runs);
    }
    where("NOT EXISTS (SELECT 1 FROM outcome AS later WHERE later.blob = o.blob AND later.golden = "
          "o.golden AND later.build = o.build AND later.platform = o.platform AND later.mode = "
          "o.mode AND later.run > o.run" +
          among + ")");
  }

  const OutcomeFilter& filter_;
};

}  // namespace

Status putOutcomeRows(Database& database, std::span<const OutcomeRecord> outcomes) {
  std::set<std::string_view> runs;
  for (const OutcomeRecord& outcome : outcomes) {
    if (runs.insert(outcome.run).second)
      if (Status status = knowRun(database, outcome.run); !status) return status;
    if (Status status = putOutcomeRow(database, outcome); !status) return status;
  }
  return {};
}

OutcomeQuery makeOutcomeQuery(const OutcomeFilter& filter) { return Builder(filter).build(); }

Result<std::vector<OutcomeRecord>> findOutcomes(Database& database, const OutcomeFilter& filter) {
  const OutcomeQuery outcomeQuery = makeOutcomeQuery(filter);
  auto query = database.query(outcomeQuery.sql);
  if (!query) return tl::unexpected(query.error());
  for (const auto& binding : outcomeQuery.bindings) binding(*query);
  std::vector<OutcomeRecord> outcomes;
  while (true) {
    const auto row = query->step();
    if (!row) return tl::unexpected(row.error());
    if (!*row) return outcomes;
    OutcomeRecord outcome;
    outcome.artifact = hashText(query->blob(0));
    outcome.golden = hashText(query->blob(1));
    outcome.goldenIsFinal = true;
    outcome.build = query->text(2);
    outcome.platform = query->text(3);
    outcome.mode = query->text(4);
    outcome.run = query->text(5);
    outcome.outcome = static_cast<OutcomeKind>(query->integer(6));
    outcome.stage = static_cast<Stage>(query->integer(7));
    outcome.detail = query->text(8);
    outcome.seconds = query->real(9);
    outcome.limitation = query->text(10);
    outcomes.push_back(std::move(outcome));
  }
}

}  // namespace vintage
