// Records that are kept or refused each on its own.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "archive/service/application.h"
#include "archive/service/problem.h"
#include "archive/service/room.h"
#include "archive/store/archive.h"

namespace vintage::archive::service {

// An archive that notes changes under the name of the request's token, and lets only an
// admin's replace what is kept.
Result<ArchivePool::Loan> borrowAs(const Call& call);

std::optional<Problem> problemOfStatus(const Status& status);

// Why a record was refused (archive/store/batch_put.h). Content that is not kept is
// `missing_content` and listed.
Problem refusal(Archive& archive, const ArtifactRecord& record, const Error& error);

// That these contents, or some of them, are not kept.
Problem missingContent(Archive& archive, std::span<const ContentId> named, const Error& error);

// One entry for each record. What is wrong with the archive itself (a full disk,
// a lock) refuses all of them.
std::vector<std::optional<Problem>> registerEach(Archive& archive,
                                                 std::span<const ArtifactRecord> records);

}  // namespace vintage::archive::service
