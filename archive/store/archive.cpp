#include "archive/store/archive.h"

#include <fmt/format.h>
#include <unistd.h>

#include "archive/store/archive_implementation.h"
#include "archive/store/artifact_table.h"
#include "archive/store/batch_put.h"
#include "archive/store/row_values.h"
#include "golden/base/failures.h"

namespace vintage::archive {
using namespace golden;

Result<Archive> Archive::open(const std::string& folder, Mode mode,
                              const ArchiveEnvironment& environment) {
  if (folder.empty()) return usageError("the name of the archive's folder is empty");
  std::string path = folder;
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  FileSystem& files = environment.fileSystem ? *environment.fileSystem : realFileSystem();
  Clock& clock = environment.clock ? *environment.clock : systemClock();
  ASSIGN_OR_RETURN(auto database, openIndex(files, path, mode, environment));
  const bool readOnly = mode == Mode::kReadOnly;
  std::unique_ptr<Implementation> implementation(
      new Implementation{path, std::move(database), files, clock, readOnly});
  if (implementation->checkWritable()) RETURN_IF_ERROR(implementation->blobs.removeAbandoned());
  if (mode == Mode::kCreate && !environment.identity.empty())
    RETURN_IF_ERROR(
        runWith(*implementation->database, "UPDATE identity SET id = ?", environment.identity));
  return Archive(std::move(implementation));
}

Archive::Archive(std::unique_ptr<Implementation> implementation)
    : implementation_(std::move(implementation)) {}
Archive::~Archive() = default;
Archive::Archive(Archive&&) noexcept = default;
Archive& Archive::operator=(Archive&&) noexcept = default;

void Archive::actAs(std::string name, bool mayReplace, std::string reporter) {
  implementation_->authorName = std::move(name);
  implementation_->mayReplace = mayReplace;
  implementation_->reporter = std::move(reporter);
}

const std::string& Archive::folder() const { return implementation_->folder; }
Result<int> Archive::format() const {
  ASSIGN_OR_RETURN(const auto version, implementation_->database->integer("PRAGMA user_version"));
  return static_cast<int>(version);
}
Status Archive::checkWritable() const { return implementation_->checkWritable(); }
FileSystem& Archive::files() const { return implementation_->files; }
Clock& Archive::clock() const { return implementation_->clock; }

Result<std::string> Archive::identity() const {
  std::string id;
  ASSIGN_OR_RETURN(const bool found,
                   firstRow(*implementation_->database, "SELECT id FROM identity", std::tie(id)));
  if (!found) return badInput("{}: table identity is empty: the index is damaged", folder());
  return id;
}

Result<int64_t> Archive::count(const ArtifactFilter& filter) const {
  ASSIGN_OR_RETURN(const auto made, makeArtifactQuery(filter));
  return made.count(*implementation_->database);
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
  ASSIGN_OR_RETURN(const auto snapshot, Transaction::beginReading(*implementation_->database));
  return reads();
}

Result<std::vector<ContentId>> Archive::missing(std::span<const ContentId> contents) const {
  std::vector<ContentId> missing;
  for (const ContentId& id : contents) {
    const auto kept = implementation_->blobs.rowOf(id);
    if (kept) continue;
    if (kept.error().kind != Error::Kind::kNotFound) return tl::unexpected(kept.error());
    missing.push_back(id);
  }
  return missing;
}

Status Archive::writeTogether(const std::function<Status()>& writes) {
  return implementation_->inTransaction(writes);
}

// Writing: artifacts with their contents, contents under a lease, and records.

Result<ContentId> Archive::put(ArtifactRecord record, std::span<const std::byte> bytes,
                               const Golden* golden) {
  std::vector<Put> puts(1);
  puts[0].record = std::move(record);
  puts[0].bytes.assign(bytes.begin(), bytes.end());
  if (golden != nullptr) puts[0].golden = *golden;
  ASSIGN_OR_RETURN(auto ids, putAll(puts));
  return std::move(ids.front());
}

Result<std::vector<ContentId>> Archive::putAll(std::span<Put> puts) {
  struct Place {  // In `contents`.
    size_t artifact;
    std::optional<size_t> golden;
  };
  std::vector<std::span<const std::byte>> contents;
  std::vector<Place> places;                    // Of each put.
  std::vector<std::vector<std::byte>> goldens;  // Their bytes stay where they are.
  size_t lastGolden = 0;                        // In `contents`.
  for (Put& put : puts) {
    RETURN_IF_ERROR(normalize(put.record));
    Place& place = places.emplace_back(Place{contents.size(), std::nullopt});
    contents.push_back(put.bytes);
    if (!put.golden) continue;
    ASSIGN_OR_RETURN(auto golden, within(put.record.name, golden::writeGolden(*put.golden)));
    // Neighbours, such as a case on its platforms, have one golden, which is hashed once.
    if (goldens.empty() || goldens.back() != golden) {
      goldens.push_back(std::move(golden));
      lastGolden = contents.size();
      contents.push_back(goldens.back());
    }
    place.golden = lastGolden;
  }
  const auto hashed = hashContents(contents);
  std::vector<ContentId> ids;
  std::vector<ArtifactRecord> records;
  for (size_t index = 0; index < puts.size(); ++index) {
    const auto& [artifact, golden] = places[index];
    ArtifactRecord& record = records.emplace_back(puts[index].record);
    record.id = hashed[artifact].id();
    record.golden = golden ? hashed[*golden].id() : ContentId();
    ids.push_back(record.id);
  }
  const std::string holder = fmt::format("put by process {}", ::getpid());
  RETURN_IF_ERROR(putBatch(
      *this, {.contents = hashed, .records = records, .holder = holder, .together = true}));
  return ids;
}

Result<ContentId> Archive::putContent(std::string_view lease, std::span<const std::byte> bytes) {
  RETURN_IF_ERROR(checkLease(*implementation_->database, lease));
  const HashedContent content(bytes);
  RETURN_IF_ERROR(putBatch(*this, {.contents = std::span(&content, 1), .lease = lease}));
  return content.id();
}

Result<ContentId> Archive::putContent(std::string_view lease, const ContentSource& source) {
  RETURN_IF_ERROR(checkLease(*implementation_->database, lease));
  RETURN_IF_ERROR(putBatch(*this, {.lease = lease, .source = &source}));
  return source.id;
}

}  // namespace vintage::archive
