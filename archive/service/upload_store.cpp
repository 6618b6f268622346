#include "archive/service/upload_store.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "archive/service/service_folder.h"
#include "archive/store/content_reader.h"
#include "archive/store/record_json.h"
#include "golden/base/file_system.h"

namespace vintage::archive {
namespace {

using nlohmann::json;

Refusal systemFailure(const std::string& path) {
  const Error error{Error::Kind::kIo, fmt::format("{}: {}", path, std::strerror(errno))};
  return Refusal(Problem(error));
}

Refusal unknownUpload(const std::string& name) {
  return notFound(fmt::format("there is no upload {} of this token", name.substr(0, 80)),
                  "begin it with POST /v1/uploads; it was finished, given up, or without "
                  "progress for seven days");
}

Refusal busy() {
  return refuse(409, "busy", "another request writes to this upload",
                "wait until that request ends, then continue at the offset that HEAD reports");
}

Answer<UploadState> readAnnouncement(const std::string& path, const std::string& name) {
  ASSIGN_OR_RETURN(const auto announcement, readServiceFile(path + ".json"));
  if (!announcement || !announcement->is_object()) return unknownUpload(name);
  UploadState state;
  state.name = name;
  state.id = textIn(*announcement, "id");
  state.token = textIn(*announcement, "token");
  state.bytes = countIn(*announcement, "bytes");
  if (!isContentHash(state.id) || !announcement->contains("bytes") ||
      !announcement->value("token", json()).is_string())
    return unknownUpload(name);
  struct stat part;
  if (::stat((path + ".part").c_str(), &part) == 0) {
    state.offset = static_cast<uint64_t>(part.st_size);
    state.changed = std::chrono::system_clock::from_time_t(part.st_mtime);
  } else {
    state.changed = std::chrono::system_clock::now();
  }
  return state;
}

// Removes the part of an upload without an announcement, unless a writer that still
// finishes it holds its lock.
bool removeOrphan(const std::string& path) {
  const int file = ::open((path + ".part").c_str(), O_RDWR | O_CLOEXEC);
  if (file < 0) return false;
  const bool orphan = ::flock(file, LOCK_EX | LOCK_NB) == 0 &&
                      ::access((path + ".json").c_str(), F_OK) != 0 && errno == ENOENT;
  if (orphan) (void)::unlink((path + ".part").c_str());
  ::close(file);
  return orphan;
}

}  // namespace

Answer<std::string> UploadStore::folder() {
  ASSIGN_OR_RETURN(const auto service, makeServiceFolder(archiveFolder_));
  ASSIGN_OR_RETURN(auto folder, makeServiceFolder(service, "uploads"));
  return folder;
}

Answer<UploadState> UploadStore::begin(const std::string& token, const ContentId& id,
                                       uint64_t bytes) {
  ASSIGN_OR_RETURN(const auto place, folder());
  const std::string name = contentHash(token + "\n" + id);
  auto kept = find(token, name);
  if (kept && kept->bytes != bytes)
    return refuse(409, "conflict",
                  fmt::format("an upload of {} began with {} bytes; this one announces {}", id,
                              kept->bytes, bytes),
                  fmt::format("measure the content again; if this length is right, give the other "
                              "upload up with DELETE /v1/uploads/{}",
                              name));
  if (kept || kept.error().status != 404) return kept;
  const std::string path = place + "/" + name;
  // A process was killed while it discarded the upload: its length may differ.
  (void)removeOrphan(path);
  const std::string text = json{{"id", id}, {"bytes", bytes}, {"token", token}}.dump() + "\n";
  // Two requests that begin it at once write the same.
  const std::string temporary = fmt::format("{}.{}.{}.tmp", path, ::getpid(), ::gettid());
  (void)::unlink(temporary.c_str());
  RETURN_IF_ERROR(writeDurably(realFileSystem(), temporary, path + ".json",
                               std::as_bytes(std::span(text)), FileAccess::kSecret));
  return find(token, name);
}

Answer<UploadState> UploadStore::find(const std::string& token, const std::string& name) {
  if (!isContentHash(name)) return unknownUpload(name);
  ASSIGN_OR_RETURN(const auto place, folder());
  auto state = readAnnouncement(place + "/" + name, name);
  if (state && state->token != token) return unknownUpload(name);
  return state;
}

Answer<std::unique_ptr<UploadChunk>> UploadStore::open(const std::string& token,
                                                       const std::string& name, uint64_t offset) {
  RETURN_IF_ERROR(find(token, name));
  const std::string path = *folder() + "/" + name;
  ASSIGN_OR_RETURN(const int file, openKept(path + ".part", O_RDWR, 0600));
  std::unique_ptr<UploadChunk> chunk(new UploadChunk({}, path, file));
  if (::flock(file, LOCK_EX | LOCK_NB) != 0) return busy();
  // The writer before may have finished it and removed the file.
  struct stat status;
  if (::fstat(file, &status) != 0 || status.st_nlink == 0) return busy();
  auto state = find(token, name);
  if (!state) {
    (void)::unlink((path + ".part").c_str());
    return tl::unexpected(state.error());
  }
  chunk->state_ = *state;
  if (state->offset != offset)
    return refuse(
        409, "offset_mismatch",
        fmt::format("the chunk begins at {}, the upload stands at {}", offset, state->offset),
        "send the bytes from the offset on", {{"offset", state->offset}});
  return chunk;
}

Answer<void> UploadStore::drop(const std::string& token, const std::string& name) {
  ASSIGN_OR_RETURN(const auto state, find(token, name));
  ASSIGN_OR_RETURN(const auto chunk, open(token, name, state.offset));
  chunk->discard();
  return {};
}

void UploadStore::removeAbandoned(std::chrono::system_clock::time_point now) {
  const std::string place = archiveFolder_ + "/service/uploads";
  const auto names = realFileSystem().list(place);
  if (!names) return;  // There was no upload yet.
  for (const std::string& file : *names) {
    const std::string path = place + "/" + file;
    const auto status = realFileSystem().status(path);
    if (!status || !*status || now - (*status)->changed < kUploadKeptFor) continue;
    if (!file.ends_with(".json")) {
      if (file.ends_with(".tmp")) (void)::unlink(path.c_str());
      if (file.ends_with(".part")) (void)removeOrphan(path.substr(0, path.size() - 5));
      continue;
    }
    const std::string name = file.substr(0, file.size() - 5);
    const auto state = readAnnouncement(place + "/" + name, name);
    if (!state) continue;
    const bool began = state->offset > 0;
    if (!began || now - state->changed >= kUploadKeptFor) (void)drop(state->token, name);
  }
}

UploadChunk::~UploadChunk() {
  // Cut short: what arrived counts from here on, unless the whole was to be checked.
  if (!settled_ && appended_ > 0) (void)settle(false);
  ::close(file_);
}

Answer<void> UploadChunk::append(std::span<const std::byte> piece) {
  if (state_.offset + appended_ + piece.size() > state_.bytes) {
    RETURN_IF_ERROR(cutBack());
    return refuse(
        400, "length_mismatch",
        fmt::format("the chunk reaches beyond the {} bytes that were announced", state_.bytes),
        "send the rest exactly; nothing of this chunk was kept");
  }
  if (!digest_.empty()) hasher_.update(piece);
  while (!piece.empty()) {
    const ssize_t written =
        ::pwrite(file_, piece.data(), piece.size(), static_cast<off_t>(state_.offset + appended_));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      const auto why = systemFailure(path_ + ".part");
      (void)cutBack();
      return why;
    }
    appended_ += static_cast<uint64_t>(written);
    piece = piece.subspan(static_cast<size_t>(written));
  }
  return {};
}

