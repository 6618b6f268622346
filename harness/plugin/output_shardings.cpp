#include "harness/plugin/compiled_program.h"

#include <map>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace vintage::harness {
using namespace golden;

namespace {

std::vector<std::string> shardingTexts(const std::vector<DevicePlacement>& placements) {
  std::vector<std::string> texts;
  for (const DevicePlacement& placement : placements) texts.push_back(hloShardingText(placement));
  return texts;
}

std::vector<std::string> typeTexts(const std::vector<ValueType>& types) {
  std::vector<std::string> texts;
  for (const ValueType& type : types) texts.push_back(type.text);
  return texts;
}

}  // namespace

std::string hloShardingText(const DevicePlacement& placement) {
  std::map<Shape, std::vector<int64_t>> holders;  // Of each piece, in the order of tiles.
  for (const int64_t device : placement.mesh.devices)
    holders[placement.pieceOn(device)].push_back(device);
  if (holders.size() < 2) return "{replicated}";
  Shape tiles = placement.pieces();
  const size_t copies = holders.begin()->second.size();
  std::vector<int64_t> devices;
  for (const auto& [piece, held] : holders) devices.insert(devices.end(), held.begin(), held.end());
  if (copies > 1) tiles.push_back(static_cast<int64_t>(copies));
  return fmt::format("{{devices=[{}]{}{}}}", fmt::join(tiles, ","), fmt::join(devices, ","),
                     copies > 1 ? " last_tile_dim_replicate" : "");
}

std::string signatureModule(const CompiledProgram& program) {
  const std::vector<std::string> results = shardingTexts(program.placements->outputs);
  std::vector<std::string> parameters, names, declared;
  const std::vector<std::string> types = typeTexts(program.arguments);
  for (const std::string& text : shardingTexts(program.placements->inputs))
    parameters.push_back(fmt::format("\"{}\"", text));
  for (size_t i = 0; i < types.size(); ++i) {
    names.push_back(fmt::format("%arg{}", i));
    declared.push_back(fmt::format("%arg{}: {}", i, types[i]));
  }
  const std::vector<std::string> given = typeTexts(program.results);
  std::vector<std::string> values;
  for (size_t i = 0; i < given.size(); ++i)
    values.push_back(given.size() == 1 ? "%0" : fmt::format("%0#{}", i));
  const std::string whole =
      results.size() == 1 ? results.front() : fmt::format("{{{}}}", fmt::join(results, ", "));
  const std::string call =
      given.empty()
          ? std::string()
          : fmt::format("    %0{} = stablehlo.custom_call @vintage_program({}) : ({}) -> {}{}{}\n",
                        given.size() == 1 ? "" : fmt::format(":{}", given.size()),
                        fmt::join(names, ", "), fmt::join(types, ", "),
                        given.size() == 1 ? "" : "(", fmt::join(given, ", "),
                        given.size() == 1 ? "" : ")");
  return fmt::format(
      "module @{} attributes {{mhlo.num_partitions = {} : i32, mhlo.num_replicas = 1 : i32, "
      "mhlo.spmd_output_sharding = \"{}\", mhlo.spmd_parameters_shardings = [{}]}} {{\n"
      "  func.func public @main({}) -> ({}) {{\n{}    return{}{}{}{}\n  }}\n}}\n",
      program.name, program.request.grid.partitions, whole, fmt::join(parameters, ", "),
      fmt::join(declared, ", "), fmt::join(given, ", "), call, values.empty() ? "" : " ",
      fmt::join(values, ", "), values.empty() ? "" : " : ", fmt::join(given, ", "));
}

}  // namespace vintage::harness
