#include "harness/runtimes/embedded/propagated_placement.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "harness/engine/custom_calls/registry.h"
#include "harness/engine/sharding_attributes.h"

namespace vintage::harness {
using namespace golden;

namespace {

constexpr int kDeepestCall = 64;

// Results of these have dimensions that are not their operands', although sizes may agree.
const std::set<std::string_view> kMovesDimensions = {
    "stablehlo.convolution",    "stablehlo.custom_call",  "stablehlo.gather",
    "stablehlo.dynamic_gather", "stablehlo.dynamic_conv", "stablehlo.rng_bit_generator",
    "stablehlo.case",           "stablehlo.if",           "stablehlo.all_to_all",
    "stablehlo.all_gather"};

bool sameMesh(const DeviceMesh& a, const DeviceMesh& b) {
  return a.sizes == b.sizes && a.devices == b.devices;
}

// For each dimension of a result the dimension of an operand that it is; -1: none.
using Origin = std::vector<int64_t>;

class Propagation {
 public:
  Propagation(const ModuleTree& module, int64_t devices) : module_(module), devices_(devices) {}

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
    if (function.body.blocks.size() != 1 || depth_ == kDeepestCall) return open;
    const Block& block = function.body.blocks[0];
    if (block.operations.empty() || arguments.size() != block.arguments.size()) return open;
    ++depth_;
    std::map<ValueId, DevicePlacement> placed;
    for (size_t i = 0; i < arguments.size(); ++i)
      if (arguments[i]) placed.emplace(block.arguments[i], std::move(*arguments[i]));
    for (const Operation& operation : block.operations) pass(function, operation, placed);
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

  void pass(const Function& function, const Operation& operation, Placed& placed) {
    if (operation.name == "func.call") return passCall(operation, placed);
    if (operation.name == "sdy.manual_computation") return passManual(function, operation, placed);
    if (isAnnotation(operation)) return passAnnotation(function, operation, placed);
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
        join(*operand, originOf(function, operation, o, r), result);
      }
      keep(function, operation.results[r], std::move(result), placed);
    }
  }

