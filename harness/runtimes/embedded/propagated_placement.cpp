#include "harness/runtimes/embedded/propagated_placement.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <string_view>
#include <utility>

#include "harness/engine/checked_attributes.h"
#include "harness/engine/custom_calls/registry.h"
#include "harness/engine/sharding_attributes.h"
#include "harness/runtimes/embedded/dimension_origin.h"
#include "harness/runtimes/embedded/sharding_rule.h"

namespace vintage::harness {
using namespace golden;

namespace {

constexpr int kDeepestCall = 64;
// Functions that call each other make 2ⁿ calls.
constexpr int kMostCalls = 1 << 16;

// Their regions run as a part of the program; arguments of a region follow the operands.
const std::set<std::string_view> kRunsRegions = {"stablehlo.case", "stablehlo.if",
                                                 "stablehlo.while"};

class Propagation {
 public:
  Propagation(const ModuleTree& module, int64_t devices, const PlacementObserver& observer)
      : module_(module), devices_(devices), observer_(observer) {}

  std::vector<OpenPlacement> resultsOfMain(const Function& main,
                                           std::vector<OpenPlacement> arguments) {
    auto open = results(main, arguments);
    // A group may have its placement from a value that is behind others of it.
    return groups_.empty() ? open : results(main, std::move(arguments));
  }

 private:
  using Placed = std::map<ValueId, DevicePlacement>;

  std::vector<OpenPlacement> results(const Function& function,
                                     std::vector<OpenPlacement> arguments) {
    std::vector<OpenPlacement> open(function.resultTypes.size());
    if (function.body.blocks.size() != 1 || depth_ == kDeepestCall || ++calls_ > kMostCalls)
      return open;
    const Block& block = function.body.blocks[0];
    if (block.operations.empty() || arguments.size() != block.arguments.size()) return open;
    ++depth_;
    std::map<ValueId, DevicePlacement> placed;
    for (size_t i = 0; i < arguments.size(); ++i)
      if (arguments[i]) placed.emplace(block.arguments[i], std::move(*arguments[i]));
    passBlock(function, block, placed);
    --depth_;
    const std::vector<ValueId>& returned = block.operations.back().operands;
    for (size_t i = 0; i < open.size() && i < returned.size(); ++i)
      if (const auto found = placed.find(returned[i]); found != placed.end())
        open[i] = std::move(found->second);
    return open;
  }

  const DevicePlacement* at(const Placed& placed, ValueId value) const {
    const auto found = placed.find(value);
    return found == placed.end() ? nullptr : &found->second;
  }

  void passBlock(const Function& function, const Block& block, Placed& placed) {
    const Block* outer = std::exchange(block_, &block);
    for (const Operation& operation : block.operations) {
      pass(function, operation, placed);
      if (observer_.seeExchange && manualParts_ == 0) noteExchange(operation, placed);
    }
    block_ = outer;
  }

  void pass(const Function& function, const Operation& operation, Placed& placed) {
    if (operation.name == "func.call") return passCall(operation, placed);
    if (kRunsRegions.contains(operation.name)) passRegions(function, operation, placed);
    if (operation.name == "sdy.manual_computation") return passManual(function, operation, placed);
    if (isAnnotation(operation)) return passAnnotation(function, operation, placed);
    if (operation.name == "stablehlo.custom_call" && passCustomCall(function, operation, placed))
      return;
    if (operation.name == "sdy.sharding_group") return passGroup(function, operation, placed);
    for (size_t r = 0; r < operation.results.size(); ++r) {
      OpenPlacement result;
      for (size_t o = 0; o < operation.operands.size(); ++o) {
        // Result r of a loop, a sort or a barrier follows operand r.
        if (operation.results.size() > 1 && operation.operands.size() == operation.results.size() &&
            o != r)
          continue;
        const DevicePlacement* operand = at(placed, operation.operands[o]);
        if (operand == nullptr) continue;
        if (!result) result = DevicePlacement{operand->mesh, {}, {}};
        splitAlso(*operand, originOf(function, operation, o, r), *result);
      }
      keep(function, operation.results[r], std::move(result), placed);
    }
  }

