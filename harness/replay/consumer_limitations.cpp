#include "harness/replay/consumer_limitations.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "golden/base/failures.h"
#include "golden/base/file.h"
#include "golden/base/strict_json.h"

namespace vintage::harness {
using namespace archive;

namespace {

namespace fs = std::filesystem;

constexpr const char* kFormat = "vintage limitations";
constexpr int kNewestFormatVersion = 1;
constexpr const char* kFile = "limitations.json";

// kUnknown is no class that can be declared.
std::optional<FailureClass> declarableClass(std::string_view name) {
  for (const FailureClass failure : failureClasses())
    if (failure != FailureClass::kUnknown && failureClassName(failure) == name) return failure;
  return std::nullopt;
}

std::string declarableClasses() {
  std::string names;
  for (const FailureClass failure : failureClasses())
    if (failure != FailureClass::kUnknown)
      names += fmt::format("{}{}", names.empty() ? "" : ", ", failureClassName(failure));
  return names;
}

void checkDate(JsonObject& read, const char* field, const std::string& date) {
  if (!date.empty() && !parseDate(date))
    read.fail(read.placeOf(field), fmt::format("'{}' is no date; write YYYY-MM-DD", date));
}

Limitation readLimitation(JsonObject& read) {
  Limitation limitation;
  std::string failure;
  read.required("id", limitation.id);
  read.required("class", failure);
  read.required("consumers", limitation.consumers);
  read.optional("producers", limitation.producers);
  read.optional("artifacts", limitation.artifacts);
  read.optional("primitive", limitation.primitive);
  read.optional("dtypes", limitation.dtypes);
  read.optional("platforms", limitation.platforms);
  read.optional("modes", limitation.modes);
  read.optional("variants", limitation.variants);
  read.required("description", limitation.description);
  read.optional("issue", limitation.issue);
  read.required("since", limitation.since);
  read.optional("until", limitation.until);
  read.object("evidence", [&](JsonObject& evidence) {
    int artifacts = 0;
    evidence.optional("artifacts", artifacts);
    limitation.evidence.artifacts = artifacts;
    evidence.optional("example", limitation.evidence.example);
    evidence.optional("message", limitation.evidence.message);
    evidence.finish();
  });
  read.finish();
  if (limitation.id.empty()) read.fail(read.placeOf("id"), "a limitation has an id");
  if (limitation.description.empty())
    read.fail(read.placeOf("description"), "a limitation says what does not work");
  if (limitation.consumers.empty())
    read.fail(read.placeOf("consumers"), "a limitation names the builds that it is of");
  checkDate(read, "since", limitation.since);
  checkDate(read, "until", limitation.until.value_or(""));
  if (const auto known = declarableClass(failure))
    limitation.failureClass = *known;
  else
    read.fail(read.placeOf("class"), fmt::format("'{}' is not a class of failures; there are: {}",
                                                 failure, declarableClasses()));
  return limitation;
}

fs::path fileOf(const Archive& archive) { return fs::path(archive.folder()) / kFile; }

}  // namespace

Result<std::vector<Limitation>> parseConsumerLimitations(std::string_view text,
                                                                 std::string_view name) {
  ASSIGN_OR_RETURN(auto document, parseDocument(text, name, kFormat, kNewestFormatVersion));
  Status status;
  std::vector<Limitation> limitations;
  JsonObject read(document, "", status);
  read.list("limitations", [&](const nlohmann::json& element, const std::string& place) {
    JsonObject one(element, place, status);
    limitations.push_back(readLimitation(one));
  });
  read.finish();
  std::set<std::string> ids;
  for (const Limitation& limitation : limitations)
    if (!ids.insert(limitation.id).second)
      read.fail("limitations", fmt::format("the id '{}' stands there twice", limitation.id));
  if (!status) return within(std::string(name), status.error());
  return limitations;
}

nlohmann::ordered_json toJson(std::span<const Limitation> limitations) {
  auto list = nlohmann::ordered_json::array();
  for (const Limitation& limitation : limitations) {
    nlohmann::ordered_json one{{"id", limitation.id},
                               {"class", failureClassName(*limitation.failureClass)},
                               {"consumers", limitation.consumers}};
    const auto add = [&](const char* field, const std::vector<std::string>& values) {
      if (!values.empty()) one[field] = values;
    };
    add("producers", limitation.producers);
    if (!limitation.primitive.empty()) one["primitive"] = limitation.primitive;
    add("dtypes", limitation.dtypes);
    add("platforms", limitation.platforms);
    add("modes", limitation.modes);
    add("variants", limitation.variants);
    add("artifacts", limitation.artifacts);
    one["description"] = limitation.description;
    if (!limitation.issue.empty()) one["issue"] = limitation.issue;
    one["since"] = limitation.since;
    if (limitation.until) one["until"] = *limitation.until;
    one["evidence"] = {{"artifacts", limitation.evidence.artifacts},
                       {"example", limitation.evidence.example},
                       {"message", limitation.evidence.message}};
    list.push_back(std::move(one));
  }
  return {{"format", kFormat}, {"version", kNewestFormatVersion}, {"limitations", std::move(list)}};
}

Result<std::vector<Limitation>> consumerLimitations(const Archive& archive) {
  const fs::path file = fileOf(archive);
  std::error_code problem;
  if (!fs::exists(file, problem)) return std::vector<Limitation>{};
  ASSIGN_OR_RETURN(auto text, readTextFile(file.string()));
  return parseConsumerLimitations(text, file.string());
}

Status declareLimitations(const Archive& archive, std::span<const Limitation> limitations) {
  // As it is read: what is declared is what can be read again.
  const std::string text =
      toJson(limitations).dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  RETURN_IF_ERROR(parseConsumerLimitations(text, kFile));
  return writeTextFile(fileOf(archive), text);
}

}  // namespace vintage::harness
