// Asks a service to prove that it has what an archive has, byte for byte,
// without sending it: POST /v1/proofs (docs/reference/service.md).
//
// Each question has a nonce that the service could not have known before, and the answer
// is SHA-256(nonce || content): a service that only kept the hashes, or whose
// disk changed a bit, cannot give it.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "archive/integrity/fsck.h"
#include "archive/store/archive.h"
#include "archive/transfer/service_client.h"
#include "golden/base/result.h"

namespace vintage::archive {

struct ProofFinding {
  enum class Kind {
    kMissing,     // The service does not have it.
    kDamaged,     // The service says that what it has is damaged.
    kDiffers,     // The proof is not of these bytes.
    kUnproved,    // The service could not answer for it.
    kUnreadable,  // The content here is damaged, so nothing can be compared.
  };
  Kind kind;
  ContentId content;
  // "NAME (PRODUCER)", "the golden of NAME (PRODUCER)": the first of them.
  std::vector<std::string> affected;
  std::string problem;
};
std::string_view findingName(ProofFinding::Kind kind);  // "missing", …

struct ProofOptions {
  ArtifactFilter filter;  // The artifacts whose contents are asked for.
  ContentPart part;
  std::function<void(size_t done)> progress;  // Contents.
};

struct ProofSummary {
  int64_t artifacts = 0, contents = 0;
  int64_t proved = 0, bytes = 0;  // Contents that were proved.
  int64_t wrong = 0;              // Missing, damaged or different there.
  int64_t unknown = 0;            // Unproved or unreadable.
};

// The same for single contents of the archive; a finding's `affected` stays empty.
Status askForProofsOf(std::span<const ContentId> ids, const Archive& archive,
                      ServiceClient& service,
                      const std::function<void(const ContentId&, int64_t bytes)>& proved,
                      const std::function<void(const ProofFinding&)>& report);

// A content that artifacts far from each other share may be asked for more than
// once. An error where the service cannot be asked.
Result<ProofSummary> askForProofs(const Archive& archive, ServiceClient& service,
                                  const ProofOptions& options,
                                  const std::function<void(const ProofFinding&)>& report);

}  // namespace vintage::archive
