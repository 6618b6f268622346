#include "archive/service/query_parameters.h"

#include <limits>

#include "archive/service/header_values.h"
#include "golden/base/content_hash.h"
#include "golden/base/date.h"
#include "golden/base/failures.h"

namespace vintage::archive::service {
namespace {

std::vector<std::string> all(const Request& request, std::string_view name) {
  std::vector<std::string> values;
  for (const auto& [key, value] : request.parameters) {
    if (key == name) values.push_back(value);
  }
  return values;
}

Status readDate(const Request& request, std::string_view name, std::optional<Date>& place) {
  const std::string* text = request.parameter(name);
  if (text == nullptr) return {};
  ASSIGN_OR_RETURN(place, within(std::string(name), parseDate(*text)));
  return {};
}

Status readVersion(const Request& request, std::string_view name, std::optional<int>& place) {
  const std::string* text = request.parameter(name);
  if (text == nullptr) return {};
  const auto number = parseNumber(*text);
  if (!number || *number > static_cast<uint64_t>(std::numeric_limits<int>::max()))
    return usageError("{} is '{}'; a whole number is expected", name, *text);
  place = static_cast<int>(*number);
  return {};
}

}  // namespace

Result<ArtifactFilter> artifactFilterOf(const Request& request) {
  ArtifactFilter filter;
  filter.ids = all(request, "id");
  filter.names = all(request, "name");
  filter.primitives = all(request, "primitive");
  filter.dtypes = all(request, "dtype");
  filter.platforms = all(request, "platform");
  filter.variants = all(request, "variant");
  filter.customCallTargets = all(request, "target");
  filter.producers = all(request, "producer");
  for (const Status& status :
       {readDate(request, "built_from", filter.builtFrom),
        readDate(request, "built_until", filter.builtUntil),
        readVersion(request, "oldest_calling_convention", filter.oldestCallingConvention),
        readVersion(request, "newest_calling_convention", filter.newestCallingConvention)}) {
    if (!status) return tl::unexpected(status.error());
  }
  return filter;
}

Result<OutcomeFilter> outcomeFilterOf(const Request& request) {
  OutcomeFilter filter;
  filter.artifacts = all(request, "artifact");
  for (const ContentId& id : filter.artifacts) {
    if (!isContentHash(id))
      return usageError("artifact is '{}'; 64 lower-case hexadecimal digits are expected",
                        id.substr(0, 80));
  }
  filter.builds = all(request, "build");
  filter.platforms = all(request, "platform");
  filter.modes = all(request, "mode");
  filter.runs = all(request, "run");
  for (const std::string& name : all(request, "outcome")) {
    ASSIGN_OR_RETURN(const auto outcome, parseOutcome(name));
    filter.outcomes.push_back(outcome);
  }
  if (const std::string* latest = request.parameter("latest")) {
    if (*latest != "true" && *latest != "false")
      return usageError("latest is '{}'; true or false is expected", *latest);
    filter.latestOnly = *latest == "true";
  }
  return filter;
}

}  // namespace vintage::archive::service
