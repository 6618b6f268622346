// The archive: a SQLite index (WAL) over content-addressed blobs.
//
// Layout and invariants: docs/reference/archive_format.md. A blob is verified and
// durable before the row that names it is. Several processes may use one
// archive at once; one Archive object belongs to one thread at a time.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "archive/records/limitation.h"
#include "archive/store/content_reader.h"
#include "archive/store/records.h"
#include "golden/base/clock.h"
#include "golden/base/file_system.h"
#include "golden/base/result.h"
#include "golden/compare/golden.h"

namespace vintage::archive {

// The format of an index is SQLite's user_version. The first step creates the tables of the oldest
// format that is read, each further one turns a format into the next. A step never changes once an
// archive was written with it. The tables are described in docs/reference/archive_format.md.
inline constexpr int kOldestFormat = 11;
using SchemaSteps = std::span<const std::string_view>;
SchemaSteps schemaSteps();
// The format that this build reads and writes: the one after the last step.
int formatVersion(SchemaSteps steps = schemaSteps());

// The file system and clock below an archive, so that tests can cut the power and turn the clock.
// Null: the real one. Both must outlive the archive.
struct ArchiveEnvironment {
  FileSystem* fileSystem = nullptr;
  Clock* clock = nullptr;
  const char* sqliteVfs = nullptr;  // Name of a registered SQLite VFS.
  // How long a call waits while another process writes, before it gives up (kResource).
  int busyTimeoutMilliseconds = 30'000;
  // With kCreate: the archive is a part of the one with this identity. Empty: one of its own.
  std::string identity = {};
  SchemaSteps schemaSteps = archive::schemaSteps();
  // The caller removes what takes room: on a full disk it may have the reserve
  // (archive/store/archive_access.h), and keeps the index's log short.
  bool freesSpace = false;
};

// Keeps content until a record names it (archive/store/lease.cpp).
struct Lease {
  std::string id;      // Random hexadecimal digits: a caller that knows them holds it.
  std::string holder;  // For people: "push of alice@build7".
  std::chrono::system_clock::time_point expires;  // To the second.
};
// The longest that one call may ask for; a holder who works longer renews.
inline constexpr std::chrono::seconds kLongestLease = std::chrono::hours(24 * 7);

// kUsage where the filter is not valid.
Status checkFilter(const ArtifactFilter& filter);

std::string sqliteVersion();  // The loaded library's: "3.40.1".

class Archive {
 public:
  enum class Mode { kReadOnly, kReadWrite, kCreate };  // kCreate opens what is there.
  // Touches no artifact's row, however many there are. An archive of an older format is migrated
  // (not in kReadOnly: kUnsupported); a newer format is refused by name. A folder that is not an
  // archive is kBadInput, a missing one kNotFound; kCreate takes an empty or missing folder. If the
  // disk lacks room for SQLite's files and no process has the index open, an archive opened to be
  // written can only be read: checkWritable() and each call that writes are kResource.
  static Result<Archive> open(const std::string& folder, Mode mode,
                              const ArchiveEnvironment& environment = {});
  ~Archive();
  Archive(Archive&&) noexcept;
  Archive& operator=(Archive&&) noexcept;

  // Idempotent. `record.id`, `bytes` and `golden` are computed here. The same bytes under the same
  // name and producer are one artifact; the same name and producer with other bytes, other metadata
  // or another golden are a kConflict. A later put fills in fields that were unknown (empty, no
  // golden). When it returns, the artifact survives a power cut. Kept content that was damaged is
  // healed.
  Result<ContentId> put(ArtifactRecord record, std::span<const std::byte> bytes,
                        const golden::Golden* golden);
  struct Put {
    ArtifactRecord record;
    std::vector<std::byte> bytes;
    std::optional<golden::Golden> golden;
  };
  // All of them or none; one sync for many.
  Result<std::vector<ContentId>> putAll(std::span<Put> puts);

  // Content that comes before its record, such as an upload: take a lease on the
  // ids, put the contents, put the records (archive/store/batch_put.h), release the lease
  // (archive/store/lease.cpp).
  // A lease survives the end of its holder's process, not always a power cut.
  Result<Lease> acquireLease(std::span<const ContentId> contents, std::string_view holder,
                             std::chrono::seconds duration);
  Status extendLease(std::string_view lease, std::span<const ContentId> contents);
  Result<Lease> renewLease(std::string_view lease, std::chrono::seconds duration);
  Status releaseLease(std::string_view lease);
  // Durable when it returns, and protected by the lease, which it joins. Kept content that was
  // damaged is healed.
  Result<ContentId> putContent(std::string_view lease, std::span<const std::byte> bytes);
  // The same for content that is not in memory; kBadInput where its bytes do not hash to its id.
  Result<ContentId> putContent(std::string_view lease, const ContentSource& source);
  // Those of `contents` that are not kept, in their order.
  Result<std::vector<ContentId>> missing(std::span<const ContentId> contents) const;

