#include "harness/replay/consumer_limitations.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "golden/base/failures.h"
#include "golden/base/file.h"
#include "golden/base/strict_json.h"
#include "harness/verdict/cell.h"

namespace vintage::harness::replay {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFormat = "vintage limitations";
constexpr int kNewestFormatVersion = 1;
constexpr const char* kFile = "limitations.json";

bool listsOrIsEmpty(const std::vector<std::string>& list, std::string_view value) {
  return list.empty() || std::ranges::find(list, value) != list.end();
}

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

ConsumerLimitation readLimitation(JsonObject& read) {
  ConsumerLimitation limitation;
  RecordedLimitation& use = limitation.use;
  std::string failure;
  read.required("id", use.id);
  read.required("class", failure);
  read.required("consumers", limitation.consumers);
  read.optional("producers", limitation.producers);
  read.optional("artifacts", limitation.artifacts);
  read.optional("primitive", use.primitive);
  read.optional("dtypes", use.dtypes);
  read.optional("platforms", use.platforms);
  read.optional("modes", use.modes);
  read.optional("variants", use.variants);
  read.required("description", use.description);
  read.optional("issue", use.issue);
  read.required("since", use.since);
  read.optional("until", use.until);
  read.object("evidence", [&](JsonObject& evidence) {
    int artifacts = 0;
    evidence.optional("artifacts", artifacts);
    limitation.evidence.artifacts = artifacts;
    evidence.optional("example", limitation.evidence.example);
    evidence.optional("message", limitation.evidence.message);
    evidence.finish();
  });
  read.finish();
  if (use.id.empty()) read.fail(read.placeOf("id"), "a limitation has an id");
  if (use.description.empty())
    read.fail(read.placeOf("description"), "a limitation says what does not work");
  if (limitation.consumers.empty())
    read.fail(read.placeOf("consumers"), "a limitation names the builds that it is of");
  checkDate(read, "since", use.since);
  checkDate(read, "until", use.until.value_or(""));
  if (const auto known = declarableClass(failure))
    limitation.failure = *known;
  else
    read.fail(read.placeOf("class"), fmt::format("'{}' is not a class of failures; there are: {}",
                                                 failure, declarableClasses()));
  return limitation;
}

fs::path fileOf(const Archive& archive) { return fs::path(archive.folder()) / kFile; }

}  // namespace

std::string artifactAtProducer(const ArtifactRecord& artifact) {
  return fmt::format("{}@{}", artifact.name, artifact.producer);
}

bool coversUse(const ConsumerLimitation& limitation, const ArtifactRecord& artifact,
               std::string_view build, std::string_view platform, std::string_view mode, Date day) {
  if (std::ranges::find(limitation.consumers, build) == limitation.consumers.end()) return false;
  if (!listsOrIsEmpty(limitation.producers, artifact.producer)) return false;
  if (!limitation.artifacts.empty() &&
      !listsOrIsEmpty(limitation.artifacts, artifactAtProducer(artifact)))
    return false;
  return covers(limitation.use, artifact.primitive, artifact.dtypes, platform, mode,
                artifact.variant, day);
}

UseOutcome useOf(const OutcomeRecord& outcome, const ArtifactRecord& artifact) {
  return {&artifact,       outcome.build, outcome.platform, outcome.mode,
          outcome.outcome, outcome.stage, outcome.detail};
}

const ConsumerLimitation* speakingOf(std::span<const ConsumerLimitation> limitations,
                                     const UseOutcome& use, Date day) {
  // What only compiled neither failed nor passed.
  if (limitations.empty() || use.outcome == OutcomeKind::kRunnerError ||
      use.outcome == OutcomeKind::kCompiled)
    return nullptr;
  const auto failure = failureClassOf(use.outcome, use.stage, use.detail);
  for (const ConsumerLimitation& limitation : limitations)
    if ((!failure || *failure == limitation.failure) &&
        coversUse(limitation, *use.artifact, use.build, use.platform, use.mode, day))
      return &limitation;
  return nullptr;
}

Result<std::vector<ConsumerLimitation>> parseConsumerLimitations(std::string_view text,
                                                                 std::string_view name) {
  ASSIGN_OR_RETURN(auto document, parseDocument(text, name, kFormat, kNewestFormatVersion));
  Status status;
  std::vector<ConsumerLimitation> limitations;
  JsonObject read(document, "", status);
  read.list("limitations", [&](const nlohmann::json& element, const std::string& place) {
    JsonObject one(element, place, status);
    limitations.push_back(readLimitation(one));
  });
  read.finish();
  std::set<std::string> ids;
  for (const ConsumerLimitation& limitation : limitations)
    if (!ids.insert(limitation.use.id).second)
      read.fail("limitations", fmt::format("the id '{}' stands there twice", limitation.use.id));
  if (!status) return within(std::string(name), status.error());
  return limitations;
}

nlohmann::ordered_json toJson(std::span<const ConsumerLimitation> limitations) {
  auto list = nlohmann::ordered_json::array();
  for (const ConsumerLimitation& limitation : limitations) {
    const RecordedLimitation& use = limitation.use;
    nlohmann::ordered_json one{{"id", use.id},
                               {"class", failureClassName(limitation.failure)},
                               {"consumers", limitation.consumers}};
    const auto add = [&](const char* field, const std::vector<std::string>& values) {
      if (!values.empty()) one[field] = values;
    };
    add("producers", limitation.producers);
    if (!use.primitive.empty()) one["primitive"] = use.primitive;
    add("dtypes", use.dtypes);
    add("platforms", use.platforms);
    add("modes", use.modes);
    add("variants", use.variants);
    add("artifacts", limitation.artifacts);
    one["description"] = use.description;
    if (!use.issue.empty()) one["issue"] = use.issue;
    one["since"] = use.since;
    if (use.until) one["until"] = *use.until;
    one["evidence"] = {{"artifacts", limitation.evidence.artifacts},
                       {"example", limitation.evidence.example},
                       {"message", limitation.evidence.message}};
    list.push_back(std::move(one));
  }
  return {{"format", kFormat}, {"version", kNewestFormatVersion}, {"limitations", std::move(list)}};
}

Result<std::vector<ConsumerLimitation>> consumerLimitations(const Archive& archive) {
  const fs::path file = fileOf(archive);
  std::error_code problem;
  if (!fs::exists(file, problem)) return std::vector<ConsumerLimitation>{};
  ASSIGN_OR_RETURN(auto text, readTextFile(file.string()));
  return parseConsumerLimitations(text, file.string());
}

Status declareLimitations(const Archive& archive, std::span<const ConsumerLimitation> limitations) {
  // As it is read: what is declared is what can be read again.
  const std::string text =
      toJson(limitations).dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  RETURN_IF_ERROR(parseConsumerLimitations(text, kFile));
  return writeTextFile(fileOf(archive), text);
}

}  // namespace vintage::harness::replay
