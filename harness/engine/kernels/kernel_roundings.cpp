#include "harness/engine/kernels/kernel_roundings.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>

#include "golden/base/failures.h"
#include "harness/engine/checked_attributes.h"
#include "harness/engine/kernels/kernel_plan.h"

namespace vintage::harness {
using namespace golden;

namespace {

thread_local WithoutRoundings* current = nullptr;

constexpr ElementType kWide = ElementType::kF32;

bool isNarrow(const ValueType& type) {
  return (type.kind == ValueType::Kind::kTensor || type.kind == ValueType::Kind::kBuffer) &&
         isFloat(type.element) && byteWidth(type.element) < byteWidth(kWide);
}

bool isProduct(const Operation& operation) {
  return operation.operands.size() == 3 && operation.results.size() == 1 &&
         (operation.name == "tpu.matmul" || operation.name == "vector.contract" ||
          operation.name == "tt.dot");
}

// Operations whose operands and results are of different types for a reason.
bool isConversion(const Operation& operation) {
  constexpr std::string_view kConversions[] = {"extf",   "truncf", "fp_to_fp", "sitofp",
                                               "uitofp", "fptosi", "fptoui"};
  const std::string_view name = operation.name;
  return std::ranges::find(kConversions, name.substr(name.find('.') + 1)) != std::end(kConversions);
}

// Operations that look at the bits of their values, or hand them to somebody else.
bool needsItsTypes(const Operation& operation) {
  constexpr std::string_view kNames[] = {"tt.load", "tt.store",  "tt.atomic_rmw", "tt.atomic_cas",
                                         "tt.call", "tt.return", "func.call",     "func.return"};
  return std::ranges::find(kNames, operation.name) != std::end(kNames) ||
         operation.name.find("bitcast") != std::string::npos ||
         operation.name.find("pack") != std::string::npos ||
         operation.attributes.contains("successors");
}

// How a product of 32-bit factors rounds them, if it does.
std::optional<std::string_view> factorsOf(const Operation& product, const Function& function) {
  for (size_t i : {0, 1})
    if (function.valueTypes[product.operands[i]].element != kWide) return std::nullopt;
  if (product.name == "tt.dot") {
    const auto* precision = attributeField<int64_t>(product.attributes, "inputPrecision");
    return precision && *precision == 0 ? std::optional<std::string_view>("tf32") : std::nullopt;
  }
  if (keywordOf(product.attributes, "precision") == "fp32") return std::nullopt;
  return "bf16";
}

void takeFactorsWhole(Operation& product) {
  if (product.name == "tt.dot")
    product.attributes.insert_or_assign("inputPrecision", Attribute(2));
  else
    product.attributes.insert_or_assign("precision", Attribute("#tpu.contract_precision<fp32>"));
}

std::string described(const Operation& operation, std::string_view what, std::string_view type) {
  return fmt::format("{} at {} {} {}", operation.name,
                     operation.location.empty() ? "an unknown place" : operation.location, what,
                     type);
}

// The narrow values of a function, in classes whose members must be of one type: an array, the
// memory that it is stored to, the variables of loops that it goes through.
class NarrowValues {
 public:
  // The last `own` arguments are memories that only the kernel sees.
  NarrowValues(Function& function, size_t own) : function_(function) {
    classOf_.resize(function.valueTypes.size());
    std::iota(classOf_.begin(), classOf_.end(), 0);
    isFixed_.assign(classOf_.size(), false);
    for (const Block& block : function.body.blocks)
      for (size_t i = 0; i < block.arguments.size(); ++i)
        if (&block != &function.body.blocks.front() || i + own < block.arguments.size())
          fix(block.arguments[i]);
    walk(function.body, nullptr);
  }

  // A class that can be wide, or a product that rounds its factors.
  struct Rounding {
    Operation* operation;
    std::optional<ValueId> values;  // None: the operation is the product.
    std::string text;
  };
  // To be called once.
  std::vector<Rounding> roundings() {
    std::vector<Rounding> found;
    for (Operation* operation : operations_) {
      if (isProduct(*operation))
        if (const auto factors = factorsOf(*operation, function_))
          found.push_back(
              {operation, std::nullopt, described(*operation, "takes its factors as", *factors)});
      for (const ValueId result : operation->results) {
        const ValueType& type = function_.valueTypes[result];
        const ValueId whole = classOf(result);
        const auto maker = makers_.find(whole);
        if (!isNarrow(type) || isFixed_[whole] || maker == makers_.end() ||
            maker->second != operation)
          continue;
        found.push_back(
            {operation, whole, described(*operation, "rounds to", stablehloName(type.element))});
        makers_.erase(maker);  // Another result may be of the same class.
      }
    }
    return found;
  }

