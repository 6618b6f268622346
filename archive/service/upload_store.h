// Unfinished uploads, on the disk so that they survive a restart of either side.
//
// Two files in `service/uploads/` of the archive's folder: NAME.json, what was
// announced (id, bytes, token), written durably before the upload is acknowledged; and
// NAME.part, what has arrived. The offset is the size of NAME.part; each
// chunk is synced before it is acknowledged. NAME is the SHA-256 of the token's name and
// the content's id: a client that begins the same upload again finds it without
// remembering anything, and clients of different tokens do not meet. A lock on
// NAME.part (flock) keeps writers apart, also those of other processes.
// Until its hash was checked nothing of an upload is content of the archive.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "archive/service/problem.h"
#include "archive/store/records.h"
#include "golden/base/content_hash.h"

namespace vintage::archive {

struct UploadState {
  std::string name;
  ContentId id;
  uint64_t bytes = 0;
  std::string token;
  uint64_t offset = 0;
  std::chrono::system_clock::time_point changed;
};

inline constexpr auto kUploadKeptFor = std::chrono::hours(24 * 7);

// A chunk that is being written. Without finish() what was appended stays,
// unless a digest was stated.
class UploadChunk {
 public:
  ~UploadChunk();
  UploadChunk(const UploadChunk&) = delete;

  Answer<void> append(std::span<const std::byte> piece);
  // The digest of this chunk; checked by settle().
  void expectDigest(std::string digest) { digest_ = std::move(digest); }
  // `whole`: all of the chunk arrived. Makes it durable and returns the new offset.
  Answer<uint64_t> settle(bool whole);

  const UploadState& state() const { return state_; }
  // The whole upload, as it is on the disk now; valid until the next call and while the chunk
  // lives. Only where it is complete. Read and not mapped: a mapping of a file that is cut off, or
  // that the disk cannot read, ends the process.
  Answer<std::span<const std::byte>> content();
  // The same in pieces, from the first byte on each time.
  Status visit(const std::function<Status(std::span<const std::byte>)>& visit);
  // Removes both files.
  void discard();

 private:
  friend class UploadStore;
  UploadChunk(UploadState state, std::string path, int file)
      : state_(std::move(state)), path_(std::move(path)), file_(file) {}
  Answer<void> cutBack();
  // Fills `out` with what is there from `offset` on.
  Status readAt(uint64_t offset, std::span<std::byte> out);

  UploadState state_;  // `offset`: where the chunk begins.
  std::string path_;   // Without its ending.
  int file_;
  uint64_t appended_ = 0;
  bool settled_ = false;
  std::string digest_;
  ContentHasher hasher_;
  std::vector<std::byte> whole_;
};

// Any thread, any process.
class UploadStore {
 public:
  explicit UploadStore(std::string archiveFolder) : archiveFolder_(std::move(archiveFolder)) {}

  // Takes up the one that this token began before. 409 where that announced
  // another length.
  Answer<UploadState> begin(const std::string& token, const ContentId& id, uint64_t bytes);
  // 404 for a name that is not there or is another token's.
  Answer<UploadState> find(const std::string& token, const std::string& name);
  // 409 busy while another request writes it, 409 offset_mismatch where it stands elsewhere.
  Answer<std::unique_ptr<UploadChunk>> open(const std::string& token, const std::string& name,
                                            uint64_t offset);
  Answer<void> drop(const std::string& token, const std::string& name);
  // Those without progress for kUploadKeptFor.
  void removeAbandoned(std::chrono::system_clock::time_point now);

 private:
  Answer<std::string> folder();
  const std::string archiveFolder_;
};

}  // namespace vintage::archive
