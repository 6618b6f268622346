// Exports over 2 to 8 logical devices (sharded): a shard_map whose body runs on
// each device's piece, with collectives between them, and what the Exported
// records of the shardings.
#include <algorithm>
#include <functional>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "golden/oracle/data_movement.h"
#include "golden/oracle/reduction.h"
#include "primitives/families.h"

namespace vintage {
namespace {

struct Mesh {
  std::vector<std::string> names;
  std::vector<uint32_t> sizes;

  uint32_t count() const {
    uint32_t product = 1;
    for (uint32_t size : sizes) product *= size;
    return product;
  }
  std::string label() const { return fmt::format("mesh={}", fmt::join(sizes, "x")); }
};

const Mesh kMeshes[] = {{{"x"}, {2}}, {{"x"}, {4}}, {{"x", "y"}, {2, 2}}, {{"x", "y"}, {4, 2}}};

// The axes that split each dimension.
using Layout = std::vector<std::vector<std::string>>;

std::string layoutText(const Layout& layout) {
  std::vector<std::string> dimensions;
  for (const auto& axes : layout) {
    std::vector<std::string> quoted;
    for (const std::string& axis : axes) quoted.push_back('"' + axis + '"');
    dimensions.push_back(fmt::format("{{{}}}", fmt::join(quoted, ", ")));
  }
  return fmt::format("<@mesh, [{}]>", fmt::join(dimensions, ", "));
}

NamedSharding recorded(const Mesh& mesh, const Layout& layout) {
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

int64_t pieces(const Mesh& mesh, const std::vector<std::string>& axes) {
  int64_t count = 1;
  for (const std::string& axis : axes) {
    const auto found = std::ranges::find(mesh.names, axis);
    count *= mesh.sizes[static_cast<size_t>(found - mesh.names.begin())];
  }
  return count;
}

Shape localShape(const Mesh& mesh, const Layout& layout, Shape shape) {
  for (size_t i = 0; i < shape.size(); ++i) shape[i] /= pieces(mesh, layout[i]);
  return shape;
}

// Writes the body for local arguments.
using Body = std::function<SsaValues(FunctionWriter&, std::span<const SsaValue>)>;

struct ShardMap {
  Mesh mesh;
  std::vector<Layout> in, out;
  Body body;
};

LoweredCase lowerShardMap(const CaseSpecification& specification, const ShardMap& map,
                          const std::string& platform) {
  ModuleWriter module("jit_" + specification.primitive);
  module.setAttribute("mhlo.num_partitions", fmt::format("{} : i32", map.mesh.count()));
  std::vector<std::string> axes, quoted;
  for (size_t i = 0; i < map.mesh.names.size(); ++i) {
    axes.push_back(fmt::format("\"{}\"={}", map.mesh.names[i], map.mesh.sizes[i]));
    quoted.push_back('"' + map.mesh.names[i] + '"');
  }
  module.addDeclaration(fmt::format("sdy.mesh @mesh = <[{}]>", fmt::join(axes, ", ")));

  std::vector<TensorType> types, local;
  std::vector<std::string> inTexts, outTexts, inAttributes, outAttributes;
  for (size_t i = 0; i < specification.arguments.size(); ++i) {
    const CaseArgument& argument = specification.arguments[i];
    types.push_back({argument.type, argument.shape});
    local.push_back({argument.type, localShape(map.mesh, map.in[i], argument.shape)});
    inTexts.push_back(layoutText(map.in[i]));
    inAttributes.push_back("sdy.sharding = #sdy.sharding" + inTexts.back());
  }
  for (const Layout& layout : map.out) {
    outTexts.push_back(layoutText(layout));
    outAttributes.push_back("sdy.sharding = #sdy.sharding" + outTexts.back());
  }
  FunctionWriter& main = module.function("main", types);
  main.setArgumentAttributes(inAttributes);
  main.setResultAttributes(outAttributes);
  FunctionWriter& body = module.function("shmap_body", local);
  body.finish(map.body(body, body.arguments()));

  std::vector<TensorType> results = body.results();
  for (size_t i = 0; i < results.size(); ++i) {
    for (size_t d = 0; d < results[i].shape.size(); ++d) {
      results[i].shape[d] *= pieces(map.mesh, map.out[i][d]);
    }
  }
  const SsaValues values = main.beginOperation(
      results, fmt::format("sdy.manual_computation({}) in_shardings=[{}] out_shardings=[{}] "
                           "manual_axes={{{}}} (",
                           namesText(main.arguments()), fmt::join(inTexts, ", "),
                           fmt::join(outTexts, ", "), fmt::join(quoted, ", ")));
  const SsaValues inner = main.enterRegion(local);
  std::vector<std::string> declared;
  for (const SsaValue& value : inner) {
    declared.push_back(fmt::format("{}: {}", value.name, typeText(value)));
  }
  main.append(fmt::format("{}) {{\n", fmt::join(declared, ", ")));
  const SsaValues returned = main.call("shmap_body", inner, body.results());
  main.startLine();
  main.append(fmt::format("sdy.return {} : {}\n", namesText(returned), typesText(returned)));
  main.leaveRegion();
  main.append(fmt::format("}} : ({}) -> ({})", typesText(main.arguments()), typesText(values)));
  main.endOperation();
  main.finish(values);

  LoweredCase lowered = describeLowering(specification, main.results(), platform);
  lowered.text = module.text();
  lowered.deviceCount = map.mesh.count();
  for (const Layout& layout : map.in) lowered.inputShardings.push_back(recorded(map.mesh, layout));
  for (const Layout& layout : map.out) lowered.outputShardings.push_back(recorded(map.mesh, layout));
  return lowered;
}

void addShardMap(CaseList& cases, CaseSpecification specification, ShardMap map) {
  specification.variant = "sharded";
  specification.emit = {};
  auto base = std::make_shared<const CaseSpecification>(specification);
  specification.lower = [base, map = std::move(map)](const std::string& platform) {
    return lowerShardMap(*base, map, platform);
  };
  cases.add(std::move(specification));
}

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
       for (uint32_t i = 0; i < count; ++i) pairs.push_back(fmt::format("[{}, {}]", i, (i + 1) % count));
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
                   const Mesh& mesh) {
  const uint32_t count = mesh.count();
  const Shape shape{2 * int64_t{count} * count, 3};
  const Layout split{mesh.names, {}}, whole{{}, {}};
  const double unit = count * epsilonOf(isInteger(type) || isPredicate(type) ? ElementType::kF32 : type);
  const bool rounds = declared.terms > 0 && !isInteger(type);
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
               [&declared, count](FunctionWriter& writer, std::span<const SsaValue> x) -> SsaValues {
                 return {declared.emit(writer, x[0], count)};
               }});
}

