// Tokens of manual parts. They order effects, and the steps of each device run in order: a part
// takes and gives none.
#include <algorithm>
#include <functional>
#include <optional>

#include "harness/engine/planner.h"

namespace vintage::harness {
using namespace golden;

namespace {

constexpr std::string_view kManualComputation = "sdy.manual_computation";

using IsToken = std::function<bool(ValueId)>;

Operation makeToken(ValueId result, const std::string& location) {
  Operation token;
  token.name = "stablehlo.create_token";
  token.results = {result};
  token.location = location;
  return token;
}

// The tokens among `values`, which lose them.
std::vector<ValueId> takeTokens(std::vector<ValueId>& values, const IsToken& isToken) {
  std::vector<ValueId> tokens;
  std::ranges::copy_if(values, std::back_inserter(tokens), isToken);
  std::erase_if(values, isToken);
  return tokens;
}

// The shardings of `values` without those of tokens; false where there is not one for each.
bool dropShardings(Operation& part, const char* name, const std::vector<ValueId>& values,
                   const IsToken& isToken) {
  const auto found = part.attributes.find(name);
  if (found == part.attributes.end()) return false;
  auto* fields = std::get_if<AttributeMap>(&found->second.value);
  const auto list = fields ? fields->find("shardings") : AttributeMap::iterator();
  if (fields == nullptr || list == fields->end()) return false;
  auto* shardings = std::get_if<AttributeList>(&list->second.value);
  if (shardings == nullptr || shardings->size() != values.size()) return false;
  AttributeList kept;
  for (size_t i = 0; i < values.size(); ++i)
    if (!isToken(values[i])) kept.push_back((*shardings)[i]);
  *shardings = std::move(kept);
  return true;
}

// None where it takes and gives no token, or nothing else: then no sharding would name the mesh.
std::optional<std::vector<Operation>> withoutTokens(const Operation& operation,
                                                    const IsToken& isToken) {
  if (operation.name != kManualComputation || operation.regions.size() != 1 ||
      operation.regions[0].blocks.size() != 1 || operation.regions[0].blocks[0].operations.empty())
    return std::nullopt;
  Operation part = operation;
  if (!dropShardings(part, "in_shardings", part.operands, isToken) ||
      !dropShardings(part, "out_shardings", part.results, isToken))
    return std::nullopt;
  Block& body = part.regions[0].blocks[0];
  const auto before = takeTokens(part.operands, isToken);
  const auto after = takeTokens(part.results, isToken);
  const auto inside = takeTokens(body.arguments, isToken);
  takeTokens(body.operations.back().operands, isToken);
  if ((before.empty() && after.empty()) || (part.operands.empty() && part.results.empty()))
    return std::nullopt;
  std::vector<Operation> first;
  for (const ValueId token : inside) first.push_back(makeToken(token, part.location));
  body.operations.insert(body.operations.begin(), first.begin(), first.end());
  std::vector<Operation> all{std::move(part)};
  for (const ValueId token : after) all.push_back(makeToken(token, operation.location));
  return all;
}

}  // namespace

std::optional<Block> dropTokensOfManualParts(const Block& block, const Function& function) {
  if (std::ranges::find(block.operations, kManualComputation, &Operation::name) ==
      block.operations.end())
    return std::nullopt;
  const IsToken isToken = [&](ValueId value) {
    return value < function.valueTypes.size() && harness::isToken(function.valueTypes[value]);
  };
  Block changed{block.arguments, {}};
  bool any = false;
  for (const Operation& operation : block.operations) {
    auto replaced = withoutTokens(operation, isToken);
    any |= replaced.has_value();
    if (replaced)
      std::ranges::move(*replaced, std::back_inserter(changed.operations));
    else
      changed.operations.push_back(operation);
  }
  return any ? std::optional(std::move(changed)) : std::nullopt;
}

}  // namespace vintage::harness
