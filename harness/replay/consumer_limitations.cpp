#include "harness/replay/consumer_limitations.h"

#include <filesystem>
#include <set>

#include <fmt/format.h>

#include "archive/records/json_fields.h"
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

void checkDate(JsonFieldReader& fields, const char* field, const std::string& date) {
  if (!date.empty() && !parseDate(date))
    fields.fail(field, fmt::format("'{}' is no date; write YYYY-MM-DD", date));
}

void check(JsonFieldReader& fields, Limitation& limitation, const std::string& failure) {
  if (limitation.id.empty()) fields.fail("id", "a limitation has an id");
  if (limitation.description.empty())
    fields.fail("description", "a limitation says what does not work");
  if (limitation.consumers.empty()) fields.fail("consumers", "a limitation names its builds");
  checkDate(fields, "since", limitation.since);
  checkDate(fields, "until", limitation.until.value_or(""));
  if (const auto declared = parseFailureClass(failure))
    limitation.failureClass = *declared;
  else
    fields.fail("class", declared.error().message);
}

constexpr auto kLimitationFields = []<typename Fields>(Fields& fields, auto& limitation) {
  std::string failure;
  if constexpr (Fields::kWrites) failure = failureClassName(*limitation.failureClass);
  fields.required("id", limitation.id);
  fields.required("class", failure);
  fields.required("consumers", limitation.consumers);
  fields.optional("producers", limitation.producers);
  fields.optional("primitive", limitation.primitive);
  fields.optional("dtypes", limitation.dtypes);
  fields.optional("platforms", limitation.platforms);
  fields.optional("modes", limitation.modes);
  fields.optional("variants", limitation.variants);
  fields.optional("artifacts", limitation.artifacts);
  fields.required("description", limitation.description);
  fields.optional("issue", limitation.issue);
  fields.required("since", limitation.since);
  fields.optional("until", limitation.until);
  fields.always("evidence", limitation.evidence, [](auto& one, auto& evidence) {
    one.always("artifacts", evidence.artifacts);
    one.always("example", evidence.example);
    one.always("message", evidence.message);
  });
  if constexpr (!Fields::kWrites) check(fields, limitation, failure);
};

fs::path fileOf(const Archive& archive) { return fs::path(archive.folder()) / kFile; }

}  // namespace

Result<std::vector<Limitation>> parseConsumerLimitations(std::string_view text,
                                                         std::string_view name) {
  ASSIGN_OR_RETURN(auto document, parseDocument(text, name, kFormat, kNewestFormatVersion));
  return readFields<std::vector<Limitation>>(
      document, name,
      [](auto& fields, auto& limitations) {
        fields.list("limitations", limitations, kLimitationFields);
      },
      [](auto& fields, const auto& limitations) {
        std::set<std::string> ids;
        for (const Limitation& limitation : limitations)
          if (!ids.insert(limitation.id).second)
            fields.fail("limitations",
                        fmt::format("the id '{}' stands there twice", limitation.id));
      });
}

nlohmann::ordered_json toJson(std::span<const Limitation> limitations) {
  using Writer = BasicJsonFieldWriter<nlohmann::ordered_json>;
  auto list = nlohmann::ordered_json::array();
  for (const Limitation& limitation : limitations)
    list.push_back(Writer::write(limitation, kLimitationFields));
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
