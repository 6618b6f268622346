#include "archive/records/emission.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace vintage::archive {
namespace {

using nlohmann::json;

json callJson(const EmittedCall& call) {
  json out = {{"name", call.name},
              {"platform", call.platform},
              {"mode", call.mode},
              {"api_version", call.signature.apiVersion},
              {"operands", call.signature.operands},
              {"attributes", call.signature.attributes},
              {"primitives", call.primitives},
              {"case", call.example}};
  if (call.unlisted) out["unlisted"] = true;
  return out;
}

json loweredJson(const LoweredCases& cases) {
  json refused = json::array();
  for (const RefusedCases& one : cases.refused)
    refused.push_back({{"primitive", one.primitive}, {"reason", one.reason}, {"count", one.count}});
  return {{"platform", cases.platform},
          {"mode", cases.mode},
          {"lowered", cases.lowered},
          {"refused", refused}};
}

EmittedCall readCall(const json& element, const std::string& place, Status& status) {
  EmittedCall call;
  JsonObject read(element, place, status);
  read.required("name", call.name);
  read.required("platform", call.platform);
  read.required("mode", call.mode);
  read.required("api_version", call.signature.apiVersion);
  read.required("operands", call.signature.operands);
  read.optional("attributes", call.signature.attributes);
  read.optional("primitives", call.primitives);
  read.optional("case", call.example);
  read.optional("unlisted", call.unlisted);
  read.finish();
  if (status && call.mode != kEmittedByJit && call.mode != kEmittedByDefault &&
      call.mode != kEmittedAhead)
    read.fail(read.placeOf("mode"), fmt::format("'{}' is no mode; {}, {} and {} are", call.mode,
                                                kEmittedByJit, kEmittedByDefault, kEmittedAhead));
  std::ranges::sort(call.signature.attributes);
  return call;
}

LoweredCases readLowered(const json& element, const std::string& place, Status& status) {
  LoweredCases cases;
  JsonObject read(element, place, status);
  read.required("platform", cases.platform);
  read.required("mode", cases.mode);
  read.required("lowered", cases.lowered);
  read.list("refused", [&](const json& one, const std::string& where) {
    RefusedCases& refused = cases.refused.emplace_back();
    JsonObject line(one, where, status);
    line.required("primitive", refused.primitive);
    line.required("reason", refused.reason);
    line.required("count", refused.count);
    line.finish();
  });
  read.finish();
  return cases;
}

}  // namespace

std::string signatureText(const CallSignature& signature) {
  return fmt::format("{} operand{}, {}, api_version {}", signature.operands,
                     signature.operands == 1 ? "" : "s",
                     signature.attributes.empty()
                         ? std::string("no attributes")
                         : fmt::format("attributes {}", fmt::join(signature.attributes, ", ")),
                     signature.apiVersion);
}

void writeEmission(json& description, const Emission& emission) {
  if (!emission.known()) return;
  json calls = json::array(), lowered = json::array();
  for (const EmittedCall& call : emission.calls) calls.push_back(callJson(call));
  for (const LoweredCases& cases : emission.lowered) lowered.push_back(loweredJson(cases));
  description["emitted"] = calls;
  description["lowered"] = lowered;
  if (!emission.harnessesOf.empty()) description["harnesses_of"] = emission.harnessesOf;
}

Emission readEmission(JsonObject& description, Status& status) {
  Emission emission;
  description.list("emitted", [&](const json& element, const std::string& place) {
    emission.calls.push_back(readCall(element, place, status));
  });
  description.list("lowered", [&](const json& element, const std::string& place) {
    emission.lowered.push_back(readLowered(element, place, status));
  });
  description.optional("harnesses_of", emission.harnessesOf);
  return emission;
}

}  // namespace vintage::archive
