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

bool holds(const Texts& wanted, const std::string& value) {
  return wanted.empty() || std::find(wanted.begin(), wanted.end(), value) != wanted.end();
}

bool holdsAny(const Texts& wanted, const Texts& values) {
  return wanted.empty() || std::any_of(values.begin(), values.end(), [&](const std::string& value) {
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
  bool all = kept.name == put.name && kept.producer == put.producer && kept.id == put.id;
  if (!all) return false;
  ArtifactRecord said = sorted(put);
  said.bytes = kept.bytes;
  visitMembers<ArtifactRecord>([&](const RecordField&, auto member) {
    all = all && (!isTold(said.*member) || kept.*member == said.*member);
  });
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

namespace {

constexpr size_t kShownName = 80;

// Keeps the first problem.
class LimitCheck {
 public:
  // `record`: "build"; `name` is its name in messages.
  LimitCheck(std::string_view record, std::string_view name) : record_(record), name_(name) {}

  void operator()(const RecordField& field, const std::string& text) {
    bytes(field, text.size(), kLongestRecordText);
  }
  void operator()(const RecordField& field, const std::optional<std::string>& text) {
    if (text) (*this)(field, *text);
  }
  void operator()(const RecordField& field, const std::vector<std::string>& list) {
    size_t all = 0;
    for (const std::string& value : list) all += value.size() + 1;
    bytes(field, all, kLongestRecordList);
  }
  void operator()(const RecordField& field, const BuildDetails& details) {
    bytes(field, detailsText(details).size(), kLongestBuildDetails);
  }
  template <typename Number>
  void operator()(const RecordField&, const Number&) {}

  Status status() { return std::move(status_); }

 private:
  void bytes(const RecordField& field, size_t size, size_t usual) {
    const size_t longest = field.longest == kUsual ? usual : field.longest;
    if (status_ && size > longest)
      status_ = usageError("the {} of {} '{}' has {} bytes; up to {} are kept: shorten it",
                           field.name, record_, name_.substr(0, kShownName), size, longest);
  }

  const std::string_view record_, name_;
  Status status_;
};

template <typename Record>
Status check(std::string_view what, std::string_view name, const Record& record) {
  LimitCheck limits(what, name);
  visitFields(record, limits);
  return limits.status();
}

}  // namespace

Status checkLimits(const ArtifactRecord& record) { return check("artifact", record.name, record); }

Status checkLimits(const BuildRecord& build) { return check("build", build.name, build); }

// The verdict can be long, and stays out of lists.
Status checkLimits(const RunRecord& run) { return check("run", run.id, run); }

Status checkLimits(const Limitation& limitation) {
  return check("limitation", limitation.id, limitation);
}

Status checkLimits(const OutcomeRecord& outcome) {
  return check("the outcome of artifact", outcome.artifact, outcome);
}

}  // namespace vintage::archive
