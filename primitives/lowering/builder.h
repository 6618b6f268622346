// Builds programs as JAX lowers them, operation by operation: a ModuleTree.
//
// A builder trusts its caller: it checks no types. golden/program verifies the tree
// when it is written, and a test does so for every case.
//
// In a module with dimension variables, sizes may be those of
// symbolic_dimension.h. Types then have `?` there, and an operation that would
// need the number in its attributes becomes its dynamic form with a computed
// operand (broadcast_in_dim, dynamic_broadcast_in_dim), as in JAX.
#pragma once

#include <deque>
#include <initializer_list>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "golden/module/module_tree.h"
#include "golden/oracle/number.h"
#include "primitives/lowering/profile.h"
#include "primitives/lowering/tensor_type.h"

namespace vintage::primitives {

class FunctionBuilder;
class ModuleBuilder;

// A value of a function with its type, whose sizes may be symbolic; expression.h has the operations
// on it.
struct SsaValue {
  FunctionBuilder* builder = nullptr;  // Null: no value.
  golden::ValueId id = 0;
  golden::ElementType type = golden::ElementType::kF32;
  golden::Shape shape = {};

  bool exists() const { return builder != nullptr; }
  // A number in this value's type and shape.
  SsaValue like(double number) const;
  SsaValue broadcastTo(golden::Shape shape) const;  // For scalars.
};
using SsaValues = std::vector<SsaValue>;
using Arguments = std::span<const SsaValue>;  // The arguments of a body.
// The results of a body, one value or several.
inline SsaValues listed(SsaValues several) { return several; }
inline SsaValues listed(const SsaValue& one) { return {one}; }

// A list of values or types, written out or as whatever holds several.
template <typename Element>
class ListOf : public std::vector<Element> {
 public:
  ListOf() = default;
  ListOf(std::initializer_list<Element> elements) : std::vector<Element>(elements) {}
  ListOf(std::span<const Element> elements)
      : std::vector<Element>(elements.begin(), elements.end()) {}
  ListOf(std::vector<Element> elements) : std::vector<Element>(std::move(elements)) {}
  template <size_t kCount>
  ListOf(const Element (&elements)[kCount])
      : std::vector<Element>(std::begin(elements), std::end(elements)) {}
};
using Operands = ListOf<SsaValue>;
using Types = ListOf<TensorType>;

// A constant's elements: one number everywhere, or a list of real numbers.
golden::Tensor filledWith(golden::ElementType type, golden::Shape shape,
                          const golden::oracle::Number& value);
golden::Tensor filledWith(golden::ElementType type, golden::Shape shape, double value);
golden::Tensor listOf(golden::ElementType type, std::span<const double> values);

inline TensorType typeOf(const SsaValue& value) { return {value.type, value.shape}; }
Types typesOf(Arguments values);

class FunctionBuilder {
 public:
  FunctionBuilder(ModuleBuilder& module, std::string name);
  FunctionBuilder(const FunctionBuilder&) = delete;
  FunctionBuilder& operator=(const FunctionBuilder&) = delete;

  ModuleBuilder& module() { return module_; }
  const std::string& name() const { return function_.name; }
  const std::string& platform() const;
  const SsaValues& arguments() const { return arguments_; }
  Types results() const { return typesOf(returned_); }

  // --- Constants. The same one twice is one constant.

  SsaValue constant(const golden::Tensor& value);
  SsaValue constant(golden::ElementType type, int64_t value);  // A predicate's is 0 or 1.
  SsaValue constant(golden::ElementType type, std::span<const int64_t> values);
  SsaValue number(golden::ElementType type, double value);
  // A scalar constant and its broadcast_in_dim.
  SsaValue fill(golden::ElementType type, double value, golden::Shape shape);
  SsaValue fill(const golden::Tensor& scalar, golden::Shape shape);

  SsaValue iota(golden::ElementType type, golden::Shape shape, int64_t dimension);

  // --- Calls.

  SsaValues customCall(std::string target, const Operands& operands, const Types& results,
                       golden::AttributeMap attributes);
  // stablehlo.composite; `decomposition` is the equivalent function.
  SsaValues composite(std::string name, const Operands& operands, golden::AttributeMap attributes,
                      const FunctionBuilder& decomposition);
  SsaValues call(const std::string& function, const Operands& operands, const Types& results);

  // --- Anything else, with regions where it has some.

  // `attributes` by their names in StableHLO, as golden/module/module_tree.h represents them.
  SsaValues emit(const Types& results, std::string_view name, Operands operands,
                 golden::AttributeMap attributes = {}, std::vector<golden::Region> regions = {});
  // A region of the operations that `body` adds; `body` takes the region's arguments and returns
  // its results.
  template <typename Body>
  golden::Region region(const Types& types, Body body,
                        std::string_view terminator = "stablehlo.return") {
    golden::Region region;
    golden::Block& block = region.blocks.emplace_back();
    SsaValues arguments;
    for (const TensorType& type : types) {
      arguments.push_back(newValue(type));
      block.arguments.push_back(arguments.back().id);
    }
    golden::Block* outer = std::exchange(block_, &block);
    emit({}, terminator, listed(body(Arguments(arguments))));
    block_ = outer;
    return region;
  }

  // --- Dimension variables: their values here, scalars of i32.

  void setDimensionValues(SsaValues values) { dimensionValues_ = std::move(values); }
  // A size as a scalar of i32: a constant, or computed from the variables.
  SsaValue dimension(int64_t size);
  // Sizes as an operand of a dynamic operation: tensor<NxI32>.
  SsaValue sizes(std::span<const int64_t> sizes);

  // --- The signature.

