// The fields of a speed report, for the answers that hold one.
#pragma once

#include "archive/records/json_fields.h"
#include "archive/records/speed_promise_fields.h"
#include "archive/records/speed_report.h"

namespace vintage::reports {

inline constexpr auto kRatioFields = [](auto& fields, auto& ratio) {
  fields.required("low", ratio.low);
  fields.required("value", ratio.value);
  fields.required("high", ratio.high);
  fields.required("rounds", ratio.rounds);
};

inline constexpr auto kQuantityFields = [](auto& fields, auto& one) {
  fields.named("quantity", one.quantity, &archive::quantityName, &archive::parseQuantity);
  fields.required("before", one.before);
  fields.required("after", one.after);
  fields.always("ratio", one.ratio, kRatioFields);
};

inline constexpr auto kComparisonFields = [](auto& fields, auto& comparison) {
  fields.required("before", comparison.before);
  fields.required("after", comparison.after);
  fields.required("before_date", comparison.beforeDate);
  fields.required("after_date", comparison.afterDate);
  fields.required("seconds", comparison.seconds);
  fields.optional("problem", comparison.problem);
  fields.list("artifacts", comparison.artifacts, [](auto& one, auto& artifact) {
    one.required("artifact", artifact.artifact);
    one.required("name", artifact.name);
    one.required("platform", artifact.platform);
    one.required("mode", artifact.mode);
    one.required("bytes", artifact.bytes);
    one.optional("problem", artifact.problem);
    one.list("quantities", artifact.quantities, kQuantityFields);
  });
};

nlohmann::json findingsJson(const std::vector<archive::SpeedFinding>& findings);
nlohmann::json countsJson(const archive::SpeedReport& report);

inline constexpr auto kSpeedFields = [](auto& fields, auto& report) {
  fields.always("promise", report.promise, archive::kSpeedPromiseFields);
  fields.required("today", report.today);
  fields.required("archive", report.archiveArgument);
  fields.list("comparisons", report.comparisons, kComparisonFields);
  fields.derived("findings", findingsJson(report.findings()));
  fields.derived("improvements", findingsJson(report.improvements()));
  fields.derived("counts", countsJson(report));
};

}  // namespace vintage::reports
