#include "primitives/lowering/printer.h"

#include <algorithm>
#include <set>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "primitives/lowering/syntax.h"

namespace vintage::primitives::lowering {
namespace {

constexpr std::string_view kToken = "!stablehlo.token";

const std::string& textOf(const NamedAttribute& attribute) {
  return std::get<std::string>(attribute.value);
}

// Operations without a pretty form.
constexpr std::string_view kGeneric[] = {
    "stablehlo.all_gather",
    "stablehlo.all_reduce",
    "stablehlo.all_to_all",
    "stablehlo.case",
    "stablehlo.collective_permute",
    "stablehlo.dynamic_gather",
    "stablehlo.gather",
    "stablehlo.reduce_scatter",
    "stablehlo.reduce_window",
    "stablehlo.scatter",
    "stablehlo.select_and_scatter",
    "stablehlo.sort",
    "stablehlo.triangular_solve",
};

class FunctionPrinter {
 public:
  FunctionPrinter(const BuiltFunction& function, bool isPublic)
      : function_(function),
        isPublic_(isPublic),
        names_(static_cast<size_t>(function.valueCount)) {}

  std::string text() {
    text_ = signature();
    printConstants();
    printOperations(function_.operations);
    if (!function_.takesToken) {
      printReturn("return", function_.returned);
    } else {
      const std::string after = fmt::format("%{}", scope_.value);
      line(fmt::format("{} = stablehlo.after_all %arg0 : {}", after, kToken));
      const bool alone = function_.returned.empty();
      line(fmt::format("return {}{}{} : {}{}{}", after, alone ? "" : ", ",
                       namesText(function_.returned), kToken, alone ? "" : ", ",
                       typesText(function_.returned)));
    }
    return text_ + "  }\n";
  }

 private:
  // The next numbers of values; a region goes on from those around it.
  struct Scope {
    int value = 0, argument = 0, loopValue = 0;
  };

  std::string& nameOf(const SsaValue& value) { return names_[static_cast<size_t>(value.id)]; }

  std::string namesText(Arguments values) {
    std::vector<std::string> texts;
    for (const SsaValue& value : values) texts.push_back(nameOf(value));
    return fmt::format("{}", fmt::join(texts, ", "));
  }

  void nameArguments(Arguments values) {
    for (const SsaValue& value : values) nameOf(value) = fmt::format("%arg{}", scope_.argument++);
  }

  // "%arg0: tensor<f32>, %arg1: tensor<i32>"
  std::string declared(Arguments values) {
    std::vector<std::string> texts;
    for (const SsaValue& value : values)
      texts.push_back(fmt::format("{}: {}", nameOf(value), typeText(value)));
    return fmt::format("{}", fmt::join(texts, ", "));
  }

  void indent(size_t depth) { text_.append(4 + 2 * depth, ' '); }
  void line(std::string_view text) {
    indent(depth_);
    text_.append(text).push_back('\n');
  }

  std::string signature() {
    std::vector<std::string> arguments, results;
    if (function_.takesToken) {
      arguments.push_back(
          fmt::format("%arg{}: {} {{jax.token = true}}", scope_.argument++, kToken));
      results.push_back(fmt::format("{} {{jax.token = true}}", kToken));
    }
    for (const GlobalConstant& global : function_.globals) {
      nameArguments({&global.value, 1});
      arguments.push_back(fmt::format("{} {{jax.global_constant = \"{}\"}}",
                                      declared({&global.value, 1}), global.name));
    }
    nameArguments(function_.arguments);
    for (size_t i = 0; i < function_.arguments.size(); ++i) {
      std::string argument = declared({&function_.arguments[i], 1});
      if (!function_.argumentAttributes.empty() && !function_.argumentAttributes[i].empty())
        argument += " {" + function_.argumentAttributes[i] + "}";
      arguments.push_back(std::move(argument));
    }
    const size_t count = function_.returned.size();
    for (size_t i = 0; i < count; ++i) {
      std::string type = typeText(function_.returned[i]);
      if (isPublic_) {
        const std::string path = count == 1 ? "result" : fmt::format("result[{}]", i);
        const bool more =
            !function_.resultAttributes.empty() && !function_.resultAttributes[i].empty();
        type += fmt::format(" {{jax.result_info = \"{}\"{}{}}}", path, more ? ", " : "",
                            more ? function_.resultAttributes[i] : "");
      }
      results.push_back(std::move(type));
    }
    // A lone result without attributes stands without parentheses.
    std::string resultList = fmt::format("{}", fmt::join(results, ", "));
    if (isPublic_ || count != 1) resultList = "(" + resultList + ")";
    return fmt::format("  func.func {}@{}({}){}{} {{\n",
                       isPublic_             ? "public "
                       : function_.isVisible ? ""
                                             : "private ",
                       function_.name, fmt::join(arguments, ", "), results.empty() ? "" : " -> ",
                       results.empty() ? "" : resultList);
  }

