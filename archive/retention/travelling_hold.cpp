#include "archive/retention/travelling_hold.h"

#include "archive/store/retention_table.h"
#include "golden/base/failures.h"

namespace vintage::archive {

nlohmann::json recordJson(const TravellingHold& hold) {
  return {{"name", hold.name},
          {"producer", hold.producer},
          {"reason", hold.reason},
          {"until", hold.until ? nlohmann::json(formatDate(*hold.until)) : nlohmann::json()}};
}

Result<TravellingHold> travellingHoldOfJson(const nlohmann::json& json) {
  TravellingHold hold;
  const std::pair<const char*, std::string*> texts[] = {
      {"name", &hold.name}, {"producer", &hold.producer}, {"reason", &hold.reason}};
  for (const auto& [field, text] : texts) {
    if (!json.is_object() || !json.contains(field) || !json[field].is_string() ||
        json[field].get_ref<const std::string&>().empty())
      return badInput("field '{}' of a hold has to be a text", field);
    *text = json[field];
  }
  const nlohmann::json until = json.value("until", nlohmann::json());
  if (until.is_null()) return hold;
  if (!until.is_string())
    return failure(Error::Kind::kBadInput, "field 'until' of a hold has to be a day");
  ASSIGN_OR_RETURN(hold.until, within("field 'until'", parseDate(until.get<std::string>())));
  return hold;
}

Result<std::vector<TravellingHold>> travellingHolds(const Archive& archive) {
  ASSIGN_OR_RETURN(const auto holds, allHolds(archive));
  std::vector<TravellingHold> travelling;
  for (const Hold& hold : holds)
    travelling.push_back({hold.artifact.name, hold.artifact.producer, hold.reason, hold.until});
  return travelling;
}

Status putTravellingHold(Archive& archive, const TravellingHold& hold) {
  ASSIGN_OR_RETURN(const auto holds, travellingHolds(archive));
  for (const TravellingHold& kept : holds) {
    if (kept.name == hold.name && kept.producer == hold.producer && kept.covers(hold)) return {};
  }
  ArtifactRecord artifact;
  artifact.name = hold.name;
  artifact.producer = hold.producer;
  return placeHold(archive, artifact, hold.reason, hold.until);
}

}  // namespace vintage::archive
