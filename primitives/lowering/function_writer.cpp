// A function's signature, its lines and regions, and its whole text.
#include <cstdlib>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "primitives/lowering/writer_text.h"

namespace vintage::primitives::lowering {

FunctionWriter::FunctionWriter(ModuleWriter& module, std::string name,
                               std::vector<TensorType> arguments,
                               std::span<const std::string> dimensionVariables)
    : module_(module), name_(std::move(name)) {
  for (const std::string& variable : dimensionVariables) {
    dimensionValues_.push_back(
        SsaValue{takeLeading(fmt::format("tensor<i32> {{jax.global_constant = \"{}\"}}", variable)),
                 ElementType::kI32,
                 {}});
  }
  for (TensorType& argument : arguments) {
    arguments_.push_back(SsaValue{fmt::format("%arg{}", scope_.nextArgument++), argument.type,
                                  std::move(argument.shape)});
  }
}

// The others move up by one.
std::string FunctionWriter::takeLeading(std::string typeAndAttributes) {
  leadingArguments_.push_back(std::move(typeAndAttributes));
  scope_.nextArgument = static_cast<int>(leadingArguments_.size());
  for (SsaValue& argument : arguments_)
    argument.name = fmt::format("%arg{}", scope_.nextArgument++);
  return fmt::format("%arg{}", leadingArguments_.size() - 1);
}

SsaValue FunctionWriter::takePlatformIndex() {
  return {takeLeading("tensor<i32> {jax.global_constant = \"_platform_index\"}"),
          ElementType::kI32,
          {}};
}

void FunctionWriter::takeToken() { token_ = takeLeading("!stablehlo.token {jax.token = true}"); }

void FunctionWriter::endCase(const SsaValue& index, std::span<const TensorType> results) {
  append(fmt::format(") : ({}) -> {}", primitives::lowering::typeText(index), resultText(results)));
  endOperation();
}

void FunctionWriter::setArgumentAttributes(std::vector<std::string> attributes) {
  argumentAttributes_ = std::move(attributes);
}

void FunctionWriter::setResultAttributes(std::vector<std::string> attributes) {
  resultAttributes_ = std::move(attributes);
}

SsaValue FunctionWriter::emit(ElementType type, Shape shape, std::string_view text) {
  const TensorType result{type, std::move(shape)};
  return emit({&result, 1}, text).front();
}

std::vector<SsaValue> FunctionWriter::emit(std::span<const TensorType> results,
                                           std::string_view text) {
  std::vector<SsaValue> values = beginOperation(results, text);
  endOperation();
  return values;
}

std::vector<SsaValue> FunctionWriter::nameResults(std::span<const TensorType> results) {
  std::vector<SsaValue> values;
  if (results.empty()) return values;
  const int number = scope_.nextValue++;
  for (size_t i = 0; i < results.size(); ++i) {
    std::string name =
        results.size() == 1 ? fmt::format("%{}", number) : fmt::format("%{}#{}", number, i);
    values.push_back(SsaValue{std::move(name), results[i].type, results[i].shape});
  }
  return values;
}

std::vector<SsaValue> FunctionWriter::beginOperation(std::span<const TensorType> results,
                                                     std::string_view text) {
  std::string dynamic;
  if (!module_.dimensionVariables().empty()) text = dynamic = dynamicForm(text, results);
  const int number = scope_.nextValue;
  std::vector<SsaValue> values = nameResults(results);
  startLine();
  if (results.size() == 1) append(fmt::format("%{} = ", number));
  if (results.size() > 1) append(fmt::format("%{}:{} = ", number, results.size()));
  append(text);
  return values;
}

void FunctionWriter::append(std::string_view text) { body_.append(text); }
void FunctionWriter::startLine() { body_.append(indentation(outer_.size())); }
void FunctionWriter::endOperation() { body_.push_back('\n'); }

std::vector<SsaValue> FunctionWriter::enterRegion(std::span<const TensorType> arguments) {
  outer_.push_back(scope_);
  std::vector<SsaValue> values;
  const int before = static_cast<int>(arguments_.size() + leadingArguments_.size());
  if (scope_.nextArgument < before) scope_.nextArgument = before;
  for (const TensorType& argument : arguments) {
    values.push_back(
        SsaValue{fmt::format("%arg{}", scope_.nextArgument++), argument.type, argument.shape});
  }
  return values;
}

void FunctionWriter::leaveRegion() {
  scope_ = outer_.back();
  outer_.pop_back();
  startLine();
}

void FunctionWriter::printBlockHeader(std::span<const SsaValue> arguments) {
  body_.push_back('\n');
  if (arguments.empty()) return;
  std::vector<std::string> texts;
  for (const SsaValue& value : arguments) {
    texts.push_back(fmt::format("{}: {}", value.name, primitives::lowering::typeText(value)));
  }
  body_.append(indentation(outer_.size() - 1));
  body_.append(fmt::format("^bb0({}):\n", fmt::join(texts, ", ")));
}

void FunctionWriter::returnFromRegion(const std::vector<SsaValue>& values) {
  startLine();
  append(values.empty()
             ? std::string("stablehlo.return\n")
             : fmt::format("stablehlo.return {} : {}\n", namesText(values), typesText(values)));
}

std::vector<SsaValue> FunctionWriter::beginWhile(std::span<const SsaValue> initial,
                                                 std::vector<SsaValue>& carried) {
  std::vector<TensorType> types;
  std::vector<std::string> pairs;
  for (const SsaValue& value : initial) types.push_back(TensorType{value.type, value.shape});
  std::vector<SsaValue> results = beginOperation(types, "stablehlo.while(");
  enterRegion({});
  for (const SsaValue& value : initial) {
    const int number = scope_.nextLoopValue++;
    std::string name = number == 0 ? "%iterArg" : fmt::format("%iterArg_{}", number - 1);
    pairs.push_back(fmt::format("{} = {}", name, value.name));
    carried.push_back(SsaValue{std::move(name), value.type, value.shape});
  }
  // The condition's own scope, inside that of the loop's values.
  append(fmt::format("{}) : {}\n     cond {{\n", fmt::join(pairs, ", "), typesText(initial)));
  return results;
}

void FunctionWriter::nextWhileRegion() {
  const int loopValues = scope_.nextLoopValue;
  leaveRegion();
  append("} do {\n");
  enterRegion({});
  scope_.nextLoopValue = loopValues;
}

void FunctionWriter::finish(std::span<const SsaValue> results) {
  for (const SsaValue& value : results) results_.push_back(TensorType{value.type, value.shape});
  if (!token_.empty()) {
    startLine();
    const std::string after = fmt::format("%{}", scope_.nextValue++);
    append(fmt::format("{} = stablehlo.after_all {} : !stablehlo.token\n", after, token_));
    startLine();
    append(fmt::format("return {}{}{} : !stablehlo.token{}{}\n", after, results.empty() ? "" : ", ",
                       namesText(results), results.empty() ? "" : ", ", typesText(results)));
    return;
  }
  startLine();
  append(results.empty() ? std::string("return\n")
                         : fmt::format("return {} : {}\n", namesText(results), typesText(results)));
}

std::string FunctionWriter::text(bool isPublic) const {
  std::vector<std::string> arguments, results;
  for (size_t i = 0; i < leadingArguments_.size(); ++i) {
    arguments.push_back(fmt::format("%arg{}: {}", i, leadingArguments_[i]));
  }
  if (!token_.empty()) results.emplace_back("!stablehlo.token {jax.token = true}");
  for (size_t i = 0; i < arguments_.size(); ++i) {
    std::string argument =
        fmt::format("{}: {}", arguments_[i].name, primitives::lowering::typeText(arguments_[i]));
    if (!argumentAttributes_.empty() && !argumentAttributes_[i].empty()) {
      argument += " {" + argumentAttributes_[i] + "}";
    }
    arguments.push_back(std::move(argument));
  }
  for (size_t i = 0; i < results_.size(); ++i) {
    std::string type = tensorText(results_[i].type, results_[i].shape);
    if (isPublic) {
      const std::string path = results_.size() == 1 ? "result" : fmt::format("result[{}]", i);
      const bool more = !resultAttributes_.empty() && !resultAttributes_[i].empty();
      type += fmt::format(" {{jax.result_info = \"{}\"{}{}}}", path, more ? ", " : "",
                          more ? resultAttributes_[i] : "");
    }
    results.push_back(std::move(type));
  }
  // A lone result without attributes stands without parentheses.
  std::string resultList = fmt::format("{}", fmt::join(results, ", "));
  if (isPublic || results.size() != 1) resultList = "(" + resultList + ")";
  std::string text = fmt::format("  func.func {} @{}({}){}{} {{\n", isPublic ? "public" : "private",
                                 name_, fmt::join(arguments, ", "), results.empty() ? "" : " -> ",
                                 results.empty() ? "" : resultList);

  // JAX's folder inserts each new constant above the earlier ones.
  std::vector<std::string> names(constants_.size());
  std::map<std::string, bool, std::less<>> taken;
  int conflicts = 0;
  for (size_t i = constants_.size(); i-- > 0;) {
    const Constant& constant = constants_[i];
    const std::string base = isFloat(constant.type) || isComplex(constant.type) ? "cst" : "c";
    names[i] = taken[base] ? fmt::format("%{}_{}", base, conflicts++) : "%" + base;
    taken[base] = true;
    text += fmt::format("    {} = stablehlo.constant dense<{}> : {}\n", names[i], constant.literal,
                        tensorText(constant.type, constant.shape));
  }
  for (size_t position = 0; position < body_.size();) {
    const size_t mark = body_.find(kConstantMark, position);
    if (mark == std::string::npos) {
      text.append(body_, position);
      break;
    }
    text.append(body_, position, mark - position);
    const size_t close = body_.find(kConstantMark, mark + 1);
    text += names[static_cast<size_t>(std::atoi(body_.c_str() + mark + 1))];
    position = close + 1;
  }
  return text + "  }\n";
}

}  // namespace vintage::primitives::lowering
