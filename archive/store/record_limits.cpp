#include "archive/store/record_limits.h"

#include <span>
#include <string_view>

#include "archive/store/outside_json.h"
#include "archive/store/record_json.h"
#include "golden/base/failures.h"

namespace vintage::archive::store {
namespace {

// Keeps the first problem.
class LimitCheck {
 public:
  // `record`: "build"; `name` is its name in messages.
  LimitCheck(std::string_view record, std::string_view name) : record_(record), name_(name) {}

  LimitCheck& text(std::string_view field, std::string_view value,
                   size_t longest = kLongestRecordText) {
    return bytes(field, value.size(), longest);
  }
  LimitCheck& list(std::string_view field, std::span<const std::string> values,
                   size_t longest = kLongestRecordList) {
    size_t all = 0;
    for (const std::string& value : values) all += value.size() + 1;
    return bytes(field, all, longest);
  }
  LimitCheck& depth(std::string_view field, std::string_view json) {
    if (status_ && !fitsJsonDepth(json))
      status_ = usageError("the {} of {} '{}' nests deeper than {} levels", field, record_,
                           name_.substr(0, kShownName), kDeepestJson);
    return *this;
  }
  Status status() { return std::move(status_); }

 private:
  static constexpr size_t kShownName = 80;

  LimitCheck& bytes(std::string_view field, size_t size, size_t longest) {
    if (status_ && size > longest)
      status_ = usageError("the {} of {} '{}' has {} bytes; up to {} are kept: shorten it", field,
                           record_, name_.substr(0, kShownName), size, longest);
    return *this;
  }

  const std::string_view record_, name_;
  Status status_;
};

}  // namespace

Status checkLimits(const ArtifactRecord& record) {
  return LimitCheck("artifact", record.name)
      .text("StableHLO version", record.stablehloVersion)
      .text("primitive", record.primitive)
      .text("case", record.caseId)
      .text("variant", record.variant)
      .list("list of dtypes", record.dtypes)
      .list("list of platforms", record.platforms)
      .list("list of custom-call targets", record.customCallTargets)
      .status();
}

Status checkLimits(const BuildRecord& build) {
  const std::string details = jsonText(detailsJson(build.details));
  return LimitCheck("build", build.name)
      .text("name", build.name)
      .text("version", build.version)
      .text("StableHLO version", build.stablehloVersion)
      .text("kind", build.kind)
      .list("list of platforms", build.platforms)
      .list("list of modes", build.modes)
      .list("list of custom-call targets", build.customCallTargets)
      .text("details", details, kLongestBuildDetails)
      .depth("details", details)
      .status();
}

// The verdict can be long, and stays out of lists.
Status checkLimits(const RunRecord& run) {
  return LimitCheck("run", run.id)
      .text("id", run.id)
      .text("kind", run.kind)
      .text("start", run.started)
      .text("end", run.finished)
      .text("result", run.result)
      .text("command line", run.commandLine, kLongestCommandLine)
      .status();
}

Status checkLimits(const Limitation& limitation) {
  return LimitCheck("limitation", limitation.id)
      .text("id", limitation.id)
      .text("primitive", limitation.primitive)
      .text("'since'", limitation.since)
      .text("'until'", limitation.until.value_or(""))
      .text("description", limitation.description, kLongestExplanation)
      .text("issue", limitation.issue, kLongestExplanation)
      .list("list of dtypes", limitation.dtypes)
      .list("list of platforms", limitation.platforms)
      .list("list of modes", limitation.modes)
      .list("list of variants", limitation.variants)
      .status();
}

Status checkLimits(const OutcomeRecord& outcome) {
  return LimitCheck("the outcome of artifact", outcome.artifact)
      .text("build", outcome.build)
      .text("platform", outcome.platform)
      .text("mode", outcome.mode)
      .text("run", outcome.run)
      .text("limitation", outcome.limitation)
      .text("detail", outcome.detail, kLongestOutcomeDetail)
      .status();
}

}  // namespace vintage::archive::store
