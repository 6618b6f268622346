// What one run measured of the distance to the oracle, in units in the last place.
#include "harness/dashboard/page_parts.h"
#include "harness/dashboard/pages.h"
#include "harness/dashboard/run_report_parts.h"

namespace vintage::harness::dashboard {

using nlohmann::json;

Result<json> accuracyPage(const PageContext& context, const PageParameters& parameters) {
  ASSIGN_OR_RETURN(const auto id, required(parameters, "run"));
  ASSIGN_OR_RETURN(const auto run, context.archive.run(id));
  return json{{"run", run.id}, {"kind", run.kind}, {"rows", accuracyOfReport(run.verdict)}};
}

}  // namespace vintage::harness::dashboard
