// Checks whether an archive is whole, and heals it where it can.
//
// Checks all that docs/reference/archive_format.md promises: the marker, the index by
// SQLite's own checks, every record's values, every blob's row and content, every
// file below blobs/. In a damaged index it checks everything that SQLite can still
// read, and repairs nothing by that index. Memory does not grow with the archive.
// Others may read, write and collect meanwhile: content under a lease
// (docs/reference/archive_format.md) does not count as damage.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "archive/integrity/signing.h"
#include "archive/integrity/travelling_list.h"
#include "archive/store/archive.h"
#include "archive/store/records.h"
#include "golden/base/result.h"

namespace vintage::archive {

// A problem that fsck, or a scrub of any place (archive/transfer/scrub.h), finds.
struct FsckFinding {
  enum class Kind {
    // Damage.
    kMarker,          // The marker cannot be read, or does not fit the index.
    kIndex,           // SQLite finds the index damaged.
    kReference,       // A row names another one that is not there.
    kSearchTerms,     // Tables that serve searching differ from the records.
    kRecord,          // A record with impossible values.
    kMissingContent,  // A row without its content.
    kDamagedContent,  // Content that does not match its row or its hash.
    kStructure,       // Undamaged content that its format's reader rejects.
    kSignature,       // A record or list that differs from the signed one.
    kDamagedRecords,  // An object of records that cannot be read, or is not what its key says.
    kMissingRecord,   // An artifact that the source of a mirror has, and the mirror has not.
    kSignedList,      // A signed list of a place that does not hold.
    // Harmless litter, which `vintage gc` removes.
    kStrayFile,      // A file below blobs/ that no row names.
    kTemporary,      // A temporary file whose writer is gone.
    kUnreferenced,   // Content that neither a record nor a lease names.
    kAccess,         // An owner or a mode at which a command will fail, or an open secret.
    kFormerCommand,  // How to start a build, of an older format; nothing executes it.
    kUnknownObject,  // In a bucket, an object that is none of Vintage's.
  };
  Kind kind;
  std::string place;    // A file, a table of the index, an object's key; a scrub: what is wrong.
  std::string problem;  // A sentence without its place.
  ContentId content{};  // Empty where it is not about content.
  // "NAME (PRODUCER)", "the golden of NAME (PRODUCER)": the first of them.
  std::vector<std::string> affected{};
  int64_t affectedOutcomes = 0;  // Recorded results that were made with it.
  bool healed = false;
  std::string remedy{};  // How it was healed, or how a person can heal it.

  bool isDamage() const { return kind < Kind::kStrayFile; }
};
std::string_view findingName(FsckFinding::Kind kind);  // "missing content", …

// Runs the portable artifact's reader on a frame, including frames inside an Exported. Only
// kBadInput counts as damage.
using PortableArtifactCheck = std::function<Status(std::span<const std::byte>, std::string_view)>;

// Another archive, wherever it is, that can supply damaged content.
struct ContentDonor {
  std::string name;  // As a person would type it.

  using Take = std::function<Status(const ContentId&, std::vector<std::byte>)>;
  using Lost = std::function<Status(const ContentId&, const Error&)>;
  // Passes each of `wanted` to `take`, or to `lost` if the donor lacks it or has it
  // damaged, in any order. Ends with their first error; any other error means that
  // the donor cannot answer any more.
  std::function<Status(std::span<const ContentId> wanted, const Take& take, const Lost& lost)> read;
};

// One of `parts` equal parts, by hash: the parts 1 to `parts` are all of it.
struct ContentPart {
  uint32_t part = 1, parts = 1;

  // By the first four bytes of the hash.
  bool holds(std::span<const std::byte> hash) const {
    uint32_t first = 0;
    for (size_t index = 0; index < 4 && index < hash.size(); ++index)
      first = first * 256 + std::to_integer<uint32_t>(hash[index]);
    return parts <= 1 || first % parts == part - 1;
  }
};

struct FsckOptions {
  // Reads, hashes and parses content; otherwise checks only its presence and its
  // stored size.
  bool readData = false;
  ContentPart part;
  bool repair = false;
  // Asked, in this order, for damaged content that the archive itself has no whole copy of. The
  // content that they send is verified.
  std::vector<ContentDonor> donors;
  PortableArtifactCheck checkPortableArtifact;
  const SigningKey* publicKey = nullptr;  // Whose signatures are checked.
  std::optional<Pin> pinned;              // The state of its lists that was seen before.
  std::function<void(std::string_view what, size_t done, size_t total)> progress;
};

struct FsckSummary {
  int64_t artifacts = 0, blobs = 0, files = 0;
  int64_t blobsRead = 0, bytesRead = 0;  // Verified against their hashes.
  int64_t damaged = 0, healed = 0, litter = 0, access = 0;
  SignatureSummary signatures;  // The trusted key's own lists.
  // Lists of other archives that came along with copies, and how the copies compare.
  struct Copied {
    TravellingList list;
    CopySummary copy;
  };
  std::vector<Copied> copied;
  int64_t otherKeys = 0;  // Such lists by keys that were not asked for.
  int64_t inFlight = 0;   // Files and content that a lease protects.
  bool whole() const { return damaged == healed; }
};

// Calls `report` for each finding: as it is made, or where donors are asked for
// it together with others, once they have answered. The findings that a failed
// donor did not heal name it; it is not asked again. An error where the
// archive cannot be opened or checking itself fails.
Result<FsckSummary> checkArchive(const std::string& folder, const FsckOptions& options,
                                 const std::function<void(const FsckFinding&)>& report,
                                 const ArchiveEnvironment& environment = {});

}  // namespace vintage::archive
