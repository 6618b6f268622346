// Collectives between 2 to 8 logical devices, in a shard_map (sharded).
#include <numeric>

#include "golden/oracle/data_movement.h"
#include "golden/oracle/reduction.h"
#include "primitives/catalogue/case_list.h"
#include "primitives/catalogue/variants/shard_map.h"

namespace vintage::primitives {
using namespace golden;

namespace {

using NamedAttribute = AttributeMap::value_type;

// One group of all devices.
NamedAttribute groups(uint32_t count) {
  Tensor ids(ElementType::kI64, {1, count});
  const std::span<int64_t> values = ids.mutableValues<int64_t>();
  std::iota(values.begin(), values.end(), 0);
  return {"replica_groups", ids};
}

const NamedAttribute kChannel{"channel_handle", AttributeMap{{"handle", 1}, {"type", 1}}};
const NamedAttribute kGlobalIds{"use_global_device_ids", {true, std::nullopt}};

SsaValue collective(std::string_view name, const SsaValue& operand, Shape shape,
                    AttributeMap attributes, std::string_view function = "") {
  std::vector<Region> regions;
  if (!function.empty()) {
    const TensorType scalar{operand.type, {}};
    regions.push_back(operand.builder->region({scalar, scalar}, [&](Arguments pair) -> SsaValues {
      return {same(function, pair[0], pair[1])};
    }));
  }
  return emitOne({operand.type, std::move(shape)}, name, {operand}, std::move(attributes),
                 std::move(regions));
}

// The rows of a global array as [device, rows of one device, …].
Tensor byDevice(const Tensor& global, int64_t count) {
  Shape shape = global.shape();
  shape[0] /= count;
  shape.insert(shape.begin(), count);
  return global.reshaped(shape).value();
}

// A collective over one line of `count` devices; the first dimension is split.
struct Collective {
  const char* primitive;
  std::span<const ElementType> types;
  bool splitResult;
  int terms;  // Sums round: as many as there are devices. 0: exact.
  SsaValue (*emit)(const SsaValue&, uint32_t count);
  Tensor (*expect)(const Tensor&, int64_t count);
};

template <int kFunction>
SsaValue emitReduce(const SsaValue& x, uint32_t count) {
  constexpr const char* kOperations[] = {"stablehlo.add", "stablehlo.maximum", "stablehlo.minimum"};
  return collective("stablehlo.all_reduce", x, x.shape, {kChannel, groups(count), kGlobalIds},
                    kOperations[kFunction]);
}

template <int kFunction>
Tensor expectReduce(const Tensor& x, int64_t count) {
  constexpr const char* kFunctions[] = {"add", "max", "min"};
  static constexpr int64_t kDevices[] = {0};
  return oracle::reduced(kFunctions[kFunction], byDevice(x, count), kDevices);
}

const Collective kCollectives[] = {
    {"psum", types::kNumbers, false, 1, emitReduce<0>, expectReduce<0>},
    {"pmax", types::kOrdered, false, 0, emitReduce<1>, expectReduce<1>},
    {"pmin", types::kOrdered, false, 0, emitReduce<2>, expectReduce<2>},
    {"all_gather", types::kAll, false, 0,
     [](const SsaValue& x, uint32_t count) {
       Shape shape = x.shape;
       shape[0] *= count;
       return collective("stablehlo.all_gather", x, shape,
                         {{"all_gather_dim", 0}, kChannel, groups(count), kGlobalIds});
     },
     [](const Tensor& x, int64_t) { return x; }},
    // Piece j of device i becomes piece i of device j.
    {"all_to_all", types::kAll, true, 0,
     [](const SsaValue& x, uint32_t count) {
       return collective("stablehlo.all_to_all", x, x.shape,
                         {kChannel,
                          {"concat_dimension", 0},
                          groups(count),
                          {"split_count", int64_t{count}},
                          {"split_dimension", 0}});
     },
     [](const Tensor& x, int64_t count) {
       Shape shape = x.shape();
       shape[0] /= count * count;
       shape.insert(shape.begin(), {count, count});
       static constexpr int64_t kSwapped[] = {1, 0, 2, 3};
       const Tensor grid = x.reshaped(shape).value();
       return oracle::transposed(grid, kSwapped).reshaped(x.shape()).value();
     }},
    // Each device gets what the one before it has.
    {"ppermute", types::kAll, true, 0,
     [](const SsaValue& x, uint32_t count) {
       Tensor pairs(ElementType::kI64, {count, 2});
       for (uint32_t i = 0; i < count; ++i) {
         pairs.mutableValues<int64_t>()[2 * i] = i;
         pairs.mutableValues<int64_t>()[2 * i + 1] = (i + 1) % count;
       }
       return collective("stablehlo.collective_permute", x, x.shape,
                         {kChannel, {"source_target_pairs", pairs}});
     },
     [](const Tensor& x, int64_t count) {
       const int64_t rows = x.shape()[0], step = rows / count;
       return oracle::gathered(x, x.shape(), [rows, step](const Shape& at) -> std::optional<Shape> {
         Shape from = at;
         from[0] = (at[0] - step + rows) % rows;
         return from;
       });
     }},
    {"reduce_scatter", types::kNumbers, true, 1,
     [](const SsaValue& x, uint32_t count) {
       Shape shape = x.shape;
       shape[0] /= count;
       return collective("stablehlo.reduce_scatter", x, shape,
                         {kChannel, groups(count), {"scatter_dimension", 0}, kGlobalIds},
                         "stablehlo.add");
     },
     [](const Tensor& x, int64_t count) { return expectReduce<0>(x, count); }},
    // The device's number, added to its piece.
    {"axis_index", types::kIntegers, true, 0,
     [](const SsaValue& x, uint32_t) {
       const SsaValue number =
           x.builder->emit({{ElementType::kUi32, {}}}, "stablehlo.partition_id", {})[0];
       const SsaValue typed = convert(number, x.type);
       return same("stablehlo.add", x, broadcast(typed, x.shape));
     },
     [](const Tensor& x, int64_t count) {
       const int64_t each = x.size() / count;
       return oracle::eachElement(x.type(), x.shape(), [&](int64_t i) {
         return oracle::Number{oracle::load(x, i).integer + i / each};
       });
     }},
};

void addCollective(CaseList& cases, const Collective& declared, ElementType type,
                   const LogicalMesh& mesh) {
  const uint32_t count = mesh.count();
  const Shape shape{2 * int64_t{count} * count, 3};
  const Layout split{mesh.names, {}}, whole{{}, {}};
  const bool rounds = declared.terms > 0 && !isInteger(type);
  const double unit = rounds ? count * epsilonOf(type) : 0;
  cases.add(onMeshCase(
      {.primitive = declared.primitive,
       .label = mesh.label(),
       .arguments = {{type, shape}},
       .expect = [&declared, count](Tensors inputs) { return declared.expect(inputs[0], count); },
       .oracle = rounds ? "quadruple" : "definition",
       .comparators = {rounds ? withinRelative(2 * unit, 10 * unit) : exactly()}},
      {mesh,
       {split},
       {declared.splitResult ? split : whole},
       [&declared, count](FunctionBuilder& builder, Arguments x) {
         return SsaValues{declared.emit(x[0], count)};
       }}));
}

}  // namespace

VINTAGE_FAMILY(addCollectiveCases) {
  const std::span<const LogicalMesh> meshes = logicalMeshes();
  for (const Collective& declared : kCollectives) {
    for (ElementType type : declared.types) {
      addCollective(cases, declared, type, meshes[0]);
      if (type != ElementType::kF32 && type != ElementType::kI32) continue;
      for (const LogicalMesh& mesh : meshes.subspan(1)) addCollective(cases, declared, type, mesh);
    }
  }
}

}  // namespace vintage::primitives
