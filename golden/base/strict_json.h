// Strict reading of a JSON object: every field is read by name, and an unknown field is an error,
// so that a misspelt field cannot go unnoticed.
//
//   JsonObject object(value, "targets[3]", status);
//   object.required("name", target.name);
//   object.optional("since", target.since);
//   object.finish();
//
// The first problem is kept in `status` with its place; later ones are dropped.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "golden/base/date.h"
#include "golden/base/result.h"
#include "golden/base/stablehlo_version.h"

namespace vintage {

class JsonObject {
 public:
  JsonObject(const nlohmann::json& value, std::string place, Status& status);

  template <typename T>
  void required(const char* key, T& out) {
    if (const nlohmann::json* field = find(key, true)) assign(*field, placeOf(key), out);
  }
  template <typename T>
  void optional(const char* key, T& out) {
    if (const nlohmann::json* field = find(key, false)) assign(*field, placeOf(key), out);
  }
  // Calls `read` for each element of a list; a missing list has none.
  using ReadElement = std::function<void(const nlohmann::json& element, const std::string& place)>;
  void list(const char* key, const ReadElement& read);
  void object(const char* key, const std::function<void(JsonObject&)>& read);

  bool has(const char* key) const;
  // A field that is allowed and holds no further information.
  void ignore(const char* key) { asked_.insert(key); }
  std::string placeOf(const std::string& key) const;
  void fail(const std::string& place, const std::string& problem);
  void finish();

 private:
  const nlohmann::json* find(const char* key, bool required);
  void assign(const nlohmann::json& field, const std::string& place, std::string& out);
  void assign(const nlohmann::json& field, const std::string& place, int& out);
  void assign(const nlohmann::json& field, const std::string& place, int64_t& out);
  void assign(const nlohmann::json& field, const std::string& place, double& out);
  void assign(const nlohmann::json& field, const std::string& place, bool& out);
  void assign(const nlohmann::json& field, const std::string& place, Date& out);
  void assign(const nlohmann::json& field, const std::string& place, StablehloVersion& out);
  template <typename T>
  void assign(const nlohmann::json& field, const std::string& place, std::optional<T>& out) {
    T value{};
    assign(field, place, value);
    out = value;
  }
  template <typename T>
  void assign(const nlohmann::json& field, const std::string& place, std::vector<T>& out) {
    if (!field.is_array()) return fail(place, "expected a list");
    for (size_t i = 0; i < field.size(); ++i) {
      T value{};
      assign(field[i], place + "[" + std::to_string(i) + "]", value);
      out.push_back(std::move(value));
    }
  }

  const nlohmann::json& value_;
  std::string place_;  // Empty: the document itself.
  Status& status_;
  std::set<std::string> asked_;
};

// Parses the text of a file as a document: an object whose "format" is `format` and whose "version"
// is at most `newest`. `name` appears in messages.
Result<nlohmann::json> parseDocument(std::string_view text, std::string_view name,
                                     std::string_view format, int newest);
// The same for a value that was already parsed.
Result<nlohmann::json> checkDocument(nlohmann::json document, std::string_view name,
                                     std::string_view format, int newest);
// The whole text of a file by a person or a program.
Result<std::string> readTextFile(const std::string& path);

}  // namespace vintage
