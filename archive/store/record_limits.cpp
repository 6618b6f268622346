
#include <string_view>

#include "archive/store/record_fields.h"
#include "golden/base/failures.h"

namespace vintage::archive {
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