  // Passed in front of the arguments, for a main that takes more than arrays.
  SsaValue takeGlobal(std::string name);
  void takeToken() { takesToken_ = true; }
  // Attributes of each argument, and of each result of main beside JAX's own.
  void setAttributes(std::vector<golden::AttributeMap> arguments,
                     std::vector<golden::AttributeMap> results);
  void finish(SsaValues results) { returned_ = std::move(results); }
  // Removes the arguments that the function does not use; returns which ones remain.
  std::vector<bool> dropUnusedArguments();

  // The function, complete with its signature and results.
  golden::Function finished() const;

 private:
  friend class ModuleBuilder;

  // A scalar of i32 that JAX passes in front of the arguments: a dimension variable
  // or the index of the platform.
  struct GlobalConstant {
    std::string name;
    SsaValue value;
  };
  struct Constant {
    SsaValue value;
    golden::Tensor content;
  };

  bool isMain() const;
  SsaValue newValue(TensorType type);
  bool isDynamic() const;  // Whether the module has dimension variables.
  // Replaces an operation that has symbolic sizes by its dynamic form; its operands are computed
  // first.
  void makeDynamic(std::string& name, Operands& operands, golden::AttributeMap& attributes,
                   std::span<const TensorType> results);
  Operands boundsInside(const Operands& operands, const golden::Shape& lengths);

  ModuleBuilder& module_;
  golden::Function function_;  // Its body has one block.
  golden::Block* block_;       // Where operations are added: the body or a region.
  std::vector<GlobalConstant> globals_;
  bool takesToken_ = false;  // In front of everything, and returns one in front.
  SsaValues arguments_, returned_;
  std::vector<Constant> constants_;
  SsaValues dimensionValues_;
};

class ModuleBuilder {
 public:
  // `name`: "jit_add". The first function made is the public @main.
  ModuleBuilder(std::string name, const Profile& profile, std::string platform);

  const Profile& profile() const { return *profile_; }
  // The platform of the operations written from now on: "cpu".
  const std::string& platform() const { return platform_; }
  void setPlatform(std::string platform) { platform_ = std::move(platform); }
  golden::ModuleTree tree() const;

  // A module attribute, JAX's usual ones among them.
  void setAttribute(const std::string& name, golden::Attribute value) {
    module_.attributes[name] = std::move(value);
  }
  // "b", "c": every function but the first takes their values.
  void setDimensionVariables(std::vector<std::string> names);
  const std::vector<std::string>& dimensionVariables() const { return dimensionVariables_; }
  void addDeclaration(golden::Operation operation) {
    module_.others.push_back(std::move(operation));
  }

  FunctionBuilder& function(std::string name, const Types& arguments);
  // A private function with this name and these arguments; `make` makes the values that it returns,
  // once. The same name with other arguments becomes NAME_0, NAME_1, ….
  template <typename Make>
  FunctionBuilder& definePrivate(const std::string& name, Types arguments, Make make,
                                 bool takesDimensions = true) {
    const auto [function, isNew] = privateFunction(name, std::move(arguments), takesDimensions);
    if (isNew) function->finish(listed(make(Arguments(function->arguments()))));
    return *function;
  }
  // The name of such a function for calls by the compiler itself, which only finds public
  // functions.
  template <typename Make>
  std::string visibleName(const std::string& name, Types arguments, Make make) {
    FunctionBuilder& function = definePrivate(name, std::move(arguments), make, false);
    function.function_.isPublic = true;
    return function.name();
  }

 private:
  std::pair<FunctionBuilder*, bool> privateFunction(const std::string& name, Types arguments,
                                                    bool takesDimensions);
  FunctionBuilder& function(std::string name, const Types& arguments, bool takesDimensions);

  struct PrivateFunction {
    std::string name;
    Types arguments;
    FunctionBuilder* function;
  };
  const Profile* profile_;
  std::string platform_;
  golden::ModuleTree module_;  // Without the functions.
  std::deque<FunctionBuilder> builders_;
  std::vector<PrivateFunction> privateFunctions_;
  std::vector<std::string> dimensionVariables_;

  friend class FunctionBuilder;
};

// Calls such a function; its argument types are those of the operands.
template <typename Make>
SsaValues callPrivate(const std::string& name, const Operands& operands, Make make) {
  FunctionBuilder& caller = *operands.front().builder;
  FunctionBuilder& callee = caller.module().definePrivate(name, typesOf(operands), make);
  return caller.call(callee.name(), operands, callee.results());
}

// Calls it as a composite: without the values of dimension variables.
template <typename Make>
SsaValues callComposite(std::string name, const std::string& decomposition,
                        const Operands& operands, golden::AttributeMap attributes, Make make) {
  FunctionBuilder& caller = *operands.front().builder;
  return caller.composite(
      std::move(name), operands, std::move(attributes),
      caller.module().definePrivate(decomposition, typesOf(operands), make, false));
}

// stablehlo.while; `condition` returns its predicate, `body` the next values.
template <typename Condition, typename Body>
SsaValues whileLoop(const Operands& initial, Condition condition, Body body) {
  FunctionBuilder& builder = *initial.front().builder;
  const Types types = typesOf(initial);
  std::vector<golden::Region> regions;
  regions.push_back(builder.region(types, condition));
  regions.push_back(builder.region(types, body));
  return builder.emit(types, "stablehlo.while", initial, {}, std::move(regions));
}

// stablehlo.case; `branch` adds the i-th one's operations and returns its values.
template <typename Branch>
SsaValues caseOf(const SsaValue& index, const Types& results, size_t count, Branch branch) {
  std::vector<golden::Region> regions;
  for (size_t i = 0; i < count; ++i)
    regions.push_back(index.builder->region({}, [&](Arguments) { return branch(i); }));
  return index.builder->emit(results, "stablehlo.case", {index}, {}, std::move(regions));
}

}  // namespace vintage::primitives
