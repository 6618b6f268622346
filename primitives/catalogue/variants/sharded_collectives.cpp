// Collectives between 2 to 8 logical devices, in a shard_map (sharded).
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "golden/oracle/data_movement.h"
#include "golden/oracle/reduction.h"
#include "primitives/catalogue/families.h"
#include "primitives/catalogue/variants/shard_map.h"

namespace vintage::primitives::catalogue {
namespace {

// One group of all devices.
std::string groupText(uint32_t count) {
  std::vector<uint32_t> ids(count);
  for (uint32_t i = 0; i < count; ++i) ids[i] = i;
  return fmt::format("dense<[[{}]]> : tensor<1x{}xi64>", fmt::join(ids, ", "), count);
}

constexpr const char* kChannel =
    "channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>";

SsaValue collective(FunctionWriter& writer, std::string_view name, const SsaValue& operand,
                    Shape shape, const std::string& attributes, std::string_view function = "") {
  const TensorType result{operand.type, std::move(shape)};
  const SsaValue value =
      writer.beginOperation({&result, 1}, fmt::format("\"stablehlo.{}\"({}) <{{{}}}> ", name,
                                                      operand.name, attributes))[0];
  if (!function.empty()) {
    const TensorType scalars[] = {{operand.type, {}}, {operand.type, {}}};
    writer.region(scalars, [&](std::span<const SsaValue> pair) -> SsaValues {
      return {writer.same(function, pair[0], pair[1])};
    });
  }
  writer.append(fmt::format(" : ({}) -> {}", typeText(operand), typeText(value)));
  writer.endOperation();
  return value;
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
  std::span<const ElementType> (*types)();
  bool splitResult;
  int terms;  // Sums round: as many as there are devices. 0: exact.
  SsaValue (*emit)(FunctionWriter&, const SsaValue&, uint32_t count);
  Tensor (*expect)(const Tensor&, int64_t count);
};

std::string reduceAttributes(uint32_t count) {
  return fmt::format("{}, replica_groups = {}, use_global_device_ids", kChannel, groupText(count));
}

template <int kFunction>
SsaValue emitReduce(FunctionWriter& writer, const SsaValue& x, uint32_t count) {
  constexpr const char* kOperations[] = {"stablehlo.add", "stablehlo.maximum", "stablehlo.minimum"};
  return collective(writer, "all_reduce", x, x.shape, reduceAttributes(count),
                    kOperations[kFunction]);
}

template <int kFunction>
Tensor expectReduce(const Tensor& x, int64_t count) {
  constexpr const char* kFunctions[] = {"add", "max", "min"};
  static constexpr int64_t kDevices[] = {0};
  return oracle::reduced(kFunctions[kFunction], byDevice(x, count), kDevices);
}

const Collective kCollectives[] = {
    {"psum", types::numbers, false, 1, emitReduce<0>, expectReduce<0>},
    {"pmax", types::ordered, false, 0, emitReduce<1>, expectReduce<1>},
    {"pmin", types::ordered, false, 0, emitReduce<2>, expectReduce<2>},
    {"all_gather", types::all, false, 0,
     [](FunctionWriter& writer, const SsaValue& x, uint32_t count) {
       Shape shape = x.shape;
       shape[0] *= count;
       return collective(writer, "all_gather", x, shape,
                         fmt::format("all_gather_dim = 0 : i64, {}, replica_groups = {}, "
                                     "use_global_device_ids",
                                     kChannel, groupText(count)));
     },
     [](const Tensor& x, int64_t) { return x; }},
    // Piece j of device i becomes piece i of device j.
    {"all_to_all", types::all, true, 0,
     [](FunctionWriter& writer, const SsaValue& x, uint32_t count) {
       return collective(writer, "all_to_all", x, x.shape,
                         fmt::format("{}, concat_dimension = 0 : i64, replica_groups = {}, "
                                     "split_count = {} : i64, split_dimension = 0 : i64",
                                     kChannel, groupText(count), count));
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
    {"ppermute", types::all, true, 0,
     [](FunctionWriter& writer, const SsaValue& x, uint32_t count) {
       std::vector<std::string> pairs;
       for (uint32_t i = 0; i < count; ++i) {
         pairs.push_back(fmt::format("[{}, {}]", i, (i + 1) % count));
       }
       return collective(writer, "collective_permute", x, x.shape,
                         fmt::format("{}, source_target_pairs = dense<[{}]> : tensor<{}x2xi64>",
                                     kChannel, fmt::join(pairs, ", "), count));
     },
     [](const Tensor& x, int64_t count) {
       const int64_t rows = x.shape()[0], step = rows / count;
       return oracle::gathered(x, x.shape(), [rows, step](const Shape& at) -> std::optional<Shape> {
         Shape from = at;
         from[0] = (at[0] - step + rows) % rows;
         return from;
       });
     }},
    {"reduce_scatter", types::numbers, true, 1,
     [](FunctionWriter& writer, const SsaValue& x, uint32_t count) {
       Shape shape = x.shape;
       shape[0] /= count;
       return collective(writer, "reduce_scatter", x, shape,
                         fmt::format("{}, replica_groups = {}, scatter_dimension = 0 : i64, "
                                     "use_global_device_ids",
                                     kChannel, groupText(count)),
                         "stablehlo.add");
     },
     [](const Tensor& x, int64_t count) { return expectReduce<0>(x, count); }},
    // The device's number, added to its piece.
    {"axis_index", types::integers, true, 0,
     [](FunctionWriter& writer, const SsaValue& x, uint32_t) {
       const SsaValue number = writer.emit(ElementType::kUi32, {},
                                           "stablehlo.partition_id : tensor<ui32>");
       const SsaValue typed = writer.convert(number, x.type);
       return writer.same("stablehlo.add", x, writer.broadcast(typed, x.shape));
     },
     [](const Tensor& x, int64_t count) {
       Tensor result(x.type(), x.shape());
       const int64_t each = x.size() / count;
       for (int64_t i = 0; i < x.size(); ++i) {
         oracle::store(result, i, {oracle::load(x, i).integer + i / each});
       }
       return result;
     }},
};

void addCollective(CaseList& cases, const Collective& declared, ElementType type,
                   const LogicalMesh& mesh) {
  const uint32_t count = mesh.count();
  const Shape shape{2 * int64_t{count} * count, 3};
  const Layout split{mesh.names, {}}, whole{{}, {}};
  const bool rounds = declared.terms > 0 && !isInteger(type);
  const double unit = rounds ? count * epsilonOf(type) : 0;
  addShardMap(cases,
              {.primitive = declared.primitive,
               .label = mesh.label(),
               .arguments = {{type, shape}},
               .expect = one([&declared, count](std::span<const Tensor> inputs) -> Result<Tensor> {
                 return declared.expect(inputs[0], count);
               }),
               .oracle = rounds ? "quadruple" : "definition",
               .comparators = {rounds ? withinRelative(2 * unit, 10 * unit) : exactly()}},
              {mesh, {split}, {declared.splitResult ? split : whole},
               [&declared, count](FunctionWriter& writer, std::span<const SsaValue> x) {
                 return SsaValues{declared.emit(writer, x[0], count)};
               }});
}

}  // namespace

VINTAGE_FAMILY(addCollectiveCases) {
  const std::span<const LogicalMesh> meshes = logicalMeshes();
  for (const Collective& declared : kCollectives) {
    for (ElementType type : declared.types()) {
      addCollective(cases, declared, type, meshes[0]);
      if (type != ElementType::kF32 && type != ElementType::kI32) continue;
      for (const LogicalMesh& mesh : meshes.subspan(1)) addCollective(cases, declared, type, mesh);
    }
  }
}

}  // namespace vintage::primitives::catalogue
