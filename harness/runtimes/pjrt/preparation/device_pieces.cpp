#include "harness/runtimes/pjrt/preparation/artifact_preparer.h"

#include <fmt/format.h>

#include "golden/base/failures.h"
#include "harness/engine/sharding_attributes.h"

namespace vintage::harness {
using namespace golden;

namespace {

bool isPlaced(const AttributeMap& attributes, const ModuleTree& module) {
  if (attributes.contains("mhlo.sharding")) return true;
  const auto* fields = attributeField<AttributeMap>(attributes, "sdy.sharding");
  const auto* name = fields ? attributeField<std::string>(*fields, "mesh") : nullptr;
  if (!name) return false;
  const auto mesh = readMesh(module, *name);
  // One with open dimensions cannot be read.
  return mesh && readSharding(*fields, *mesh);
}

}  // namespace

std::vector<size_t> openResults(const ModuleTree& module, const Function& main) {
  std::vector<size_t> open;
  for (size_t i = 0; i < main.resultTypes.size(); ++i)
    if (main.resultTypes[i].kind == ValueType::Kind::kTensor &&
        (i >= main.resultAttributes.size() || !isPlaced(main.resultAttributes[i], module)))
      open.push_back(i);
  return open;
}

Status spreadOver(const Placements& placements, std::span<const Tensor> arguments,
                  std::span<const Shape> outputs, PreparedProgram& prepared) {
  if (placements.inputs.size() != arguments.size() || placements.outputs.size() != outputs.size())
    return badInput("{} arguments and {} outputs are placed; there are {} and {}",
                    placements.inputs.size(), placements.outputs.size(), arguments.size(),
                    outputs.size());
  ASSIGN_OR_RETURN(prepared.arguments,
                   splitRows(placements.inputs, arguments, prepared.devices, "argument"));
  for (size_t i = 0; i < outputs.size(); ++i) {
    const DevicePlacement& placement = placements.outputs[i];
    ASSIGN_OR_RETURN(auto local,
                     within(fmt::format("output {}", i), placement.localShape(outputs[i])));
    OutputPieces& output = prepared.outputs.emplace_back(outputs[i], std::vector<Shape>());
    for (size_t device = 0; device < prepared.devices; ++device) {
      Shape start = placement.pieceOn(static_cast<int64_t>(device));
      for (size_t d = 0; d < start.size(); ++d) start[d] *= local[d];
      output.starts.push_back(std::move(start));
    }
  }
  return {};
}

}  // namespace vintage::harness
