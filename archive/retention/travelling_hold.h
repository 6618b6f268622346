// Holds that leave their archive with a copy: what must not go there must not go here.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "archive/store/archive.h"
#include "golden/base/date.h"
#include "golden/base/result.h"

namespace vintage::archive {

struct TravellingHold {
  std::string name, producer;  // Of the artifact.
  std::string reason;
  std::optional<Date> until;  // The last day; empty: until it is released.

  // Whether nothing would change where this one is placed already.
  bool covers(const TravellingHold& other) const {
    return !until || (other.until && *other.until <= *until);
  }
};
nlohmann::json recordJson(const TravellingHold& hold);
Result<TravellingHold> travellingHoldOfJson(const nlohmann::json& json);

Result<std::vector<TravellingHold>> travellingHolds(const Archive& archive);
// Never shortens a hold. kNotFound where the artifact is not kept.
Status putTravellingHold(Archive& archive, const TravellingHold& hold);

}  // namespace vintage::archive
