
#include <algorithm>

#include <fmt/format.h>
#include <sqlite3.h>

#include "archive/store/records.h"
#include "archive/store/row_values.h"

namespace vintage::archive {
using namespace golden;

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
bool agrees(const Value& kept, const Value& put) {
  return !isTold(put) || kept == put;
}

// Lists that the archive sorts.
Texts sorted(Texts texts) {
  std::sort(texts.begin(), texts.end());
  return texts;
}

// Keeps the first fact on which both disagree.
class Comparison {
 public:
  void same(std::string_view what, std::string_view kept, std::string_view put) {
    if (found_.empty() && kept != put)
      found_ = fmt::format("its {} is '{}' there and '{}' here", what, kept, put);
  }
  // Which one of them may not know.
  void text(std::string_view what, std::string_view kept, std::string_view put) {
    if (!kept.empty() && !put.empty()) same(what, kept, put);
  }
  void list(std::string_view what, const Texts& kept, const Texts& put) {
    if (!kept.empty() && !put.empty()) same(what, listText(kept), listText(put));
  }
  void number(std::string_view what, int kept, int put) {
    same(what, std::to_string(kept), std::to_string(put));
  }
  std::string take() { return std::move(found_); }

 private:
  std::string found_;
};

}  // namespace

bool fitsFilter(const ArtifactFilter& filter, const ArtifactRecord& record) {
  const bool idFits = filter.ids.empty() || std::any_of(filter.ids.begin(), filter.ids.end(),
                                                        [&](const std::string& prefix) {
                                                          return record.id.starts_with(prefix);
                                                        });
  // The archive's index uses SQLite's patterns, so the same function here.
  const bool nameFits =
      filter.names.empty() ||
      std::any_of(filter.names.begin(), filter.names.end(), [&](const std::string& pattern) {
        return ::sqlite3_strglob(pattern.c_str(), record.name.c_str()) == 0;
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
         agrees(kept.golden, put.golden) && agrees(kept.format, put.format) &&
         agrees(kept.buildDate, put.buildDate) &&
         agrees(kept.callingConventionVersion, put.callingConventionVersion) &&
         agrees(kept.serializationVersion, put.serializationVersion) &&
         agrees(kept.stablehloVersion, put.stablehloVersion) &&
         agrees(kept.primitive, put.primitive) && agrees(kept.caseId, put.caseId) &&
         agrees(kept.dtypes, sorted(put.dtypes)) && agrees(kept.platforms, put.platforms) &&
         agrees(kept.variant, put.variant) && agrees(kept.deviceCount, put.deviceCount) &&
         agrees(kept.customCallTargets, sorted(put.customCallTargets));
}

std::string contradiction(const ArtifactRecord& kept, const ArtifactRecord& put) {
  if (kept.id != put.id)
    return fmt::format("its bytes are {:.12} there and {:.12} here", kept.id, put.id);
  if (!kept.golden.empty() && !put.golden.empty() && kept.golden != put.golden)
    return fmt::format("its golden is {:.12} there and {:.12} here", kept.golden, put.golden);
  Comparison compare;
  compare.text("stablehlo version", kept.stablehloVersion, put.stablehloVersion);
  compare.text("primitive", kept.primitive, put.primitive);
  compare.text("case", kept.caseId, put.caseId);
  compare.list("dtypes", sorted(kept.dtypes), sorted(put.dtypes));
  compare.list("platforms", kept.platforms, put.platforms);
  compare.list("custom-call targets", sorted(kept.customCallTargets),
               sorted(put.customCallTargets));
  compare.same("build date", formatDate(kept.buildDate), formatDate(put.buildDate));
  compare.same("format", formatName(kept.format), formatName(put.format));
  compare.number("calling convention", kept.callingConventionVersion, put.callingConventionVersion);
  compare.number("serialization version", kept.serializationVersion, put.serializationVersion);
  compare.same("variant", kept.variant, put.variant);
  compare.number("device count", kept.deviceCount, put.deviceCount);
  return compare.take();
}

}  // namespace vintage::archive
