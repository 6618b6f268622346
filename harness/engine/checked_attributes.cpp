#include "harness/engine/checked_attributes.h"

#include "golden/base/failures.h"
#include "golden/tensor/visit.h"

namespace vintage::harness {
using namespace golden;

namespace {

std::optional<std::vector<int64_t>> tensorIntegers(const Tensor& tensor) {
  using Integers = std::optional<std::vector<int64_t>>;
  return visitElementType(tensor.type(), [&]<typename T>() -> Integers {
    if constexpr (std::is_integral_v<T> || kIsPredicateStorage<T>)
      return Integers(std::in_place, tensor.values<T>().begin(), tensor.values<T>().end());
    return std::nullopt;
  });
}

}  // namespace

const Attribute* CheckedAttributes::find(std::string_view name) const {
  const auto found = attributes_->find(name);
  return found == attributes_->end() ? nullptr : &found->second;
}

void CheckedAttributes::fail(std::string_view name, std::string_view wanted) {
  if (error_) return;
  error_ = Error{Error::Kind::kBadInput,
                 fmt::format("{}: the attribute '{}' is {}; {} is needed.", owner_, name,
                             has(name) ? "of another kind" : "missing", wanted)};
}

template <typename Value, typename... Others>
Value CheckedAttributes::scalar(std::string_view name, std::optional<Value> otherwise,
                                std::string_view wanted) {
  const Attribute* found = find(name);
  if (!found && otherwise) return *std::move(otherwise);
  if (found) {
    if (const auto* value = std::get_if<Value>(&found->value)) return *value;
    std::optional<Value> converted;
    const auto take = [&](const auto* value) {
      if (value) converted = static_cast<Value>(*value);
    };
    (take(std::get_if<Others>(&found->value)), ...);
    if (converted) return *std::move(converted);
  }
  fail(name, wanted);
  return {};
}

int64_t CheckedAttributes::integer(std::string_view name, std::optional<int64_t> otherwise) {
  return scalar<int64_t, bool>(name, otherwise, "an integer");
}
double CheckedAttributes::number(std::string_view name, std::optional<double> otherwise) {
  return scalar<double, int64_t>(name, otherwise, "a number");
}
bool CheckedAttributes::flag(std::string_view name, std::optional<bool> otherwise) {
  return scalar<bool, int64_t>(name, otherwise, "a boolean");
}
std::string CheckedAttributes::text(std::string_view name, std::optional<std::string> otherwise) {
  return scalar<std::string>(name, std::move(otherwise), "a string or keyword");
}

std::vector<int64_t> CheckedAttributes::flattenedIntegers(
    std::string_view name, std::optional<std::vector<int64_t>> otherwise) {
  const Attribute* found = find(name);
  if (!found && otherwise) return *otherwise;
  if (found) {
    if (const auto* values = std::get_if<std::vector<int64_t>>(&found->value)) return *values;
    if (const auto* flags = std::get_if<std::vector<bool>>(&found->value))
      return {flags->begin(), flags->end()};
    if (const auto* tensor = std::get_if<Tensor>(&found->value))
      if (auto values = tensorIntegers(*tensor)) return *std::move(values);
    if (const auto* list = std::get_if<AttributeList>(&found->value)) {
      std::vector<int64_t> values;
      for (const Attribute& element : *list)
        if (const auto* value = std::get_if<int64_t>(&element.value)) values.push_back(*value);
      if (values.size() == list->size()) return values;
    }
  }
  fail(name, "a list of integers");
  return {};
}

std::vector<int64_t> CheckedAttributes::integers(std::string_view name,
                                                 std::optional<std::vector<int64_t>> otherwise) {
  const Attribute* found = find(name);
  if (found) {
    const auto* tensor = std::get_if<Tensor>(&found->value);
    if (tensor && tensor->rank() > 1) {
      fail(name, "a one-dimensional list of integers");
      return {};
    }
  }
  return flattenedIntegers(name, std::move(otherwise));
}

CheckedAttributes CheckedAttributes::dictionary(std::string_view name, bool mayBeMissing) const {
  static const AttributeMap kNone;
  const auto* fields = attributeField<AttributeMap>(*attributes_, name);
  CheckedAttributes inner(fields ? *fields : kNone, fmt::format("{} {}", owner_, name));
  CheckedAttributes outer = *this;
  if (!fields && (has(name) || !mayBeMissing)) outer.fail(name, "a dictionary");
  inner.error_ = std::move(outer.error_);
  return inner;
}

Status CheckedAttributes::status() const {
  if (error_) return tl::unexpected<Error>(*error_);
  return {};
}

Result<Tensor> denseValue(const Operation& operation, const ValueType& type) {
  const auto dense = [&](size_t count, std::span<const std::byte> bytes) {
    return Tensor::fromBytes(type.element, {static_cast<int64_t>(count)}, bytes);
  };
  const Attribute* found = CheckedAttributes(operation).find("value");
  if (found == nullptr) return badInput("{}: it has no attribute 'value'", operation.name);
  if (const auto* tensor = std::get_if<Tensor>(&found->value)) return *tensor;
  const auto* integers = std::get_if<std::vector<int64_t>>(&found->value);
  if (integers != nullptr && byteWidth(type.element) == 8)
    return dense(integers->size(), std::as_bytes(std::span(*integers)));
  const auto* flags = std::get_if<std::vector<bool>>(&found->value);
  if (flags != nullptr && byteWidth(type.element) == 1) {
    const std::vector<uint8_t> bytes(flags->begin(), flags->end());
    return dense(bytes.size(), std::as_bytes(std::span(bytes)));
  }
  return badInput("{}: 'value' is not a dense constant of the result's type", operation.name);
}

}  // namespace vintage::harness