  // JAX's folder inserts each new constant above the earlier ones.
  void printConstants() {
    std::set<std::string> taken;
    int conflicts = 0;
    for (size_t i = function_.constants.size(); i-- > 0;) {
      const auto& [value, literal] = function_.constants[i];
      const std::string base = isFloat(value.type) || isComplex(value.type) ? "cst" : "c";
      nameOf(value) =
          taken.insert(base).second ? "%" + base : fmt::format("%{}_{}", base, conflicts++);
      line(fmt::format("{} = stablehlo.constant dense<{}> : {}", nameOf(value), literal,
                       typeText(value)));
    }
  }

  void printOperations(std::span<const BuiltOperation> operations) {
    for (const BuiltOperation& operation : operations) printOperation(operation);
  }

  void printReturn(std::string_view name, Arguments values) {
    line(values.empty() ? std::string(name)
                        : fmt::format("{} {} : {}", name, namesText(values), typesText(values)));
  }

  void nameResults(const BuiltOperation& operation) {
    const size_t count = operation.results.size();
    if (count == 0) return;
    const int number = scope_.value++;
    for (size_t i = 0; i < count; ++i) {
      nameOf(operation.results[i]) =
          count == 1 ? fmt::format("%{}", number) : fmt::format("%{}#{}", number, i);
    }
    text_ += count == 1 ? fmt::format("%{} = ", number) : fmt::format("%{}:{} = ", number, count);
  }

  void printOperation(const BuiltOperation& operation) {
    indent(depth_);
    nameResults(operation);
    const std::string& name = operation.name;
    if (name == "stablehlo.while")
      printWhile(operation);
    else if (name == "stablehlo.reduce")
      printReduce(operation);
    else if (name == "sdy.manual_computation")
      printManualComputation(operation);
    else if (std::ranges::find(kGeneric, name) != std::end(kGeneric))
      printGeneric(operation);
    else
      text_ += plainText(operation);
    text_.push_back('\n');
  }

  // Operations without regions.
  std::string plainText(const BuiltOperation& operation) {
    const std::string& name = operation.name;
    const std::string operands = namesText(operation.operands);
    const std::span<const NamedAttribute> attributes = operation.attributes;
    if (name == "stablehlo.compare") {
      const std::string kind = attributes.size() > 1 ? ",  " + textOf(attributes[1]) : "";
      return fmt::format("{}  {}, {}{} : {}", name, textOf(attributes[0]), operands, kind,
                         functionalType(operation));
    }
    if (name == "stablehlo.select") {
      return fmt::format("{} {} : {}, {}", name, operands, typeText(operation.operands[0]),
                         typeText(operation.results[0]));
    }
    if (name == "stablehlo.slice") {
      return fmt::format("{} {} [{}] : {}", name, operands, ranges(operation),
                         functionalType(operation));
    }
    if (name == "call") {
      return fmt::format("{} @{}({}) : {}", depth_ == 0 ? "call" : "func.call", operation.symbol,
                         operands, functionalType(operation));
    }
    if (name == "stablehlo.custom_call") {
      const std::string dictionary =
          attributes.empty() ? "" : fmt::format(" {{{}}}", dictionaryText(attributes));
      return fmt::format("{} @{}({}){} : {}", name, operation.symbol, operands, dictionary,
                         functionalType(operation));
    }
    if (name == "stablehlo.composite") {
      return fmt::format("{} \"{}\" {} {{{}}} : {}", name, operation.symbol, operands,
                         dictionaryText(attributes), functionalType(operation));
    }
    if (name == "stablehlo.convolution") {
      return fmt::format("{}({}) {}, {} {{{}}} : {}", name, operands,
                         attributeText(attributes[0], Style::kPretty),
                         attributeText(attributes[1], Style::kPretty),
                         dictionaryText(attributes.subspan(2)), functionalType(operation));
    }
    std::vector<std::string> parts;
    if (!operands.empty()) parts.push_back(operands);
    for (const NamedAttribute& attribute : attributes)
      parts.push_back(attributeText(attribute, Style::kPretty));
    return fmt::format("{}{}{} : {}", name, parts.empty() ? "" : " ", fmt::join(parts, ", "),
                       typeSuffix(operation));
  }

  // "1:3, 0:4:2"
  static std::string ranges(const BuiltOperation& slice) {
    const auto& start = std::get<Shape>(slice.attributes[0].value);
    const auto& limit = std::get<Shape>(slice.attributes[1].value);
    const auto& strides = std::get<Shape>(slice.attributes[2].value);
    std::vector<std::string> texts;
    for (size_t i = 0; i < start.size(); ++i) {
      texts.push_back(strides[i] == 1 ? fmt::format("{}:{}", start[i], limit[i])
                                      : fmt::format("{}:{}:{}", start[i], limit[i], strides[i]));
    }
    return fmt::format("{}", fmt::join(texts, ", "));
  }

