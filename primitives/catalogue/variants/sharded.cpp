// Primitives over 2 to 8 logical devices (sharded): in a shard_map, piece by
// piece, and as whole programs whose values lie on the devices in every manner.
#include <algorithm>

#include <fmt/format.h>

#include "primitives/catalogue/case_list.h"
#include "primitives/catalogue/variants/shard_map.h"

namespace vintage::primitives {
using namespace golden;

namespace {

// Element by element every device does its piece: any such case, on pieces.
constexpr std::string_view kPieceByPiece[] = {
    "add", "convert_element_type", "div", "exp", "log", "lt", "max", "mul", "neg", "sin", "sub",
    "tanh"};

// How a whole program's operands and results lie: copied, split along a part of
// the mesh and copied along the rest, along both axes in one dimension, and given
// back otherwise than taken.
struct WholeProgram {
  const char* label;
  size_t mesh;  // Among logicalMeshes().
  Layout in, out;
};

const WholeProgram kWholePrograms[] = {
    {"copies", 0, {{}, {}}, {{}, {}}},
    {"partly", 2, {{"y"}, {}}, {{"y"}, {}}},
    {"both", 3, {{"y", "x"}, {}}, {{"y", "x"}, {}}},
    {"moved", 2, {{"x"}, {}}, {{}, {"y"}}},
    {"gathered", 1, {{"x"}, {}}, {{}, {}}},
};

void addWholePrograms(CaseList& cases, const CaseSpecification& base) {
  const ElementType type = base.arguments[0].type;
  if (type != ElementType::kF32 && type != ElementType::kI32) return;
  for (const WholeProgram& use : kWholePrograms) {
    const LogicalMesh& mesh = logicalMeshes()[use.mesh];
    CaseSpecification specification = base;
    specification.label +=
        fmt::format("{}{}_{}", base.label.empty() ? "" : "_", mesh.label(), use.label);
    for (TensorType& argument : specification.arguments) argument.shape = {8, 6};
    cases.add(onMeshCase(std::move(specification),
                         {mesh, std::vector<Layout>(base.arguments.size(), use.in), {use.out}}));
  }
}

}  // namespace

void addShardedVariants(CaseList& cases) {
  for (const Specification& base : cases.firstOfEach([](const CaseSpecification& base) {
         if (base.makeInputs || base.arguments.empty() ||
             !std::ranges::binary_search(kPieceByPiece, std::string_view(base.primitive)))
           return false;
         const Shape& shape = base.arguments[0].shape;
         return shape.size() == 2 && elementCount(shape) != 0 &&
                std::ranges::all_of(base.arguments, [&](const TensorType& argument) {
                  return argument.shape == shape;
                });
       })) {
    for (const LogicalMesh& mesh : {logicalMeshes()[0], logicalMeshes()[2]}) {
      CaseSpecification specification = *base;
      specification.label += (base->label.empty() ? "" : "_") + mesh.label();
      for (TensorType& argument : specification.arguments) argument.shape = {4, 6};
      const Layout layout = mesh.names.size() == 1 ? Layout{{"x"}, {}} : Layout{{"x"}, {"y"}};
      cases.add(onMeshCase(specification, {mesh,
                                           std::vector<Layout>(base->arguments.size(), layout),
                                           {layout},
                                           [base](FunctionBuilder& builder, Arguments values) {
                                             return base->emit(builder, values);
                                           }}));
    }
    addWholePrograms(cases, *base);
  }
}

}  // namespace vintage::primitives
