// Collectives over a mesh of one device, which one process can run: the axis has
// size one, the groups have one member. Meshes of several devices are variants.
#include <fmt/format.h>

#include "primitives/catalogue/families.h"
#include "primitives/lowering/fold.h"

namespace vintage::primitives::catalogue {
namespace {

constexpr const char* kChannel = "channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>";
constexpr const char* kGroups = "replica_groups = dense<0> : tensor<1x1xi64>";

SsaValue emitWithReducer(FunctionWriter& main, const SsaValue& x, const std::string& operation,
                         const std::string& attributes, std::string_view function) {
  const TensorType result{x.type, x.shape};
  const SsaValue reduced =
      main.beginOperation({&result, 1}, fmt::format("\"stablehlo.{}\"({}) <{{{}}}> ", operation,
                                                    x.name, attributes))
          .front();
  const TensorType scalars[] = {{x.type, {}}, {x.type, {}}};
  main.region(scalars, [&](std::span<const SsaValue> pair) -> SsaValues {
    return {combined(main, function, pair[0], pair[1])};
  });
  main.append(fmt::format(" : ({}) -> {}", typeText(x), typeText(x)));
  main.endOperation();
  return reduced;
}

template <const char* const& kFunction>
SsaValue writeReduction(FunctionWriter& main, const SsaValue& x) {
  return emitWithReducer(main, x, "all_reduce",
                         fmt::format("{}, {}, use_global_device_ids", kChannel, kGroups),
                         kFunction);
}
const char* const kSum = "add";
const char* const kMax = "max";
const char* const kMin = "min";

SsaValue writeScatter(FunctionWriter& main, const SsaValue& x) {
  return emitWithReducer(main, x, "reduce_scatter",
                         fmt::format("{}, {}, scatter_dimension = 0 : i64, use_global_device_ids",
                                     kChannel, kGroups),
                         kSum);
}

SsaValue writePlain(FunctionWriter& main, const SsaValue& x, const std::string& operation,
                    const std::string& attributes) {
  return main.emit(x.type, x.shape,
                   fmt::format("\"stablehlo.{}\"({}) <{{{}}}> : ({}) -> {}", operation, x.name,
                               attributes, typeText(x), typeText(x)));
}
SsaValue writeGather(FunctionWriter& main, const SsaValue& x) {
  return writePlain(main, x, "all_gather",
                    fmt::format("all_gather_dim = 0 : i64, {}, {}, use_global_device_ids", kChannel,
                                kGroups));
}
SsaValue writeExchange(FunctionWriter& main, const SsaValue& x) {
  return writePlain(main, x, "all_to_all",
                    fmt::format("{}, concat_dimension = 1 : i64, {}, split_count = 1 : i64, "
                                "split_dimension = 0 : i64",
                                kChannel, kGroups));
}
SsaValue writePermute(FunctionWriter& main, const SsaValue& x) {
  return writePlain(main, x, "collective_permute",
                    fmt::format("{}, source_target_pairs = dense<0> : tensor<1x2xi64>", kChannel));
}

struct Collective {
  const char* name;
  SsaValue (*write)(FunctionWriter&, const SsaValue&);
  std::span<const ElementType> (*types)();
};
const Collective kCollectives[] = {{"psum", writeReduction<kSum>, types::numbers},
                                   {"pmax", writeReduction<kMax>, types::numbers},
                                   {"pmin", writeReduction<kMin>, types::numbers},
                                   {"reduce_scatter", writeScatter, types::numbers},
                                   {"all_gather", writeGather, types::all},
                                   {"all_to_all", writeExchange, types::all},
                                   {"ppermute", writePermute, types::all}};

void addCollective(CaseList& cases, const Collective& collective, ElementType type) {
  cases.add({.primitive = collective.name,
             .label = "devices=1",
             .arguments = {{type, {2, 3}}},
             .domains = {domains::kFewEdges},
             .emit = [&collective](FunctionWriter& main, std::span<const SsaValue> arguments,
                                   const std::string&) -> SsaValues {
               return {collective.write(main, arguments[0])};
             },
             // What a single device gives to all of them comes back as it was.
             .expect = one([](std::span<const Tensor> inputs) -> Result<Tensor> {
               return inputs[0];
             }),
             .oracle = "definition"});
}

// The device's number along the axis, from its number in the whole mesh.
void addAxisIndex(CaseList& cases) {
  cases.add({.primitive = "axis_index",
             .label = "devices=1",
             .arguments = {{ElementType::kI32, {3}}},
             .emit = [](FunctionWriter& main, std::span<const SsaValue> arguments,
                        const std::string&) -> SsaValues {
               const SsaValue device = main.emit(ElementType::kUi32, {},
                                                 "stablehlo.partition_id : tensor<ui32>");
               const SsaValue one = main.constant(ElementType::kUi32, "1");
               const SsaValue along = main.same(
                   "stablehlo.remainder", main.same("stablehlo.divide", device, one), one);
               const SsaValue index = main.convert(along, ElementType::kI32);
               return {main.same("stablehlo.add", arguments[0], main.broadcast(index, Shape{3}))};
             },
             .expect = one([](std::span<const Tensor> inputs) -> Result<Tensor> {
               return inputs[0];
             }),
             .oracle = "definition"});
}

}  // namespace

VINTAGE_FAMILY(addSingleDeviceCollectiveCases) {
  for (const Collective& collective : kCollectives) {
    for (ElementType type : collective.types()) addCollective(cases, collective, type);
  }
  addAxisIndex(cases);
}

}  // namespace vintage::primitives::catalogue