// Element by element every device does its piece: any such case, on pieces.
constexpr std::string_view kPieceByPiece[] = {"add", "convert_element_type", "div", "exp", "log",
                                              "lt",  "max", "mul", "neg", "sin", "sub", "tanh"};

}  // namespace

VINTAGE_FAMILY(addCollectiveCases) {
  for (const Collective& declared : kCollectives) {
    for (ElementType type : declared.types()) {
      addCollective(cases, declared, type, kMeshes[0]);
      if (type != ElementType::kF32 && type != ElementType::kI32) continue;
      for (const Mesh& mesh : std::span(kMeshes).subspan(1)) addCollective(cases, declared, type, mesh);
    }
  }
}

void addShardedVariants(CaseList& cases) {
  std::vector<std::shared_ptr<const CaseSpecification>> chosen;
  std::set<std::pair<std::string, std::vector<ElementType>>> seen;
  for (size_t i = 0; i < cases.cases().size(); ++i) {
    const auto& base = cases.specifications()[i];
    if (base->variant != "static" || !base->emit || base->makeInputs || base->arguments.empty() ||
        !std::ranges::binary_search(kPieceByPiece, std::string_view(base->primitive)))
      continue;
    const Shape& shape = base->arguments[0].shape;
    const bool uniform = std::ranges::all_of(
        base->arguments, [&](const CaseArgument& argument) { return argument.shape == shape; });
    if (!uniform || shape.size() != 2 || elementCount(shape) == 0) continue;
    if (seen.emplace(base->primitive, cases.cases()[i].dtypes).second) chosen.push_back(base);
  }
  for (const auto& base : chosen) {
    for (const Mesh& mesh : {kMeshes[0], kMeshes[2]}) {
      CaseSpecification specification = *base;
      specification.label += (base->label.empty() ? "" : "_") + mesh.label();
      for (CaseArgument& argument : specification.arguments) argument.shape = {4, 6};
      const Layout layout = mesh.names.size() == 1 ? Layout{{"x"}, {}} : Layout{{"x"}, {"y"}};
      addShardMap(cases, specification,
                  {mesh, std::vector<Layout>(base->arguments.size(), layout), {layout},
                   [base](FunctionWriter& writer, std::span<const SsaValue> values) {
                     return base->emit(writer, values, base->platforms[0]);
                   }});
    }
  }
}

}  // namespace vintage
