#include "archive/store/archive.h"

#include <atomic>

#include <unistd.h>

#include <fmt/format.h>

#include "archive/store/archive_implementation.h"
#include "archive/store/archive_opening.h"
#include "archive/store/artifact_table.h"
#include "archive/store/record_tables.h"
#include "archive/store/row_values.h"
#include "golden/base/failures.h"

namespace vintage::archive {
using namespace golden;

Result<Archive> Archive::open(const std::string& folder, Mode mode,
                              const ArchiveEnvironment& environment) {
  if (folder.empty())
    return failure(Error::Kind::kUsage, "the name of the archive's folder is empty");
  std::string path = folder;
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  FileSystem& files = environment.fileSystem ? *environment.fileSystem : realFileSystem();
  Clock& clock = environment.clock ? *environment.clock : systemClock();
  ASSIGN_OR_RETURN(auto database, openIndex(files, path, mode, environment));
  const bool readOnly = mode == Mode::kReadOnly;
  auto implementation =
      std::make_unique<Implementation>(path, std::move(database), files, clock, readOnly);
  if (!readOnly) {
    RETURN_IF_ERROR(implementation->blobs.removeAbandoned());
  }
  if (mode == Mode::kCreate && !environment.identity.empty())
    RETURN_IF_ERROR(runWith(*implementation->database, "UPDATE identity SET id = ?",
                            environment.identity));
  return Archive(std::move(implementation));
}

Archive::Archive(std::unique_ptr<Implementation> implementation)
    : implementation_(std::move(implementation)) {}
Archive::~Archive() = default;
Archive::Archive(Archive&&) noexcept = default;
Archive& Archive::operator=(Archive&&) noexcept = default;

void Archive::actAs(std::string name, bool mayReplace) {
  implementation_->authorName = std::move(name);
  implementation_->mayReplace = mayReplace;
}

const std::string& Archive::folder() const { return implementation_->folder; }
Result<int> Archive::format() const {
  ASSIGN_OR_RETURN(const auto version,
                   implementation_->database->integer("PRAGMA user_version"));
  return static_cast<int>(version);
}
Status Archive::checkWritable() const { return implementation_->checkWritable(); }
FileSystem& Archive::files() const { return implementation_->blobs.files(); }
Clock& Archive::clock() const { return implementation_->clock; }

Result<std::string> Archive::identity() const {
  ASSIGN_OR_RETURN(auto query, implementation_->database->query("SELECT id FROM identity"));
  ASSIGN_OR_RETURN(const auto found, query.step());
  if (!found)
    return badInput("{}: table identity is empty: the index is damaged", folder());
  return query.text(0);
}

Status Archive::forEachContent(
    const ContentFilter& filter,
    const std::function<Result<bool>(const ArchivedContent&)>& visit) const {
  return visitContents(*implementation_->database, filter, visit);
}

Result<int64_t> Archive::count(const ArtifactFilter& filter) const {
  ASSIGN_OR_RETURN(const auto made, makeArtifactQuery(filter));
  ASSIGN_OR_RETURN(auto query, implementation_->database->query(made.countSql));
  made.bind(query);
  ASSIGN_OR_RETURN(const auto row, query.step());
  return row ? query.integer(0) : 0;
}

Result<ArtifactRecord> Archive::find(std::string_view idOrName) const {
  return findArtifact(*implementation_->database, idOrName);
}

Result<std::vector<std::byte>> Archive::read(const ContentId& id) const {
  auto content = implementation_->blobs.read(id);
  if (content) return content;
  return tl::unexpected(implementation_->withUsers(content.error(), id));
}

Result<ContentReader> openContent(const Archive& archive, const ContentId& id) {
  return archive.implementation().blobs.open(id);
}

Status visitContent(const Archive& archive, const ContentId& id,
                    const std::function<Status(std::span<const std::byte>)>& visit) {
  auto reader = openContent(archive, id);
  if (!reader) return tl::unexpected(archive.implementation().withUsers(reader.error(), id));
  std::vector<std::byte> piece(kPieceBytes);
  for (;;) {
    const auto count = reader->read(piece);
    if (!count) return tl::unexpected(archive.implementation().withUsers(count.error(), id));
    if (*count == 0) return {};
    RETURN_IF_ERROR(visit(std::span(piece).first(*count)));
  }
}

Error Archive::Implementation::withUsers(Error error, const ContentId& id) const {
  if (error.kind != Error::Kind::kBadInput) return error;
  constexpr size_t kNamed = 5;
  auto users = usersOfContent(*database, id, kNamed + 1);
  if (!users) return error;  // The damage is the news.
  const bool more = users->size() > kNamed;
  if (more) users->resize(kNamed);
  error.message += fmt::format("; affected: {}{}", fmt::join(*users, ", "), more ? ", …" : "");
  return error;
}

Result<Golden> Archive::readGolden(const ArtifactRecord& record) const {
  if (record.golden.empty())
    return notFound("{} of {} has no golden", record.name, record.producer);
  ASSIGN_OR_RETURN(const auto bytes, read(record.golden));
  return golden::readGolden(bytes, fmt::format("the golden of {}", record.name));
}

Status Archive::readTogether(const std::function<Status()>& reads) const {
  ASSIGN_OR_RETURN(const auto snapshot, ReadTransaction::begin(*implementation_->database));
  return reads();
}

Result<Lease> Archive::acquireLease(std::span<const ContentId> contents, std::string_view holder,
                                    std::chrono::seconds duration) {
  Implementation& self = *implementation_;
  Lease lease;
  const Status status = self.inUnsyncedTransaction([&]() -> Status {
    ASSIGN_OR_RETURN(lease, insertLease(*self.database, holder, self.clock.now(), duration));
    return addToLease(*self.database, lease.id, contents);
  });
  if (!status) return tl::unexpected(status.error());
  return lease;
}

Status Archive::extendLease(std::string_view lease, std::span<const ContentId> contents) {
  return implementation_->inUnsyncedTransaction(
      [&] { return addToLease(*implementation_->database, lease, contents); });
}

Result<Lease> Archive::renewLease(std::string_view lease, std::chrono::seconds duration) {
  Implementation& self = *implementation_;
  Result<Lease> renewed;
  const Status status = self.inUnsyncedTransaction([&]() -> Status {
    renewed = renewLeaseRow(*self.database, lease, self.clock.now(), duration);
    if (!renewed) return tl::unexpected(renewed.error());
    return {};
  });
  if (!status) return tl::unexpected(status.error());
  return renewed;
}

Status Archive::releaseLease(std::string_view lease) {
  return implementation_->inUnsyncedTransaction(
      [&] { return removeLease(*implementation_->database, lease); });
}

Result<std::vector<ContentId>> Archive::missing(std::span<const ContentId> contents) const {
  std::vector<ContentId> missing;
  for (const ContentId& id : contents) {
    const auto kept = implementation_->blobs.keptRow(id);
    if (kept) continue;
    if (kept.error().kind != Error::Kind::kNotFound) return tl::unexpected(kept.error());
    missing.push_back(id);
  }
  return missing;
}

Status Archive::writeTogether(const std::function<Status()>& writes) {
  return implementation_->inTransaction(writes);
}

Status Archive::putBuild(const BuildRecord& build) {
  return implementation_->inTransaction(
      [&] { return putBuildRow(*implementation_->database, build, implementation_->author()); });
}

Result<std::vector<BuildRecord>> Archive::builds() const {
  return allBuilds(*implementation_->database);
}

Result<std::vector<Archive::FormerCommand>> Archive::formerCommands() const {
  return allFormerCommands(*implementation_->database);
}

Status Archive::forgetFormerCommand(std::string_view build) {
  return implementation_->inTransaction([&] {
    return runWith(*implementation_->database, "DELETE FROM former_command WHERE build = ?", build);
  });
}

Status Archive::removeBuild(std::string_view name, bool withOutcomes) {
  return implementation_->inTransaction([&] {
    return removeBuildRow(*implementation_->database, name, withOutcomes,
                          implementation_->author());
  });
}

Status Archive::putOutcomes(std::span<const OutcomeRecord> outcomes) {
  return implementation_->inTransaction([&] {
    return putOutcomeRows(*implementation_->database, outcomes, implementation_->author());
  });
}

Result<std::vector<OutcomeRecord>> Archive::outcomes(const OutcomeFilter& filter) const {
  return findOutcomes(*implementation_->database, filter);
}

Status Archive::forEachOutcome(const OutcomeFilter& filter,
                               const std::function<bool(const OutcomeRecord&)>& visit) const {
  return visitOutcomes(*implementation_->database, filter, visit);
}

Result<std::string> Archive::putRun(RunRecord run,
                                    std::span<const Limitation> limitations) {
  const auto now = implementation_->clock.now();
  // A run that has an id is known from elsewhere; when it began may not be.
  if (run.id.empty()) {
    if (run.started.empty()) run.started = timeText(now);
    // Sorts by time; the hexadecimal digits distinguish runs of one microsecond.
    static std::atomic<uint32_t> counter{0};
    const auto second = std::chrono::floor<std::chrono::seconds>(now);
    const auto micro = std::chrono::duration_cast<std::chrono::microseconds>(now - second).count();
    std::string time = timeText(now);
    time.pop_back();
    run.id = fmt::format("{}.{:06}Z-{:06x}", time, micro,
                         (static_cast<uint32_t>(::getpid()) * 64 + counter++) & 0xffffff);
  }
  const Status status = implementation_->inTransaction([&] {
    return putRunRow(*implementation_->database, run, limitations, implementation_->author());
  });
  if (!status) return tl::unexpected(status.error());
  return run.id;
}

Status Archive::finishRun(std::string_view run, std::string_view verdict,
                          std::string_view result) {
  const std::string finished = timeText(implementation_->clock.now());
  return implementation_->inTransaction([&] {
    return finishRunRow(*implementation_->database, run, finished, verdict, result,
                        implementation_->author());
  });
}

Result<std::vector<RunRecord>> Archive::runs() const { return allRuns(*implementation_->database); }

Result<RunRecord> Archive::run(std::string_view id) const {
  return findRun(*implementation_->database, id);
}

Result<std::vector<Limitation>> Archive::limitations(std::string_view run) const {
  return limitationsOfRun(*implementation_->database, run);
}

}  // namespace vintage::archive
