#include <algorithm>
#include <tuple>

#include <fmt/format.h>

#include "golden/base/failures.h"
#include "golden/exported/dimension_expression.h"
#include "golden/exported/dtypes.h"
#include "golden/exported/exported.h"

namespace vintage::golden {
namespace {

constexpr int kDeepestTree = 200;

size_t leafCount(const PyTree& tree) {
  if (tree.kind == PyTree::Kind::kLeaf) return 1;
  size_t leaves = 0;
  for (const PyTree& child : tree.children) leaves += leafCount(child);
  return leaves;
}

Status checkTree(const PyTree& tree, std::string_view field, int depth = 0) {
  if (depth > kDeepestTree)
    return badInput("{}: it is nested more than {} deep", field, kDeepestTree);
  const bool childless =
      tree.kind == PyTree::Kind::kLeaf || tree.kind == PyTree::Kind::kNone;
  if (childless && !tree.children.empty())
    return badInput("{}: a leaf has {} children", field, tree.children.size());
  if (tree.kind == PyTree::Kind::kDict) {
    if (tree.childNames.size() != tree.children.size())
      return badInput("{}: a dictionary has {} keys for {} children", field, tree.childNames.size(),
                      tree.children.size());
    std::vector<std::string> keys = tree.childNames;
    std::ranges::sort(keys);
    if (const auto twice = std::ranges::adjacent_find(keys); twice != keys.end())
      return badInput("{}: a dictionary has the key '{}' twice", field, *twice);
  }
  if (tree.kind == PyTree::Kind::kCustom && tree.customName.empty())
    return badInput("{}: a custom node has no name", field);
  for (const PyTree& child : tree.children) RETURN_IF_ERROR(checkTree(child, field, depth + 1));
  return {};
}

Status checkValues(const std::vector<AbstractValue>& values, const PyTree& tree,
                   std::string_view valuesField, std::string_view treeField) {
  RETURN_IF_ERROR(checkTree(tree, treeField));
  if (const size_t leaves = leafCount(tree); leaves != values.size())
    return badInput("{} has {} values, but {} has {} leaves", valuesField, values.size(), treeField,
                    leaves);
  for (size_t i = 0; i < values.size(); ++i) {
    if (!wireDtype(values[i].dtype))
      return badInput("{}: value {} is of the unknown element type '{}'", valuesField, i,
                      values[i].dtype);
    for (const std::string& dimension : values[i].shape) {
      const Result<DimensionExpression> expression = DimensionExpression::parse(dimension);
      if (!expression)
        return within(fmt::format("{}: value {}", valuesField, i), expression.error());
      if (!expression->variables().empty()) continue;
      if (const Result<int64_t> size = expression->evaluate({}); !size || *size < 0)
        return badInput("{}: value {} has the dimension {}; it must be 0 or more", valuesField, i,
                        dimension);
    }
  }
  return {};
}

Status checkSharding(const Sharding& sharding, std::string_view field) {
  if (sharding.kind == Sharding::Kind::kNamedSharding) {
    if (!sharding.named) return badInput("{}: a named sharding is missing", field);
    const AbstractMesh& mesh = sharding.named->mesh;
    if (mesh.axisNames.size() != mesh.axisSizes.size() ||
        (!mesh.axisTypes.empty() && mesh.axisTypes.size() != mesh.axisSizes.size()))
      return badInput("{}: its mesh has {} axis sizes, {} names and {} types", field,
                      mesh.axisSizes.size(), mesh.axisNames.size(), mesh.axisTypes.size());
    for (const auto& partition : sharding.named->spec.partitions)
      for (const std::string& axis : partition.value_or(std::vector<std::string>()))
        if (std::ranges::find(mesh.axisNames, axis) == mesh.axisNames.end())
          return badInput("{}: it partitions along '{}', which its mesh does not have", field,
                          axis);
  } else if (sharding.named) {
    return badInput("{}: a sharding that is not a named one names a mesh", field);
  }
  return {};
}

Status checkShardings(const std::vector<Sharding>& shardings, size_t values,
                      std::string_view field) {
  if (shardings.size() != values)
    return badInput("{} has {} entries for {} values", field, shardings.size(), values);
  for (size_t i = 0; i < shardings.size(); ++i)
    RETURN_IF_ERROR(checkSharding(shardings[i], fmt::format("{} {}", field, i)));
  return {};
}

}  // namespace

Status validateExported(const Exported& exported) {
  RETURN_IF_ERROR(checkValues(exported.inputs, exported.inputTree, "in_avals", "in_tree"));
  RETURN_IF_ERROR(checkValues(exported.outputs, exported.outputTree, "out_avals", "out_tree"));
  if (Status status =
          checkShardings(exported.inputShardings, exported.inputs.size(), "in_shardings");
      !status)
    return status;
  if (Status status =
          checkShardings(exported.outputShardings, exported.outputs.size(), "out_shardings");
      !status)
    return status;
  if (exported.deviceCount == 0) return badInput("nr_devices: it is for 0 devices");
  if (exported.module.empty()) return badInput("mlir_module_serialized: there is no module");
  for (size_t i = 0; i < exported.keptInputs.size(); ++i) {
    if (exported.keptInputs[i] >= exported.inputs.size())
      return badInput("module_kept_var_idx: input {} is kept, but there are {} inputs",
                      exported.keptInputs[i], exported.inputs.size());
    if (i > 0 && exported.keptInputs[i] <= exported.keptInputs[i - 1])
      return badInput("module_kept_var_idx: input {} follows input {}; they must increase",
                      exported.keptInputs[i], exported.keptInputs[i - 1]);
  }
  // Convention 6 made the platforms mandatory.
  if (exported.platforms.empty() && exported.callingConventionVersion >= 6)
    return badInput("platforms: there must be at least one");
  if (exported.vjp) RETURN_IF_ERROR(within("vjp", validateExported(*exported.vjp)));
  return {};
}

bool sameContent(const Exported& a, const Exported& b) {
  const auto fields = [](const Exported& e) {
    return std::tie(e.functionName, e.inputTree, e.outputTree, e.inputs, e.outputs, e.deviceCount,
                    e.inputShardings, e.outputShardings, e.platforms, e.orderedEffects,
                    e.unorderedEffects, e.disabledChecks, e.module, e.callingConventionVersion,
                    e.keptInputs, e.usesGlobalConstants);
  };
  if (fields(a) != fields(b) || !a.vjp != !b.vjp) return false;
  return !a.vjp || sameContent(*a.vjp, *b.vjp);
}

}  // namespace vintage::golden
