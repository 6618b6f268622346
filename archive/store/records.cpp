// Records held against a filter, against each other, and to limits.
#include <algorithm>

#include <fmt/format.h>
#include <sqlite3.h>

#include "archive/store/record_fields.h"
#include "archive/store/records.h"
#include "golden/base/failures.h"

namespace vintage::archive {
namespace {

using Texts = std::vector<std::string>;

// No wish is met by everything.
template <typename Meets>
bool meetsAny(const Texts& wanted, const Meets& meets) {
  return wanted.empty() || std::ranges::any_of(wanted, meets);
}
bool holds(const Texts& wanted, const std::string& value) {
  return meetsAny(wanted, [&](const std::string& wish) { return wish == value; });
}
bool holdsAny(const Texts& wanted, const Texts& values) {
  return wanted.empty() || std::ranges::any_of(values, [&](const std::string& value) {
           return holds(wanted, value);
         });
}

template <typename Value>
bool isTold(const Value& value) {
  if constexpr (requires { value.empty(); })
    return !value.empty();
  else
    return true;
}

std::string shown(const std::string& text) { return text; }
std::string shown(const Texts& texts) { return listText(texts); }
std::string shown(int64_t number) { return std::to_string(number); }
std::string shown(Date date) { return formatDate(date); }
std::string shown(ArtifactRecord::Format format) { return formatName(format); }

// With the lists that the archive sorts in its order.
ArtifactRecord sorted(ArtifactRecord record) {
  std::ranges::sort(record.dtypes);
  std::ranges::sort(record.customCallTargets);
  return record;
}

constexpr size_t kShownName = 80;

// The bytes of a field that count against its limit, and the usual limit of such a field.
struct FieldSize {
  size_t bytes = 0, usual = kUnlimited;
};
template <typename Number>
FieldSize sizeOf(const Number&) {
  return {};
}
FieldSize sizeOf(const std::string& text) { return {text.size(), kLongestRecordText}; }
FieldSize sizeOf(const std::optional<std::string>& text) {
  return text ? sizeOf(*text) : FieldSize();
}
FieldSize sizeOf(const std::vector<std::string>& list) {
  size_t all = 0;
  for (const std::string& value : list) all += value.size() + 1;
  return {all, kLongestRecordList};
}
FieldSize sizeOf(const BuildDetails& details) {
  return {detailsText(details).size(), kLongestBuildDetails};
}

// `what`: "build"; `name` is its name in messages.
template <typename Record>
Status check(std::string_view what, std::string_view name, const Record& record) {
  Status status;  // The first problem.
  const auto look = [&](const RecordField& field, const auto& value) {
    const FieldSize size = sizeOf(value);
    const size_t longest = field.longest == kUsual ? size.usual : field.longest;
    if (status && size.bytes > longest)
      status = usageError("the {} of {} '{}' has {} bytes; up to {} are kept: shorten it",
                          field.name, what, name.substr(0, kShownName), size.bytes, longest);
  };
  visitFields(record, look);
  return status;
}

}  // namespace

bool fitsFilter(const ArtifactFilter& filter, const ArtifactRecord& record) {
  const bool idFits = meetsAny(
      filter.ids, [&](const std::string& prefix) { return record.id.starts_with(prefix); });
  // The archive's index uses SQLite's patterns, so the same function here.
  const bool nameFits = meetsAny(filter.names, [&](const std::string& pattern) {
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
  bool all = kept.name == put.name && kept.producer == put.producer && kept.id == put.id;
  if (!all) return false;
  ArtifactRecord said = sorted(put);
  said.bytes = kept.bytes;
  visitMembers<ArtifactRecord>([&](const RecordField&, auto member) {
    all = all && (!isTold(said.*member) || kept.*member == said.*member);
  });
  return all;
}

bool covers(const OutcomeRecord& kept, const OutcomeRecord& put) {
  bool all = true;
  visitMembers<OutcomeRecord>(
      [&](const RecordField&, auto member) { all = all && kept.*member == put.*member; });
  return all;
}

std::string contradiction(const ArtifactRecord& kept, const ArtifactRecord& put) {
  if (kept.id != put.id)
    return fmt::format("its bytes are {:.12} there and {:.12} here", kept.id, put.id);
  if (!kept.golden.empty() && !put.golden.empty() && kept.golden != put.golden)
    return fmt::format("its golden is {:.12} there and {:.12} here", kept.golden, put.golden);
  std::string found;
  const auto compare = [&](const char* name, const auto& there, const auto& here) {
    if (!found.empty() || there == here) return;
    std::string what = name;
    std::ranges::replace(what, '_', ' ');
    found = fmt::format("its {} is '{}' there and '{}' here", what, shown(there), shown(here));
  };
  ArtifactRecord there = sorted(kept), here = sorted(put);
  here.bytes = there.bytes;
  visitMembers<ArtifactRecord>([&](const RecordField& field, auto member) {
    // Either may not know it.
    if (isTold(there.*member) && isTold(here.*member))
      compare(field.name, there.*member, here.*member);
  });
  compare("variant", there.variant, here.variant);
  return found;
}

Status checkLimits(const ArtifactRecord& record) { return check("artifact", record.name, record); }

Status checkLimits(const BuildRecord& build) { return check("build", build.name, build); }

// The verdict can be long, and stays out of lists.
Status checkLimits(const RunRecord& run) {
  RETURN_IF_ERROR(checkRunLabel(run.label));
  return check("run", run.id, run);
}

Status checkLimits(const Limitation& limitation) {
  return check("limitation", limitation.id, limitation);
}

Status checkLimits(const OutcomeRecord& outcome) {
  return check("the outcome of artifact", outcome.artifact, outcome);
}

}  // namespace vintage::archive
