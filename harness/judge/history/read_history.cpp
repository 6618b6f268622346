#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "golden/base/content_hash.h"
#include "golden/base/failures.h"
#include "golden/base/strict_json.h"
#include "harness/judge/history/history.h"

namespace vintage::harness {
using namespace archive;

namespace {

using nlohmann::json;

constexpr size_t kDigitsOfId = 12;

enum class Kind { kText, kDay, kNumber, kTexts, kNumbers, kObject };
struct Field {
  const char* name;
  Kind kind;
};

// The fields that a site uses; later measurements may hold more.
constexpr Field kDocument[] = {
    {"today", Kind::kDay}, {"artifacts", Kind::kNumber}, {"executions", Kind::kNumber}};
constexpr Field kRelease[] = {{"version", Kind::kText},
                              {"released", Kind::kDay},
                              {"calling_convention", Kind::kNumber},
                              {"serialization", Kind::kNumber},
                              {"stablehlo", Kind::kText},
                              {"artifacts", Kind::kNumber}};
constexpr Field kPair[] = {{"producer", Kind::kText},  {"consumer", Kind::kText},
                           {"condition", Kind::kText}, {"pass", Kind::kNumber},
                           {"refused", Kind::kNumber}, {"fail", Kind::kNumbers}};
constexpr Field kReach[] = {{"kind", Kind::kText},
                            {"name", Kind::kText},
                            {"days_backward", Kind::kObject},
                            {"days_forward", Kind::kObject}};
constexpr Field kBreak[] = {
    {"condition", Kind::kText},   {"outcome", Kind::kText},    {"stage", Kind::kText},
    {"message", Kind::kText},     {"issue", Kind::kText},      {"primitives", Kind::kTexts},
    {"targets", Kind::kTexts},    {"producers", Kind::kTexts}, {"consumers", Kind::kTexts},
    {"promises", Kind::kNumbers}, {"pairs", Kind::kNumber},    {"least_days", Kind::kNumber},
    {"most_days", Kind::kNumber}, {"smallest", Kind::kObject}};
constexpr Field kSmallest[] = {{"artifact", Kind::kText},
                               {"name", Kind::kText},
                               {"bytes", Kind::kNumber},
                               {"producer", Kind::kText},
                               {"consumer", Kind::kText}};
constexpr Field kAtHome[] = {{"name", Kind::kText},
                             {"producer", Kind::kText},
                             {"outcome", Kind::kText},
                             {"message", Kind::kText}};

bool fits(const json& value, Kind kind) {
  switch (kind) {
    case Kind::kText:
      return value.is_string();
    case Kind::kDay:
      return value.is_string() && parseDate(value.get<std::string>()).has_value();
    case Kind::kNumber:
      return value.is_number_integer();
    case Kind::kTexts:
      return value.is_array() && std::ranges::all_of(value, &json::is_string);
    case Kind::kNumbers:
      return value.is_object() && std::ranges::all_of(value, &json::is_number_integer);
    case Kind::kObject:
      return value.is_object();
  }
  return false;
}

constexpr const char* kExpected[] = {"a text",          "a day YYYY-MM-DD", "a whole number",
                                     "a list of texts", "counts by name",   "an object"};

Status check(const json& object, const std::string& place, std::span<const Field> fields) {
  if (!object.is_object()) return badInput("{}: an object is expected", place);
  for (const auto& [name, kind] : fields)
    if (const auto field = object.find(name); field == object.end() || !fits(*field, kind))
      return badInput("{}.{}: {} is expected", place, name, kExpected[static_cast<size_t>(kind)]);
  return {};
}

Status checkEach(const json& document, const char* list, std::span<const Field> fields) {
  const auto found = document.find(list);
  if (found == document.end() || !found->is_array())
    return badInput("{}: a list is expected", list);
  for (size_t i = 0; i < found->size(); ++i)
    RETURN_IF_ERROR(check((*found)[i], fmt::format("{}[{}]", list, i), fields));
  return {};
}

// Each release that `one` names under `keys` is one of `versions`.
Status checkReleases(const json& one, const std::string& place, const std::set<json>& versions) {
  for (const char* key : {"producer", "consumer", "producers", "consumers"}) {
    const auto field = one.find(key);
    if (field == one.end()) continue;
    const json names = field->is_array() ? *field : json::array({*field});
    if (names.empty()) return badInput("{}.{}: at least one release is expected", place, key);
    for (const json& name : names)
      if (!versions.contains(name))
        return badInput("{}.{}: {} is none of the releases", place, key, name.dump());
  }
  return {};
}

Result<std::string> idOf(const json& found) {
  ASSIGN_OR_RETURN(const auto outcome, parseOutcome(found["outcome"].get<std::string>()));
  if (found["primitives"].empty()) return badInput("primitives: at least one is expected");
  const std::string cause =
      causeOf(found["primitives"][0].get<std::string>(), !found["targets"].empty(), outcome,
              found["message"].get<std::string>());
  return contentHash(fmt::format("{}\n{}\n{}\n{}", found["condition"].get<std::string>(),
                                 outcomeName(outcome), found["stage"].get<std::string>(), cause))
      .substr(0, kDigitsOfId);
}

Result<json> checked(json history) {
  RETURN_IF_ERROR(check(history, "the document", kDocument));
  RETURN_IF_ERROR(checkEach(history, "releases", kRelease));
  RETURN_IF_ERROR(checkEach(history, "pairs", kPair));
  RETURN_IF_ERROR(checkEach(history, "reach", kReach));
  RETURN_IF_ERROR(checkEach(history, "breaks", kBreak));
  RETURN_IF_ERROR(checkEach(history, "fails_on_its_own_release", kAtHome));
  std::set<json> versions;
  for (const json& release : history["releases"]) versions.insert(release["version"]);
  for (const char* list : {"pairs", "breaks"})
    for (size_t i = 0; i < history[list].size(); ++i)
      RETURN_IF_ERROR(checkReleases(history[list][i], fmt::format("{}[{}]", list, i), versions));
  for (size_t i = 0; i < history["breaks"].size(); ++i) {
    json& found = history["breaks"][i];
    const std::string place = fmt::format("breaks[{}]", i);
    RETURN_IF_ERROR(check(found["smallest"], place + ".smallest", kSmallest));
    RETURN_IF_ERROR(checkReleases(found["smallest"], place + ".smallest", versions));
    auto id = idOf(found);
    if (!id) return badInput("{}: {}", place, id.error().message);
    found["id"] = *id;
  }
  return history;
}

}  // namespace

Result<json> readHistory(const std::string& path) {
  ASSIGN_OR_RETURN(const auto text, readTextFile(path));
  ASSIGN_OR_RETURN(auto document, parseDocument(text, path, "vintage measured history", 1));
  auto history = checked(std::move(document));
  if (history) return history;
  return badInput("{}: {}; 'vintage history' writes such a file", path, history.error().message);
}

}  // namespace vintage::harness
