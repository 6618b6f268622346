// What one run measured of the distance to the oracle, in units in the last place.
#include "harness/dashboard/page_parts.h"
#include "harness/dashboard/pages.h"

namespace vintage::harness::dashboard {

using nlohmann::json;

Result<json> accuracyPage(const PageContext& context, const PageParameters& parameters) {
  ASSIGN_OR_RETURN(const auto id, required(parameters, "run"));
  ASSIGN_OR_RETURN(const auto run, context.archive.run(id));
  const json notes = json::parse(run.verdict, nullptr, false);
  json rows = notes.is_object() ? notes.value("accuracy", json::array()) : json::array();
  return json{{"run", run.id}, {"kind", run.kind}, {"rows", std::move(rows)}};
}

}  // namespace vintage::harness::dashboard
