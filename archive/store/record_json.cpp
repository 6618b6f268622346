#include "archive/store/record_json.h"

#include <algorithm>
#include <concepts>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include "archive/store/record_fields.h"
#include "golden/base/date.h"
#include "golden/base/failures.h"

namespace vintage::archive {
namespace {

using nlohmann::json;

template <typename Value>
json jsonOf(const Value& value) {
  return value;
}
json jsonOf(const Date& date) { return formatDate(date); }
json jsonOf(const ArtifactRecord::Format& format) { return formatName(format); }
json jsonOf(const Stage& stage) { return stageName(stage); }
json jsonOf(const OutcomeKind& outcome) { return outcomeName(outcome); }
json jsonOf(const BuildDetails& details) { return detailsJson(details); }
json jsonOf(const std::vector<FailureKind>& kinds) { return failureKindNames(kinds); }
json jsonOf(const std::optional<std::string>& text) { return text ? json(*text) : json(nullptr); }

// The functions below read a field, and return what a message says of it behind its name: nothing
// where it was read.

std::string unlike(const json& field, std::string_view expected) {
  return fmt::format(" is {}; {} is expected", jsonExcerpt(field), expected);
}

std::string readField(const json& field, std::string& value) {
  if (!field.is_string()) return unlike(field, "a text");
  value = field.get_ref<const std::string&>();
  return {};
}
std::string readField(const json& field, double& value) {
  if (!field.is_number()) return unlike(field, "a number");
  value = field.get<double>();
  return {};
}
std::string readField(const json& field, bool& value) {
  if (!field.is_boolean()) return unlike(field, "true or false");
  value = field.get<bool>();
  return {};
}
template <std::signed_integral Number>
std::string readField(const json& field, Number& value) {
  constexpr Number kLeast = std::numeric_limits<Number>::min(),
                   kMost = std::numeric_limits<Number>::max();
  const bool fits =
      field.is_number_integer() &&
      (!field.is_number_unsigned() || field.get<uint64_t>() <= static_cast<uint64_t>(kMost)) &&
      field.get<int64_t>() >= kLeast && field.get<int64_t>() <= kMost;
  if (!fits) return unlike(field, fmt::format("a whole number from {} to {}", kLeast, kMost));
  value = field.get<Number>();
  return {};
}
std::string readField(const json& field, std::vector<std::string>& values) {
  const bool areTexts = field.is_array() &&
                        std::ranges::all_of(field, [](const json& one) { return one.is_string(); });
  if (!areTexts) return unlike(field, "a list of texts");
  values = field.get<std::vector<std::string>>();
  return {};
}
std::string readField(const json& field, std::optional<std::string>& value) {
  value.reset();
  return field.is_null() ? std::string() : readField(field, value.emplace());
}

template <typename Text, typename Value, typename Parse>
std::string readParsed(const json& field, Value& value, const Parse& parse) {
  Text text;
  if (std::string problem = readField(field, text); !problem.empty()) return problem;
  auto parsed = parse(text);
  if (!parsed) return ": " + parsed.error().message;
  value = std::move(*parsed);
  return {};
}
std::string readField(const json& field, Date& value) {
  return readParsed<std::string>(field, value, parseDate);
}
std::string readField(const json& field, ArtifactRecord::Format& value) {
  return readParsed<std::string>(field, value, parseFormat);
}
std::string readField(const json& field, Stage& value) {
  return readParsed<std::string>(field, value, parseStage);
}
std::string readField(const json& field, OutcomeKind& value) {
  return readParsed<std::string>(field, value, parseOutcome);
}
std::string readField(const json& field, std::vector<FailureKind>& value) {
  return readParsed<std::vector<std::string>>(field, value, parseFailureKinds);
}
std::string readField(const json& field, BuildDetails& value) {
  // Before format 12 it was a text.
  auto details =
      field.is_string() ? parseDetails(field.get_ref<const std::string&>()) : detailsOfJson(field);
  if (!details) return ": " + details.error().message;
  value = std::move(*details);
  return {};
}

template <typename Record>
json write(const Record& record) {
  json result = json::object();
  const auto add = [&](const RecordField& field, const auto& value) {
    result[field.name] = jsonOf(value);
  };
  visitFields(record, add);
  return result;
}

template <typename Record>
Result<Record> read(const json& json) {
  if (!json.is_object()) return badInput("a JSON object is expected");
  Record record;
  std::string problem;  // The first: the fields after it are left alone.
  const auto take = [&](const RecordField& field, auto& value) {
    const auto found = json.find(field.name);
    if (!problem.empty() || found == json.end()) return;
    problem = readField(*found, value);
    if (!problem.empty()) problem = fmt::format("field '{}'{}", field.name, problem);
  };
  visitFields(record, take);
  if (!problem.empty()) return badInput("{}", problem);
  return record;
}

bool needsEscaping(std::string_view text) {
  return std::ranges::any_of(text, [](char character) {
    return character < 0x20 || character == '"' || character == '\\' || character == 0x7f;
  });
}

}  // namespace

json recordJson(const ArtifactRecord& record) { return write(record); }
json recordJson(const BuildRecord& build) { return write(build); }
json recordJson(const RunRecord& run) { return write(run); }
json recordJson(const Limitation& limitation) { return write(limitation); }
// A golden that is still to be filled in is left out: an empty one stays empty.
json recordJson(const OutcomeRecord& outcome) {
  json result = write(outcome);
  if (outcome.golden.empty() && !outcome.goldenIsFinal) result.erase("golden");
  return result;
}

json recordJson(const RunWithLimitations& run) {
  json result = write(run.run);
  json& limitations = result["limitations"] = json::array();
  for (const Limitation& limitation : run.limitations) limitations.push_back(write(limitation));
  return result;
}

Result<ArtifactRecord> artifactOfJson(const json& json) { return read<ArtifactRecord>(json); }
Result<BuildRecord> buildOfJson(const json& json) { return read<BuildRecord>(json); }

Result<BuildRecord> buildOfClient(const json& build) {
  const auto isEmpty = [&](const json::json_pointer& place) {
    return !build.contains(place) || build[place].empty();
  };
  for (const char* place : {"/command", "/start", "/details/environment/producer"})
    if (!isEmpty(json::json_pointer(place)))
      return badInput(
          "field '{}': an archive keeps what a build is, never how to start it; leave the field "
          "out, and bind the build where it is to run: vintage builds bind NAME -- PROGRAM",
          place + 1);
  return buildOfJson(build);
}

Result<OutcomeRecord> outcomeOfJson(const json& json) {
  auto outcome = read<OutcomeRecord>(json);
  if (!outcome) return outcome;
  outcome->goldenIsFinal = json.contains("golden");
  // As kKindOfOutcome.
  if (outcome->outcome == OutcomeKind::kCompiled && outcome->stage == Stage::kCompare)
    outcome->outcome = OutcomeKind::kNotComparable;
  return outcome;
}

Result<RunWithLimitations> runOfJson(const json& json) {
  RunWithLimitations result;
  ASSIGN_OR_RETURN(result.run, read<RunRecord>(json));
  const auto limitations = json.find("limitations");
  if (limitations == json.end()) return result;
  if (!limitations->is_array()) return badInput("field 'limitations' has to be a list");
  for (size_t index = 0; index < limitations->size(); ++index) {
    ASSIGN_OR_RETURN(
        result.limitations.emplace_back(),
        within(fmt::format("limitation {}", index), read<Limitation>((*limitations)[index])));
  }
  return result;
}

std::string jsonText(const json& json) {
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

bool fitsJsonDepth(std::string_view text) {
  size_t depth = 0;
  for (size_t at = 0; at < text.size(); ++at) {
    const char character = text[at];
    if (character == '"') {
      // To the end of the string; one that has none is not JSON, whatever its depth.
      for (++at; at < text.size() && text[at] != '"'; ++at)
        if (text[at] == '\\') ++at;
    }
    if (character == '[' || character == '{') ++depth;
    if ((character == ']' || character == '}') && depth > 0) --depth;
    if (depth > kDeepestJson) return false;
  }
  return true;
}

Result<nlohmann::json> parseOutsideJson(std::string_view text) {
  if (!fitsJsonDepth(text)) return badInput("its JSON nests deeper than {} levels", kDeepestJson);
  nlohmann::json value = nlohmann::json::parse(text, nullptr, false);
  if (value.is_discarded()) return badInput("it is not JSON");
  return value;
}

std::string jsonExcerpt(const nlohmann::json& value) {
  constexpr size_t kExcerptBytes = 80;
  if (value.is_array()) return fmt::format("a list of {}", value.size());
  if (value.is_object()) return fmt::format("an object of {} fields", value.size());
  return jsonText(value).substr(0, kExcerptBytes);
}

// Values of columns.

std::string listText(std::span<const std::string> values) {
  // By hand where nothing needs escaping, which is nearly every list.
  if (std::ranges::none_of(values, needsEscaping)) {
    std::string text = "[";
    for (const std::string& value : values) {
      if (text.size() > 1) text += ',';
      text += '"';
      text += value;
      text += '"';
    }
    return text += ']';
  }
  return jsonText(std::vector<std::string>(values.begin(), values.end()));
}

Result<std::vector<std::string>> parseList(const std::string& text) {
  std::vector<std::string> values;
  if (!readField(json::parse(text, nullptr, false), values).empty())
    return badInput(
        "the index holds '{}' where a JSON array of texts belongs; the archive is damaged",
        text.substr(0, 80));
  return values;
}

std::string detailsText(const BuildDetails& details) {
  const json document = detailsJson(details);
  return document.empty() ? std::string() : jsonText(document);
}

Result<BuildDetails> parseDetails(const std::string& text) {
  if (text.empty()) return BuildDetails();
  ASSIGN_OR_RETURN(const auto document, parseOutsideJson(text));
  return detailsOfJson(document);
}

}  // namespace vintage::archive