  void leaveOut(const Rounding& rounding) {
    if (!rounding.values) return takeFactorsWhole(*rounding.operation);
    for (ValueId value = 0; value < classOf_.size(); ++value) {
      ValueType& type = function_.valueTypes[value];
      if (!isNarrow(type) || classOf(value) != *rounding.values) continue;
      const std::string name(stablehloName(type.element));
      if (const size_t at = type.text.find(name); at != std::string::npos)
        type.text.replace(at, name.size(), stablehloName(kWide));
      type.element = kWide;
    }
    if (!function_.body.blocks.empty()) {
      const auto& arguments = function_.body.blocks.front().arguments;
      for (size_t i = 0; i < std::min(arguments.size(), function_.argumentTypes.size()); ++i)
        function_.argumentTypes[i] = function_.valueTypes[arguments[i]];
    }
    for (Operation* operation : operations_) follow(*operation, *rounding.values);
  }

 private:
  ValueId classOf(ValueId value) {
    while (classOf_[value] != value) value = classOf_[value] = classOf_[classOf_[value]];
    return value;
  }

  void fix(ValueId value) { isFixed_[classOf(value)] = true; }

  void join(const std::vector<ValueId>& values) {
    std::map<ElementType, ValueId> first;
    for (const ValueId value : values) {
      if (!isNarrow(function_.valueTypes[value])) continue;
      const auto [known, isNew] =
          first.try_emplace(function_.valueTypes[value].element, classOf(value));
      const ValueId whole = classOf(known->second), other = classOf(value);
      if (whole == other) continue;
      classOf_[other] = whole;
      isFixed_[whole] = isFixed_[whole] || isFixed_[other];
    }
  }

  // `around`: all that the operation around the region takes and gives.
  void walk(Region& region, std::vector<ValueId>* around) {
    for (Block& block : region.blocks) {
      if (around) around->insert(around->end(), block.arguments.begin(), block.arguments.end());
      for (Operation& operation : block.operations) {
        operations_.push_back(&operation);
        std::vector<ValueId> values = operation.operands;
        values.insert(values.end(), operation.results.begin(), operation.results.end());
        const bool ends = &operation == &block.operations.back();
        if (needsItsTypes(operation)) {
          for (const ValueId value : values) fix(value);
        } else if (ends && around) {
          around->insert(around->end(), values.begin(), values.end());
        } else if (isProduct(operation)) {
          join({operation.operands[2], operation.results.front()});
        } else if (!isConversion(operation)) {
          for (Region& nested : operation.regions) walk(nested, &values);
          join(values);
        }
      }
    }
    if (!around) findMakers();
  }

  // The first operation that rounds into a class: a conversion, or else one that computes in the
  // narrow type.
  void findMakers() {
    for (const bool converts : {true, false})
      for (Operation* operation : operations_)
        for (const ValueId result : operation->results)
          if (isNarrow(function_.valueTypes[result]) && !operation->operands.empty() &&
              (!converts || isConversion(*operation)))
            makers_.try_emplace(classOf(result), operation);
  }

  // After the class is wide: a constant in it, and a product that now has two wide factors.
  void follow(Operation& operation, ValueId whole) {
    const auto isIn = [&](ValueId value) {
      return classOf(value) == whole && function_.valueTypes[value].element == kWide;
    };
    if (isProduct(operation)) {
      if ((isIn(operation.operands[0]) || isIn(operation.operands[1])) &&
          factorsOf(operation, function_))
        takeFactorsWhole(operation);
      return;
    }
    const auto value = operation.attributes.find("value");
    if (operation.results.size() != 1 || !isIn(operation.results.front()) ||
        value == operation.attributes.end())
      return;
    auto* elements = std::get_if<Tensor>(&value->second.value);
    if (!elements || elements->type() == kWide) return;
    const auto loop = kernelLoop("stablehlo.convert", {elements->type()}, kWide);
    if (!loop) return;
    const Tensor* const narrow[] = {elements};
    if (auto wide = applyLoop(*loop, narrow, kWide)) value->second = Attribute(std::move(*wide));
  }

  Function& function_;
  std::vector<Operation*> operations_;  // In the order of the program.
  std::vector<ValueId> classOf_;
  std::vector<bool> isFixed_;
  std::map<ValueId, Operation*> makers_;  // By class.
};

// How many of a function's last arguments only the kernel sees.
size_t ownArguments(const ModuleTree& kernel, const Function& function) {
  const auto* own = attributeField<AttributeMap>(kernel.attributes, "@" + function.name);
  const auto* scratch = own ? attributeField<int64_t>(*own, "scratch_operands") : nullptr;
  return scratch && *scratch > 0 ? static_cast<size_t>(*scratch) : 0;
}

}  // namespace

WithoutRoundings::WithoutRoundings(std::function<bool(size_t)> isLeftOut)
    : isLeftOut_(std::move(isLeftOut)) {
  current = this;
}

WithoutRoundings::~WithoutRoundings() { current = nullptr; }

void WithoutRoundings::applyTo(ModuleTree& kernel) {
  if (!current) return;
  for (Function& function : kernel.functions) {
    NarrowValues values(function, ownArguments(kernel, function));
    for (const auto& rounding : values.roundings()) {
      const size_t number = current->found_.size();
      current->found_.push_back(rounding.text);
      if (current->isLeftOut_(number)) values.leaveOut(rounding);
    }
  }
}

}  // namespace vintage::harness
