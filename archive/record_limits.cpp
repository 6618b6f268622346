#include "archive/record_limits.h"

#include <fmt/format.h>

namespace vintage {

Status checkLimits(const ArtifactRecord& record) {
  const auto tooLong = [&](const char* field, size_t bytes, size_t longest) {
    return failure(Error::Kind::kUsage,
                   fmt::format("the {} of '{}' has {} bytes; up to {} are kept", field,
                               record.name.substr(0, 80), bytes, longest));
  };
  const std::pair<const char*, const std::string*> texts[] = {
      {"StableHLO version", &record.stablehloVersion},
      {"primitive", &record.primitive},
      {"case", &record.caseId},
      {"variant", &record.variant}};
  for (const auto& [field, text] : texts) {
    if (text->size() > kLongestRecordText) return tooLong(field, text->size(), kLongestRecordText);
  }
  const std::pair<const char*, const std::vector<std::string>*> lists[] = {
      {"list of dtypes", &record.dtypes},
      {"list of platforms", &record.platforms},
      {"list of custom-call targets", &record.customCallTargets}};
  for (const auto& [field, list] : lists) {
    size_t bytes = 0;
    for (const std::string& text : *list) bytes += text.size() + 1;
    if (bytes > kLongestRecordList) return tooLong(field, bytes, kLongestRecordList);
  }
  return {};
}

}  // namespace vintage
