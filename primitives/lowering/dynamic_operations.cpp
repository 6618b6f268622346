// Operations of modules with dimension variables: what a static operation tells
// by a number in its attributes, its dynamic form takes as an operand.
#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "primitives/lowering/module_writer.h"
#include "primitives/lowering/symbolic_dimension.h"

namespace vintage::primitives::lowering {
namespace {

// The numbers of "[1, 2]" or "array<i64: 1, 2>" behind `key`.
std::vector<int64_t> numbersBehind(std::string_view text, std::string_view key) {
  std::vector<int64_t> numbers;
  const size_t start = text.find(key);
  if (start == std::string_view::npos) return numbers;
  const size_t open = text.find_first_of("[<", start + key.size());
  const size_t close = text.find_first_of("]>", open);
  std::string list(text.substr(open + 1, close - open - 1));
  if (list.starts_with("i64")) list.erase(0, 3);
  for (size_t i = 0; i < list.size();) {
    char* end = nullptr;
    const int64_t number = std::strtoll(list.c_str() + i, &end, 10);
    const size_t length = static_cast<size_t>(end - (list.c_str() + i));
    if (length > 0) numbers.push_back(number);
    i += std::max<size_t>(length, 1);
  }
  return numbers;
}

struct Ranges {
  std::vector<int64_t> start, limit, stride;
};

// "[1:3, 0:4:2]"
Ranges rangesOf(std::string_view text) {
  Ranges ranges;
  const size_t open = text.find('['), close = text.find(']', open);
  std::string_view list = text.substr(open + 1, close - open - 1);
  while (!list.empty()) {
    const size_t comma = std::min(list.find(','), list.size());
    const std::string range(list.substr(0, comma));
    list.remove_prefix(std::min(comma + 1, list.size()));
    char* rest = nullptr;
    ranges.start.push_back(std::strtoll(range.c_str(), &rest, 10));
    ranges.limit.push_back(std::strtoll(rest + 1, &rest, 10));
    ranges.stride.push_back(*rest == ':' ? std::strtoll(rest + 1, nullptr, 10) : 1);
  }
  return ranges;
}

bool anySymbolic(std::span<const int64_t> sizes) { return std::ranges::any_of(sizes, isSymbolic); }

// What stands before the first `, KEY = ` or ` KEY`, behind the operation's name.
std::string_view operandsOf(std::string_view text, std::string_view end) {
  const size_t start = text.find(' ') + 1;
  return text.substr(start, text.find(end) - start);
}

// "tensor<3xf32>" of "(tensor<3xf32>, tensor<i32>) -> …".
std::string_view firstType(std::string_view types) {
  return types.substr(1, types.find_first_of(",)") - 1);
}

}  // namespace

SsaValue FunctionWriter::dimension(int64_t size) {
  const auto symbolic = symbolicDimension(size);
  if (!symbolic) return constant(ElementType::kI32, std::to_string(size));
  const std::vector<std::string>& names = module_.dimensionVariables();
  const auto variable = [&](std::string_view name) {
    const auto found = std::ranges::find(names, name);
    return dimensionValues_[static_cast<size_t>(found - names.begin())];
  };
  std::vector<SsaValue> terms;
  const auto add = [&](int64_t factor, const SsaValue& monomial) {
    terms.push_back(factor == 1
                        ? monomial
                        : same("stablehlo.multiply", monomial,
                               constant(ElementType::kI32, std::to_string(factor))));
  };
  if (symbolic->bc != 0)
    add(symbolic->bc, same("stablehlo.multiply", variable("b"), variable("c")));
  if (symbolic->b != 0) add(symbolic->b, variable("b"));
  if (symbolic->c != 0) add(symbolic->c, variable("c"));
  if (symbolic->constant != 0) {
    terms.push_back(constant(ElementType::kI32, std::to_string(symbolic->constant)));
  }
  SsaValue sum = terms[0];
  for (size_t i = 1; i < terms.size(); ++i) sum = same("stablehlo.add", sum, terms[i]);
  return sum;
}

SsaValue FunctionWriter::sizes(std::span<const int64_t> sizes) {
  const Shape shape{static_cast<int64_t>(sizes.size())};
  if (!anySymbolic(sizes)) {
    return constant(ElementType::kI32, shape,
                    sizes.empty()       ? ""
                    : sizes.size() == 1 ? std::to_string(sizes[0])
                                        : listText(sizes));
  }
  std::vector<SsaValue> parts;
  for (int64_t size : sizes) parts.push_back(reshape(dimension(size), {1}));
  if (parts.size() == 1) return parts[0];
  return emit(ElementType::kI32, shape,
              fmt::format("stablehlo.concatenate {}, dim = 0 : ({}) -> {}", namesText(parts),
                          typesText(parts), tensorText(ElementType::kI32, shape)));
}

SsaValue FunctionWriter::computedConstant(ElementType type, std::span<const int64_t> sizes,
                                          bool scalar) {
  return convert(scalar ? dimension(sizes[0]) : this->sizes(sizes), type);
}

// dynamic_slice moves its start inside; real_dynamic_slice takes it as it is.
std::string FunctionWriter::sliceOfComputedSize(std::string_view text, std::string_view types,
                                                const std::string& result) {
  const std::vector<int64_t> lengths = numbersBehind(text, "sizes = ");
  std::string_view operands = operandsOf(text, ", sizes");
  const std::string operand(operands.substr(0, operands.find(',')));
  std::vector<SsaValue> starts;
  for (size_t i = 0; i < lengths.size(); ++i) {
    operands.remove_prefix(operands.find(',') + 2);
    const SsaValue start{
        std::string(operands.substr(0, operands.find(','))), ElementType::kI32, {}};
    const SsaValue size = emit(ElementType::kI32, {},
                               fmt::format("stablehlo.get_dimension_size {}, dim = {} : ({}) -> "
                                           "tensor<i32>",
                                           operand, i, firstType(types)));
    const SsaValue last = same("stablehlo.subtract", size, dimension(lengths[i]));
    const SsaValue bounds[] = {constant(ElementType::kI32, "0"), start, last};
    starts.push_back(reshape(same("stablehlo.clamp", bounds), {1}));
  }
  const Shape shape{static_cast<int64_t>(starts.size())};
  const SsaValue start =
      starts.size() == 1
          ? starts[0]
          : emit(ElementType::kI32, shape,
                 fmt::format("stablehlo.concatenate {}, dim = 0 : ({}) -> {}", namesText(starts),
                             typesText(starts), tensorText(ElementType::kI32, shape)));
  const SsaValue limit = same("stablehlo.add", start, sizes(lengths));
  const SsaValue stride = sizes(std::vector<int64_t>(lengths.size(), 1));
  return fmt::format("stablehlo.real_dynamic_slice {}, {}, {}, {} : ({}, {}, {}, {}) -> {}",
                     operand, start.name, limit.name, stride.name, firstType(types),
                     primitives::lowering::typeText(start), primitives::lowering::typeText(limit), primitives::lowering::typeText(stride),
                     result);
}

std::string FunctionWriter::dynamicForm(std::string_view text,
                                        std::span<const TensorType> results) {
  const std::string_view name = text.substr(0, text.find_first_of(" ("));
  const size_t colon = text.rfind(" : ");
  if (results.size() != 1 || colon == std::string_view::npos) return std::string(text);
  const std::string_view types = text.substr(colon + 3);
  const Shape& shape = results[0].shape;
  const std::string result = tensorText(results[0].type, shape);
  const auto indexType = [](size_t count) { return fmt::format("tensor<{}xi32>", count); };

  if (anySymbolic(shape) && name == "stablehlo.broadcast_in_dim") {
    const SsaValue size = sizes(shape);
    return fmt::format("stablehlo.dynamic_broadcast_in_dim {}, {}, dims = {} : ({}, {}) -> {}",
                       operandsOf(text, ", dims"), size.name,
                       listText(numbersBehind(text, "dims = ")), firstType(types),
                       primitives::lowering::typeText(size), result);
  }
  if (anySymbolic(shape) && name == "stablehlo.iota") {
    const SsaValue size = sizes(shape);
    return fmt::format("stablehlo.dynamic_iota {}, dim = {} : ({}) -> {}", size.name,
                       text.substr(text.find("= ") + 2, colon - text.find("= ") - 2),
                       primitives::lowering::typeText(size), result);
  }
  if (anySymbolic(shape) && name == "stablehlo.reshape") {
    const SsaValue size = sizes(shape);
    return fmt::format("stablehlo.dynamic_reshape {}, {} : ({}, {}) -> {}",
                       operandsOf(text, " : "), size.name, firstType(types),
                       primitives::lowering::typeText(size), result);
  }
  if (name == "stablehlo.slice") {
    const Ranges ranges = rangesOf(text);
    if (!anySymbolic(ranges.start) && !anySymbolic(ranges.limit)) return std::string(text);
    const SsaValue start = sizes(ranges.start), limit = sizes(ranges.limit),
                   stride = sizes(ranges.stride);
    return fmt::format("stablehlo.real_dynamic_slice {}, {}, {}, {} : ({}, {}, {}, {}) -> {}",
                       operandsOf(text, " ["), start.name, limit.name, stride.name,
                       firstType(types), primitives::lowering::typeText(start), primitives::lowering::typeText(limit),
                       primitives::lowering::typeText(stride), result);
  }
  if (name == "stablehlo.dynamic_slice" && anySymbolic(numbersBehind(text, "sizes = "))) {
    return sliceOfComputedSize(text, types, result);
  }
  if (name == "stablehlo.pad") {
    std::vector<SsaValue> amounts;
    bool symbolic = false;
    for (const char* key : {"low = ", "high = ", "interior = "}) {
      symbolic = symbolic || anySymbolic(numbersBehind(text, key));
    }
    if (!symbolic) return std::string(text);
    for (const char* key : {"low = ", "high = ", "interior = "}) {
      amounts.push_back(sizes(numbersBehind(text, key)));
    }
    return fmt::format("stablehlo.dynamic_pad {}, {} : ({}, {}) -> {}", operandsOf(text, ", low"),
                       namesText(amounts), types.substr(1, types.find(')') - 1),
                       typesText(amounts), result);
  }
  if (name == "\"stablehlo.gather\"") {
    const std::vector<int64_t> slice = numbersBehind(text, "slice_sizes = ");
    if (!anySymbolic(slice)) return std::string(text);
    const SsaValue size = sizes(slice);
    const size_t open = text.find('(') + 1, close = text.find(')');
    std::string attributes(text.substr(close + 1, colon - close - 1));
    const size_t key = attributes.find(", slice_sizes");
    attributes.erase(key, attributes.find('>', key) + 1 - key);
    return fmt::format("\"stablehlo.dynamic_gather\"({}, {}){} : ({}, {}) -> {}",
                       text.substr(open, close - open), size.name, attributes,
                       types.substr(1, types.find(')') - 1), indexType(slice.size()), result);
  }
  return std::string(text);
}

}  // namespace vintage::primitives::lowering
