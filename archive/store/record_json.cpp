#include "archive/store/record_json.h"

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

class Writer {
 public:
  template <typename Value>
  void operator()(const RecordField& field, const Value& value) {
    json_[field.name] = jsonOf(value);
  }
  json take() { return std::move(json_); }

 private:
  template <typename Value>
  static json jsonOf(const Value& value) {
    return value;
  }
  static json jsonOf(const Date& date) { return formatDate(date); }
  static json jsonOf(const ArtifactRecord::Format& format) { return formatName(format); }
  static json jsonOf(const Stage& stage) { return stageName(stage); }
  static json jsonOf(const OutcomeKind& outcome) { return outcomeName(outcome); }
  static json jsonOf(const BuildDetails& details) { return detailsJson(details); }
  static json jsonOf(const std::vector<FailureKind>& kinds) { return failureKindNames(kinds); }
  static json jsonOf(const std::optional<std::string>& text) {
    return text ? json(*text) : json(nullptr);
  }

  json json_ = json::object();
};

// Keeps the first problem; fields after it are left alone.
class Reader {
 public:
  explicit Reader(const json& json) : json_(json) {
    if (!json.is_object()) problem_ = "a JSON object is expected";
  }

  template <typename Value>
  void operator()(const RecordField& field, Value& value) {
    take(field.name, value);
  }
  Status status() const {
    if (problem_.empty()) return {};
    return failure(Error::Kind::kBadInput, problem_);
  }

 private:
  template <typename Value>
  void take(const char* name, Value& value, bool (json::*isOne)() const noexcept,
            std::string_view expected) {
    const json* field = find(name);
    if (field == nullptr) return;
    if (!(field->*isOne)()) return fail(name, expected);
    value = field->get<Value>();
  }
  void take(const char* name, std::string& value) { take(name, value, &json::is_string, "a text"); }
  void take(const char* name, double& value) { take(name, value, &json::is_number, "a number"); }
  void take(const char* name, bool& value) {
    take(name, value, &json::is_boolean, "true or false");
  }
  template <std::signed_integral Number>
  void take(const char* name, Number& value) {
    constexpr Number kLeast = std::numeric_limits<Number>::min(),
                     kMost = std::numeric_limits<Number>::max();
    const json* field = find(name);
    if (field == nullptr) return;
    const bool fits =
        field->is_number_integer() &&
        (!field->is_number_unsigned() || field->get<uint64_t>() <= static_cast<uint64_t>(kMost)) &&
        field->get<int64_t>() >= kLeast && field->get<int64_t>() <= kMost;
    if (!fits) return fail(name, fmt::format("a whole number from {} to {}", kLeast, kMost));
    value = field->get<Number>();
  }
  void take(const char* name, std::vector<std::string>& values) {
    const json* field = find(name);
    if (field == nullptr) return;
    values.clear();
    if (!field->is_array()) return fail(name, "a list of texts");
    for (const json& element : *field) {
      if (!element.is_string()) return fail(name, "a list of texts");
      values.push_back(element.get_ref<const std::string&>());
    }
  }
  void take(const char* name, std::optional<std::string>& value) {
    const json* field = find(name);
    if (field == nullptr) return;
    value.reset();
    if (field->is_null()) return;
    value.emplace();
    take(name, *value);
  }
  void take(const char* name, std::vector<FailureKind>& kinds) {
    std::vector<std::string> names;
    take(name, names);
    if (!problem_.empty()) return;
    auto parsed = parseFailureKinds(names);
    if (!parsed) return void(problem_ = fmt::format("field '{}': {}", name, parsed.error().message));
    kinds = std::move(*parsed);
  }
  void take(const char* name, Date& value) { parsed(name, value, parseDate); }
  void take(const char* name, ArtifactRecord::Format& value) {
    parsed(name, value, parseFormat);
  }
  void take(const char* name, BuildDetails& value) {
    const json* field = find(name);
    if (field == nullptr) return;
    // Before format 12 it was a text.
    auto details = field->is_string() ? parseDetails(field->get_ref<const std::string&>())
                                      : detailsOfJson(*field);
    if (!details)
      return void(problem_ = fmt::format("field '{}': {}", name, details.error().message));
    value = std::move(*details);
  }
  void take(const char* name, Stage& value) { parsed(name, value, parseStage); }
  void take(const char* name, OutcomeKind& value) { parsed(name, value, parseOutcome); }

  const json* find(const char* name) const {
    if (!problem_.empty()) return nullptr;
    const auto found = json_.find(name);
    return found == json_.end() ? nullptr : &*found;
  }
  void fail(const char* name, std::string_view expected) {
    problem_ = fmt::format("field '{}' is {}; {} is expected", name, jsonExcerpt(json_[name]),
                           expected);
  }
  template <typename Value, typename Parse>
  void parsed(const char* name, Value& value, const Parse& parse) {
    if (find(name) == nullptr) return;
    std::string text;
    take(name, text);
    if (!problem_.empty()) return;
    auto result = parse(text);
    if (result)
      value = *result;
    else
      problem_ = fmt::format("field '{}': {}", name, result.error().message);
  }

  const json& json_;
  std::string problem_;
};

template <typename Record>
json write(const Record& record) {
  Writer writer;
  visitFields(record, writer);
  return writer.take();
}

template <typename Record>
Result<Record> read(const json& json) {
  Record record;
  Reader reader(json);
  visitFields(record, reader);
  RETURN_IF_ERROR(reader.status());
  return record;
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
  for (const Limitation& limitation : run.limitations)
    limitations.push_back(write(limitation));
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
  if (outcome) outcome->goldenIsFinal = json.contains("golden");
  return outcome;
}

Result<RunWithLimitations> runOfJson(const json& json) {
  RunWithLimitations result;
  ASSIGN_OR_RETURN(result.run, read<RunRecord>(json));
  const auto limitations = json.find("limitations");
  if (limitations == json.end()) return result;
  if (!limitations->is_array())
    return failure(Error::Kind::kBadInput, "field 'limitations' has to be a list");
  for (size_t index = 0; index < limitations->size(); ++index) {
    ASSIGN_OR_RETURN(auto limitation, within(fmt::format("limitation {}", index),
                                             read<Limitation>((*limitations)[index])));
    result.limitations.push_back(std::move(limitation));
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
  if (value.is_discarded()) return failure(Error::Kind::kBadInput, "it is not JSON");
  return value;
}

std::string jsonExcerpt(const nlohmann::json& value) {
  constexpr size_t kExcerptBytes = 80;
  if (value.is_array()) return fmt::format("a list of {}", value.size());
  if (value.is_object()) return fmt::format("an object of {} fields", value.size());
  return jsonText(value).substr(0, kExcerptBytes);
}

}  // namespace vintage::archive
