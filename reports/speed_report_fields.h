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

inline constexpr auto kDeclaredFields = [](auto& fields, auto& declared) {
  fields.named("class", declared.failure, &archive::failureClassName, &archive::parseFailureClass);
  fields.required("limitation", declared.limitation);
  fields.required("reason", declared.reason);
};

inline constexpr auto kComparisonFields = [](auto& fields, auto& comparison) {
  fields.required("before", comparison.before);
  fields.required("after", comparison.after);
  fields.required("before_date", comparison.beforeDate);
  fields.required("after_date", comparison.afterDate);
  fields.required("seconds", comparison.seconds);
  fields.optional("problem", comparison.problem);
  fields.list("artifacts", comparison.artifacts, []<typename One>(One& one, auto& artifact) {
    one.required("artifact", artifact.artifact);
    one.required("name", artifact.name);
    one.required("platform", artifact.platform);
    one.required("mode", artifact.mode);
    one.required("bytes", artifact.bytes);
    one.optional("problem", artifact.problem);
    one.list("quantities", artifact.quantities, kQuantityFields);
    if (!One::kWrites || !artifact.declared.empty())
      one.list("declared", artifact.declared, kDeclaredFields);
  });
};

nlohmann::json findingsJson(const std::vector<archive::SpeedFinding>& findings);
nlohmann::json unnecessaryJson(const std::vector<archive::UnnecessaryLimitation>& limitations);
nlohmann::json countsJson(const archive::SpeedCounts& counts);

inline constexpr auto kSpeedFields = []<typename Fields>(Fields& fields, auto& speed) {
  auto& report = speed.report;
  auto& judgement = speed.judgement;
  fields.always("promise", report.promise, archive::kSpeedPromiseFields);
  fields.required("today", report.today);
  fields.required("archive", report.archiveArgument);
  fields.list("comparisons", report.comparisons, kComparisonFields);
  fields.derived("findings", findingsJson(judgement.findings));
  fields.derived("improvements", findingsJson(judgement.improvements));
  fields.derived("unnecessary_limitations", unnecessaryJson(judgement.unnecessary));
  fields.derived("counts", countsJson(judgement.counts));
  if constexpr (!Fields::kWrites) judgement = archive::judgeSpeed(report);
};

}  // namespace vintage::reports
