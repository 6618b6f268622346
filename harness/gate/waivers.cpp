#include "harness/gate/gate.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "golden/base/strict_json.h"
#include "harness/gate/rules/rule_support.h"

namespace vintage::harness {
namespace {

constexpr const char* kFormat = "vintage gate waivers";
constexpr int kNewestFormatVersion = 1;
constexpr std::chrono::days kWarnedBefore{14};

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

// Why a waiver of its rule and instance does not cover a finding; empty: it does.
std::string differenceFrom(const Waiver& waiver, const Finding& finding) {
  if (finding.change != waiver.change)
    return fmt::format("A waiver covers another change: \"{}\"; this one is \"{}\".", waiver.change,
                       finding.change);
  if (finding.artifacts.size() > static_cast<size_t>(std::max(waiver.artifacts, 0)))
    return fmt::format("A waiver covers {}, and {} would break now.",
                       counted(static_cast<size_t>(waiver.artifacts), "artifact"),
                       counted(finding.artifacts.size(), "artifact"));
  if (waiver.legal && !finding.legal)
    return fmt::format(
        "A waiver covers a change that becomes legal on {}; now waiting does not "
        "make it legal.",
        formatDate(*waiver.legal));
  if (waiver.legal && finding.legal->date > *waiver.legal)
    return fmt::format("A waiver covers a change that becomes legal on {}; now that is on {}.",
                       formatDate(*waiver.legal), formatDate(finding.legal->date));
  if (waiver.times && finding.ratio && finding.ratio->low > *waiver.times)
    return fmt::format("A waiver covers up to {:.3g} times; now it is {:.3g} times or more.",
                       *waiver.times, finding.ratio->low);
  return "";
}

}  // namespace

Result<std::vector<Waiver>> parseWaivers(std::string_view text, std::string_view name) {
  ASSIGN_OR_RETURN(auto document, parseDocument(text, name, kFormat, kNewestFormatVersion));
  Status status;
  std::vector<Waiver> out;
  std::set<std::tuple<std::string, std::string, std::string>> covered;
  JsonObject read(document, "", status);
  read.list("waivers", [&](const nlohmann::json& element, const std::string& place) {
    Waiver waiver;
    JsonObject line(element, place, status);
    line.required("rule", waiver.rule);
    line.required("instance", waiver.instance);
    line.required("reason", waiver.reason);
    line.required("expires", waiver.expires);
    line.optional("change", waiver.change);
    line.optional("artifacts", waiver.artifacts);
    line.optional("legal", waiver.legal);
    line.optional("times", waiver.times);
    line.finish();
    if (status) checkWaiver(waiver, line);
    if (!covered.insert({waiver.rule, waiver.instance, waiver.change}).second)
      line.fail(place, fmt::format("{} of '{}' is waived twice", waiver.rule, waiver.instance));
    out.push_back(std::move(waiver));
  });
  read.finish();
  if (!status) return within(std::string(name), status.error());
  return out;
}

nlohmann::ordered_json waiversFor(const std::vector<Finding>& findings, Date expires) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Finding& finding : findings) {
    if (finding.severity == GateResult::kAllowed || !finding.waiver.empty()) continue;
    if (findRule(finding.rule)->check == nullptr) continue;
    nlohmann::ordered_json line{{"rule", finding.rule}, {"instance", finding.instance}};
    if (!finding.change.empty()) line["change"] = finding.change;
    if (!finding.artifacts.empty()) line["artifacts"] = finding.artifacts.size();
    if (finding.legal) line["legal"] = formatDate(finding.legal->date);
    if (finding.ratio) line["times"] = std::ceil(finding.ratio->high * 100) / 100;
    line["reason"] = "";
    line["expires"] = formatDate(expires);
    list.push_back(std::move(line));
  }
  return {{"format", kFormat}, {"version", kNewestFormatVersion}, {"waivers", std::move(list)}};
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
      std::string outgrown = differenceFrom(waiver, finding);
      if (!outgrown.empty())
        finding.notWaived = std::move(outgrown);
      else if (today <= waiver.expires)
        finding.waiver = fmt::format("{} (until {})", waiver.reason, formatDate(waiver.expires));
    }
    const std::string instance = waiver.rule + ":" + waiver.instance;
    if (!used)
      report(about, "waiver-unused", {instance},
             "The waiver of {} for '{}' covers nothing. Delete it.", waiver.rule, waiver.instance);
    else if (today > waiver.expires)
      report(
          about, "waiver-expired", {instance},
          "The waiver of {} for '{}' expired on {} (\"{}\"). Renew it with a reason, or take the "
          "change back.",
          waiver.rule, waiver.instance, formatDate(waiver.expires), waiver.reason);
    else if (today + kWarnedBefore >= waiver.expires)
      note(about, "waiver-expired", instance, "The waiver of {} for '{}' runs out on {} (\"{}\").",
           waiver.rule, waiver.instance, formatDate(waiver.expires), waiver.reason);
  }
  // If an instance has several waivers, one is enough to cover it.
  for (Finding& finding : findings) {
    if (!finding.waiver.empty()) finding.notWaived.clear();
    if (!finding.notWaived.empty()) finding.message += " " + finding.notWaived;
  }
  findings.insert(findings.end(), std::make_move_iterator(about.begin()),
                  std::make_move_iterator(about.end()));
}

}  // namespace vintage::harness