  void noteExchange(const Operation& operation, const Placed& placed) {
    if (operation.results.empty() || operation.name == "func.call" ||
        operation.name == "sdy.manual_computation" || kRunsRegions.contains(operation.name))
      return;
    std::set<size_t> kept;  // The axes that split a result.
    for (const ValueId result : operation.results)
      if (const DevicePlacement* found = at(placed, result))
        for (const auto& axes : found->axes) kept.insert(axes.begin(), axes.end());
    for (size_t o = 0; o < operation.operands.size(); ++o) {
      const DevicePlacement* found = at(placed, operation.operands[o]);
      for (size_t d = 0; found != nullptr && d < found->axes.size(); ++d) {
        if (found->axes[d].empty()) continue;
        const bool reduced = isReduced(operation, o, d);
        for (const size_t axis : found->axes[d]) {
          if (found->mesh.sizes[axis] == 1 || (kept.contains(axis) && !reduced)) continue;
          return observer_.seeExchange({operation, reduced && !kept.contains(axis)});
        }
      }
    }
  }

  // Whether the operation combines the elements along a dimension of an operand.
  static bool isReduced(const Operation& operation, size_t operand, size_t dimension) {
    CheckedAttributes read(operation);
    std::vector<int64_t> reduced;
    if (operation.name == "stablehlo.reduce")
      reduced = read.integers("dimensions", Shape{});
    else if (operation.name == "stablehlo.dot_general")
      reduced =
          read.dictionary("dot_dimension_numbers", true)
              .integers(operand == 0 ? "lhs_contracting_dimensions" : "rhs_contracting_dimensions",
                        Shape{});
    return std::ranges::count(reduced, static_cast<int64_t>(dimension)) > 0;
  }

  static void keep(const Function& function, ValueId value, OpenPlacement placement,
                   Placed& placed) {
    const ValueType& type = function.valueTypes[value];
    if (!placement || type.kind != ValueType::Kind::kTensor ||
        placement->rank() != type.shape.size())
      return;
    const Shape pieces = placement->pieces();
    for (size_t d = 0; d < pieces.size(); ++d)
      if (type.shape[d] < 0 || type.shape[d] % pieces[d] != 0) placement->axes[d].clear();
    placed.insert_or_assign(value, std::move(*placement));
  }

  static bool isAnnotation(const Operation& operation) {
    const auto* target = attributeField<std::string>(operation.attributes, "call_target_name");
    return operation.name == "sdy.sharding_constraint" || operation.name == "sdy.reshard" ||
           (target != nullptr && isIdentityTarget(*target) &&
            *target != "xla.sdy.PropagationBarrier");
  }

  // With `lying`, dimensions that the annotation leaves open are split as that is.
  OpenPlacement annotationOf(AttributeMap fields, const ValueType& type,
                             const DevicePlacement* lying = nullptr) const {
    // Shardy's operations call "sharding" what other operations call "sdy.sharding".
    if (auto own = fields.extract("sharding")) {
      own.key() = "sdy.sharding";
      fields.insert(std::move(own));
    }
    auto annotated =
        annotatedPlacement(fields, module_, devices_, type.shape.size()).value_or(std::nullopt);
    if (annotated && lying) fillOpenDimensions(fields, *lying, *annotated);
    return annotated;
  }

  void passAnnotation(const Function& function, const Operation& operation, Placed& placed) {
    if (operation.operands.size() != 1 || operation.results.size() != 1) return;
    const DevicePlacement* operand = at(placed, operation.operands[0]);
    const ValueType& type = function.valueTypes[operation.results[0]];
    auto annotated = annotationOf(operation.attributes, type, operand);
    if (annotated)
      keep(function, operation.results[0], std::move(annotated), placed);
    else if (operand != nullptr)
      keep(function, operation.results[0], *operand, placed);
  }

