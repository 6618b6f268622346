#include "primitives/catalogue/variants/shard_map.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace vintage::primitives {
using namespace golden;

namespace {

// As Shardy says it.
Attribute shardingOf(const Layout& layout) {
  AttributeList dimensions;
  for (const auto& axes : layout) {
    AttributeList names;
    for (const std::string& axis : axes) names.push_back(AttributeMap{{"name", axis}});
    dimensions.push_back(AttributeMap{{"axes", std::move(names)}});
  }
  return AttributeMap{{"mesh", "mesh"}, {"dimensions", std::move(dimensions)}};
}

Attribute shardingsOf(const std::vector<Layout>& layouts) {
  AttributeList shardings;
  for (const Layout& layout : layouts) shardings.push_back(shardingOf(layout));
  return AttributeMap{{"shardings", std::move(shardings)}};
}

NamedSharding recorded(const LogicalMesh& mesh, const Layout& layout) {
  NamedSharding sharding;
  sharding.mesh.axisSizes = mesh.sizes;
  sharding.mesh.axisNames = mesh.names;
  sharding.mesh.axisTypes.assign(mesh.names.size(), AbstractMesh::AxisType::kAuto);
  for (const auto& axes : layout) {
    sharding.spec.partitions.emplace_back();
    if (!axes.empty()) sharding.spec.partitions.back() = axes;
  }
  return sharding;
}

int64_t pieces(const LogicalMesh& mesh, const std::vector<std::string>& axes) {
  int64_t count = 1;
  for (const std::string& axis : axes) {
    const auto found = std::ranges::find(mesh.names, axis);
    count *= mesh.sizes[static_cast<size_t>(found - mesh.names.begin())];
  }
  return count;
}

Shape localShape(const LogicalMesh& mesh, const Layout& layout, Shape shape) {
  for (size_t i = 0; i < shape.size(); ++i) shape[i] /= pieces(mesh, layout[i]);
  return shape;
}

// The module's mesh, where the values of main lie, and what `fill` makes of main.
LoweredCase lowerOnMesh(const CaseSpecification& specification, const ShardMap& map,
                        const std::string& platform, const Profile& profile,
                        const std::function<SsaValues(FunctionBuilder& main)>& fill) {
  LoweredCase lowered = lowerMain(specification, platform, profile, [&](FunctionBuilder& main) {
    ModuleBuilder& module = main.module();
    module.setAttribute("mhlo.num_partitions", {int64_t{map.mesh.count()}, kInt});
    AttributeList axes;
    for (size_t i = 0; i < map.mesh.names.size(); ++i) {
      axes.push_back(
          AttributeMap{{"name", map.mesh.names[i]}, {"size", int64_t{map.mesh.sizes[i]}}});
    }
    Operation mesh;
    mesh.name = "sdy.mesh";
    mesh.attributes = {{"sym_name", "mesh"}, {"mesh", AttributeMap{{"axes", std::move(axes)}}}};
    module.addDeclaration(std::move(mesh));
    std::vector<AttributeMap> in, out;
    for (const Layout& layout : map.in) in.push_back({{"sdy.sharding", shardingOf(layout)}});
    for (const Layout& layout : map.out) out.push_back({{"sdy.sharding", shardingOf(layout)}});
    main.setAttributes(std::move(in), std::move(out));
    main.finish(fill(main));
  });
  lowered.deviceCount = map.mesh.count();
  for (const Layout& layout : map.in) lowered.inputShardings.push_back(recorded(map.mesh, layout));
  for (const Layout& layout : map.out)
    lowered.outputShardings.push_back(recorded(map.mesh, layout));
  return lowered;
}

SsaValues emitShardMap(FunctionBuilder& main, const ShardMap& map) {
  Types local;
  for (size_t i = 0; i < main.arguments().size(); ++i) {
    const SsaValue& argument = main.arguments()[i];
    local.push_back({argument.type, localShape(map.mesh, map.in[i], argument.shape)});
  }
  FunctionBuilder& body = main.module().function("shmap_body", local);
  body.finish(map.body(body, body.arguments()));
  Types results = body.results();
  for (size_t i = 0; i < results.size(); ++i) {
    for (size_t d = 0; d < results[i].shape.size(); ++d)
      results[i].shape[d] *= pieces(map.mesh, map.out[i][d]);
  }
  Region inner = main.region(
      local, [&](Arguments values) { return main.call("shmap_body", values, body.results()); },
      "sdy.return");
  AttributeList axes(map.mesh.names.begin(), map.mesh.names.end());
  return main.emit(results, "sdy.manual_computation", main.arguments(),
                   {{"in_shardings", shardingsOf(map.in)},
                    {"out_shardings", shardingsOf(map.out)},
                    {"manual_axes", AttributeMap{{"axes", std::move(axes)}}}},
                   {std::move(inner)});
}

}  // namespace

uint32_t LogicalMesh::count() const {
  uint32_t product = 1;
  for (uint32_t size : sizes) product *= size;
  return product;
}

std::string LogicalMesh::label() const { return fmt::format("mesh={}", fmt::join(sizes, "x")); }

std::span<const LogicalMesh> logicalMeshes() {
  static const LogicalMesh kMeshes[] = {
      {{"x"}, {2}}, {{"x"}, {4}}, {{"x", "y"}, {2, 2}}, {{"x", "y"}, {4, 2}}};
  return kMeshes;
}

CaseSpecification onMeshCase(CaseSpecification specification, ShardMap map) {
  specification.variant = "sharded";
  const auto base = std::make_shared<const CaseSpecification>(specification);
  specification.emit = {};
  specification.lower = [base, map = std::move(map)](const std::string& platform,
                                                     const Profile& profile) {
    return lowerOnMesh(*base, map, platform, profile, [&](FunctionBuilder& main) {
      return map.body ? emitShardMap(main, map) : base->emit(main);
    });
  };
  return specification;
}

}  // namespace vintage::primitives
