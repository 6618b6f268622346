// The fields of a record's JSON, said once for reading and writing: by a generic lambda over
// (fields, record), where fields are one of the classes below.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "golden/base/date.h"
#include "golden/base/result.h"
#include "golden/base/stablehlo_version.h"
#include "golden/base/strict_json.h"

namespace vintage::archive {

// As strict as JsonObject.
class JsonFieldReader {
 public:
  static constexpr bool kWrites = false;
  JsonFieldReader(JsonObject& object, Status& status) : object_(object), status_(status) {}

  void required(const char* key, auto& value) { object_.required(key, value); }
  // It may be missing, and is written in any case.
  void always(const char* key, auto& value) { object_.optional(key, value); }
  // It may be missing, as it is written where it is `usual`.
  template <typename T>
  void optional(const char* key, T& value, const T& = T()) {
    object_.optional(key, value);
  }
  template <typename T, typename Describe>
  void list(const char* key, std::vector<T>& values, const Describe& describe) {
    object_.list(key, [&](const nlohmann::json& element, const std::string& place) {
      JsonObject object(element, place, status_);
      JsonFieldReader fields(object, status_);
      describe(fields, values.emplace_back());
      object.finish();
    });
  }
  template <typename T, typename Describe>
  void object(const char* key, T& value, const Describe& describe) {
    object_.object(key, [&](JsonObject& object) {
      JsonFieldReader fields(object, status_);
      describe(fields, value);
    });
  }
  template <typename T, typename Describe>
  void object(const char* key, std::optional<T>& value, const Describe& describe) {
    object_.object(key, [&](JsonObject& object) {
      JsonFieldReader fields(object, status_);
      describe(fields, value.emplace());
    });
  }
  template <typename T, typename Describe>
  void always(const char* key, T& value, const Describe& describe) {
    object(key, value, describe);
  }
  // By its name.
  template <typename T>
  void named(const char* key, T& value, auto, Result<T> (*parse)(std::string_view)) {
    std::string name;
    object_.required(key, name);
    auto parsed = parse(name);
    if (parsed)
      value = *parsed;
    else
      fail(key, parsed.error().message);
  }
  // Each entry as an element of a list; `describe` is over its key and value.
  template <typename Key, typename T, typename Describe>
  void entries(const char* key, std::map<Key, T>& values, const Describe& describe) {
    std::vector<std::pair<Key, T>> list;
    this->list(key, list, describe);
    for (auto& [one, value] : list) values[one] = std::move(value);
  }
  // It follows from the others.
  void derived(const char* key, const auto&) { object_.ignore(key); }
  bool isFine() const { return status_.has_value(); }
  void fail(const std::string& key, const std::string& problem) {
    object_.fail(object_.placeOf(key), problem);
  }

 private:
  JsonObject& object_;
  Status& status_;
};

// Json is nlohmann::json, or nlohmann::ordered_json, which keeps the order of the fields.
template <typename Json>
class BasicJsonFieldWriter {
 public:
  static constexpr bool kWrites = true;

  void required(const char* key, const auto& value) { json_[key] = jsonOf(value); }
  void always(const char* key, const auto& value) { json_[key] = jsonOf(value); }
  template <typename T>
  void optional(const char* key, const T& value, const T& usual = T()) {
    if (value != usual) json_[key] = jsonOf(value);
  }
  template <typename T, typename Describe>
  void list(const char* key, const std::vector<T>& values, const Describe& describe) {
    Json& list = json_[key] = Json::array();
    for (const T& value : values) list.push_back(write(value, describe));
  }
  template <typename T, typename Describe>
  void object(const char* key, const T& value, const Describe& describe) {
    if (value != T()) json_[key] = write(value, describe);
  }
  template <typename T, typename Describe>
  void object(const char* key, const std::optional<T>& value, const Describe& describe) {
    if (value) json_[key] = write(*value, describe);
  }
  template <typename T, typename Describe>
  void always(const char* key, const T& value, const Describe& describe) {
    json_[key] = write(value, describe);
  }
  template <typename T>
  void named(const char* key, const T& value, auto nameOf, Result<T> (*)(std::string_view)) {
    json_[key] = nameOf(value);
  }
  template <typename Key, typename T, typename Describe>
  void entries(const char* key, const std::map<Key, T>& values, const Describe& describe) {
    list(key, std::vector<std::pair<Key, T>>(values.begin(), values.end()), describe);
  }
  void derived(const char* key, const auto& value) { json_[key] = value; }

  static Json write(const auto& value, const auto& describe) {
    BasicJsonFieldWriter fields;
    describe(fields, value);
    return std::move(fields.json_);
  }

 private:
  static Json jsonOf(const auto& value) { return value; }
  static Json jsonOf(Date date) { return formatDate(date); }
  static Json jsonOf(const StablehloVersion& version) { return formatStablehloVersion(version); }
  template <typename T>
  static Json jsonOf(const std::optional<T>& value) {
    return value ? jsonOf(*value) : Json();
  }

  Json json_ = Json::object();
};

using JsonFieldWriter = BasicJsonFieldWriter<nlohmann::json>;

struct NoCheck {
  void operator()(auto&, auto&) const {}
};
// A record of the fields that an object has, and of no others. `check` is over (fields, record),
// and fails what the fields say together. `name` stands in messages.
template <typename T, typename Describe, typename Check = NoCheck>
Result<T> readFields(const nlohmann::json& value, std::string_view name, const Describe& describe,
                     const Check& check = {}) {
  Status status;
  T record;
  JsonObject object(value, "", status);
  JsonFieldReader fields(object, status);
  describe(fields, record);
  object.finish();
  check(fields, record);
  if (!status) return within(std::string(name), status.error());
  return record;
}

}  // namespace vintage::archive
