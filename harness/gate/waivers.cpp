#include "harness/gate/waivers.h"

#include <set>

#include <fmt/format.h>

#include "harness/gate/rules/rule_support.h"
#include "golden/base/strict_json.h"

namespace vintage::harness::gate {
namespace {

constexpr const char* kFormat = "vintage gate waivers";
constexpr int kNewestFormatVersion = 1;

void checkWaiver(const Waiver& waiver, JsonObject& read) {
  const Rule* rule = findRule(waiver.rule);
  if (rule == nullptr) {
    std::string all;
    for (const Rule& known : gateRules())
      if (known.check != nullptr) all += fmt::format("{}{}", all.empty() ? "" : ", ", known.id);
    read.fail(read.placeOf("rule"),
              fmt::format("'{}' is not a rule; there are: {}", waiver.rule, all));
  } else if (rule->check == nullptr) {
    read.fail(read.placeOf("rule"), "a finding about waivers cannot be waived");
  }
  if (waiver.instance.empty()) read.fail(read.placeOf("instance"), "say what it covers");
  if (waiver.reason.find_first_not_of(" \t\n") == std::string::npos)
    read.fail(read.placeOf("reason"), "say why");
}

}  // namespace

Result<std::vector<Waiver>> parseWaivers(std::string_view text, std::string_view name) {
  ASSIGN_OR_RETURN(auto document, parseDocument(text, name, kFormat, kNewestFormatVersion));
  Status status;
  std::vector<Waiver> out;
  std::set<std::pair<std::string, std::string>> covered;
  JsonObject read(document, "", status);
  read.list("waivers", [&](const nlohmann::json& element, const std::string& place) {
    Waiver waiver;
    JsonObject line(element, place, status);
    line.required("rule", waiver.rule);
    line.required("instance", waiver.instance);
    line.required("reason", waiver.reason);
    line.required("expires", waiver.expires);
    line.finish();
    if (status) checkWaiver(waiver, line);
    if (!covered.insert({waiver.rule, waiver.instance}).second)
      line.fail(place, fmt::format("{} of '{}' is waived twice", waiver.rule, waiver.instance));
    out.push_back(std::move(waiver));
  });
  read.finish();
  if (!status) return within(std::string(name), status.error());
  return out;
}

Result<std::vector<Waiver>> readWaivers(const std::string& path) {
  ASSIGN_OR_RETURN(auto text, readTextFile(path));
  return parseWaivers(text, path);
}

void applyWaivers(const std::vector<Waiver>& waivers, Date today, std::vector<Finding>& findings) {
  std::vector<Finding> about;
  for (const Waiver& waiver : waivers) {
    bool used = false;
    for (Finding& finding : findings) {
      if (finding.rule != waiver.rule || finding.instance != waiver.instance ||
          finding.severity == GateResult::kAllowed)
        continue;
      used = true;
      if (today <= waiver.expires)
        finding.waiver = fmt::format("{} (until {})", waiver.reason, formatDate(waiver.expires));
    }
    const std::string instance = waiver.rule + ":" + waiver.instance;
    if (!used)
      about.push_back(findingOf("waiver-unused", instance,
                                fmt::format("The waiver of {} for '{}' covers nothing. Delete it.",
                                            waiver.rule, waiver.instance)));
    else if (today > waiver.expires)
      about.push_back(findingOf(
          "waiver-expired", instance,
          fmt::format("The waiver of {} for '{}' expired on {} (\"{}\"). Renew it with a reason, "
                      "or take the change back.",
                      waiver.rule, waiver.instance, formatDate(waiver.expires), waiver.reason)));
  }
  findings.insert(findings.end(), std::make_move_iterator(about.begin()),
                  std::make_move_iterator(about.end()));
}

}  // namespace vintage::harness::gate
