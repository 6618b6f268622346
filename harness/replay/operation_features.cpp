#include "harness/replay/operation_features.h"

#include <set>

#include <fmt/format.h>

#include "golden/tensor/element_type.h"

namespace vintage::harness {
using namespace golden;

namespace {

// Attributes that make one operation several.
constexpr const char* kKinds[] = {"comparison_direction", "fft_type", "rng_algorithm"};

bool isUninteresting(const std::string& name) {
  return name == "stablehlo.constant" || name == "stablehlo.return" || name == "func.return" ||
         name == "func.call";
}

std::string detailedName(const Operation& operation) {
  if (const auto target = operation.attributes.find("call_target_name");
      target != operation.attributes.end())
    if (const auto* text = std::get_if<std::string>(&target->second.value))
      return fmt::format("{} @{}", operation.name, *text);
  for (const char* kind : kKinds)
    if (const auto found = operation.attributes.find(kind); found != operation.attributes.end())
      if (const auto* text = std::get_if<std::string>(&found->second.value))
        return fmt::format("{} {}", operation.name, *text);
  return operation.name;
}

// The only operation of a region besides its terminator; empty where there are more.
std::string onlyOperation(const Region& region) {
  if (region.blocks.size() != 1 || region.blocks[0].operations.size() != 2) return {};
  return region.blocks[0].operations[0].name;
}

class Walk {
 public:
  explicit Walk(const Function& function) : function_(function) { visit(function.body); }
  std::set<std::string> features;
  size_t operations = 0;

 private:
  // `folded`: the region of one operation, which its owner's feature covers.
  void visit(const Region& region, bool folded = false) {
    for (const Block& block : region.blocks)
      for (const Operation& operation : block.operations) {
        if (isUninteresting(operation.name)) continue;
        ++operations;
        if (!folded) add(operation);
        for (const Region& nested : operation.regions)
          visit(nested, !onlyOperation(nested).empty());
      }
  }

  void add(const Operation& operation) {
    const std::string name = detailedName(operation);
    features.insert(name);
    if (!operation.operands.empty()) {
      const ValueType& type = function_.valueTypes.at(operation.operands[0]);
      if (type.kind == ValueType::Kind::kTensor)
        features.insert(fmt::format("{} of {}", name, stablehloName(type.element)));
    }
    for (const Region& region : operation.regions)
      if (const std::string only = onlyOperation(region); !only.empty())
        features.insert(fmt::format("{} over {}", name, only));
  }

  const Function& function_;
};

}  // namespace

OperationFeatures operationFeatures(const ModuleTree& tree) {
  OperationFeatures all;
  std::set<std::string> features;
  for (const Function& function : tree.functions) {
    Walk walk(function);
    features.merge(walk.features);
    all.operations += walk.operations;
  }
  all.features.assign(features.begin(), features.end());
  return all;
}

}  // namespace vintage::harness
