#include "primitives/lowering/module_writer.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "primitives/lowering/symbolic_dimension.h"

namespace vintage {
namespace {

// Stands for a constant's name until all of a function's constants are known.
constexpr char kConstantMark = '\x01';

std::string indentation(size_t depth) { return std::string(4 + 2 * depth, ' '); }

std::string typeText(const TensorType& type) { return tensorText(type.type, type.shape); }

std::string resultText(std::span<const TensorType> results) {
  std::vector<std::string> texts;
  for (const TensorType& result : results) texts.push_back(typeText(result));
  std::string joined = fmt::format("{}", fmt::join(texts, ", "));
  return results.size() == 1 ? joined : "(" + joined + ")";
}

// What stands in a constant, where one of its numbers is a symbolic dimension.
std::vector<int64_t> sizesIn(const std::string& literal) {
  std::vector<int64_t> sizes;
  bool symbolic = false;
  for (size_t i = 0; i < literal.size();) {
    char* end = nullptr;
    const double number = std::strtod(literal.c_str() + i, &end);
    const size_t length = static_cast<size_t>(end - (literal.c_str() + i));
    if (length == 0) {
      ++i;
      continue;
    }
    // Floats are written with an exponent; the integers that they are do not.
    const bool whole = literal.find_first_of(".xXnN", i) >= i + length;
    if (!whole && (std::abs(number) > 1e18 || number != std::floor(number))) return {};
    sizes.push_back(whole ? std::strtoll(literal.c_str() + i, nullptr, 10)
                          : static_cast<int64_t>(number));
    symbolic = symbolic || isSymbolic(sizes.back());
    i += length;
  }
  return symbolic ? sizes : std::vector<int64_t>{};
}

const char* comparisonType(ElementType type) {
  if (isFloat(type) || isComplex(type)) return "FLOAT";
  return isSignedInteger(type) ? "SIGNED" : "UNSIGNED";
}

}  // namespace

std::string tensorText(ElementType type, std::span<const int64_t> shape) {
  std::string text = "tensor<";
  for (int64_t dimension : shape) {
    text += isSymbolic(dimension) ? "?x" : fmt::format("{}x", dimension);
  }
  return text.append(stablehloName(type)).append(">");
}

std::string typeText(const SsaValue& value) { return tensorText(value.type, value.shape); }

std::string typesText(std::span<const SsaValue> values) {
  std::vector<std::string> texts;
  for (const SsaValue& value : values) texts.push_back(typeText(value));
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::string namesText(std::span<const SsaValue> values) {
  std::vector<std::string> texts;
  for (const SsaValue& value : values) texts.push_back(value.name);
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::string listText(std::span<const int64_t> values) {
  return fmt::format("[{}]", fmt::join(values, ", "));
}

std::string arrayText(std::span<const int64_t> values) {
  return values.empty() ? "array<i64>" : fmt::format("array<i64: {}>", fmt::join(values, ", "));
}

std::string layoutText(std::span<const int64_t> minorToMajor) {
  if (minorToMajor.empty()) return "dense<> : tensor<0xindex>";
  // One element prints without brackets, as a splat.
  std::string list = minorToMajor.size() == 1 ? fmt::format("{}", minorToMajor[0])
                                              : listText(minorToMajor);
  return fmt::format("dense<{}> : tensor<{}xindex>", list, minorToMajor.size());
}

std::string integerLiteralText(ElementType type, __int128 value) {
  if (isPredicate(type)) return value != 0 ? "true" : "false";
  if (value < 0) return fmt::format("{}", static_cast<int64_t>(value));
  return fmt::format("{}", static_cast<uint64_t>(value));
}

std::string literalText(ElementType type, double value) {
  if (isComplex(type)) {
    ElementType part = realPart(type);
    return fmt::format("({},{})", literalText(part, value), literalText(part, 0.0));
  }
  if (!isFloat(type)) return integerLiteralText(type, static_cast<__int128>(value));
  if (!std::isfinite(value)) {
    // Sign, all ones in the exponent, and for NaN the quiet bit.
    const bool nan = std::isnan(value);
    const bool negative = std::signbit(value) && !nan;
    switch (type) {
      case ElementType::kF64:
        return nan ? "0x7FF8000000000000" : negative ? "0xFFF0000000000000" : "0x7FF0000000000000";
      case ElementType::kF16:
        return nan ? "0x7E00" : negative ? "0xFC00" : "0x7C00";
      case ElementType::kBF16:
        return nan ? "0x7FC0" : negative ? "0xFF80" : "0x7F80";
      default:
        return nan ? "0x7FC00000" : negative ? "0xFF800000" : "0x7F800000";
    }
  }
  std::string shortest = fmt::format("{:.6e}", value);
  const double read = std::strtod(shortest.c_str(), nullptr);
  const bool exact = type == ElementType::kF32
                         ? static_cast<float>(read) == static_cast<float>(value)
                         : read == value;
  return exact ? shortest : fmt::format("{:.17e}", value);
}

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

SsaValue FunctionWriter::constant(ElementType type, Shape shape, std::string literal) {
  if (!module_.dimensionVariables().empty()) {
    if (const std::vector<int64_t> sizes = sizesIn(literal); !sizes.empty()) {
      return computedConstant(type, sizes, shape.empty());
    }
    if (std::ranges::any_of(shape, isSymbolic)) return broadcast(constant(type, literal), shape);
  }
  size_t index = 0;
  for (; index < constants_.size(); ++index) {
    const Constant& known = constants_[index];
    if (known.type == type && known.shape == shape && known.literal == literal) break;
  }
  if (index == constants_.size()) constants_.push_back(Constant{type, shape, std::move(literal)});
  return SsaValue{fmt::format("{0}{1}{0}", kConstantMark, index), type, std::move(shape)};
}

SsaValue FunctionWriter::fill(ElementType type, double value, Shape shape) {
  return fillLiteral(type, literalText(type, value), std::move(shape));
}

SsaValue FunctionWriter::fillLiteral(ElementType type, std::string literal, Shape shape) {
  SsaValue scalar = constant(type, std::move(literal));
  return shape.empty() ? scalar : broadcast(scalar, {}, std::move(shape));
}

SsaValue FunctionWriter::broadcast(const SsaValue& operand, std::span<const int64_t> dimensions,
                                Shape shape) {
  std::string text = fmt::format("stablehlo.broadcast_in_dim {}, dims = {} : ({}) -> {}",
                                 operand.name, listText(dimensions), vintage::typeText(operand),
                                 tensorText(operand.type, shape));
  return emit(operand.type, std::move(shape), text);
}

SsaValue FunctionWriter::same(std::string_view name, std::span<const SsaValue> operands) {
  const SsaValue& first = operands.front();
  return emit(first.type, first.shape,
              fmt::format("{} {} : {}", name, namesText(operands), vintage::typeText(first)));
}

SsaValue FunctionWriter::same(std::string_view name, const SsaValue& left, const SsaValue& right) {
  const SsaValue operands[] = {left, right};
  return same(name, operands);
}

SsaValue FunctionWriter::convert(std::string_view name, const SsaValue& operand, ElementType type,
                              Shape shape) {
  std::string text = fmt::format("{} {} : ({}) -> {}", name, operand.name,
                                 vintage::typeText(operand), tensorText(type, shape));
  return emit(type, std::move(shape), text);
}

SsaValue FunctionWriter::convert(const SsaValue& operand, ElementType type) {
  if (operand.type == type) return operand;
  return convert("stablehlo.convert", operand, type, operand.shape);
}

SsaValue FunctionWriter::reshape(const SsaValue& operand, Shape shape) {
  return convert("stablehlo.reshape", operand, operand.type, std::move(shape));
}

SsaValue FunctionWriter::transpose(const SsaValue& operand, std::span<const int64_t> permutation) {
  Shape shape;
  for (int64_t axis : permutation) shape.push_back(operand.shape[static_cast<size_t>(axis)]);
  std::string text =
      fmt::format("stablehlo.transpose {}, dims = {} : ({}) -> {}", operand.name,
                  listText(permutation), vintage::typeText(operand), tensorText(operand.type, shape));
  return emit(operand.type, std::move(shape), text);
}

SsaValue FunctionWriter::iota(ElementType type, Shape shape, int64_t dimension) {
  std::string text = fmt::format("stablehlo.iota dim = {} : {}", dimension, tensorText(type, shape));
  return emit(type, std::move(shape), text);
}

SsaValue FunctionWriter::compare(std::string_view direction, const SsaValue& left, const SsaValue& right) {
  return emit(ElementType::kI1, left.shape,
              fmt::format("stablehlo.compare  {}, {}, {},  {} : ({}, {}) -> {}", direction,
                          left.name, right.name, comparisonType(left.type),
                          vintage::typeText(left), vintage::typeText(right),
                          tensorText(ElementType::kI1, left.shape)));
}

SsaValue FunctionWriter::compareTotalOrder(std::string_view direction, const SsaValue& left,
                                        const SsaValue& right) {
  return emit(ElementType::kI1, left.shape,
              fmt::format("stablehlo.compare  {}, {}, {},  TOTALORDER : ({}, {}) -> {}", direction,
                          left.name, right.name, vintage::typeText(left),
                          vintage::typeText(right), tensorText(ElementType::kI1, left.shape)));
}

SsaValue FunctionWriter::select(const SsaValue& predicate, const SsaValue& onTrue, const SsaValue& onFalse) {
  return emit(onTrue.type, onTrue.shape,
              fmt::format("stablehlo.select {}, {}, {} : {}, {}", predicate.name, onTrue.name,
                          onFalse.name, vintage::typeText(predicate), vintage::typeText(onTrue)));
}

SsaValue FunctionWriter::real(const SsaValue& operand) {
  return convert("stablehlo.real", operand, realPart(operand.type), operand.shape);
}

SsaValue FunctionWriter::imaginary(const SsaValue& operand) {
  return convert("stablehlo.imag", operand, realPart(operand.type), operand.shape);
}

std::vector<SsaValue> FunctionWriter::chlo(std::string_view name, std::span<const SsaValue> operands,
                                        std::span<const TensorType> results,
                                        std::string_view attributes) {
  return emit(results, fmt::format("stablehlo.custom_call @mhlo.{}({}) {{mhlo.attributes = {{{}}}, "
                                   "mhlo.version = 1 : i64}} : ({}) -> {}",
                                   name, namesText(operands), attributes, typesText(operands),
                                   resultText(results)));
}

std::vector<SsaValue> FunctionWriter::call(std::string_view function, std::span<const SsaValue> operands,
                                        std::span<const TensorType> results) {
  std::vector<SsaValue> all = dimensionValues_;
  all.insert(all.end(), operands.begin(), operands.end());
  return emit(results, fmt::format("{} @{}({}) : ({}) -> {}", outer_.empty() ? "call" : "func.call",
                                   function, namesText(all), typesText(all), resultText(results)));
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
    std::string name = results.size() == 1 ? fmt::format("%{}", number)
                                           : fmt::format("%{}#{}", number, i);
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
    values.push_back(SsaValue{fmt::format("%arg{}", scope_.nextArgument++), argument.type,
                           argument.shape});
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
    texts.push_back(fmt::format("{}: {}", value.name, vintage::typeText(value)));
  }
  body_.append(indentation(outer_.size() - 1));
  body_.append(fmt::format("^bb0({}):\n", fmt::join(texts, ", ")));
}

void FunctionWriter::returnFromRegion(const std::vector<SsaValue>& values) {
  startLine();
  append(values.empty() ? std::string("stablehlo.return\n")
                        : fmt::format("stablehlo.return {} : {}\n", namesText(values),
                                      typesText(values)));
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
        fmt::format("{}: {}", arguments_[i].name, vintage::typeText(arguments_[i]));
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
  std::string text =
      fmt::format("  func.func {} @{}({}){}{} {{\n", isPublic ? "public" : "private", name_,
                  fmt::join(arguments, ", "), results.empty() ? "" : " -> ",
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

// The others move up by one.
std::string FunctionWriter::takeLeading(std::string typeAndAttributes) {
  leadingArguments_.push_back(std::move(typeAndAttributes));
  scope_.nextArgument = static_cast<int>(leadingArguments_.size());
  for (SsaValue& argument : arguments_) argument.name = fmt::format("%arg{}", scope_.nextArgument++);
  return fmt::format("%arg{}", leadingArguments_.size() - 1);
}

SsaValue FunctionWriter::takePlatformIndex() {
  return {takeLeading("tensor<i32> {jax.global_constant = \"_platform_index\"}"), ElementType::kI32, {}};
}

void FunctionWriter::takeToken() { token_ = takeLeading("!stablehlo.token {jax.token = true}"); }

void FunctionWriter::endCase(const SsaValue& index, std::span<const TensorType> results) {
  append(fmt::format(") : ({}) -> {}", vintage::typeText(index), resultText(results)));
  endOperation();
}

void FunctionWriter::setArgumentAttributes(std::vector<std::string> attributes) {
  argumentAttributes_ = std::move(attributes);
}

void FunctionWriter::setResultAttributes(std::vector<std::string> attributes) {
  resultAttributes_ = std::move(attributes);
}

void ModuleWriter::setDimensionVariables(std::vector<std::string> names) {
  dimensionVariables_ = std::move(names);
  attributes_["jax.uses_shape_polymorphism"] = dimensionVariables_.empty() ? "false" : "true";
}

FunctionWriter& ModuleWriter::function(std::string name, std::vector<TensorType> arguments) {
  const std::span<const std::string> variables =
      functions_.empty() ? std::span<const std::string>() : dimensionVariables_;
  return functions_.emplace_back(*this, std::move(name), std::move(arguments), variables);
}

std::pair<FunctionWriter*, bool> ModuleWriter::privateFunction(const std::string& name,
                                                               std::span<const SsaValue> operands) {
  FunctionWriter*& known = privateFunctions_[name + "(" + typesText(operands) + ")"];
  if (known) return {known, false};
  std::vector<TensorType> types;
  for (const SsaValue& value : operands) types.push_back(TensorType{value.type, value.shape});
  const int earlier = privateNames_[name]++;
  std::string unique = earlier == 0 ? name : fmt::format("{}_{}", name, earlier - 1);
  known = &function(std::move(unique), std::move(types));
  return {known, true};
}

std::string ModuleWriter::text() const {
  std::vector<std::string> attributes;
  for (const auto& [key, value] : attributes_) attributes.push_back(key + " = " + value);
  std::string text =
      fmt::format("module @{} attributes {{{}}} {{\n", name_, fmt::join(attributes, ", "));
  for (const std::string& declaration : declarations_) text += "  " + declaration + "\n";
  for (const FunctionWriter& function : functions_) {
    text += function.text(&function == &functions_.front());
  }
  return text + "}\n";
}

}  // namespace vintage