  void printGeneric(const BuiltOperation& operation) {
    text_ += fmt::format("\"{}\"({})", operation.name, namesText(operation.operands));
    if (!operation.attributes.empty())
      text_ += fmt::format(" <{{{}}}>", dictionaryText(operation.attributes));
    for (size_t i = 0; i < operation.regions.size(); ++i) {
      text_ += i == 0 ? " ({\n" : ", {\n";
      printRegion(operation.regions[i]);
    }
    if (!operation.regions.empty()) text_ += ")";
    text_ += " : " + functionalType(operation);
  }

  // From behind the opening brace to the closing one.
  void printRegion(const BuiltRegion& region) {
    inRegion([&] {
      nameArguments(region.arguments);
      if (!region.arguments.empty()) {
        indent(depth_ - 1);
        text_ += fmt::format("^bb0({}):\n", declared(region.arguments));
      }
      printBody(region, "stablehlo.return");
    });
  }

  void printBody(const BuiltRegion& region, std::string_view terminator) {
    printOperations(region.operations);
    printReturn(terminator, region.returned);
  }

  template <typename Print>
  void inRegion(Print print) {
    const Scope outer = scope_;
    ++depth_;
    print();
    --depth_;
    scope_ = outer;
    indent(depth_);
    text_ += "}";
  }

  void printWhile(const BuiltOperation& loop) {
    int loopValues = 0;
    text_ += "stablehlo.while(";
    inRegion([&] {
      std::vector<std::string> pairs;
      for (size_t i = 0; i < loop.operands.size(); ++i) {
        const int number = scope_.loopValue++;
        std::string& name = nameOf(loop.regions[0].arguments[i]);
        name = number == 0 ? "%iterArg" : fmt::format("%iterArg_{}", number - 1);
        pairs.push_back(fmt::format("{} = {}", name, nameOf(loop.operands[i])));
      }
      loopValues = scope_.loopValue;
      text_ +=
          fmt::format("{}) : {}\n     cond {{\n", fmt::join(pairs, ", "), typesText(loop.operands));
      printBody(loop.regions[0], "stablehlo.return");
    });
    text_ += " do {\n";
    inRegion([&] {
      scope_.loopValue = loopValues;
      printBody(loop.regions[1], "stablehlo.return");
    });
  }

  // Inputs, then as many initial values. A body of one operation has a short form.
  void printReduce(const BuiltOperation& reduce) {
    const size_t count = reduce.results.size();
    const BuiltRegion& body = reduce.regions[0];
    std::vector<std::string> inputs;
    for (size_t i = 0; i < count; ++i) {
      inputs.push_back(fmt::format("({} init: {})", nameOf(reduce.operands[i]),
                                   nameOf(reduce.operands[count + i])));
    }
    text_ += fmt::format("{}{}", reduce.name, fmt::join(inputs, ", "));
    const bool isShort = body.operations.size() == 1 &&
                         body.operations[0].operands == body.arguments &&
                         body.operations[0].results == body.returned;
    if (isShort) text_ += " applies " + body.operations[0].name;
    text_ += fmt::format(" across {} : {}", attributeText(reduce.attributes[0], Style::kPretty),
                         functionalType(reduce));
    if (isShort) return;
    text_.push_back('\n');
    indent(depth_);
    inRegion([&] {
      nameArguments(body.arguments);
      text_ += " reducer";
      for (size_t i = 0; i < count; ++i) {
        text_ += fmt::format("({}, {}) ", declared({&body.arguments[i], 1}),
                             declared({&body.arguments[count + i], 1}));
      }
      text_ += " {\n";
      printBody(body, "stablehlo.return");
    });
  }

  void printManualComputation(const BuiltOperation& manual) {
    const BuiltRegion& body = manual.regions[0];
    text_ += fmt::format("{}({}) {} (", manual.name, namesText(manual.operands), manual.symbol);
    inRegion([&] {
      nameArguments(body.arguments);
      text_ += declared(body.arguments) + ") {\n";
      printBody(body, "sdy.return");
    });
    text_ += fmt::format(" : ({}) -> ({})", typesText(manual.operands), typesText(manual.results));
  }

  const BuiltFunction& function_;
  bool isPublic_;
  std::vector<std::string> names_;  // By the values' ids.
  std::string text_;
  Scope scope_;
  size_t depth_ = 0;  // How many regions the current line is inside.
};

}  // namespace

std::string print(const BuiltModule& module) {
  std::vector<std::string> attributes;
  for (const auto& [key, value] : module.attributes) attributes.push_back(key + " = " + value);
  std::string text =
      fmt::format("module @{} attributes {{{}}} {{\n", module.name, fmt::join(attributes, ", "));
  for (const std::string& declaration : module.declarations) text += "  " + declaration + "\n";
  for (const BuiltFunction& function : module.functions) {
    text += FunctionPrinter(function, &function == &module.functions.front()).text();
  }
  return text + "}\n";
}

}  // namespace vintage::primitives::lowering
