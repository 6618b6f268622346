#include "golden/compare/comparator_json.h"

#include <utility>

namespace vintage::golden::compare {
namespace {

// The member of an object, if it is there; a null one is not there.
const nlohmann::json* member(const nlohmann::json& object, const char* name) {
  const auto found = object.find(name);
  return found == object.end() || found->is_null() ? nullptr : &*found;
}

}  // namespace

nlohmann::json comparatorJson(const Comparator& comparator) {
  nlohmann::json json = {{"kind", comparatorName(comparator.kind)}};
  if (comparator.tolerance.absolute) json["absolute"] = *comparator.tolerance.absolute;
  if (comparator.tolerance.relative) json["relative"] = *comparator.tolerance.relative;
  if (comparator.tolerance.ulps) json["ulps"] = *comparator.tolerance.ulps;
  if (!comparator.roles.empty()) json["roles"] = comparator.roles;
  if (comparator.dimension != 0) json["dimension"] = comparator.dimension;
  return json;
}

Result<Comparator> comparatorOfJson(const nlohmann::json& json) {
  const auto wrong = [] { return failure(Error::Kind::kBadInput, "a comparator in the header is malformed"); };
  const nlohmann::json* kind = json.is_object() ? member(json, "kind") : nullptr;
  if (!kind || !kind->is_string()) return wrong();
  const Result<Comparator::Kind> parsed =
      parseComparatorName(kind->get_ref<const std::string&>());
  if (!parsed) return tl::unexpected(parsed.error());
  Comparator comparator;
  comparator.kind = *parsed;
  for (const auto& [name, bound] : {std::pair("absolute", &comparator.tolerance.absolute),
                                    std::pair("relative", &comparator.tolerance.relative)}) {
    const nlohmann::json* value = member(json, name);
    if (!value) continue;
    if (!value->is_number()) return wrong();
    *bound = value->get<double>();
  }
  if (const nlohmann::json* ulps = member(json, "ulps")) {
    if (!ulps->is_number_integer()) return wrong();
    comparator.tolerance.ulps = ulps->get<int64_t>();
  }
  if (const nlohmann::json* dimension = member(json, "dimension")) {
    if (!dimension->is_number_integer()) return wrong();
    comparator.dimension = dimension->get<int64_t>();
  }
  if (const nlohmann::json* roles = member(json, "roles")) {
    if (!roles->is_array()) return wrong();
    for (const nlohmann::json& role : *roles) {
      if (!role.is_string()) return wrong();
      comparator.roles.push_back(role.get<std::string>());
    }
  }
  return comparator;
}

}  // namespace vintage::golden::compare