Answer<void> UploadChunk::cutBack() {
  settled_ = true;
  appended_ = 0;
  if (::ftruncate(file_, static_cast<off_t>(state_.offset)) != 0)
    return systemFailure(path_ + ".part");
  return {};
}

Answer<uint64_t> UploadChunk::settle(bool whole) {
  if (settled_) return state_.offset + appended_;
  settled_ = true;
  if (!digest_.empty()) {
    const std::string actual = hasher_.finish();
    if (!whole || actual != digest_) {
      RETURN_IF_ERROR(cutBack());
      if (!whole) return state_.offset;
      return checksumMismatch("the chunk", actual, digest_);
    }
  }
  if (::fdatasync(file_) != 0) return systemFailure(path_ + ".part");
  // Its name has to survive as well.
  if (state_.offset == 0) RETURN_IF_ERROR(realFileSystem().syncFolder(parentFolder(path_)));
  return state_.offset + appended_;
}

Answer<std::span<const std::byte>> UploadChunk::content() {
  whole_.resize(state_.bytes);
  RETURN_IF_ERROR(readAt(0, whole_));
  return std::span<const std::byte>(whole_);
}

Status UploadChunk::visit(const std::function<Status(std::span<const std::byte>)>& visit) {
  std::vector<std::byte> piece(kPieceBytes);
  for (uint64_t offset = 0; offset < state_.bytes; offset += piece.size()) {
    piece.resize(std::min<uint64_t>(piece.size(), state_.bytes - offset));
    RETURN_IF_ERROR(readAt(offset, piece));
    RETURN_IF_ERROR(visit(piece));
  }
  return {};
}

Status UploadChunk::readAt(uint64_t offset, std::span<std::byte> out) {
  size_t filled = 0;
  while (filled < out.size()) {
    const ssize_t got = ::pread(file_, out.data() + filled, out.size() - filled,
                                static_cast<off_t>(offset + filled));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0)
      return failure(Error::Kind::kIo, fmt::format("{}.part: {}", path_, std::strerror(errno)));
    if (got == 0)
      return failure(
          Error::Kind::kIo,
          fmt::format("{}.part: {} of {} bytes are there: another process cut the file off", path_,
                      offset + filled, state_.bytes));
    filled += static_cast<size_t>(got);
  }
  return {};
}

void UploadChunk::discard() {
  settled_ = true;
  (void)::unlink((path_ + ".json").c_str());
  (void)::unlink((path_ + ".part").c_str());
}

}  // namespace vintage::archive
