#include "archive/transfer/service_error.h"

#include "archive/store/outside_json.h"

#include <nlohmann/json.hpp>

namespace vintage::archive::transfer {

std::string errorKindOf(const HttpResponse& response) {
  const auto json = parseOutsideJson(response.body).value_or(nlohmann::json());
  if (!json.is_object()) return {};
  const auto error = json.find("error");
  if (error == json.end() || !error->is_object()) return {};
  const auto kind = error->find("kind");
  return kind != error->end() && kind->is_string() ? kind->get<std::string>() : std::string();
}

}  // namespace vintage::archive::transfer