  void passRegions(const Function& function, const Operation& operation, Placed& placed) {
    for (const Region& region : operation.regions) {
      for (const Block& block : region.blocks) {
        for (size_t i = 0; i < block.arguments.size() && i < operation.operands.size(); ++i)
          if (const DevicePlacement* operand = at(placed, operation.operands[i]))
            placed.insert_or_assign(block.arguments[i], *operand);
        passBlock(function, block, placed);
      }
    }
  }

  // False: nothing says where its results lie.
  bool passCustomCall(const Function& function, const Operation& operation, Placed& placed) {
    PlacedCall call{function, operation, {}, {}, {}};
    for (const ValueId operand : operation.operands) {
      const DevicePlacement* found = at(placed, operand);
      call.operands.push_back(found ? OpenPlacement(*found) : std::nullopt);
    }
    if (const auto* text = attributeField<std::string>(operation.attributes, "sdy.sharding_rule"))
      if (const auto rule = parseShardingRule(*text))
        call.results = placedByRule(*rule, call.operands);
    call.results.resize(operation.results.size());
    if (observer_.seeCall && manualParts_ == 0) {
      for (const ValueId result : operation.results)
        call.users.push_back(annotationBehind(function, result));
      observer_.seeCall(call);
    }
    bool isPlaced = false;
    for (size_t i = 0; i < operation.results.size(); ++i) {
      isPlaced |= call.results[i].has_value();
      keep(function, operation.results[i], std::move(call.results[i]), placed);
    }
    return isPlaced;
  }

  // As the first annotation that takes the value says, or main's of what it returns.
  OpenPlacement annotationBehind(const Function& function, ValueId value) const {
    const ValueType& type = function.valueTypes[value];
    for (const Operation& user : block_->operations) {
      const auto place = std::ranges::find(user.operands, value);
      if (place == user.operands.end()) continue;
      const auto i = static_cast<size_t>(place - user.operands.begin());
      OpenPlacement found;
      if (isAnnotation(user)) found = annotationOf(user.attributes, type);
      if (user.name == "func.return" && i < function.resultAttributes.size())
        found = annotationOf(function.resultAttributes[i], type);
      if (found) return found;
    }
    return std::nullopt;
  }

  // The values of a group lie alike: as the one that is split into the most pieces.
  void passGroup(const Function& function, const Operation& operation, Placed& placed) {
    const auto* group = attributeField<int64_t>(operation.attributes, "group_id");
    if (operation.operands.size() != 1 || group == nullptr) return;
    const auto count = [](const DevicePlacement* placement) {
      return placement ? elementCount(placement->pieces()) : 1;
    };
    const DevicePlacement* found = at(placed, operation.operands[0]);
    const auto known = groups_.find(*group);
    const DevicePlacement* finest = known == groups_.end() ? nullptr : &known->second;
    if (count(found) > count(finest))
      groups_.insert_or_assign(*group, *found);
    else if (count(finest) > count(found))
      keep(function, operation.operands[0], *finest, placed);
  }

  // A value that the program computes also lies as the operation that takes it wants it.
  void splitBefore(const Function& function, ValueId value, const DevicePlacement& wanted,
                   Placed& placed) const {
    const DevicePlacement* found = at(placed, value);
    if (found == nullptr) return;
    const auto maker = std::ranges::find_if(block_->operations, [&](const Operation& operation) {
      return std::ranges::count(operation.results, value) > 0;
    });
    if (maker == block_->operations.end() || isAnnotation(*maker)) return;
    OpenPlacement placement = *found;
    Shape same(placement->rank());
    std::iota(same.begin(), same.end(), 0);
    splitAlso(wanted, same, *placement);
    keep(function, value, std::move(placement), placed);
  }

  // Placement i of in_shardings or out_shardings.
  OpenPlacement listedPlacement(const Operation& operation, std::string_view list, size_t i,
                                const ValueType& type, const DevicePlacement* lying) const {
    const auto* fields = attributeField<AttributeMap>(operation.attributes, list);
    const auto* all = fields ? attributeField<AttributeList>(*fields, "shardings") : nullptr;
    if (all == nullptr || i >= all->size()) return std::nullopt;
    return annotationOf({{"sdy.sharding", (*all)[i]}}, type, lying);
  }

