// One content: what the index says about it, its bytes with their hash, and in pieces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "archive/store/blob_codec.h"
#include "archive/store/records.h"
#include "golden/base/content_hash.h"
#include "golden/base/result.h"

namespace vintage::archive {

// Content together with its SHA-256.
//
// Its holder can rely on the id being that of the bytes: callees need not hash them again. A view;
// the caller owns the bytes.
class HashedContent {
 public:
  HashedContent() = default;  // Of nothing yet.
  explicit HashedContent(std::span<const std::byte> bytes)
      : bytes_(bytes), id_(contentHash(bytes)) {}

  std::span<const std::byte> bytes() const { return bytes_; }
  const ContentId& id() const { return id_; }

 private:
  std::span<const std::byte> bytes_;
  ContentId id_;
};

// Content that is not in memory: it is read from its first byte each time.
struct ContentSource {
  using Visit = std::function<Status(std::span<const std::byte>)>;
  ContentId id;
  uint64_t bytes = 0;
  std::function<Status(const Visit&)> read;
};

// All of them, in their order, on several cores where there are many.
std::vector<HashedContent> hashContents(std::span<const std::span<const std::byte>> contents);

inline constexpr size_t kPieceBytes = 512 * 1024;
// A reader's memory, whatever the size of its content: zstd's window and a piece.
inline constexpr size_t kBytesOfReader = size_t{4} << 20;

// One content of an archive in pieces, so that memory stays within some megabytes however large the
// content is.
//
// Verified as it is read: the last bytes come only where all of them hash to the id, so a caller
// that got all of them has the content. A caller that must know before the first byte reads twice.
// The reader holds no connection to the index, and its open file stays readable if the archive
// removes it meanwhile. Read and not mapped: a file that is cut off under a mapping ends the
// process (docs/trust.md).
class ContentReader {
 public:
  // `place`: the file, for messages.
  ContentReader(ContentId id, uint64_t bytes, BlobDecoder decoder, std::string place)
      : id_(std::move(id)), bytes_(bytes), decoder_(std::move(decoder)), place_(std::move(place)) {}

  const ContentId& id() const { return id_; }
  uint64_t bytes() const { return bytes_; }  // All of them.
  // Fills `piece`, less at the end; 0 behind it. kBadInput where it is damaged.
  Result<size_t> read(std::span<std::byte> piece);
  // Reads `count` bytes that nobody needs.
  Status skip(uint64_t count);

 private:
  ContentId id_;
  uint64_t bytes_ = 0, given_ = 0;
  BlobDecoder decoder_;
  std::string place_;
  ContentHasher hasher_;
};

class Archive;
// As Archive::read() in pieces. Damage that a reader finds names no artifact.
Result<ContentReader> openContent(const Archive& archive, const ContentId& id);
// Reads all of it and gives each piece to `visit`; an error of `visit` is returned. The pieces are
// verified only where this returns no error.
Status visitContent(const Archive& archive, const ContentId& id,
                    const std::function<Status(std::span<const std::byte>)>& visit);

// "A: blob … is damaged: …", and what heals it.
tl::unexpected<Error> damagedBlob(const std::string& place, const ContentId& id,
                                  const std::string& what);

// The index's facts about a content, without reading it.
struct KeptContent {
  uint64_t bytes = 0;
  bool ofArtifact = false, ofGolden = false;  // Whether a record names it as such.
};
inline constexpr uint64_t kLargestBlob = uint64_t{1} << 34;  // Bytes of one content.
// Below blobs/, for files that are being written.
inline constexpr const char* kIncomingFolder = "incoming";

// The users of a content's file, at one moment.
enum class FileUse { kNone, kLeased, kRow };
// None where it is not kept; kUsage where `id` is not one.
Result<std::optional<KeptContent>> lookAt(const Archive& archive, const ContentId& id);

}  // namespace vintage::archive