  // Adds the axes of `operand` to dimensions that nothing splits yet.
  static void join(const DevicePlacement& operand, const Origin& origin, OpenPlacement& result) {
    if (result && !sameMesh(result->mesh, operand.mesh)) return;
    if (!result) result = DevicePlacement{operand.mesh, {}, {}};
    result->axes.resize(origin.size());
    for (size_t d = 0; d < origin.size(); ++d) {
      if (origin[d] < 0 || !result->axes[d].empty()) continue;
      const std::vector<size_t>& axes = operand.axes[static_cast<size_t>(origin[d])];
      const bool taken = std::ranges::any_of(axes, [&](size_t axis) {
        return std::ranges::any_of(
            result->axes, [&](const auto& of) { return std::ranges::count(of, axis) > 0; });
      });
      if (!taken) result->axes[d] = axes;
    }
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

  void passAnnotation(const Function& function, const Operation& operation, Placed& placed) {
    if (operation.operands.size() != 1 || operation.results.size() != 1) return;
    // Shardy's operations call "sharding" what other operations call "sdy.sharding".
    AttributeMap fields = operation.attributes;
    if (auto own = fields.extract("sharding")) {
      own.key() = "sdy.sharding";
      fields.insert(std::move(own));
    }
    const size_t rank = function.valueTypes[operation.results[0]].shape.size();
    const DevicePlacement* operand = at(placed, operation.operands[0]);
    auto annotated = annotatedPlacement(fields, module_, devices_, rank);
    if (annotated && *annotated)
      keep(function, operation.results[0], std::move(*annotated), placed);
    else if (operand != nullptr)
      keep(function, operation.results[0], *operand, placed);
  }

  // The values of a group lie alike: as the first of them that is split.
  void passGroup(const Function& function, const Operation& operation, Placed& placed) {
    const auto* group = attributeField<int64_t>(operation.attributes, "group_id");
    if (operation.operands.size() != 1 || group == nullptr) return;
    const DevicePlacement* found = at(placed, operation.operands[0]);
    if (found != nullptr &&
        std::ranges::any_of(found->axes, [](const auto& axes) { return !axes.empty(); }))
      groups_.try_emplace(*group, *found);
    else if (const auto known = groups_.find(*group); known != groups_.end())
      keep(function, operation.operands[0], known->second, placed);
  }

  void passManual(const Function& function, const Operation& operation, Placed& placed) {
    const auto* fields = attributeField<AttributeMap>(operation.attributes, "out_shardings");
    const auto* list = fields ? attributeField<AttributeList>(*fields, "shardings") : nullptr;
    for (size_t i = 0; list != nullptr && i < list->size() && i < operation.results.size(); ++i) {
      const size_t rank = function.valueTypes[operation.results[i]].shape.size();
      auto annotated = annotatedPlacement({{"sdy.sharding", (*list)[i]}}, module_, devices_, rank);
      if (annotated) keep(function, operation.results[i], std::move(*annotated), placed);
    }
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

  static Origin originOf(const Function& function, const Operation& operation, size_t operand,
                         size_t result) {
    const Shape& from = function.valueTypes[operation.operands[operand]].shape;
    const Shape& to = function.valueTypes[operation.results[result]].shape;
    Origin origin(to.size(), -1);
    CheckedAttributes read(operation);
    const auto areDimensions = [&](const std::vector<int64_t>& dimensions) {
      return std::ranges::all_of(
          dimensions, [&](int64_t d) { return d >= 0 && d < static_cast<int64_t>(from.size()); });
    };
    if (operation.name == "stablehlo.transpose") {
      const auto order = read.integers("permutation", Shape{});
      if (order.size() == to.size() && areDimensions(order)) origin = order;
    } else if (operation.name == "stablehlo.broadcast_in_dim") {
      const auto places = read.integers("broadcast_dimensions", Shape{});
      for (size_t i = 0; i < places.size() && i < from.size(); ++i)
        if (places[i] >= 0 && places[i] < static_cast<int64_t>(to.size()) &&
            from[i] == to[static_cast<size_t>(places[i])])
          origin[static_cast<size_t>(places[i])] = static_cast<int64_t>(i);
    } else if (operation.name == "stablehlo.reduce") {
      keepOthers(read.integers("dimensions", Shape{}), from.size(), 0, origin);
    } else if (operation.name == "stablehlo.dot_general") {
      dotOrigin(read.dictionary("dot_dimension_numbers", true), from.size(), operand == 0, origin);
    } else if (operation.name == "stablehlo.reshape") {
      reshapeOrigin(from, to, origin);
    } else if (operation.name == "stablehlo.gather" && operand == 0) {
      gatherOrigin(read.dictionary("dimension_numbers", true),
                   read.integers("slice_sizes", Shape{}), from, origin);
    } else if (from.size() == to.size() && !kMovesDimensions.contains(operation.name)) {
      for (size_t d = 0; d < to.size(); ++d)
        if (from[d] == to[d]) origin[d] = static_cast<int64_t>(d);
    }
    return origin;
  }

  // The dimensions of an operand that are not `gone` are those of the result from `first` on.
  static void keepOthers(const std::vector<int64_t>& gone, size_t rank, size_t first,
                         Origin& origin) {
    for (size_t d = 0; d < rank && first < origin.size(); ++d)
      if (std::ranges::find(gone, static_cast<int64_t>(d)) == gone.end())
        origin[first++] = static_cast<int64_t>(d);
  }

  // A result of dot_general has the batching dimensions, those left of lhs, and those of rhs.
  static void dotOrigin(CheckedAttributes read, size_t rank, bool isLhs, Origin& origin) {
    const auto batching =
        read.integers(isLhs ? "lhs_batching_dimensions" : "rhs_batching_dimensions", Shape{});
    std::vector<int64_t> gone =
        read.integers(isLhs ? "lhs_contracting_dimensions" : "rhs_contracting_dimensions", Shape{});
    gone.insert(gone.end(), batching.begin(), batching.end());
    if (gone.size() > rank || batching.size() > origin.size()) return;
    std::ranges::copy(batching, origin.begin());
    const size_t left = rank - gone.size();
    if (left > origin.size()) return;
    keepOthers(gone, rank, isLhs ? batching.size() : origin.size() - left, origin);
  }

  // Where a slice has all of a dimension, offset_dims names that dimension in the result.
  static void gatherOrigin(CheckedAttributes read, const std::vector<int64_t>& sizes,
                           const Shape& from, Origin& origin) {
    std::vector<int64_t> gone = read.integers("collapsed_slice_dims", Shape{});
    const auto batching = read.integers("operand_batching_dims", Shape{});
    gone.insert(gone.end(), batching.begin(), batching.end());
    Origin kept(from.size(), -1);
    keepOthers(gone, from.size(), 0, kept);
    const auto offsets = read.integers("offset_dims", Shape{});
    for (size_t i = 0; i < offsets.size() && i < kept.size() && sizes.size() == from.size(); ++i) {
      const int64_t to = offsets[i], dimension = kept[i];
      if (to < 0 || to >= std::ssize(origin) || dimension < 0) return;
      if (sizes[static_cast<size_t>(dimension)] == from[static_cast<size_t>(dimension)])
        origin[static_cast<size_t>(to)] = dimension;
    }
  }

  // Where dimensions are split or merged, the major one of each side is the same.
  static void reshapeOrigin(const Shape& from, const Shape& to, Origin& origin) {
    size_t i = 0, j = 0;
    while (i < from.size() && j < to.size()) {
      if (from[i] == 1 && to[j] != 1) {
        ++i;
        continue;
      }
      if (to[j] == 1 && from[i] != 1) {
        ++j;
        continue;
      }
      origin[j] = static_cast<int64_t>(i);
      int64_t before = from[i++], after = to[j++];
      if (before < 1 || after < 1) return;
      while (before != after) {
        int64_t& less = before < after ? before : after;
        const Shape& shape = before < after ? from : to;
        size_t& next = before < after ? i : j;
        if (next == shape.size() || shape[next] < 1) return;
        less *= shape[next++];
      }
    }
  }

  const ModuleTree& module_;
  const int64_t devices_;
  std::map<int64_t, DevicePlacement> groups_;  // By their ids.
  int depth_ = 0;
};

}  // namespace

std::vector<OpenPlacement> propagatedPlacements(const ModuleTree& module, const Function& main,
                                                std::vector<OpenPlacement> arguments,
                                                int64_t devices) {
  return Propagation(module, devices).resultsOfMain(main, std::move(arguments));
}

}  // namespace vintage::harness