  Result<std::vector<ArtifactRecord>> list(const ArtifactFilter& filter) const;
  // Calls `visit` in order of (build date, name) without holding all of them;
  // stops when it returns false.
  Status forEach(const ArtifactFilter& filter,
                 const std::function<bool(const ArtifactRecord&)>& visit) const;
  // Calls `visit` for each content (archive/store/records.h), in an order that
  // stays the same while nothing is added; stops when it returns false or an
  // error, which is returned. `visit` may record outcomes.
  Status forEachContent(const ContentFilter& filter,
                        const std::function<Result<bool>(const ArchivedContent&)>& visit) const;
  // Looks at no record: at the entries of an index.
  Result<int64_t> count(const ArtifactFilter& filter) const;
  // Accepts a whole id, a prefix of at least 4 characters that fits one content, a name, or
  // NAME@PRODUCER. Where several records fit a name or an id, it returns that of the newest build.
  Result<ArtifactRecord> find(std::string_view idOrName) const;
  // Verified against the id as it is read: damage is kBadInput and names the
  // artifacts that it affects.
  Result<std::vector<std::byte>> read(const ContentId& id) const;
  Result<golden::Golden> readGolden(const ArtifactRecord& record) const;
  // All reads of `reads` see one state, and take no locks of their own: for many small contents in
  // a row. It writes nothing.
  Status readTogether(const std::function<Status()>& reads) const;
  // All writes of `writes` are one transaction: durable together, or undone together. It returns
  // the error of the write that failed.
  Status writeTogether(const std::function<Status()>& writes);

  // Replaces what was kept of a build of this name; another build date is a kConflict.
  Status putBuild(BuildRecord build);
  Result<std::vector<BuildRecord>> builds() const;
  // The start commands that formats before 12 kept, by build. Nothing executes them; their user
  // binds or forgets them (vintage builds former).
  struct FormerCommand {
    std::string build;
    std::vector<std::string> worker, exporter;
    std::string environment;
  };
  Result<std::vector<FormerCommand>> formerCommands() const;
  Status forgetFormerCommand(std::string_view build);
  // kConflict where outcomes were recorded on it, unless they are to go too.
  Status removeBuild(std::string_view name, bool withOutcomes = false);

  // All of them or none. The artifact and the build must be kept already
  // (kNotFound); a run that is not known yet gets an empty record. An outcome
  // of the same artifact, golden, build, platform, mode and run is replaced.
  Status putOutcomes(std::span<const OutcomeRecord> outcomes);
  // In order of (run, build, artifact, golden, platform, mode).
  Result<std::vector<OutcomeRecord>> outcomes(const OutcomeFilter& filter) const;
  // The same without holding all of them; stops when `visit` returns false.
  Status forEachOutcome(const OutcomeFilter& filter,
                        const std::function<bool(const OutcomeRecord&)>& visit) const;

  // Records a run that begins, with the limitations that it is judged by, and
  // returns its id. The same id again replaces the record.
  Result<std::string> putRun(RunRecord run, std::span<const Limitation> limitations = {});
  // `verdict` is JSON, or empty; `result` says it in a word. An unknown run is kNotFound.
  Status finishRun(std::string_view run, std::string_view verdict, std::string_view result = {});
  // By id, so by time, with those of reporters; without their verdicts, which run() gives one by
  // one.
  Result<std::vector<RunRecord>> runs() const;
  Result<RunRecord> run(std::string_view id) const;  // An unknown one is kNotFound.
  // In order of id; empty for a run that recorded none.
  Result<std::vector<Limitation>> limitations(std::string_view run) const;

  // Sets the author of later calls, for the log of changes (archive/store/change_log.h). An author
  // without `mayReplace` only adds: a put that would change a kept outcome, run or build is a
  // kConflict. A `reporter` adds runs, outcomes and builds under that name, and changes no record
  // of anybody else (RunRecord::reporter).
  void actAs(std::string name, bool mayReplace, std::string reporter = {});

  const std::string& folder() const;
  // 32 hexadecimal digits, drawn when the archive was made; it stays where the folder is moved or
  // restored. A stranger may have chosen it.
  Result<std::string> identity() const;
  // The format of the index now; a newer Vintage may have migrated it since it was opened.
  Result<int> format() const;
  Status checkWritable() const;  // kUsage where it was opened read-only; see open().
  FileSystem& files() const;
  Clock& clock() const;

  // For the archive room's own parts (archive/store/archive_implementation.h).
  struct Implementation;
  Implementation& implementation() const { return *implementation_; }

 private:
  explicit Archive(std::unique_ptr<Implementation> implementation);
  std::unique_ptr<Implementation> implementation_;
};

// The file that marks a folder as an archive, and states its format.
//
// It is written last when an archive is created, so that a folder with a marker is a whole archive.
// It is read before anything else is opened.
inline constexpr const char* kMarkerName = "VINTAGE_ARCHIVE";

// The format's version. kNotFound where the folder is missing, kBadInput where
// it has no marker or one that cannot be read.
Result<int> readMarker(FileSystem& files, const std::string& folder);

// Durable when it returns.
Status writeMarker(FileSystem& files, const std::string& folder, int version);

inline constexpr const char* kIndexName = "index.sqlite";

// The format that the index itself says. Errors as of checkIndexIdentity.
Result<int> indexVersion(const std::string& folder, const ArchiveEnvironment& environment);

}  // namespace vintage::archive
