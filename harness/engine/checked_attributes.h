// Reads many attributes of one operation and is asked once whether all went
// well: it keeps the first error.
//
//   CheckedAttributes read(operation);
//   const int64_t axis = read.integer("dimension");
//   const bool lower = read.flag("lower", false);
//   if (auto status = read.status(); !status) return ...;
//
// Without a default, a missing attribute is an error; with one it is not. A
// value of another kind always is. After an error the values returned are
// empty, so check status() before they are used.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "golden/base/result.h"
#include "golden/module/module_tree.h"

namespace vintage::harness {

// An attribute of this kind; null where there is none.
template <typename Kind>
const Kind* attributeField(const golden::AttributeMap& fields, std::string_view name) {
  const auto found = fields.find(name);
  return found == fields.end() ? nullptr : std::get_if<Kind>(&found->second.value);
}

class CheckedAttributes {
 public:
  explicit CheckedAttributes(const golden::Operation& operation)
      : attributes_(&operation.attributes), owner_(operation.name) {}
  // `owner` stands in messages.
  CheckedAttributes(const golden::AttributeMap& attributes, std::string owner)
      : attributes_(&attributes), owner_(std::move(owner)) {}

  bool has(std::string_view name) const { return find(name) != nullptr; }
  // Whether there is none at all.
  bool empty() const { return attributes_->empty(); }
  const golden::Attribute* find(std::string_view name) const;

  int64_t integer(std::string_view name, std::optional<int64_t> otherwise = std::nullopt);
  double number(std::string_view name, std::optional<double> otherwise = std::nullopt);
  bool flag(std::string_view name, std::optional<bool> otherwise = std::nullopt);
  // Strings, symbols and the keywords of enums.
  std::string text(std::string_view name, std::optional<std::string> otherwise = std::nullopt);
  // One-dimensional integers, however they are written; array<i1> as 0 and 1.
  std::vector<int64_t> integers(std::string_view name,
                                std::optional<std::vector<int64_t>> otherwise = std::nullopt);
  // Integers of any rank, row by row (a convolution's padding).
  std::vector<int64_t> flattenedIntegers(
      std::string_view name, std::optional<std::vector<int64_t>> otherwise = std::nullopt);
  // Reads a dictionary among the attributes, with the first error of either. It is for as long
  // as the attributes.
  CheckedAttributes dictionary(std::string_view name, bool mayBeMissing = false) const;

  Status status() const;

 private:
  void fail(std::string_view name, std::string_view wanted);
  // A value of the first kind, or one of the others converted to it.
  template <typename Value, typename... Others>
  Value scalar(std::string_view name, std::optional<Value> otherwise, std::string_view wanted);

  const golden::AttributeMap* attributes_;
  std::string owner_;
  std::optional<Error> error_;
};

// Where one attribute is all that is read:
//   ASSIGN_OR_RETURN(const int64_t axis, integerOf(operation, "dimension"));
template <typename Value,
          Value (CheckedAttributes::*kRead)(std::string_view, std::optional<Value> otherwise)>
struct AttributeReader {
  Result<Value> operator()(const golden::Operation& operation, std::string_view name,
                           std::optional<Value> otherwise = std::nullopt) const {
    CheckedAttributes read(operation);
    Value value = (read.*kRead)(name, std::move(otherwise));
    RETURN_IF_ERROR(read.status());
    return value;
  }
};
inline constexpr AttributeReader<int64_t, &CheckedAttributes::integer> integerOf;
inline constexpr AttributeReader<bool, &CheckedAttributes::flag> flagOf;
inline constexpr AttributeReader<std::string, &CheckedAttributes::text> textOf;
inline constexpr AttributeReader<std::vector<int64_t>, &CheckedAttributes::integers> integersOf;

// The 'value' of a constant of this type, however it is written.
Result<golden::Tensor> denseValue(const golden::Operation& operation,
                                  const golden::ValueType& type);

}  // namespace vintage::harness
