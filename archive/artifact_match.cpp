#include "archive/artifact_match.h"

#include <algorithm>

#include <sqlite3.h>

namespace vintage {
namespace {

using Texts = std::vector<std::string>;

bool holds(const Texts& wanted, const std::string& value) {
  return wanted.empty() || std::find(wanted.begin(), wanted.end(), value) != wanted.end();
}

bool holdsAny(const Texts& wanted, const Texts& values) {
  return wanted.empty() || std::any_of(values.begin(), values.end(), [&](const std::string& value) {
           return holds(wanted, value);
         });
}

bool isTold(const std::string& value) { return !value.empty(); }
bool isTold(const Texts& value) { return !value.empty(); }
bool isTold(int) { return true; }
bool isTold(const Date&) { return true; }
bool isTold(ArtifactRecord::Format) { return true; }

template <typename Value>
bool tells(const Value& kept, const Value& put) {
  return !isTold(put) || kept == put;
}

// Lists that the archive sorts.
Texts sorted(Texts texts) {
  std::sort(texts.begin(), texts.end());
  return texts;
}

}  // namespace

bool fitsFilter(const ArtifactFilter& filter, const ArtifactRecord& record) {
  const bool idFits =
      filter.ids.empty() ||
      std::any_of(filter.ids.begin(), filter.ids.end(),
                  [&](const std::string& prefix) { return record.id.starts_with(prefix); });
  // The archive's index uses SQLite's patterns, so the same function here.
  const bool nameFits = filter.names.empty() ||
                        std::any_of(filter.names.begin(), filter.names.end(),
                                    [&](const std::string& pattern) {
                                      return ::sqlite3_strglob(pattern.c_str(),
                                                               record.name.c_str()) == 0;
                                    });
  const int convention = record.callingConventionVersion;
  return idFits && nameFits && holds(filter.primitives, record.primitive) &&
         holdsAny(filter.dtypes, record.dtypes) && holdsAny(filter.platforms, record.platforms) &&
         holds(filter.variants, record.variant) && holds(filter.producers, record.producer) &&
         holdsAny(filter.customCallTargets, record.customCallTargets) &&
         (!filter.builtFrom || record.buildDate >= *filter.builtFrom) &&
         (!filter.builtUntil || record.buildDate <= *filter.builtUntil) &&
         (!filter.oldestCallingConvention || convention >= *filter.oldestCallingConvention) &&
         (!filter.newestCallingConvention || convention <= *filter.newestCallingConvention);
}

bool covers(const ArtifactRecord& kept, const ArtifactRecord& put) {
  return kept.name == put.name && kept.producer == put.producer && kept.id == put.id &&
         tells(kept.golden, put.golden) && tells(kept.format, put.format) &&
         tells(kept.buildDate, put.buildDate) &&
         tells(kept.callingConventionVersion, put.callingConventionVersion) &&
         tells(kept.serializationVersion, put.serializationVersion) &&
         tells(kept.stablehloVersion, put.stablehloVersion) &&
         tells(kept.primitive, put.primitive) && tells(kept.caseId, put.caseId) &&
         tells(kept.dtypes, sorted(put.dtypes)) && tells(kept.platforms, put.platforms) &&
         tells(kept.variant, put.variant) && tells(kept.deviceCount, put.deviceCount) &&
         tells(kept.customCallTargets, sorted(put.customCallTargets));
}

}  // namespace vintage