  // The axes along which the region of a manual part sees one device, by their place in the mesh.
  std::set<size_t> manualAxes(const Operation& operation) const {
    std::set<size_t> places;
    const auto* in = attributeField<AttributeMap>(operation.attributes, "in_shardings");
    const auto* all = in ? attributeField<AttributeList>(*in, "shardings") : nullptr;
    const auto* first =
        all && !all->empty() ? std::get_if<AttributeMap>(&all->front().value) : nullptr;
    const auto* name = first ? attributeField<std::string>(*first, "mesh") : nullptr;
    if (name == nullptr) return places;
    const auto mesh = readMesh(module_, *name);
    if (!mesh) return places;
    for (const std::string& axis : manualAxesOf(operation).value_or(std::vector<std::string>()))
      if (const auto found = std::ranges::find(mesh->axes, axis); found != mesh->axes.end())
        places.insert(static_cast<size_t>(found - mesh->axes.begin()));
    return places;
  }

  // In its region a value is split along the other axes than the manual ones.
  void passManual(const Function& function, const Operation& operation, Placed& placed) {
    std::vector<const DevicePlacement*> returned(operation.results.size());
    const std::set<size_t> manual = manualAxes(operation);
    ++manualParts_;
    for (const Region& region : operation.regions) {
      for (const Block& block : region.blocks) {
        for (size_t i = 0; i < block.arguments.size() && i < operation.operands.size(); ++i) {
          const ValueId operand = operation.operands[i];
          auto inside = listedPlacement(operation, "in_shardings", i, function.valueTypes[operand],
                                        at(placed, operand));
          if (inside) {
            splitBefore(function, operand, *inside, placed);
            for (auto& axes : inside->axes)
              std::erase_if(axes, [&](size_t axis) { return manual.contains(axis); });
          }
          keep(function, block.arguments[i], std::move(inside), placed);
        }
        passBlock(function, block, placed);
        if (block.operations.empty()) continue;
        const std::vector<ValueId>& last = block.operations.back().operands;
        for (size_t i = 0; i < returned.size() && i < last.size(); ++i)
          returned[i] = at(placed, last[i]);
      }
    }
    --manualParts_;
    for (size_t i = 0; i < operation.results.size(); ++i)
      keep(function, operation.results[i],
           listedPlacement(operation, "out_shardings", i, function.valueTypes[operation.results[i]],
                           returned[i]),
           placed);
  }

  void passCall(const Operation& operation, Placed& placed) {
    const auto* name = attributeField<std::string>(operation.attributes, "callee");
    const Function* callee = name ? module_.find(*name) : nullptr;
    if (callee == nullptr) return;
    std::vector<OpenPlacement> arguments;
    for (const ValueId operand : operation.operands) {
      const DevicePlacement* found = at(placed, operand);
      arguments.push_back(found ? OpenPlacement(*found) : std::nullopt);
    }
    auto returned = results(*callee, std::move(arguments));
    for (size_t i = 0; i < returned.size() && i < operation.results.size(); ++i)
      if (returned[i]) placed.insert_or_assign(operation.results[i], std::move(*returned[i]));
  }

  const ModuleTree& module_;
  const int64_t devices_;
  const PlacementObserver& observer_;
  std::map<int64_t, DevicePlacement> groups_;  // By their ids.
  const Block* block_ = nullptr;               // The present one.
  int depth_ = 0, calls_ = 0, manualParts_ = 0;
};

}  // namespace

std::vector<OpenPlacement> propagatedPlacements(const ModuleTree& module, const Function& main,
                                                std::vector<OpenPlacement> arguments,
                                                int64_t devices,
                                                const PlacementObserver& observer) {
  return Propagation(module, devices, observer).resultsOfMain(main, std::move(arguments));
}

}  // namespace vintage::harness
