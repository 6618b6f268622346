#include "archive/service/record_puts.h"

#include "archive/store/batch_put.h"

namespace vintage::archive::service {

Result<ArchivePool::Loan> borrowAs(const Call& call) {
  const Identity& identity = call.request.identity;
  ASSIGN_OR_RETURN(auto archive, call.application.archives().borrow());
  archive->actAs(identity.token.empty() ? "anonymous" : "token " + identity.token,
                 identity.role >= Role::kAdmin);
  return archive;
}

std::optional<Problem> problemOfStatus(const Status& status) {
  if (status) return std::nullopt;
  return problemOf(status.error());
}

Problem refusal(Archive& archive, const ArtifactRecord& record, const Error& error) {
  if (error.kind != Error::Kind::kNotFound) return problemOf(error);
  std::vector<ContentId> named{record.id};
  if (!record.golden.empty()) named.push_back(record.golden);
  return missingContent(archive, named, error);
}

Problem missingContent(Archive& archive, std::span<const ContentId> named, const Error& error) {
  const auto missing = archive.missing(named);
  if (!missing) return problemOf(missing.error());
  return {409,
          "missing_content",
          error.message,
          "upload the content under a lease, then register again",
          {{"missing", *missing}}};
}

std::vector<std::optional<Problem>> registerEach(Archive& archive,
                                                 std::span<const ArtifactRecord> records) {
  std::vector<std::optional<Problem>> refusals(records.size());
  ContentBatch batch;
  batch.records = records;
  const auto kept = putBatch(archive, batch);
  for (size_t index = 0; index < records.size(); ++index) {
    if (!kept)
      refusals[index] = problemOf(kept.error());
    else if (kept->refusals[index])
      refusals[index] = refusal(archive, records[index], *kept->refusals[index]);
  }
  return refusals;
}

}  // namespace vintage::archive::service
