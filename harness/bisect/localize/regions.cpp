#include "harness/bisect/localize/regions.h"

#include <fmt/format.h>

#include "golden/base/failures.h"
#include "golden/program/excerpt.h"

namespace vintage::harness {
using namespace golden;

namespace {

constexpr const char* kCustomCall = "stablehlo.custom_call";

std::optional<size_t> branchTaken(const MainOperations& main, const Operation& operation,
                                  const std::vector<Tensor>& arguments) {
  const ValueId operand = operation.operands.at(0);
  std::optional<Tensor> chosen;
  if (const auto argument = main.argument(operand)) {
    chosen = arguments[main.tensorNumber(*argument)];
  } else if (const auto key = main.result(operand)) {
    const auto& attributes = main.operation(key->first).attributes;
    const auto value = attributes.find("value");
    if (value != attributes.end())
      if (const auto* tensor = std::get_if<Tensor>(&value->second.value)) chosen = *tensor;
  }
  if (!chosen || chosen->size() != 1) return std::nullopt;
  const auto value = integerOf(*chosen);
  if (!value) return std::nullopt;
  if (operation.name == "stablehlo.if") return *value ? 0 : 1;
  const auto branches = static_cast<int64_t>(operation.regions.size());
  return static_cast<size_t>(*value < 0 || *value >= branches ? branches - 1 : *value);
}

}  // namespace

Result<std::optional<InnerProgram>> openRegion(const Program& program,
                                               const std::vector<Tensor>& arguments,
                                               const ChooseTurn& chooseTurn,
                                               std::vector<std::string>& notes) {
  ASSIGN_OR_RETURN(auto main, MainOperations::of(program));
  if (main.size() == 0) return std::optional<InnerProgram>();
  const size_t last = main.size() - 1;
  const Operation& operation = main.operation(last);
  std::string inside;
  Result<Program> inner = usageError("");
  if (operation.name == "stablehlo.if" || operation.name == "stablehlo.case") {
    const auto branch = branchTaken(main, operation, arguments);
    if (!branch) return std::optional<InnerProgram>();
    inside = fmt::format("branch {} of {}", *branch, operation.name);
    inner = takingBranch(program, last, *branch);
  } else if (operation.name == "stablehlo.while") {
    ASSIGN_OR_RETURN(auto turn, chooseTurn(last));
    if (!turn) return std::optional<InnerProgram>();
    inside = fmt::format("turn {} of {}", *turn, operation.name);
    inner = unfoldingTurn(program, last, *turn - 1);
  } else {
    return std::optional<InnerProgram>();
  }
  if (inner) inner = inlineCalls(*inner);
  if (!inner) {
    notes.push_back("a region could not be searched: " + inner.error().message);
    return std::optional<InnerProgram>();
  }
  // The difference may be in the region, or in the operations that pass its values on.
  ASSIGN_OR_RETURN(auto innerMain, MainOperations::of(*inner));
  if (innerMain.size() == 0) return std::optional<InnerProgram>();
  return std::optional(InnerProgram{std::move(*inner), std::move(inside)});
}

std::string nameOf(const Operation& operation) {
  if (operation.name != kCustomCall) return operation.name;
  const auto target = operation.attributes.find("call_target_name");
  const auto* text = target == operation.attributes.end()
                         ? nullptr
                         : std::get_if<std::string>(&target->second.value);
  return text ? fmt::format("{} @{}", operation.name, *text) : operation.name;
}

bool addProducers(const MainOperations& main, std::set<size_t>& operations) {
  std::set<size_t> more;
  for (size_t number : operations)
    for (ValueId operand : main.operation(number).operands)
      if (const auto key = main.result(operand)) more.insert(key->first);
  const size_t before = operations.size();
  operations.insert(more.begin(), more.end());
  return operations.size() > before;
}

}  // namespace vintage::harness
