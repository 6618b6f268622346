#include "archive/archive.h"

#include <atomic>

#include <unistd.h>

#include <fmt/format.h>

#include "archive/archive_implementation.h"
#include "archive/archive_opening.h"
#include "archive/artifact_table.h"
#include "archive/build_table.h"
#include "archive/outcome_table.h"
#include "archive/row_values.h"
#include "archive/run_table.h"

namespace vintage {

namespace {

// Records are fetched in pages, and nothing of SQLite stays open while the
// caller looks at one: a slow caller holds up no writer and no checkpoint, and
// may use the archive himself.
constexpr size_t kPage = 256;
// Row numbers of a sorted selection that are held in memory.
constexpr size_t kFew = 2048;

}  // namespace

Result<Archive> Archive::open(const std::string& folder, Mode mode,
                              const ArchiveEnvironment& environment) {
  if (folder.empty()) return failure(Error::Kind::kUsage, "the name of the archive's folder is empty");
  std::string path = folder;
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  FileSystem& files = environment.fileSystem ? *environment.fileSystem : realFileSystem();
  Clock& clock = environment.clock ? *environment.clock : systemClock();
  auto database = openIndex(files, path, mode, environment);
  if (!database) return tl::unexpected(database.error());
  const bool readOnly = mode == Mode::kReadOnly;
  auto implementation =
      std::make_unique<Implementation>(path, std::move(*database), files, clock, readOnly);
  if (!readOnly) {
    if (const auto removed = implementation->blobs.removeAbandoned(); !removed)
      return tl::unexpected(removed.error());
  }
  return Archive(std::move(implementation));
}

Archive::Archive(std::unique_ptr<Implementation> implementation)
    : implementation_(std::move(implementation)) {}
Archive::~Archive() = default;
Archive::Archive(Archive&&) noexcept = default;
Archive& Archive::operator=(Archive&&) noexcept = default;

const std::string& Archive::folder() const { return implementation_->folder; }

Result<ContentId> Archive::put(ArtifactRecord record, std::span<const std::byte> bytes,
                               const Golden* golden) {
  std::vector<Put> puts(1);
  puts[0].record = std::move(record);
  puts[0].bytes.assign(bytes.begin(), bytes.end());
  if (golden != nullptr) puts[0].golden = *golden;
  auto ids = putAll(puts);
  if (!ids) return tl::unexpected(ids.error());
  return std::move(ids->front());
}

Result<std::vector<ContentId>> Archive::putAll(std::span<Put> puts) {
  Implementation& self = *implementation_;
  if (Status status = self.checkWritable(); !status) return tl::unexpected(status.error());
  std::vector<std::vector<std::byte>> goldens(puts.size());
  std::vector<StagedBlob> staged;   // Each artifact's, followed by its golden's.
  std::vector<ContentId> ids;
  for (size_t index = 0; index < puts.size(); ++index) {
    Put& put = puts[index];
    if (Status status = normalize(put.record); !status) return tl::unexpected(status.error());
    auto blob = self.blobs.stage(put.bytes);
    if (!blob) return within(put.record.name, blob.error());
    put.record.id = blob->id;
    put.record.bytes = static_cast<int64_t>(put.bytes.size());
    put.record.golden.clear();
    ids.push_back(blob->id);
    staged.push_back(std::move(*blob));
    if (!put.golden) continue;
    auto bytes = vintage::writeGolden(*put.golden);
    if (!bytes) return within(put.record.name, bytes.error());
    goldens[index] = std::move(*bytes);
    blob = self.blobs.stage(goldens[index]);
    if (!blob) return within(put.record.name, blob.error());
    put.record.golden = blob->id;
    staged.push_back(std::move(*blob));
  }
  const auto lease = self.settle(staged, fmt::format("put by process {}", ::getpid()));
  if (!lease) return tl::unexpected(lease.error());
  const int64_t added = self.seconds();
  const Status status = self.inTransaction([&]() -> Status {
    if (Status settled = self.settleAgain(staged, *lease); !settled) return settled;
    auto next = staged.begin();
    for (const Put& put : puts) {
      const auto blob = self.blobs.insert(*next++);
      if (!blob) return tl::unexpected(blob.error());
      std::optional<int64_t> golden;
      if (put.golden) {
        const auto row = self.blobs.insert(*next++);
        if (!row) return tl::unexpected(row.error());
        golden = *row;
      }
      if (Status put_ = putArtifact(*self.database, put.record, *blob, golden, added); !put_)
        return put_;
    }
    return *lease ? removeLease(*self.database, **lease) : Status();
  });
  if (!status) return tl::unexpected(status.error());
  return ids;
}

Result<std::vector<ArtifactRecord>> Archive::list(const ArtifactFilter& filter) const {
  std::vector<ArtifactRecord> records;
  const Status status = forEach(filter, [&](const ArtifactRecord& record) {
    records.push_back(record);
    return true;
  });
  if (!status) return tl::unexpected(status.error());
  return records;
}

Result<bool> Archive::Implementation::visitRows(
    const std::vector<int64_t>& rows, const std::function<bool(const ArtifactRecord&)>& visit) {
  for (const int64_t row : rows) {
    const auto record = artifactOfRow(*database, row);
    // Removed since its page was fetched.
    if (!record && record.error().kind == Error::Kind::kNotFound) continue;
    if (!record) return tl::unexpected(record.error());
    if (!visit(*record)) return false;
  }
  return true;
}

Status Archive::Implementation::visitStream(
    const ArtifactFilter& filter, const std::function<bool(const ArtifactRecord&)>& visit) {
  ArtifactPosition position;
  for (bool first = true;; first = false) {
    const auto made = makeArtifactQuery(filter, first ? nullptr : &position);
    if (!made) return tl::unexpected(made.error());
    std::vector<int64_t> rows;
    {
      auto query = database->query(made->sql);
      if (!query) return tl::unexpected(query.error());
      made->bind(*query);
      while (rows.size() < kPage) {
        const auto row = query->step();
        if (!row) return tl::unexpected(row.error());
        if (!*row) break;
        rows.push_back(query->integer(0));
        position = {query->integer(1), query->text(2), rows.back()};
      }
    }
    const auto goOn = visitRows(rows, visit);
    if (!goOn) return tl::unexpected(goOn.error());
    if (!*goOn || rows.size() < kPage) return {};
  }
}

// The rows of a query that needs sorting are held where they are few. Otherwise
// they go to a temporary table once, on the disk where there are many, and are
// read from there in pages.
Status Archive::Implementation::visitSelection(
    const ArtifactFilter& filter, const ArtifactQuery& artifactQuery,
    const std::function<bool(const ArtifactRecord&)>& visit) {
  std::vector<int64_t> few;
  {
    auto query = database->query(artifactQuery.sql);
    if (!query) return tl::unexpected(query.error());
    artifactQuery.bind(*query);
    while (few.size() <= kFew) {
      const auto row = query->step();
      if (!row) return tl::unexpected(row.error());
      if (!*row) break;
      few.push_back(query->integer(0));
    }
  }
  if (few.size() <= kFew) {
    const auto seen = visitRows(few, visit);
    return seen ? Status() : tl::unexpected(seen.error());
  }
  if (Status status = database->execute(
          "CREATE TEMP TABLE IF NOT EXISTS selection (selection INTEGER "
          "NOT NULL, position INTEGER NOT NULL, artifact INTEGER NOT NULL, PRIMARY KEY (selection, "
          "position)) WITHOUT ROWID");
      !status)
    return status;
  const int64_t selection = nextSelection++;
  {
    auto query = database->query(
        "INSERT INTO temp.selection SELECT ?, row_number() OVER (ORDER BY build_day, name, id), id "
        "FROM (" + artifactQuery.sql + ")");
    if (!query) return tl::unexpected(query.error());
    query->bind(selection);
    artifactQuery.bind(*query);
    if (Status status = query->run(); !status) return status;
  }
  Status outcome;
  for (int64_t position = 0;;) {
    std::vector<int64_t> rows;
    {
      auto query = database->query(
          "SELECT position, artifact FROM temp.selection WHERE selection = ? AND position > ? "
          "ORDER BY position LIMIT ?");
      if (!query) return tl::unexpected(query.error());
      query->bind(selection).bind(position).bind(static_cast<int64_t>(kPage));
      while (true) {
        const auto row = query->step();
        if (!row) return tl::unexpected(row.error());
        if (!*row) break;
        position = query->integer(0);
        rows.push_back(query->integer(1));
      }
    }
    const auto goOn = visitRows(rows, visit);
    if (!goOn) outcome = tl::unexpected(goOn.error());
    if (!goOn || !*goOn || rows.size() < kPage) break;
  }
  auto query = database->query("DELETE FROM temp.selection WHERE selection = ?");
  if (!query) return tl::unexpected(query.error());
  const Status removed = query->bind(selection).run();
  return outcome ? removed : outcome;
}

Status Archive::forEach(const ArtifactFilter& filter,
                        const std::function<bool(const ArtifactRecord&)>& visit) const {
  const auto query = makeArtifactQuery(filter);
  if (!query) return tl::unexpected(query.error());
  return query->streams ? implementation_->visitStream(filter, visit)
                        : implementation_->visitSelection(filter, *query, visit);
}

Status Archive::forEachContent(
    const ContentFilter& filter,
    const std::function<Result<bool>(const ArchivedContent&)>& visit) const {
  return visitContents(*implementation_->database, filter, visit);
}

Result<int64_t> Archive::count(const ArtifactFilter& filter) const {
  const auto made = makeArtifactQuery(filter);
  if (!made) return tl::unexpected(made.error());
  auto query = implementation_->database->query(made->countSql);
  if (!query) return tl::unexpected(query.error());
  made->bind(*query);
  const auto row = query->step();
  if (!row) return tl::unexpected(row.error());
  return *row ? query->integer(0) : 0;
}

Result<ArtifactRecord> Archive::find(std::string_view idOrName) const {
  return findArtifact(*implementation_->database, idOrName);
}

Result<std::vector<std::byte>> Archive::read(const ContentId& id) const {
  auto content = implementation_->blobs.read(id);
  if (content || content.error().kind != Error::Kind::kBadInput) return content;
  constexpr size_t kNamed = 5;
  auto users = usersOfContent(*implementation_->database, id, kNamed + 1);
  if (!users) return content;  // The damage is the news.
  const bool more = users->size() > kNamed;
  if (more) users->resize(kNamed);
  Error error = content.error();
  error.message += fmt::format("; affected: {}{}", fmt::join(*users, ", "), more ? ", …" : "");
  return tl::unexpected(std::move(error));
}

Result<Golden> Archive::readGolden(const ArtifactRecord& record) const {
  if (record.golden.empty())
    return failure(Error::Kind::kNotFound,
                   fmt::format("{} of {} has no golden", record.name, record.producer));
  const auto bytes = read(record.golden);
  if (!bytes) return tl::unexpected(bytes.error());
  return vintage::readGolden(*bytes, fmt::format("the golden of {}", record.name));
}

Status Archive::putBuild(const BuildRecord& build) {
  return implementation_->inTransaction(
      [&] { return putBuildRow(*implementation_->database, build); });
}

Result<std::vector<BuildRecord>> Archive::builds() const {
  return allBuilds(*implementation_->database);
}

Status Archive::removeBuild(std::string_view name, bool withOutcomes) {
  return implementation_->inTransaction(
      [&] { return removeBuildRow(*implementation_->database, name, withOutcomes); });
}

Status Archive::putOutcomes(std::span<const OutcomeRecord> outcomes) {
  return implementation_->inTransaction(
      [&] { return putOutcomeRows(*implementation_->database, outcomes); });
}

Result<std::vector<OutcomeRecord>> Archive::outcomes(const OutcomeFilter& filter) const {
  return findOutcomes(*implementation_->database, filter);
}

Result<std::string> Archive::putRun(RunRecord run, std::span<const RecordedLimitation> limitations) {
  const auto now = implementation_->clock.now();
  if (run.started.empty()) run.started = timeText(now);
  if (run.id.empty()) {
    // Sorts by time; the hexadecimal digits tell runs of one microsecond apart.
    static std::atomic<uint32_t> counter{0};
    const auto second = std::chrono::floor<std::chrono::seconds>(now);
    const auto micro = std::chrono::duration_cast<std::chrono::microseconds>(now - second).count();
    std::string time = timeText(now);
    time.pop_back();
    run.id = fmt::format("{}.{:06}Z-{:06x}", time, micro,
                         (static_cast<uint32_t>(::getpid()) * 64 + counter++) & 0xffffff);
  }
  const Status status = implementation_->inTransaction(
      [&] { return putRunRow(*implementation_->database, run, limitations); });
  if (!status) return tl::unexpected(status.error());
  return run.id;
}

Status Archive::finishRun(std::string_view run, std::string_view verdict) {
  const std::string finished = timeText(implementation_->clock.now());
  return implementation_->inTransaction(
      [&] { return finishRunRow(*implementation_->database, run, finished, verdict); });
}

Result<std::vector<RunRecord>> Archive::runs() const { return allRuns(*implementation_->database); }

Result<RunRecord> Archive::run(std::string_view id) const {
  return findRun(*implementation_->database, id);
}

Result<std::vector<RecordedLimitation>> Archive::limitations(std::string_view run) const {
  return limitationsOfRun(*implementation_->database, run);
}

}  // namespace vintage
