#include "golden/base/strict_json.h"

#include <climits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "golden/base/failures.h"
#include "golden/base/file.h"

namespace vintage {
namespace {

using nlohmann::json;

constexpr size_t kLargestText = size_t{64} << 20;
// Deeper than any document read here; a limit is needed because copying and printing recurse.
constexpr int kDeepest = 32;

std::string shown(const json& value) {
  if (value.is_object()) return "an object";
  if (value.is_array()) return "a list";
  std::string text = value.dump(-1, ' ', true, json::error_handler_t::replace);
  return text.size() > 60 ? text.substr(0, 57) + "..." : text;
}

}  // namespace

JsonObject::JsonObject(const json& value, std::string place, Status& status)
    : value_(value), place_(std::move(place)), status_(status) {
  if (!value_.is_object()) fail(place_, fmt::format("expected an object, found {}", shown(value_)));
}

void JsonObject::fail(const std::string& place, const std::string& problem) {
  if (status_)
    status_ = failure(Error::Kind::kBadInput, place.empty() ? problem : place + ": " + problem);
}

std::string JsonObject::placeOf(const std::string& key) const {
  return place_.empty() ? key : place_ + "." + key;
}

bool JsonObject::has(const char* key) const { return value_.is_object() && value_.contains(key); }

const json* JsonObject::find(const char* key, bool required) {
  asked_.insert(key);
  if (!value_.is_object()) return nullptr;
  const auto found = value_.find(key);
  if (found != value_.end() && !found->is_null()) return &*found;
  if (required) fail(placeOf(key), "is missing");
  return nullptr;
}

void JsonObject::list(const char* key, const ReadElement& read) {
  const json* field = find(key, false);
  if (field == nullptr) return;
  const std::string place = placeOf(key);
  if (!field->is_array())
    return fail(place, fmt::format("expected a list, found {}", shown(*field)));
  for (size_t i = 0; i < field->size() && status_; ++i)
    read((*field)[i], fmt::format("{}[{}]", place, i));
}

void JsonObject::object(const char* key, const std::function<void(JsonObject&)>& read) {
  const json* field = find(key, false);
  if (field == nullptr) return;
  JsonObject inner(*field, placeOf(key), status_);
  read(inner);
  inner.finish();
}

void JsonObject::finish() {
  if (!value_.is_object()) return;
  for (const auto& [key, value] : value_.items())
    if (!asked_.contains(key))
      fail(placeOf(key),
           fmt::format("is not a field here; there are: {}", fmt::join(asked_, ", ")));
}

void JsonObject::assign(const json& field, const std::string& place, std::string& out) {
  if (!field.is_string())
    return fail(place, fmt::format("expected a text, found {}", shown(field)));
  out = field.get<std::string>();
}

void JsonObject::assign(const json& field, const std::string& place, int& out) {
  if (!field.is_number_integer() ||
      (field.is_number_unsigned() && field.get<uint64_t>() > INT_MAX) || field.get<int64_t>() < 0 ||
      field.get<int64_t>() > INT_MAX)
    return fail(place, fmt::format("expected a whole number from 0 to {}, found {}", INT_MAX,
                                   shown(field)));
  out = field.get<int>();
}

void JsonObject::assign(const json& field, const std::string& place, int64_t& out) {
  if (!field.is_number_integer() || field.get<int64_t>() < 0)
    return fail(place, "expected a count");
  out = field.get<int64_t>();
}

void JsonObject::assign(const json& field, const std::string& place, double& out) {
  if (!field.is_number())
    return fail(place, fmt::format("expected a number, found {}", shown(field)));
  out = field.get<double>();
}

void JsonObject::assign(const json& field, const std::string& place, bool& out) {
  if (!field.is_boolean())
    return fail(place, fmt::format("expected true or false, found {}", shown(field)));
  out = field.get<bool>();
}

void JsonObject::assign(const json& field, const std::string& place, Date& out) {
  std::string text;
  assign(field, place, text);
  if (!status_) return;
  auto date = parseDate(text);
  if (!date) return fail(place, date.error().message);
  out = *date;
}

void JsonObject::assign(const json& field, const std::string& place, StablehloVersion& out) {
  std::string text;
  assign(field, place, text);
  if (!status_) return;
  auto version = parseStablehloVersion(text);
  if (!version) return fail(place, version.error().message);
  out = *version;
}

Result<json> parseDocument(std::string_view text, std::string_view name, std::string_view format,
                           int newest) {
  const std::string file(name);
  json document;
  bool tooDeep = false;
  const auto keep = [&](int depth, json::parse_event_t, json&) {
    tooDeep = tooDeep || depth > kDeepest;
    return !tooDeep;
  };
  try {
    document = json::parse(text, keep);
  } catch (const json::exception& exception) {
    return badInput("{}: this is not JSON: {}", file, exception.what());
  }
  if (tooDeep) return badInput("{}: lists and objects are nested deeper than {}", file, kDeepest);
  return checkDocument(std::move(document), name, format, newest);
}

Result<json> checkDocument(json document, std::string_view file, std::string_view format,
                           int newest) {
  if (!document.is_object() || document.value("format", json()) != json(format))
    return badInput("{}: expected an object with \"format\": \"{}\"", file, format);
  const json version = document.value("version", json());
  const bool isWhole =
      version.is_number_unsigned() || (version.is_number_integer() && version.get<int64_t>() > 0);
  if (!isWhole || version.get<uint64_t>() == 0)
    return badInput("{}: \"version\" must be a whole number from 1 to {}", file, newest);
  if (version.get<uint64_t>() > static_cast<uint64_t>(newest))
    return unsupported(
        "{}: this is version {} of '{}', and this build reads versions up to {}; use a newer one",
        file, version.get<uint64_t>(), format, newest);
  document.erase("format");
  document.erase("version");
  return document;
}

Result<std::string> readTextFile(const std::string& path) {
  ASSIGN_OR_RETURN(auto bytes, readFile(path, kLargestText));
  return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

}  // namespace vintage
