#include "harness/engine/planner.h"

#include <algorithm>
#include <numeric>

#include "golden/module/operation_facts.h"
#include "harness/engine/sharding_attributes.h"

namespace vintage::harness {
using namespace golden;

namespace {

void collectDefinitions(const Region& region, std::unordered_set<ValueId>& definitions) {
  for (const Block& block : region.blocks) {
    definitions.insert(block.arguments.begin(), block.arguments.end());
    for (const Operation& operation : block.operations) {
      definitions.insert(operation.results.begin(), operation.results.end());
      for (const Region& nested : operation.regions) collectDefinitions(nested, definitions);
    }
  }
}

bool calls(const Operation& operation, std::string_view target) {
  if (operation.name != "stablehlo.custom_call") return false;
  const auto* name = attributeField<std::string>(operation.attributes, "call_target_name");
  return name != nullptr && *name == target && operation.operands.size() == 1 &&
         operation.results.size() == 1;
}

constexpr std::string_view kEntry = "SPMDFullToShardShape", kExit = "SPMDShardToFullShape";

std::string shardingOf(const Operation& operation) {
  const auto* text = attributeField<std::string>(operation.attributes, "mhlo.sharding");
  return text == nullptr ? std::string() : *text;
}

class Gathering {
 public:
  explicit Gathering(const Block& block) : operations_(block.operations) {
    for (size_t i = 0; i < operations_.size(); ++i) {
      for (const ValueId result : operations_[i].results) definedBy_[result] = i;
      for (const ValueId use : usesOf(operations_[i])) users_[use].push_back(i);
    }
    kinds_.assign(operations_.size(), Kind::kOutside);
    parents_.resize(operations_.size());
    std::iota(parents_.begin(), parents_.end(), size_t{0});
  }

  std::vector<Operation> run() {
    mark();
    std::map<size_t, std::vector<size_t>> parts;  // By the root of each.
    for (size_t i = 0; i < operations_.size(); ++i)
      if (kinds_[i] != Kind::kOutside) parts[rootOf(i)].push_back(i);
    // A part stands where the first of its results is needed.
    std::map<size_t, const std::vector<size_t>*> places;
    for (const auto& [root, members] : parts) {
      const auto leave =
          std::ranges::find(members, Kind::kLeave, [&](size_t i) { return kinds_[i]; });
      places[leave == members.end() ? members.back() : *leave] = &members;
    }
    std::vector<Operation> gathered;
    for (size_t i = 0; i < operations_.size(); ++i) {
      if (const auto part = places.find(i); part != places.end())
        gathered.push_back(makePart(*part->second));
      else if (kinds_[i] == Kind::kOutside && !onlyAnnotatesEntries(i))
        gathered.push_back(operations_[i]);
    }
    return gathered;
  }

 private:
  enum class Kind { kOutside, kEnter, kInside, kLeave };

  const size_t* definition(ValueId value) const {
    const auto found = definedBy_.find(value);
    return found == definedBy_.end() ? nullptr : &found->second;
  }

  bool isLocal(ValueId value) const {
    const size_t* at = definition(value);
    return at != nullptr && (kinds_[*at] == Kind::kEnter || kinds_[*at] == Kind::kInside);
  }

  // An operation on a piece gives a piece. A part's result is a piece too, even if it depends on
  // none (a shard_map without arguments).
  void mark() {
    for (size_t i = 0; i + 1 < operations_.size(); ++i) {
      if (calls(operations_[i], kEntry))
        kinds_[i] = Kind::kEnter;
      else if (calls(operations_[i], kExit))
        kinds_[i] = Kind::kLeave;
      else if (std::ranges::any_of(usesOf(operations_[i]), [&](ValueId v) { return isLocal(v); }))
        kinds_[i] = Kind::kInside;
    }
    for (size_t i = 0; i < operations_.size(); ++i) {
      if (kinds_[i] != Kind::kLeave) continue;
      const size_t* at = definition(operations_[i].operands[0]);
      while (at != nullptr && kinds_[*at] == Kind::kOutside) {
        kinds_[*at] = Kind::kInside;
        at = calls(operations_[*at], "Sharding") ? definition(operations_[*at].operands[0])
                                                 : nullptr;
      }
    }
    for (size_t i = 0; i < operations_.size(); ++i) {
      if (kinds_[i] != Kind::kInside && kinds_[i] != Kind::kLeave) continue;
      for (const ValueId use : usesOf(operations_[i]))
        if (isLocal(use)) parents_[rootOf(i)] = rootOf(*definition(use));
    }
  }

  size_t rootOf(size_t i) {
    while (parents_[i] != i) i = parents_[i] = parents_[parents_[i]];
    return i;
  }

  // The @Sharding before an entry, which says how the value is taken apart.
  const Operation* annotationOf(const Operation& enter) const {
    const size_t* at = definition(enter.operands[0]);
    const bool annotated =
        at != nullptr && kinds_[*at] == Kind::kOutside && calls(operations_[*at], "Sharding");
    return annotated ? &operations_[*at] : nullptr;
  }

