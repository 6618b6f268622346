#include "harness/plugin/module_import.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "harness/engine/checked_attributes.h"

namespace vintage::harness {
using namespace golden;

namespace {

// The attributes that name functions, and the one that names a mesh.
constexpr std::array<std::string_view, 3> kFunctionNames = {"callee", "called_computations",
                                                            "decomposition"};
constexpr std::string_view kMeshName = "mesh";

class Renaming {
 public:
  explicit Renaming(std::string prefix) : prefix_(std::move(prefix)) {}

  void region(Region& region) const {
    for (Block& block : region.blocks) {
      for (Operation& operation : block.operations) {
        map(operation.attributes);
        for (Region& nested : operation.regions) this->region(nested);
      }
    }
  }
  void map(AttributeMap& fields) const {
    for (auto& [name, attribute] : fields) {
      if (name == kMeshName || std::ranges::find(kFunctionNames, name) != kFunctionNames.end())
        names(attribute);
      inside(attribute);
    }
  }

 private:
  void inside(Attribute& attribute) const {
    if (auto* fields = std::get_if<AttributeMap>(&attribute.value)) map(*fields);
    if (auto* list = std::get_if<AttributeList>(&attribute.value))
      for (Attribute& each : *list) inside(each);
  }
  void names(Attribute& attribute) const {
    if (auto* name = std::get_if<std::string>(&attribute.value)) name->insert(0, prefix_);
    if (auto* list = std::get_if<AttributeList>(&attribute.value))
      for (Attribute& each : *list) names(each);
  }

  const std::string prefix_;
};

}  // namespace

std::string importModule(ModuleTree from, ModuleTree& to) {
  std::string prefix;
  for (size_t i = 0; prefix.empty() || to.find(prefix + "main"); ++i)
    prefix = fmt::format("partition{}.", i);
  const Renaming renaming(prefix);
  for (Function& function : from.functions) {
    function.name.insert(0, prefix);
    for (auto* values : {&function.argumentAttributes, &function.resultAttributes})
      for (AttributeMap& fields : *values) renaming.map(fields);
    renaming.region(function.body);
    to.functions.push_back(std::move(function));
  }
  for (Operation& other : from.others) {
    if (auto* symbol = attributeField<std::string>(other.attributes, "sym_name"))
      other.attributes["sym_name"].value = prefix + *symbol;
    to.others.push_back(std::move(other));
  }
  return prefix + "main";
}

}  // namespace vintage::harness
