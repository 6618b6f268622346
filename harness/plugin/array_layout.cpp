#include "harness/plugin/array_layout.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <span>
#include <unordered_map>

#include <fmt/ranges.h>

#include "golden/base/failures.h"
#include "golden/program/entry_changes.h"
#include "harness/engine/checked_attributes.h"
#include "harness/engine/custom_calls/registry.h"
#include "harness/engine/operations/data_movement.h"

namespace vintage::harness {
using namespace golden;

namespace {

tl::unexpected<Error> tiled() {
  return unsupported(
      "the layout of an array has tiles; this plugin has arrays whose dimensions are in any order, "
      "without tiles");
}

Status checkOrder(const DimensionOrder& order, size_t rank) {
  if (isPermutation(order, static_cast<int64_t>(rank))) return {};
  return badInput("a layout orders the dimensions {}; the array has {} dimensions, each once",
                  layoutText(order), rank);
}

std::vector<int64_t> inverse(std::span<const int64_t> permutation) {
  std::vector<int64_t> places(permutation.size());
  for (size_t i = 0; i < permutation.size(); ++i)
    places[static_cast<size_t>(permutation[i])] = static_cast<int64_t>(i);
  return places;
}

// The orders of values that lie as they are without a copy.
class FreeOrders {
 public:
  FreeOrders(const Function& main, const std::vector<DimensionOrder>& arguments)
      : main_(main), arguments_(arguments) {
    if (main.body.blocks.empty()) return;
    const Block& block = main.body.blocks.front();
    for (size_t i = 0; i < block.arguments.size(); ++i) inputs_[block.arguments[i]] = i;
    for (const Operation& operation : block.operations)
      for (const ValueId result : operation.results) makers_[result] = &operation;
    if (!block.operations.empty()) returned_ = block.operations.back().operands;
  }

  DimensionOrder ofResult(size_t i) const {
    return i < returned_.size() ? of(returned_[i])
                                : rowMajorOrder(main_.resultTypes[i].shape.size());
  }

 private:
  DimensionOrder of(ValueId value) const {
    std::vector<const std::vector<int64_t>*> moves;
    DimensionOrder order;
    for (auto maker = makers_.find(value); maker != makers_.end(); maker = makers_.find(value)) {
      const Operation& operation = *maker->second;
      if (operation.operands.size() != 1) break;
      const auto* permutation =
          attributeField<std::vector<int64_t>>(operation.attributes, "permutation");
      if (operation.name == "stablehlo.transpose" && permutation != nullptr &&
          isPermutation(*permutation, rankOf(operation.operands[0])))
        moves.push_back(permutation);
      else if (!isAnnotation(operation))
        break;
      else if (order = constraint(operation); !order.empty())
        break;
      value = operation.operands[0];
    }
    const auto input = inputs_.find(value);
    if (order.empty())
      order = input != inputs_.end() ? arguments_[input->second]
                                     : rowMajorOrder(static_cast<size_t>(rankOf(value)));
    for (; !moves.empty(); moves.pop_back()) order = chosen(inverse(*moves.back()), order);
    return order;
  }

  int64_t rankOf(ValueId value) const { return std::ssize(main_.valueTypes[value].shape); }

  // Of JAX's with_layout_constraint; empty for other operations.
  DimensionOrder constraint(const Operation& operation) const {
    const auto* target = attributeField<std::string>(operation.attributes, "call_target_name");
    const auto* layouts = attributeField<AttributeList>(operation.attributes, "result_layouts");
    if (target == nullptr || *target != "LayoutConstraint" || layouts == nullptr ||
        layouts->size() != 1)
      return {};
    const auto* order = std::get_if<std::vector<int64_t>>(&layouts->front().value);
    return order != nullptr && isPermutation(*order, rankOf(operation.operands[0]))
               ? *order
               : DimensionOrder();
  }

  static bool isAnnotation(const Operation& operation) {
    const auto* target = attributeField<std::string>(operation.attributes, "call_target_name");
    return operation.name == "sdy.sharding_constraint" ||
           (target != nullptr && isIdentityTarget(*target));
  }

