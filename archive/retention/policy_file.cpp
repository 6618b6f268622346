// A retention policy as a file: docs/howto/retention.md.
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "archive/retention/retention.h"
#include "golden/base/failures.h"

namespace vintage::archive {
namespace {

using nlohmann::json;

constexpr int kFormat = 1;
constexpr int kMost = 1'000'000;  // Days, or artifacts; more is a typing error.

// The two promises (README): "backward" and "forward".
struct Window {
  std::string_view promise;
  int days;
};
constexpr Window kWindows[] = {{"backward", 180}, {"forward", 21}};

struct PatternField {
  const char* name;
  std::vector<std::string> RetentionRule::* place;
};
constexpr PatternField kPatterns[] = {{"name", &RetentionRule::names},
                                      {"primitive", &RetentionRule::primitives},
                                      {"platform", &RetentionRule::platforms},
                                      {"variant", &RetentionRule::variants},
                                      {"producer", &RetentionRule::producers}};

class Reader {
 public:
  explicit Reader(std::string_view file) : file_(file) {}

  Result<RetentionPolicy> policy(const json& root) {
    if (!root.is_object()) return wrong("", "a JSON object with 'vintage_retention' and 'rules'");
    RETURN_IF_ERROR(onlyKeys(
        root, "", {"vintage_retention", "rules", "outcomes", "wait_days", "longest_pause_days"}));
    if (!root.contains("vintage_retention") || root["vintage_retention"] != kFormat)
      return wrong("vintage_retention", fmt::format("{}, the version of the file's form", kFormat));
    RetentionPolicy policy;
    if (root.contains("outcomes")) {
      if (root["outcomes"] == "remove")
        policy.outcomes = RetentionPolicy::Outcomes::kRemove;
      else if (root["outcomes"] != "keep")
        return wrong("outcomes", "'keep' or 'remove'");
    }
    const std::pair<const char*, int*> numbers[] = {
        {"wait_days", &policy.waitDays}, {"longest_pause_days", &policy.longestPauseDays}};
    for (const auto& [key, place] : numbers) {
      if (!root.contains(key)) continue;
      const json& value = root[key];
      if (!value.is_number_integer() || value < 0 || value > kMost)
        return wrong(key, fmt::format("a number of days from 0 to {}", kMost));
      *place = value.get<int>();
    }
    if (!root.contains("rules") || !root["rules"].is_array() || root["rules"].empty())
      return wrong("rules",
                   "a list of one or more rules: a policy without rules would remove everything");
    for (size_t index = 0; index < root["rules"].size(); ++index) {
      ASSIGN_OR_RETURN(policy.rules.emplace_back(),
                       rule(root["rules"][index], fmt::format("rules[{}]", index)));
    }
    return policy;
  }

 private:
  tl::unexpected<Error> wrong(const std::string& place, const std::string& accepted) const {
    return badInput("{}: {}: write {} ('vintage retention --print-policy' shows an example)", file_,
                    place.empty() ? "the file" : place, accepted);
  }

  Status onlyKeys(const json& object, const std::string& place,
                  const std::vector<std::string>& known) const {
    for (const auto& [key, value] : object.items()) {
      if (std::find(known.begin(), known.end(), key) == known.end())
        return wrong(place.empty() ? key : place + "." + key,
                     fmt::format("one of {}", fmt::join(known, ", ")));
    }
    return {};
  }

  Result<int> number(const json& object, const char* key, int least,
                     const std::string& place) const {
    const auto found = object.find(key);
    if (found == object.end() || !found->is_number_integer() || found->get<int64_t>() < least ||
        found->get<int64_t>() > kMost)
      return wrong(fmt::format("{}.{}", place, key),
                   fmt::format("a whole number from {} to {}", least, kMost));
    return found->get<int>();
  }

  Result<std::vector<std::string>> texts(const json& value, const std::string& place) const {
    std::vector<std::string> texts;
    const json list = value.is_string() ? json::array({value}) : value;
    for (const json& element : list)
      if (list.is_array() && element.is_string()) texts.push_back(element.get<std::string>());
    if (!list.is_array() || texts.empty() || texts.size() != list.size())
      return wrong(place, "a text, or a list of texts");
    return texts;
  }

  Status readWhere(const json& where, const std::string& place, RetentionRule& rule) const {
    std::vector<std::string> known{"imported"};
    for (const PatternField& field : kPatterns) known.emplace_back(field.name);
    if (!where.is_object())
      return wrong(place, fmt::format("an object of {}", fmt::join(known, ", ")));
    RETURN_IF_ERROR(onlyKeys(where, place, known));
    for (const PatternField& field : kPatterns) {
      if (!where.contains(field.name)) continue;
      ASSIGN_OR_RETURN(rule.*field.place,
                       texts(where[field.name], fmt::format("{}.{}", place, field.name)));
    }
    if (where.contains("imported")) {
      if (!where["imported"].is_boolean()) return wrong(place + ".imported", "true or false");
      rule.imported = where["imported"].get<bool>();
    }
    return {};
  }

