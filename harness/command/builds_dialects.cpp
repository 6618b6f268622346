// vintage builds describe --dialects.
#include <algorithm>

#include <fmt/format.h>

#include "golden/program/dialect_names.h"
#include "harness/command/builds_actions.h"
#include "harness/command/verb.h"
#include "harness/runtimes/builds/environments.h"

namespace vintage::harness {
using namespace archive;
using namespace golden;

namespace {

using nlohmann::json;

Result<DialectNames> readNames(const json& answer) {
  DialectNames names;
  ASSIGN_OR_RETURN(names.version, parseStablehloVersion(answer.at("stablehlo").get<std::string>()));
  answer.at("operations").get_to(names.operations);
  answer.at("types").get_to(names.types);
  answer.at("attributes").get_to(names.attributes);
  answer.at("cases").get_to(names.cases);
  return names;
}

json listed(const std::vector<UnknownName>& unknown, bool missed) {
  json list = json::array();
  for (const UnknownName& each : unknown) {
    if (each.reason.empty() != missed) continue;
    json one = {{"kind", each.kind}, {"name", each.name}};
    if (!missed) one["reason"] = each.reason;
    list.push_back(std::move(one));
  }
  return list;
}

std::string textOf(const std::string& build, const DialectNames& names,
                   const std::vector<UnknownName>& unknown) {
  size_t cases = 0;
  for (const auto& [name, values] : names.cases) cases += values.size();
  std::string text = fmt::format(
      "{} has StableHLO {}, this program {}\n{} operations, {} types, {} attributes and {} cases "
      "of "
      "enumerations were held against those here\n",
      build, formatStablehloVersion(names.version),
      formatStablehloVersion(kCurrentStablehloVersion), names.operations.size(), names.types.size(),
      names.attributes.size(), cases);
  size_t leftOut = 0, missed = 0;
  for (const UnknownName& each : unknown) {
    if (each.reason.empty()) text += fmt::format("not known here: {} {}\n", each.kind, each.name);
    (each.reason.empty() ? missed : leftOut) += 1;
  }
  if (leftOut != 0)
    text +=
        fmt::format("{} names stand in no exported program (--format json lists them)\n", leftOut);
  return text + (missed == 0 ? "nothing is new\n"
                             : "docs/howto/following_stablehlo.md says what to change\n");
}

}  // namespace

Result<int> compareDialects(const BuildRecord& build, Console& console) {
  auto host = makePosixProcessHost();
  ASSIGN_OR_RETURN(const auto answer, describeDialects(build, *host, progressOn(console)));
  ASSIGN_OR_RETURN(const auto names, understood(build.name, [&] { return readNames(answer); }));
  ProgramContext context;
  const std::vector<UnknownName> unknown = unknownNames(context, names);
  const json missed = listed(unknown, true);
  console.answer({{"build", build.name},
                  {"stablehlo",
                   {{"release", formatStablehloVersion(names.version)},
                    {"here", formatStablehloVersion(kCurrentStablehloVersion)}}},
                  {"dialects", answer.at("dialects")},
                  {"unknown", missed},
                  {"not_exported", listed(unknown, false)}},
                 textOf(build.name, names, unknown));
  return missed.empty() ? kExitHolds : kExitDoesNotHold;
}

}  // namespace vintage::harness
