#include "harness/bisect/subject.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace vintage {
namespace {

Result<ArtifactRecord> newestOfCase(const Archive& archive, const SubjectChoice& choice) {
  std::optional<ArtifactRecord> newest;
  Status status = archive.forEach({}, [&](const ArtifactRecord& record) {
    if (record.caseId == choice.caseId &&
        (choice.platform.empty() || std::ranges::count(record.platforms, choice.platform) > 0))
      newest = record;
    return true;
  });
  if (!status) return tl::unexpected<Error>(status.error());
  if (newest) return *newest;
  return failure(
      Error::Kind::kNotFound,
      fmt::format("--case: the archive has no artifact of the case '{}'{}; 'vintage "
                  "list' shows what there is",
                  choice.caseId, choice.platform.empty() ? "" : " for " + choice.platform));
}

}  // namespace

Result<Subject> loadSubject(const Archive& archive, const SubjectChoice& choice) {
  auto record =
      choice.artifact.empty() ? newestOfCase(archive, choice) : archive.find(choice.artifact);
  if (!record) return tl::unexpected<Error>(record.error());
  Subject subject;
  subject.record = std::move(*record);
  subject.mode = choice.mode;
  const std::vector<std::string>& platforms = subject.record.platforms;
  subject.platform =
      choice.platform.empty() && !platforms.empty() ? platforms.front() : choice.platform;
  if (std::ranges::count(platforms, subject.platform) == 0)
    return failure(Error::Kind::kUsage,
                   fmt::format("--platform: {} was lowered for {}, not for {}", subject.record.name,
                               fmt::join(platforms, ", "), subject.platform));
  if (subject.record.golden.empty())
    return failure(Error::Kind::kUsage,
                   fmt::format("{} has no golden: without expected outputs nothing tells a good "
                               "build from a bad one",
                               subject.record.name));
  auto bytes = archive.read(subject.record.id);
  if (!bytes) return tl::unexpected<Error>(bytes.error());
  subject.artifact = std::move(*bytes);
  auto golden = archive.readGolden(subject.record);
  if (!golden) return tl::unexpected<Error>(golden.error());
  subject.golden = std::move(*golden);
  return subject;
}

}  // namespace vintage