  // The keys of the rule beside 'name', 'keep' and 'where'.
  Result<std::vector<std::string>> readKeep(const json& object, const std::string& place,
                                            RetentionRule& rule) const {
    const std::string keep = object.contains("keep") && object["keep"].is_string()
                                 ? object["keep"].get<std::string>()
                                 : "";
    if (keep == "all") return std::vector<std::string>{};
    if (keep == "age") {
      rule.keep = RetentionRule::Keep::kAge;
      ASSIGN_OR_RETURN(rule.days, number(object, "days", 0, place));
      return std::vector<std::string>{"days"};
    }
    if (keep == "window") {
      rule.keep = RetentionRule::Keep::kAge;
      for (const Window& window : kWindows) {
        if (!object.contains("promise") || object["promise"] != window.promise) continue;
        rule.days = window.days;
        return std::vector<std::string>{"promise"};
      }
      return wrong(place + ".promise", "'backward' or 'forward'");
    }
    if (keep == "newest") {
      rule.keep = RetentionRule::Keep::kNewest;
      ASSIGN_OR_RETURN(rule.count, number(object, "count", 1, place));
      const std::vector<std::string> known = groupKeys();
      ASSIGN_OR_RETURN(rule.per, texts(object.value("per", json()), place + ".per"));
      for (const std::string& key : rule.per) {
        if (std::find(known.begin(), known.end(), key) == known.end())
          return wrong(place + ".per", fmt::format("a list of {}", fmt::join(known, ", ")));
      }
      return std::vector<std::string>{"count", "per"};
    }
    return wrong(place + ".keep", "'all', 'age', 'window' or 'newest'");
  }

  Result<RetentionRule> rule(const json& object, const std::string& place) const {
    if (!object.is_object()) return wrong(place, "an object with 'name' and 'keep'");
    RetentionRule rule;
    if (!object.contains("name") || !object["name"].is_string() || object["name"] == "")
      return wrong(place + ".name", "a text that says what the rule is for");
    rule.name = object["name"].get<std::string>();
    ASSIGN_OR_RETURN(auto known, readKeep(object, place, rule));
    known.insert(known.end(), {"name", "keep", "where"});
    RETURN_IF_ERROR(onlyKeys(object, place, known));
    if (object.contains("where"))
      RETURN_IF_ERROR(readWhere(object["where"], place + ".where", rule));
    return rule;
  }

  std::string file_;
};

}  // namespace

const RetentionPolicy& defaultRetentionPolicy() {
  using Keep = RetentionRule::Keep;
  static const RetentionPolicy policy{
      .rules = {{.name = "what was imported", .imported = true},
                {.name = "the backward window", .keep = Keep::kAge, .days = kWindows[0].days},
                {.name = "one per case and month",
                 .keep = Keep::kNewest,
                 .count = 1,
                 .per = {"case", "platforms", "month"}}}};
  return policy;
}

Result<RetentionPolicy> parseRetentionPolicy(std::string_view text, std::string_view file) {
  try {
    return Reader(file).policy(json::parse(text));
  } catch (const json::exception& problem) {
    return badInput("{}: not JSON: {}", file, problem.what());
  }
}

std::string retentionPolicyText(const RetentionPolicy& policy) {
  using Keep = RetentionRule::Keep;
  nlohmann::ordered_json rules = nlohmann::ordered_json::array();
  for (const RetentionRule& rule : policy.rules) {
    nlohmann::ordered_json object{{"name", rule.name}};
    if (rule.keep == Keep::kAll) object["keep"] = "all";
    if (rule.keep == Keep::kAge) {
      const auto window = std::ranges::find(kWindows, rule.days, &Window::days);
      object["keep"] = window == std::end(kWindows) ? "age" : "window";
      if (window == std::end(kWindows))
        object["days"] = rule.days;
      else
        object["promise"] = window->promise;
    }
    if (rule.keep == Keep::kNewest) {
      object["keep"] = "newest";
      object["count"] = rule.count;
      object["per"] = rule.per;
    }
    nlohmann::ordered_json where;
    for (const PatternField& field : kPatterns)
      if (!(rule.*field.place).empty()) where[field.name] = rule.*field.place;
    if (rule.imported) where["imported"] = *rule.imported;
    if (!where.empty()) object["where"] = where;
    rules.push_back(std::move(object));
  }
  return nlohmann::ordered_json{
             {"vintage_retention", kFormat},
             {"rules", rules},
             {"outcomes", policy.outcomes == RetentionPolicy::Outcomes::kKeep ? "keep" : "remove"},
             {"wait_days", policy.waitDays},
             {"longest_pause_days", policy.longestPauseDays}}
             .dump(2) +
         "\n";
}

}  // namespace vintage::archive
