#include "harness/bisect/localize/regions.h"

#include <fmt/format.h>

#include "golden/program/excerpt.h"
#include "harness/bisect/localize/main_operations.h"
#include "harness/bisect/localize/whole_program.h"

namespace vintage::harness::bisect {
namespace {

constexpr int64_t kMostTurns = int64_t{1} << 40;

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

// Counted from 1. A loop that differs after k turns is taken to differ after more.
Result<std::optional<int64_t>> firstTurnThatDiffers(BothSides& sides, const Program& program,
                                                    size_t loop,
                                                    const std::vector<Tensor>& arguments) {
  const auto differs = [&](int64_t turns) -> Result<bool> {
    ASSIGN_OR_RETURN(auto limited, limitingTurns(program, loop, turns));
    ASSIGN_OR_RETURN(auto seen, sides.run(limited, arguments));
    return seen.failure || seen.difference.has_value();
  };
  int64_t low = 0, high = 1;
  for (;; low = high, high *= 2) {
    if (high > kMostTurns) return std::optional<int64_t>();
    ASSIGN_OR_RETURN(auto now, differs(high));
    if (now) break;
  }
  while (high - low > 1) {
    const int64_t middle = low + (high - low) / 2;
    ASSIGN_OR_RETURN(auto now, differs(middle));
    now ? high = middle : low = middle;
  }
  return std::optional(high);
}

}  // namespace

Result<std::optional<InnerProgram>> intoRegion(BothSides& sides, const Program& program,
                                               const std::vector<Tensor>& arguments,
                                               std::vector<std::string>& notes) {
  ASSIGN_OR_RETURN(auto main, MainOperations::of(program));
  if (main.size() == 0) return std::optional<InnerProgram>();
  const size_t last = main.size() - 1;
  const Operation& operation = main.operation(last);
  std::string inside;
  Result<Program> inner = failure(Error::Kind::kUsage, "");
  if (operation.name == "stablehlo.if" || operation.name == "stablehlo.case") {
    const auto branch = branchTaken(main, operation, arguments);
    if (!branch) return std::optional<InnerProgram>();
    inside = fmt::format("branch {} of {}", *branch, operation.name);
    inner = takingBranch(program, last, *branch);
  } else if (operation.name == "stablehlo.while") {
    ASSIGN_OR_RETURN(auto turn, firstTurnThatDiffers(sides, program, last, arguments));
    if (!turn) return std::optional<InnerProgram>();
    inside = fmt::format("turn {} of {}", *turn, operation.name);
    inner = unfoldingTurn(program, last, *turn - 1);
  } else {
    return std::optional<InnerProgram>();
  }
  if (inner) inner = inlineCalls(*inner);
  if (!inner) {
    notes.push_back("a region could not be looked into: " + inner.error().message);
    return std::optional<InnerProgram>();
  }
  ASSIGN_OR_RETURN(auto seen, sides.run(*inner, arguments));
  if (!seen.failure && !seen.difference) return std::optional<InnerProgram>();
  // Is it in the region, or in what hands its values on?
  ASSIGN_OR_RETURN(auto innerMain, MainOperations::of(*inner));
  if (innerMain.size() == 0) return std::optional<InnerProgram>();
  return std::optional(InnerProgram{std::move(*inner), std::move(inside)});
}

}  // namespace vintage::harness::bisect
