#include "harness/command/produce_report.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <tuple>

#include <fmt/format.h>

#include "golden/base/failures.h"
#include "reports/text_table.h"

namespace vintage::harness {
using namespace archive;
using namespace reports;

using nlohmann::json;

json toJson(const ProduceReport& report) {
  json kinds = json::array(), reasons = json::array();
  for (const ProduceReport::Kind& kind : report.kinds)
    kinds.push_back({{"platforms", kind.platforms},
                     {"variant", kind.variant},
                     {"mode", kind.mode},
                     {"exported", kind.exported},
                     {"unimplemented", kind.unimplemented},
                     {"refused", kind.refused}});
  for (const ProduceReport::Reason& reason : report.reasons)
    reasons.push_back({{"primitive", reason.primitive},
                       {"reason", reason.reason},
                       {"count", reason.count},
                       {"example", reason.example}});
  return {{"producer", report.producer},
          {"exported", report.exported},
          {"without_golden", report.withoutGolden},
          {"unimplemented", report.unimplemented},
          {"refused", report.refused},
          {"new", report.added},
          {"kinds", std::move(kinds)},
          {"not_exported", std::move(reasons)},
          {"oracle_differs", report.oracleSays},
          {"not_imported", messagesJson(report.notImported)},
          {"broke", report.broke}};
}

Result<ProduceReport> parseProduceReport(std::string_view text, const std::string& name) {
  ProduceReport out;
  try {
    const json document = json::parse(text);
    const auto count = [&](const char* field, size_t& value) {
      document.at(field).get_to(value);
    };
    document.at("producer").get_to(out.producer);
    document.at("broke").get_to(out.broke);
    count("exported", out.exported);
    count("without_golden", out.withoutGolden);
    count("unimplemented", out.unimplemented);
    count("refused", out.refused);
    count("new", out.added);
    document.at("oracle_differs").get_to(out.oracleSays);
    for (const json& row : document.at("kinds"))
      out.kinds.push_back({row.at("platforms"), row.at("variant"), row.at("mode"),
                           row.at("exported"), row.at("unimplemented"), row.at("refused")});
    for (const json& row : document.at("not_exported"))
      out.reasons.push_back(
          {row.at("primitive"), row.at("reason"), row.at("example"), row.at("count")});
    for (const json& message : document.at("not_imported"))
      out.notImported.push_back({Error::Kind::kBadInput, message.get<std::string>()});
  } catch (const json::exception& problem) {
    return badInput("{}: {}; 'vintage produce -o' writes such a report", name, problem.what());
  }
  return out;
}

void add(ProduceReport& whole, ProduceReport part) {
  whole.exported += part.exported;
  whole.withoutGolden += part.withoutGolden;
  whole.unimplemented += part.unimplemented;
  whole.refused += part.refused;
  whole.added += part.added;
  if (whole.broke.empty()) whole.broke = part.broke;
  std::ranges::move(part.oracleSays, std::back_inserter(whole.oracleSays));
  std::ranges::move(part.notImported, std::back_inserter(whole.notImported));
  for (ProduceReport::Kind& kind : part.kinds) {
    const auto key = [](const ProduceReport::Kind& one) {
      return std::tie(one.platforms, one.variant, one.mode);
    };
    const auto known = std::ranges::find(whole.kinds, key(kind), key);
    if (known == whole.kinds.end()) {
      whole.kinds.push_back(std::move(kind));
      continue;
    }
    known->exported += kind.exported;
    known->unimplemented += kind.unimplemented;
    known->refused += kind.refused;
  }
  for (ProduceReport::Reason& reason : part.reasons) {
    const auto key = [](const ProduceReport::Reason& one) {
      return std::tie(one.primitive, one.reason);
    };
    const auto known = std::ranges::find(whole.reasons, key(reason), key);
    if (known == whole.reasons.end())
      whole.reasons.push_back(std::move(reason));
    else
      known->count += reason.count;
  }
}

Result<ProduceReport> takeExports(const ClusterParts& parts, Archive& archive) {
  std::optional<ProduceReport> whole;
  RETURN_IF_ERROR(
      parts.mergeInto(archive, [&whole](std::string_view text, const std::string& file) -> Status {
        ASSIGN_OR_RETURN(auto report, parseProduceReport(text, file));
        if (whole)
          add(*whole, std::move(report));
        else
          whole = std::move(report);
        return {};
      }));
  RETURN_IF_ERROR(parts.remove());
  return std::move(*whole);
}

void print(const ProduceReport& report, const BuildRecord& build, const std::string& archive,
           Console& console) {
  console.line(fmt::format(
      "{} of {}: {} artifacts exported, {} of them new in {}, {} without a golden; {} not "
      "implemented, as it says itself; {} could not be exported",
      report.producer, formatDate(build.buildDate), report.exported, report.added, archive,
      report.withoutGolden, report.unimplemented, report.refused));
  std::vector<std::vector<std::string>> kinds{
      {"platforms", "variant", "mode", "exported", "not implemented", "not exported"}};
  for (const ProduceReport::Kind& kind : report.kinds)
    kinds.push_back({kind.platforms, kind.variant, kind.mode, std::to_string(kind.exported),
                     std::to_string(kind.unimplemented), std::to_string(kind.refused)});
  console.print(textTable(kinds));
  for (const std::string& text : report.oracleSays) console.line(text);
  if (report.reasons.empty()) return;
  console.line("what could not be exported:");
  std::vector<std::vector<std::string>> reasons{{"count", "primitive", "reason", "example"}};
  for (const ProduceReport::Reason& reason : report.reasons)
    reasons.push_back(
        {std::to_string(reason.count), reason.primitive, reason.reason, reason.example});
  console.print(textTable(reasons));
}

}  // namespace vintage::harness
