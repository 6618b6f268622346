#include "golden/module/module_tree.h"

#include <algorithm>
#include <bit>
#include <map>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace vintage::golden {
namespace {

// Attributes that hold names of functions, and descriptive ones without meaning.
constexpr std::string_view kFunctionNames[] = {"callee", "called_computations", "decomposition"};
constexpr std::string_view kDescriptions[] = {"jax.arg_info", "jax.result_info", "sym_name"};

bool among(std::span<const std::string_view> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

std::string tensorText(const Tensor& tensor) {
  std::string text = describe(tensor.type(), tensor.shape()) + " ";
  const std::span<const std::byte> bytes = tensor.bytes();
  const size_t width = tensor.size() == 0 ? 0 : bytes.size() / static_cast<size_t>(tensor.size());
  bool splat = width > 0;
  for (size_t i = width; splat && i < bytes.size(); ++i) splat = bytes[i] == bytes[i - width];
  for (const std::byte byte : splat ? bytes.first(width) : bytes)
    text += fmt::format("{:02x}", std::to_integer<int>(byte));
  return text;
}

class Writer {
 public:
  explicit Writer(const ModuleTree& module) : module_(module) {}

  std::vector<std::string> lines() {
    line(fmt::format("module {}", attributesText(module_.attributes)));
    for (const Operation& other : module_.others)
      line(fmt::format("{} {}", other.name, attributesText(other.attributes)));
    // Other functions may be public too; the compiler calls them.
    if (module_.find("main")) functionNumber("main");
    for (const Function& function : module_.functions) {
      if (function.isPublic) functionNumber(function.name);
    }
    for (size_t i = 0; i < named_.size(); ++i) {
      if (const Function* function = module_.find(named_[i])) writeFunction(*function);
    }
    return std::move(lines_);
  }

 private:
  void line(std::string_view text) { lines_.push_back(std::string(2 * depth_, ' ').append(text)); }

  size_t functionNumber(const std::string& name) {
    const auto known = std::ranges::find(named_, name);
    if (known != named_.end()) return static_cast<size_t>(known - named_.begin());
    named_.push_back(name);
    return named_.size() - 1;
  }

  std::string attributeText(const Attribute& attribute, bool isFunction) {
    struct Text {
      Writer& writer;
      bool isFunction;
      std::string operator()(std::monostate) const { return "none"; }
      std::string operator()(bool value) const { return value ? "true" : "false"; }
      std::string operator()(int64_t value) const { return std::to_string(value); }
      std::string operator()(double value) const {
        return fmt::format("{:016x}", std::bit_cast<uint64_t>(value));
      }
      std::string operator()(const std::string& value) const {
        return isFunction ? fmt::format("@{}", writer.functionNumber(value))
                          : fmt::format("\"{}\"", value);
      }
      std::string operator()(const std::vector<int64_t>& values) const {
        return fmt::format("[{}]", fmt::join(values, ", "));
      }
      std::string operator()(const std::vector<bool>& values) const {
        std::string text;
        for (const bool value : values) text += value ? '1' : '0';
        return "[" + text + "]";
      }
      std::string operator()(const Tensor& value) const { return tensorText(value); }
      std::string operator()(const AttributeList& values) const {
        std::vector<std::string> texts;
        for (const Attribute& value : values)
          texts.push_back(writer.attributeText(value, isFunction));
        return fmt::format("[{}]", fmt::join(texts, ", "));
      }
      std::string operator()(const AttributeMap& values) const {
        return writer.attributesText(values);
      }
    };
    std::string text = std::visit(Text{*this, isFunction}, attribute.value);
    const bool typed = attribute.type && !std::holds_alternative<Tensor>(attribute.value);
    return typed ? fmt::format("{} : {}", text, stablehloName(*attribute.type)) : text;
  }

  std::string attributesText(const AttributeMap& attributes) {
    std::vector<std::string> texts;
    for (const auto& [name, value] : attributes) {
      if (among(kDescriptions, name)) continue;
      texts.push_back(
          fmt::format("{} = {}", name, attributeText(value, among(kFunctionNames, name))));
    }
    return fmt::format("{{{}}}", fmt::join(texts, ", "));
  }

  void writeFunction(const Function& function) {
    types_ = &function.valueTypes;
    values_.clear();
    const auto signature = [&](const std::vector<ValueType>& types,
                               const std::vector<AttributeMap>& attributes) {
      std::vector<std::string> texts;
      for (size_t i = 0; i < types.size(); ++i) {
        texts.push_back(types[i].text + " " +
                        attributesText(i < attributes.size() ? attributes[i] : AttributeMap{}));
      }
      return fmt::format("({})", fmt::join(texts, ", "));
    };
    line(fmt::format("@{}{} -> {}", functionNumber(function.name),
                     signature(function.argumentTypes, function.argumentAttributes),
                     signature(function.resultTypes, function.resultAttributes)));
    writeRegion(function.body);
  }

  std::string typesText(const std::vector<ValueId>& values) const {
    std::vector<std::string> texts;
    for (const ValueId value : values) texts.push_back((*types_)[value].text);
    return fmt::format("({})", fmt::join(texts, ", "));
  }

  std::string define(const std::vector<ValueId>& values) {
    std::vector<std::string> texts;
    for (const ValueId value : values) {
      texts.push_back(fmt::format("%{}", next_++));
      values_[value] = texts.back();
    }
    return fmt::format("{}", fmt::join(texts, ", "));
  }

  void writeRegion(const Region& region) {
    const int outer = next_;
    ++depth_;
    for (const Block& block : region.blocks) {
      const std::string arguments = define(block.arguments);
      if (!block.arguments.empty())
        line(fmt::format("^({}) : {}", arguments, typesText(block.arguments)));
      for (const Operation& operation : block.operations) writeOperation(operation);
    }
    --depth_;
    next_ = outer;
  }

  void writeOperation(const Operation& operation) {
    if (operation.name == "stablehlo.constant" && operation.results.size() == 1) {
      const auto value = operation.attributes.find("value");
      if (value != operation.attributes.end()) {
        values_[operation.results[0]] = "<" + attributeText(value->second, false) + ">";
        return;
      }
    }
    std::vector<std::string> operands;
    for (const ValueId operand : operation.operands) operands.push_back(values_[operand]);
    const std::string attributes = attributesText(operation.attributes);
    const std::string defined = define(operation.results);
    line(fmt::format("{}{}{}({}) {} : {} -> {}", defined, defined.empty() ? "" : " = ",
                     operation.name, fmt::join(operands, ", "), attributes,
                     typesText(operation.operands), typesText(operation.results)));
    for (const Region& region : operation.regions) writeRegion(region);
  }

  const ModuleTree& module_;
  std::vector<std::string> named_;  // Functions, in the order in which they are named.
  const std::vector<ValueType>* types_ = nullptr;
  std::map<ValueId, std::string> values_;
  std::vector<std::string> lines_;
  size_t depth_ = 0;
  int next_ = 0;
};

}  // namespace

ValueType tensorOf(ElementType element, Shape shape) {
  ValueType type;
  for (const int64_t size : shape)
    type.text += size == kDynamicDimension ? "?x" : fmt::format("{}x", size);
  type.text = fmt::format("tensor<{}{}>", type.text, stablehloName(element));
  type.element = element;
  type.shape = std::move(shape);
  return type;
}

bool ValueType::operator==(const ValueType&) const = default;

Attribute::Attribute(Tensor elements) : value(std::move(elements)) {
  type = std::get<Tensor>(value).type();
}
Attribute::Attribute(AttributeList list) : value(std::move(list)) {}
Attribute::Attribute(AttributeMap fields) : value(std::move(fields)) {}

bool Attribute::operator==(const Attribute& other) const {
  if (type != other.type || value.index() != other.value.index()) return false;
  return std::visit(
      [&]<typename T>(const T& own) {
        const T& others = std::get<T>(other.value);
        if constexpr (std::is_same_v<T, Tensor>) return own.identical(others);
        // NaN equals itself, and zeros have signs.
        else if constexpr (std::is_same_v<T, double>)
          return std::bit_cast<uint64_t>(own) == std::bit_cast<uint64_t>(others);
        else
          return own == others;
      },
      value);
}

bool Region::operator==(const Region&) const = default;

const Function* ModuleTree::find(std::string_view functionName) const {
  for (const Function& function : functions)
    if (function.name == functionName) return &function;
  return nullptr;
}

std::vector<std::string> canonicalForm(const ModuleTree& module) { return Writer(module).lines(); }

}  // namespace vintage::golden