  bool onlyAnnotatesEntries(size_t i) const {
    if (!calls(operations_[i], "Sharding")) return false;
    const auto users = users_.find(operations_[i].results[0]);
    return users != users_.end() && std::ranges::all_of(users->second, [&](size_t user) {
             return kinds_[user] == Kind::kEnter;
           });
  }

  Operation makePart(const std::vector<size_t>& members) const {
    Operation part;
    part.name = kManualPart;
    part.location = operations_[members[0]].location;
    Block body;
    Operation terminator;
    terminator.name = "sdy.return";
    AttributeList in, out;
    const auto take = [&](ValueId whole, ValueId piece, std::string sharding) {
      part.operands.push_back(whole);
      body.arguments.push_back(piece);
      in.push_back({std::move(sharding), {}});
    };
    for (const size_t i : members) {
      const Operation& operation = operations_[i];
      if (kinds_[i] == Kind::kEnter) {
        const Operation* annotation = annotationOf(operation);
        take(annotation ? annotation->operands[0] : operation.operands[0], operation.results[0],
             annotation ? shardingOf(*annotation) : std::string());
      } else if (kinds_[i] == Kind::kLeave) {
        terminator.operands.push_back(operation.operands[0]);
        part.results.push_back(operation.results[0]);
        out.push_back({shardingOf(operation), {}});
      } else {
        body.operations.push_back(operation);
      }
    }
    // Other values that the body uses are the same on each device.
    Region region;
    body.operations.push_back(std::move(terminator));
    region.blocks.push_back(body);
    for (const ValueId value : capturedValues(region)) take(value, value, std::string());
    region.blocks[0].arguments = std::move(body.arguments);
    part.attributes["in_shardings"].value = std::move(in);
    part.attributes["out_shardings"].value = std::move(out);
    part.regions.push_back(std::move(region));
    return part;
  }

  const std::vector<Operation>& operations_;
  std::unordered_map<ValueId, size_t> definedBy_;
  std::unordered_map<ValueId, std::vector<size_t>> users_;
  std::vector<Kind> kinds_;
  std::vector<size_t> parents_;
};

void collectUses(const Region& region, std::vector<ValueId>& uses) {
  for (const Block& block : region.blocks) {
    for (const Operation& operation : block.operations) {
      uses.insert(uses.end(), operation.operands.begin(), operation.operands.end());
      for (const Region& nested : operation.regions) collectUses(nested, uses);
    }
  }
}

}  // namespace

std::vector<ValueId> usesOf(const Operation& operation) {
  std::vector<ValueId> uses = operation.operands;
  for (const Region& region : operation.regions)
    std::ranges::copy(capturedValues(region), std::back_inserter(uses));
  return uses;
}

std::vector<ValueId> capturedValues(const Region& region) {
  std::vector<ValueId> uses, captured;
  std::unordered_set<ValueId> known;
  collectUses(region, uses);
  collectDefinitions(region, known);
  for (const ValueId value : uses)
    if (known.insert(value).second) captured.push_back(value);
  return captured;
}

bool deeperThan(const Region& region, int levels) {
  if (levels == 0) return true;
  return std::ranges::any_of(region.blocks, [&](const Block& block) {
    return std::ranges::any_of(block.operations, [&](const Operation& operation) {
      return std::ranges::any_of(
          operation.regions, [&](const Region& nested) { return deeperThan(nested, levels - 1); });
    });
  });
}

std::string shortcutOf(const Region& region) {
  if (region.blocks.size() != 1 || region.blocks[0].operations.empty()) return {};
  const Block& block = region.blocks[0];
  const Operation& terminator = block.operations.back();
  if (terminator.operands.size() != 1) return {};
  if (block.operations.size() == 1) {
    const auto found = std::ranges::find(block.arguments, terminator.operands[0]);
    if (found == block.arguments.end()) return {};
    return fmt::format("argument {}", found - block.arguments.begin());
  }
  const Operation& only = block.operations[0];
  if (block.operations.size() != 2 || block.arguments.size() != 2 || only.results.size() != 1 ||
      terminator.operands[0] != only.results[0])
    return {};
  if (only.operands == block.arguments) return only.name;
  const OperationFacts* facts = operationFacts(only.name);
  if (facts != nullptr && facts->isCommutative && only.operands.size() == 2 &&
      only.operands[0] == block.arguments[1] && only.operands[1] == block.arguments[0])
    return only.name;
  return {};
}

bool isManualBoundary(const Operation& operation) {
  return calls(operation, kEntry) || calls(operation, kExit);
}

std::optional<Block> gatherManualParts(const Block& block) {
  if (std::ranges::none_of(block.operations, [](const Operation& operation) {
        return calls(operation, kEntry) || calls(operation, kExit);
      }))
    return std::nullopt;
  return Block{block.arguments, Gathering(block).run()};
}

}  // namespace vintage::harness
