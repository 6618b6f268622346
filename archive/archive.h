// The archive: a SQLite index (WAL) over content-addressed blobs.
//
// Layout and invariants: docs/archive_format.md. A blob is verified and
// durable before the row that names it is. Several processes may use one
// archive at once; one Archive object belongs to one thread at a time.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "archive/records.h"
#include "golden/golden.h"
#include "golden/result.h"

namespace vintage {

class Archive {
 public:
  enum class Mode { kReadOnly, kReadWrite, kCreate };  // kCreate opens what is there.
  static Result<Archive> open(const std::string& folder, Mode mode);
  ~Archive();
  Archive(Archive&&) noexcept;
  Archive& operator=(Archive&&) noexcept;

  // Idempotent. `record.id`, `bytes` are computed here. The same bytes under
  // the same name and producer are one artifact; the same name and producer
  // with other bytes are a kConflict.
  Result<ContentId> put(ArtifactRecord record, std::span<const std::byte> bytes,
                        const Golden* golden);
  struct Put {
    ArtifactRecord record;
    std::vector<std::byte> bytes;
    std::optional<Golden> golden;
  };
  // All of them or none; one sync for many.
  Result<std::vector<ContentId>> putAll(std::span<Put> puts);

  Result<std::vector<ArtifactRecord>> list(const ArtifactFilter& filter) const;
  // Calls `visit` in order of (build date, name) without holding all of them;
  // stops when it returns false.
  Status forEach(const ArtifactFilter& filter,
                 const std::function<bool(const ArtifactRecord&)>& visit) const;
  // Accepts a whole id, a prefix that fits one artifact, or a name.
  Result<ArtifactRecord> find(std::string_view idOrName) const;
  // Verified against the id as it is read.
  Result<std::vector<std::byte>> read(const ContentId& id) const;
  Result<Golden> readGolden(const ArtifactRecord& record) const;

  Status putBuild(const BuildRecord& build);
  Result<std::vector<BuildRecord>> builds() const;

  Status putOutcomes(std::span<const OutcomeRecord> outcomes);
  Result<std::vector<OutcomeRecord>> outcomes(const OutcomeFilter& filter) const;

  const std::string& folder() const;

 private:
  struct Implementation;
  explicit Archive(std::unique_ptr<Implementation> implementation);
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace vintage
