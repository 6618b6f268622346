#include "golden/compare/open_values.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>

#include <fmt/format.h>

#include "golden/base/failures.h"
#include "golden/base/strict_json.h"
#include "golden/tensor/visit.h"

namespace vintage::golden {
namespace {

using Json = nlohmann::json;

// docs/tables/open_operations.md shows this table; a test compares them.
constexpr OpenOperation kOpenOperations[] = {
    {"stablehlo.rng", "rng", "how the numbers are made",
     "the numbers: inside of the interval, none is NaN; what is computed from them: by type and "
     "shape"},
    {"stablehlo.rng_bit_generator", "rng_bit_generator",
     "the bits and the state after them, from one implementation to the next", "by type and shape"},
    {"stablehlo.cholesky", "cholesky", "the triangle opposite to the factor",
     "the factor by meaning, the other triangle not at all"},
    {"stablehlo.dot_general", "dot_general",
     "how exactly a product is computed beyond the precision that its algorithm names",
     "within ten roundings to that precision, of the element and of the largest element"},
    {"stablehlo.sort", "sort", "without is_stable, the order of elements that compare equal",
     "rows of equal keys in any order"},
    {"ApproxTopK", "custom_call", "how many of the best elements are found",
     "each place: an element of the operand, none better than the exact one"},
    {"stablehlo.reduce_precision", "reduce_precision",
     "what becomes of NaN in a format without mantissa", "NaN or an infinity"},
    {"stablehlo.bitcast_convert", "bitcast_convert", "sign and payload of NaN",
     "the bits of some NaN, where those of a NaN are expected"},
    {"stablehlo.scatter", "scatter",
     "windows partly outside: left out as a whole by XLA, element by element by the "
     "specification since June 2023, and anything before",
     "each element of such a window with its update or without it"},
    {"stablehlo.triangular_solve", "triangular_solve", "",
     "by value: the half that is not read, and a unit diagonal, reach no result"},
    {"stablehlo.gather", "gather", "", "by value: starts are clamped"},
    {"stablehlo.dynamic_slice", "dynamic_slice", "", "by value: starts are clamped"},
    {"stablehlo.dynamic_update_slice", "dynamic_update_slice", "", "by value: starts are clamped"},
};

double numberAt(const Tensor& tensor, int64_t index) {
  return visitElementType(tensor.type(), [&]<typename T>() -> double {
    if constexpr (kIsComplexStorage<T>)
      return std::nan("");
    else
      return static_cast<double>(
          static_cast<Computation<T>>(tensor.values<T>()[static_cast<size_t>(index)]));
  });
}

bool isFloatTensor(const Tensor& tensor) { return isFloat(tensor.type()); }

double largestFinite(const Tensor& tensor) {
  double largest = 0;
  for (int64_t i = 0; i < tensor.size(); ++i)
    if (const double number = std::abs(numberAt(tensor, i)); std::isfinite(number))
      largest = std::max(largest, number);
  return largest;
}

PermittedElement anyElement() {
  return [](int64_t) { return true; };
}

PermittedElement numbersOfInterval(const OpenValues& open, const Tensor& actual) {
  return [&open, &actual](int64_t index) {
    const double found = numberAt(actual, index);
    return !std::isnan(found) && (!open.low || found >= *open.low) &&
           (!open.high || found < *open.high);
  };
}

PermittedElement widerProducts(double epsilon, const Tensor& expected, const Tensor& actual) {
  constexpr double kRoundings = 10;
  const double unit = kRoundings * epsilon, absolute = unit * largestFinite(expected);
  return [=, &expected, &actual](int64_t index) {
    const double wanted = numberAt(expected, index);
    return std::abs(numberAt(actual, index) - wanted) <= unit * std::abs(wanted) + absolute;
  };
}

PermittedElement notFinite(const Tensor& expected, const Tensor& actual) {
  return [&](int64_t index) {
    return !std::isfinite(numberAt(expected, index)) && !std::isfinite(numberAt(actual, index));
  };
}

bool holdsNan(const Tensor& tensor, int64_t index, ElementType type) {
  return visitElementType(type, [&]<typename T>() {
    if constexpr (kIsComplexStorage<T> || !kIsFloatStorage<T>)
      return false;
    else {
      T value;
      std::memcpy(&value, tensor.bytes().data() + static_cast<size_t>(index) * sizeof(T),
                  sizeof(T));
      const auto number = static_cast<double>(static_cast<Computation<T>>(value));
      return std::isnan(number);
    }
  });
}

PermittedElement cutWindows(const ScatterWindows& windows, std::span<const Tensor> inputs,
                            const Tensor& expected, const Tensor& actual) {
  auto cut = std::make_shared<const std::unordered_map<int64_t, int64_t>>(
      elementsOfCutWindows(windows, inputs));
  if (cut->empty()) return {};
  const Tensor &operand = inputs[windows.operand], &updates = inputs[windows.updates];
  if (!operand.has(actual.type(), actual.shape()) || updates.type() != actual.type()) return {};
  // How far a sum or a product moves if it is rounded in another way.
  const double slack = isInteger(actual.type())       ? 0
                       : byteWidth(actual.type()) < 4 ? 0x1p-2
                                                      : 0x1p-20;
  return [&windows, &operand, &updates, &expected, &actual, cut, slack](int64_t index) {
    const auto found = cut->find(index);
    if (found == cut->end()) return false;
    const double before = numberAt(operand, index), after = numberAt(actual, index);
    if (after == before) return true;
    // Only a window that was left out as a whole may be written after all.
    if (numberAt(expected, index) != before) return false;
    const double updated = updatedElement(windows, before, numberAt(updates, found->second));
    return std::abs(after - updated) <= slack * std::abs(updated);
  };
}

PermittedElement permittedBy(const OpenValues& open, std::span<const Tensor> inputs,
                             const Tensor& expected, const Tensor& actual) {
  if (open.operation == "stablehlo.rng")
    return open.direct ? numbersOfInterval(open, actual) : anyElement();
  if (open.operation == "stablehlo.rng_bit_generator") return anyElement();
  if (open.operation == "stablehlo.dot_general" && open.epsilon && isFloatTensor(actual))
    return widerProducts(*open.epsilon, expected, actual);
  if (open.operation == "stablehlo.reduce_precision" && isFloatTensor(actual))
    return notFinite(expected, actual);
  if (open.operation == "stablehlo.bitcast_convert" && open.direct && open.bits &&
      byteWidth(*open.bits) == byteWidth(actual.type()))
    return [type = *open.bits, &expected, &actual](int64_t index) {
      return holdsNan(expected, index, type) && holdsNan(actual, index, type);
    };
  if (open.operation == "stablehlo.scatter" && open.direct && open.windows)
    return cutWindows(*open.windows, inputs, expected, actual);
  return {};
}

}  // namespace

std::span<const OpenOperation> openOperations() { return kOpenOperations; }

const OpenOperation* findOpenOperation(std::string_view operation) {
  const auto* found = std::ranges::find(kOpenOperations, operation, &OpenOperation::operation);
  return found == std::end(kOpenOperations) ? nullptr : found;
}

PermittedElement permittedElement(std::span<const OpenValues> open, std::span<const Tensor> inputs,
                                  const Tensor& expected, const Tensor& actual) {
  std::vector<PermittedElement> rules;
  for (const OpenValues& one : open)
    if (auto rule = permittedBy(one, inputs, expected, actual)) rules.push_back(std::move(rule));
  if (rules.empty()) return {};
  return [rules = std::move(rules)](int64_t index) {
    return std::ranges::any_of(rules, [&](const PermittedElement& rule) { return rule(index); });
  };
}

std::string openText(std::span<const OpenValues> open) {
  std::string text;
  for (const OpenValues& one : open) {
    const OpenOperation* known = findOpenOperation(one.operation);
    text += fmt::format("{}{}{}", text.empty() ? "" : "; ", one.direct ? "" : "computed from ",
                        one.operation);
    if (known != nullptr)
      text += fmt::format(" (specification, {}: {})", known->section, known->open);
  }
  return text;
}

Json openValuesJson(std::span<const OpenValues> open) {
  Json list = Json::array();
  for (const OpenValues& one : open) {
    Json& fields = list.emplace_back(Json{{"operation", one.operation}});
    if (one.direct) fields["direct"] = true;
    if (one.low) fields["low"] = *one.low;
    if (one.high) fields["high"] = *one.high;
    if (one.epsilon) fields["epsilon"] = *one.epsilon;
    if (one.bits) fields["bits"] = dtypeName(*one.bits);
    if (one.largest) fields["largest"] = true;
    if (one.operand) fields["operand"] = *one.operand;
    if (one.windows) fields["windows"] = scatterWindowsJson(*one.windows);
  }
  return list;
}

Result<std::vector<OpenValues>> openValuesOfJson(const Json& json) {
  if (!json.is_array()) return badInput("'open' of a comparator is no list");
  std::vector<OpenValues> open;
  for (const Json& fields : json) {
    OpenValues& one = open.emplace_back();
    Status status;
    JsonObject object(fields, "open", status);
    object.required("operation", one.operation);
    object.optional("direct", one.direct);
    object.optional("largest", one.largest);
    RETURN_IF_ERROR(status);
    for (const auto& [name, number] : {std::pair("low", &one.low), std::pair("high", &one.high),
                                       std::pair("epsilon", &one.epsilon)}) {
      const auto found = fields.find(name);
      if (found == fields.end()) continue;
      if (!found->is_number()) return badInput("open.{}: expected a number", name);
      *number = found->get<double>();
    }
    std::string bits;
    object.optional("bits", bits);
    if (!bits.empty() && !(one.bits = parseDtypeName(bits)))
      return badInput("open.bits: the dtype '{}' is unknown", bits);
    std::optional<int64_t> operand;
    object.optional("operand", operand);
    RETURN_IF_ERROR(status);
    if (operand && *operand < 0) return badInput("open.operand: expected the number of an input");
    if (operand) one.operand = static_cast<size_t>(*operand);
    if (const auto windows = fields.find("windows"); windows != fields.end()) {
      ASSIGN_OR_RETURN(one.windows, scatterWindowsOfJson(*windows));
    }
  }
  return open;
}

}  // namespace vintage::golden
