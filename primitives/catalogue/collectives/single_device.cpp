// Collectives over a mesh of one device, which one process can run: the axis has
// size one, the groups have one member. Meshes of several devices are variants.
#include "primitives/catalogue/case_list.h"
#include "primitives/lowering/operations.h"

namespace vintage::primitives {
using namespace golden;

namespace {

using NamedAttribute = AttributeMap::value_type;
const NamedAttribute kChannel{"channel_handle", AttributeMap{{"handle", 1}, {"type", 1}}};
const NamedAttribute kGroups{"replica_groups", Tensor(ElementType::kI64, {1, 1})};
const NamedAttribute kGlobalIds{"use_global_device_ids", {true, std::nullopt}};

struct Collective {
  const char* name;
  std::span<const ElementType> types;
  const char* operation;
  AttributeMap attributes;
  const char* function = "";  // The function that a reduction folds with.
};
const AttributeMap kAllReduce{kChannel, kGroups, kGlobalIds};
const Collective kCollectives[] = {
    {"psum", types::kNumbers, "stablehlo.all_reduce", kAllReduce, "add"},
    {"pmax", types::kNumbers, "stablehlo.all_reduce", kAllReduce, "max"},
    {"pmin", types::kNumbers, "stablehlo.all_reduce", kAllReduce, "min"},
    {"reduce_scatter",
     types::kNumbers,
     "stablehlo.reduce_scatter",
     {kChannel, kGroups, {"scatter_dimension", 0}, kGlobalIds},
     "add"},
    {"all_gather",
     types::kAll,
     "stablehlo.all_gather",
     {{"all_gather_dim", 0}, kChannel, kGroups, kGlobalIds}},
    {"all_to_all",
     types::kAll,
     "stablehlo.all_to_all",
     {kChannel, {"concat_dimension", 1}, kGroups, {"split_count", 1}, {"split_dimension", 0}}},
    {"ppermute",
     types::kAll,
     "stablehlo.collective_permute",
     {kChannel, {"source_target_pairs", Tensor(ElementType::kI64, {1, 2})}}}};

SsaValue emitCollective(const Collective& collective, const SsaValue& x) {
  std::vector<Region> regions;
  if (*collective.function != '\0') regions.push_back(combiner(collective.function, x));
  return emitOne(typeOf(x), collective.operation, {x}, collective.attributes, std::move(regions));
}

CaseSpecification collectiveCase(const Collective& collective, ElementType type) {
  const bool scattered = collective.name == std::string_view("reduce_scatter");
  return {.primitive = collective.name,
          .label = "devices=1",
          .arguments = {{type, {2, 3}}},
          .domains = {domains::kFewEdges},
          .emit = [&collective](Arguments x) { return emitCollective(collective, x[0]); },
          // A single device gets its own value back.
          .expect = [](Tensors inputs) { return inputs[0]; },
          .oracle = "definition",
          // XLA may begin a scattered sum at zero, and 0 + -0 is 0.
          .comparators = {scattered ? withinUlps(type, 0) : exactly()}};
}

}  // namespace

VINTAGE_FAMILY(addSingleDeviceCollectiveCases) {
  for (const Collective& collective : kCollectives) {
    for (ElementType type : collective.types) cases.add(collectiveCase(collective, type));
  }
  // The device's number along the axis, from its number in the whole mesh.
  cases.add({.primitive = "axis_index",
             .label = "devices=1",
             .arguments = {{ElementType::kI32, {3}}},
             .emit =
                 [](FunctionBuilder& main, Arguments x) {
                   const SsaValue device =
                       main.emit({{ElementType::kUi32, {}}}, "stablehlo.partition_id", {})[0];
                   const SsaValue one = main.constant(ElementType::kUi32, 1);
                   const SsaValue along = same("stablehlo.remainder", device / one, one);
                   const SsaValue index = convert(along, ElementType::kI32);
                   return same("stablehlo.add", x[0], broadcast(index, Shape{3}));
                 },
             .expect = [](Tensors inputs) { return inputs[0]; },
             .oracle = "definition"});
}

}  // namespace vintage::primitives
