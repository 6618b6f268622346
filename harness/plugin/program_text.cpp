#include "harness/plugin/program_text.h"

#include <algorithm>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include <fmt/ranges.h>

#include "golden/base/failures.h"
#include "golden/program/entry_changes.h"
#include "harness/plugin/sharding_messages.h"

namespace vintage::harness {
using namespace golden;

namespace {

template <typename Element, typename Text>
std::vector<std::string> textsOf(const std::vector<Element>& list, Text text) {
  std::vector<std::string> texts;
  for (const Element& each : list) texts.push_back(std::invoke(text, each));
  return texts;
}

// The shardings of values. Tokens have no placement.
std::vector<std::string> shardingTexts(std::span<const ValueType> types,
                                       std::span<const DevicePlacement> placements) {
  std::vector<std::string> texts;
  size_t placed = 0;
  for (const ValueType& type : types)
    texts.push_back(isToken(type) ? "{replicated}" : hloShardingText(placements[placed++]));
  return texts;
}

// For clients that translate MLIR to HLO: "[dense<[0, 1]> : tensor<2xindex>]". A token has none.
std::vector<std::pair<std::string, std::string>> layoutAttributes(const CompiledProgram& program) {
  const auto listed = [](const std::vector<ValueType>& types,
                         const std::vector<DimensionOrder>& orders) {
    std::vector<std::string> texts;
    for (size_t i = 0; i < types.size(); ++i)
      texts.push_back(isToken(types[i])
                          ? "[]"
                          : fmt::format("dense<[{}]> : tensor<{}xindex>",
                                        fmt::join(orders[i], ", "), orders[i].size()));
    return fmt::format("[{}]", fmt::join(texts, ", "));
  };
  std::string results = listed(program.results, program.layouts.results);
  // Several results are one tuple.
  if (program.results.size() != 1) results = fmt::format("[{}]", results);
  return {{"mhlo.xla_entry_computation_parameter_layouts",
           listed(program.arguments, program.layouts.arguments)},
          {"mhlo.xla_entry_computation_result_layout", results}};
}

// Without what would end a text between quotes.
std::string withoutQuotes(std::string text) {
  std::erase_if(text, [](char each) { return each == '"' || each == '\\' || each < ' '; });
  return text;
}

// For clients that translate MLIR to HLO.
std::string shardingAttributes(const CompiledProgram& program) {
  if (!program.placements) return {};
  const std::vector<std::string> results =
      shardingTexts(program.results, program.placements->outputs);
  // An empty tuple has one sharding.
  const std::string whole = results.empty()       ? "{replicated}"
                            : results.size() == 1 ? results.front()
                                                  : fmt::format("{{{}}}", fmt::join(results, ", "));
  std::vector<std::string> parameters;
  for (const std::string& text : shardingTexts(program.arguments, program.placements->inputs))
    parameters.push_back(fmt::format("\"{}\"", text));
  return fmt::format(", mhlo.spmd_output_sharding = \"{}\", mhlo.spmd_parameters_shardings = [{}]",
                     whole, fmt::join(parameters, ", "));
}

std::string signatureModule(const CompiledProgram& program) {
  std::vector<std::string> names, declared;
  const std::vector<std::string> types = textsOf(program.arguments, &ValueType::text);
  for (size_t i = 0; i < types.size(); ++i) {
    names.push_back(fmt::format("%arg{}", i));
    declared.push_back(fmt::format("%arg{}: {}", i, types[i]));
  }
  const std::vector<std::string> given = textsOf(program.results, &ValueType::text);
  std::vector<std::string> values;
  for (size_t i = 0; i < given.size(); ++i)
    values.push_back(given.size() == 1 ? "%0" : fmt::format("%0#{}", i));
  const std::string call =
      given.empty()
          ? std::string()
          : fmt::format(
                "    %0{} = stablehlo.custom_call @vintage_program({}) {{backend_config = "
                "\"{}\"}} : ({}) -> {}{}{}\n",
                given.size() == 1 ? "" : fmt::format(":{}", given.size()), fmt::join(names, ", "),
                withoutQuotes(fmt::to_string(fmt::join(program.exchanges, "; "))),
                fmt::join(types, ", "), given.size() == 1 ? "" : "(", fmt::join(given, ", "),
                given.size() == 1 ? "" : ")");
  // The name of an operation of JAX has characters that no symbol without quotes has.
  const std::string name = withoutQuotes(program.name);
  std::string attributes = shardingAttributes(program);
  for (const auto& [name, text] : layoutAttributes(program))
    attributes += fmt::format(", {} = {}", name, text);
  return fmt::format(
      "module @\"{}\" attributes {{mhlo.num_partitions = {} : i32, mhlo.num_replicas = 1 : i32{}}} "
      "{{\n"
      "  func.func public @main({}) -> ({}) {{\n{}    return{}{}{}{}\n  }}\n}}\n",
      name, program.request.grid.partitions, attributes, fmt::join(declared, ", "),
      fmt::join(given, ", "), call, values.empty() ? "" : " ", fmt::join(values, ", "),
      values.empty() ? "" : " : ", fmt::join(given, ", "));
}

bool isOneComputation(const ModuleTree& module) {
  return module.functions.size() == 1 &&
         std::ranges::all_of(module.functions[0].body.blocks, [](const Block& block) {
           return std::ranges::all_of(block.operations, [](const Operation& operation) {
             return operation.regions.empty();
           });
         });
}

}  // namespace

Result<std::string> optimizedText(const CompiledProgram& program) {
  if (program.placements) return signatureModule(program);
  ProgramContext context;
  ASSIGN_OR_RETURN(const auto read, context.read(program.code, kProgramName));
  if (!program.layouts.annotated && !program.layouts.transposed) return read.print();
  ASSIGN_OR_RETURN(const auto tree, read.tree());
  // A client of JAX 0.4.33 takes the first computation for the entry, and ends where that is the
  // region of a sum.
  if (!isOneComputation(tree)) return signatureModule(program);
  ASSIGN_OR_RETURN(const auto annotated, withAttributes(read, layoutAttributes(program)));
  return annotated.print();
}

}  // namespace vintage::harness