  const Function& main_;
  const std::vector<DimensionOrder>& arguments_;
  std::unordered_map<ValueId, size_t> inputs_;
  std::unordered_map<ValueId, const Operation*> makers_;
  std::vector<ValueId> returned_;
};

// The orders of values; none where the compiler chooses.
Result<std::vector<std::optional<DimensionOrder>>> annotatedOrders(
    const std::vector<ValueType>& types, const std::vector<AttributeMap>& attributes,
    std::string_view what, bool& annotated) {
  std::vector<std::optional<DimensionOrder>> orders;
  for (size_t i = 0; i < types.size(); ++i) {
    const auto* mode = i < attributes.size()
                           ? attributeField<std::string>(attributes[i], kLayoutAttribute)
                           : nullptr;
    const size_t rank = types[i].shape.size();
    std::optional<DimensionOrder>& order = orders.emplace_back(rowMajorOrder(rank));
    if (mode == nullptr || *mode == "default") continue;
    annotated = true;
    order.reset();
    if (*mode == "auto") continue;
    ASSIGN_OR_RETURN(order,
                     within(fmt::format("{} {} of main", what, i), readLayoutText(*mode, rank)));
  }
  return orders;
}

bool returnsTransposed(const Function& main) {
  if (main.body.blocks.empty()) return false;
  const std::vector<Operation>& operations = main.body.blocks.front().operations;
  return std::ranges::any_of(operations, [&](const Operation& operation) {
    return operation.name == "stablehlo.transpose" && operation.results.size() == 1 &&
           std::ranges::count(operations.back().operands, operation.results[0]) > 0;
  });
}

}  // namespace

DimensionOrder rowMajorOrder(size_t rank) {
  DimensionOrder order;
  for (size_t d = rank; d-- > 0;) order.push_back(static_cast<int64_t>(d));
  return order;
}

std::string layoutText(const DimensionOrder& order) {
  return fmt::format("{{{}}}", fmt::join(order, ","));
}

Result<DimensionOrder> readLayoutText(std::string_view text, size_t rank) {
  const auto unreadable = [&] { return badInput("'{}' is no layout, which is {{1,0}}", text); };
  if (!text.starts_with('{') || !text.ends_with('}')) return unreadable();
  std::string_view rest = text.substr(1, text.size() - 2);
  // JAX adds the bits of a narrow type, "{1,0:E(4)}", though its arrays have a byte for each.
  if (const size_t colon = rest.find(':'); colon != rest.npos) {
    const std::string_view details = rest.substr(colon + 1);
    if (!details.starts_with("E(") || details.find(')') != details.size() - 1) return tiled();
    rest = rest.substr(0, colon);
  }
  DimensionOrder order;
  while (!rest.empty()) {
    int64_t& dimension = order.emplace_back();
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), dimension);
    if (error != std::errc()) return unreadable();
    rest.remove_prefix(static_cast<size_t>(end - rest.data()));
    if (!rest.empty() && (!rest.starts_with(',') || rest.size() == 1)) return unreadable();
    if (!rest.empty()) rest.remove_prefix(1);
  }
  RETURN_IF_ERROR(checkOrder(order, rank));
  return order;
}

Result<DimensionOrder> orderOf(const MemoryLayout* layout, size_t rank) {
  if (!layout) return rowMajorOrder(rank);
  const TiledLayout& dimensions = layout->tiled;
  if (layout->type != kTiledLayout || dimensions.tiles > 0) return tiled();
  DimensionOrder order(dimensions.minorToMajor,
                       dimensions.minorToMajor + dimensions.minorToMajorSize);
  RETURN_IF_ERROR(checkOrder(order, rank));
  return order;
}

Result<ProgramLayouts> layoutsOf(const Function& main) {
  ProgramLayouts layouts;
  ASSIGN_OR_RETURN(
      const auto arguments,
      annotatedOrders(main.argumentTypes, main.argumentAttributes, "argument", layouts.annotated));
  for (size_t i = 0; i < arguments.size(); ++i)
    layouts.arguments.push_back(
        arguments[i].value_or(rowMajorOrder(main.argumentTypes[i].shape.size())));
  ASSIGN_OR_RETURN(const auto results, annotatedOrders(main.resultTypes, main.resultAttributes,
                                                       "result", layouts.annotated));
  layouts.transposed = returnsTransposed(main);
  std::optional<FreeOrders> free;
  for (size_t i = 0; i < results.size(); ++i) {
    if (!results[i] && !free) free.emplace(main, layouts.arguments);
    layouts.results.push_back(results[i] ? *results[i] : free->ofResult(i));
  }
  return layouts;
}

}  // namespace vintage::harness
