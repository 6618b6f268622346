// Builds programs as JAX lowers them, operation by operation.
//
// A builder trusts its caller: it checks no types. golden/program verifies what the
// printer makes of the program, and a test parses every case.
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

#include "primitives/lowering/literals.h"
#include "primitives/lowering/operation.h"
#include "primitives/lowering/printer.h"
#include "primitives/lowering/profile.h"
#include "primitives/lowering/room.h"

namespace vintage::primitives::lowering {

class ModuleBuilder;

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

inline TensorType typeOf(const SsaValue& value) { return {value.type, value.shape}; }
Types typesOf(Arguments values);

class FunctionBuilder {
 public:
  FunctionBuilder(ModuleBuilder& module, BuiltFunction& function)
      : module_(module), function_(function), block_(&function.operations) {}
  FunctionBuilder(const FunctionBuilder&) = delete;
  FunctionBuilder& operator=(const FunctionBuilder&) = delete;

  ModuleBuilder& module() { return module_; }
  const SsaValues& arguments() const { return function_.arguments; }
  Types results() const { return typesOf(function_.returned); }

  // --- Constants. The same one twice is one constant.

  SsaValue constant(ElementType type, int64_t value);  // A predicate's is 0 or 1.
  SsaValue constant(ElementType type, std::span<const int64_t> values);
  SsaValue number(ElementType type, double value);
  // What only StableHLO reads: `literal` stands in `dense<…>`.
  SsaValue literal(ElementType type, Shape shape, std::string literal);
  // A scalar constant and its broadcast_in_dim.
  SsaValue fill(ElementType type, double value, Shape shape);
  SsaValue zerosLike(const SsaValue& value) { return fill(value.type, 0, value.shape); }
  SsaValue fillLiteral(ElementType type, std::string literal, Shape shape);

  // --- Single operations.

  // Operands and result are of one type.
  SsaValue same(std::string_view name, const Operands& operands);
  SsaValue same(std::string_view name, const SsaValue& operand) {
    return same(name, Operands{operand});
  }
  SsaValue same(std::string_view name, const SsaValue& left, const SsaValue& right) {
    return same(name, Operands{left, right});
  }
  SsaValue convert(std::string_view name, const SsaValue& operand, ElementType type, Shape shape);
  SsaValue convert(const SsaValue& operand, ElementType type);
  SsaValue broadcast(const SsaValue& operand, std::span<const int64_t> dimensions, Shape shape);
  SsaValue broadcast(const SsaValue& scalar, Shape shape) { return broadcast(scalar, {}, shape); }
  SsaValue reshape(const SsaValue& operand, Shape shape);
  SsaValue transpose(const SsaValue& operand, std::span<const int64_t> permutation);
  SsaValue reverse(const SsaValue& operand, const Shape& dimensions);
  SsaValue iota(ElementType type, Shape shape, int64_t dimension);
  SsaValue slice(const SsaValue& operand, const Shape& start, const Shape& limit,
                 const Shape& strides);
  SsaValue slice(const SsaValue& operand, const Shape& start, const Shape& limit) {
    return slice(operand, start, limit, Shape(start.size(), 1));
  }
  // From `start` up to `limit` along one axis, everything along the others.
  SsaValue sliceAlong(const SsaValue& operand, size_t axis, int64_t start, int64_t limit,
                      int64_t stride = 1);
  // Element `index` of an array of rank one, as a scalar.
  SsaValue element(const SsaValue& operand, int64_t index);
  // With `value`, a scalar; negative edges remove elements.
  SsaValue pad(const SsaValue& operand, const SsaValue& value, const Shape& low, const Shape& high,
               const Shape& interior);
  SsaValue pad(const SsaValue& operand, const SsaValue& value, const Shape& low,
               const Shape& high) {
    return pad(operand, value, low, high, Shape(low.size(), 0));
  }
  SsaValue concatenate(const Operands& operands, size_t dimension);
  SsaValue dynamicSlice(const SsaValue& operand, const Operands& starts, Shape sizes);
  SsaValue dynamicUpdateSlice(const SsaValue& operand, const SsaValue& update,
                              const Operands& starts);
  // Direction "LT", …; the comparison type follows from the element type.
  SsaValue compare(std::string_view direction, const SsaValue& left, const SsaValue& right);
  SsaValue compareTotalOrder(std::string_view direction, const SsaValue& left,
                             const SsaValue& right);
  SsaValue select(const SsaValue& predicate, const SsaValue& onTrue, const SsaValue& onFalse);
  SsaValue real(const SsaValue& operand);
  SsaValue imaginary(const SsaValue& operand);
  SsaValue complex(const SsaValue& real, const SsaValue& imaginary);

  // --- Calls.

  SsaValues customCall(std::string target, const Operands& operands, Types results,
                       NamedAttributes attributes);
  SsaValues call(const std::string& function, const Operands& operands, Types results);

  // --- Anything else, with regions where it has some.

  SsaValues add(BuiltOperation operation, Types results);
  SsaValues emit(Types results, std::string_view name, const Operands& operands,
                 NamedAttributes attributes = {}, std::vector<BuiltRegion> regions = {});
  SsaValue emitOne(TensorType result, std::string_view name, const Operands& operands,
                   NamedAttributes attributes = {}, std::vector<BuiltRegion> regions = {}) {
    return emit({std::move(result)}, name, operands, std::move(attributes), std::move(regions))
        .front();
  }
  // What `body` adds while it runs; it takes the region's arguments and gives back
  // what the region returns.
  template <typename Body>
  BuiltRegion region(const Types& arguments, Body body) {
    BuiltRegion region;
    for (const TensorType& argument : arguments) region.arguments.push_back(newValue(argument));
    fill(region, body);
    return region;
  }
  // stablehlo.while; `condition` returns its predicate, `body` the next values.
  template <typename Condition, typename Body>
  SsaValues whileLoop(const Operands& initial, Condition condition, Body body) {
    const Types types = typesOf(initial);
    std::vector<BuiltRegion> regions(2);
    for (const TensorType& type : types) regions[0].arguments.push_back(newValue(type));
    regions[1].arguments = regions[0].arguments;  // Both go by the loop's own names.
    fill(regions[0], [&](Arguments values) { return SsaValues{condition(values)}; });
    fill(regions[1], body);
    return emit(types, "stablehlo.while", initial, {}, std::move(regions));
  }
  // stablehlo.case; `branch` adds the i-th one's operations and returns its values.
  template <typename Branch>
  SsaValues caseOf(const SsaValue& index, Types results, size_t count, Branch branch) {
    std::vector<BuiltRegion> regions;
    for (size_t i = 0; i < count; ++i) {
      regions.push_back(region({}, [&](Arguments) { return branch(i); }));
    }
    return emit(std::move(results), "stablehlo.case", {index}, {}, std::move(regions));
  }

  // --- Dimension variables: their values here, scalars of i32.

  void setDimensionValues(SsaValues values) { dimensionValues_ = std::move(values); }
  // A size as a scalar of i32: a constant, or computed from the variables.
  SsaValue dimension(int64_t size);
  // Sizes as an operand of a dynamic operation: tensor<NxI32>.
  SsaValue sizes(std::span<const int64_t> sizes);
  // Along one dimension of a value, as the program finds it.
  SsaValue dimensionSize(const SsaValue& operand, size_t dimension);

  // --- The signature.

  // In front of the arguments, for a main that takes more than arrays.
  SsaValue takeGlobal(std::string name);
  void takeToken() { function_.takesToken = true; }
  // Each argument's attributes, "" for none; of the results of a public function
  // those behind JAX's own.
  void setArgumentAttributes(std::vector<std::string> attributes);
  void setResultAttributes(std::vector<std::string> attributes);
  void finish(SsaValues results) { function_.returned = std::move(results); }
  // Takes out the arguments that nothing in the function uses; which ones stayed.
  std::vector<bool> dropUnusedArguments();

 private:
  friend class ModuleBuilder;

  SsaValue newValue(TensorType type) {
    return {function_.valueCount++, type.type, std::move(type.shape)};
  }
  template <typename Body>
  void fill(BuiltRegion& region, Body body) {
    std::vector<BuiltOperation>* outer = std::exchange(block_, &region.operations);
    region.returned = body(Arguments(region.arguments));
    block_ = outer;
  }
  bool isDynamic() const;  // Whether the module has dimension variables.
  // Gives an operation with sizes that are not numbers its dynamic form, whose
  // operands are computed first.
  void makeDynamic(BuiltOperation& operation, std::span<const TensorType> results);
  SsaValues boundsInside(const SsaValues& operands, const Shape& lengths);

  ModuleBuilder& module_;
  BuiltFunction& function_;
  std::vector<BuiltOperation>* block_;  // Where operations are added: the body or a region.
  SsaValues dimensionValues_;
};

class ModuleBuilder {
 public:
  // `name`: "jit_add". The first function made is the public @main.
  ModuleBuilder(std::string name, const Profile& profile);

  const BuiltModule& program() const { return module_; }
  const Profile& profile() const { return *profile_; }
  std::string text() const;

  // A module attribute beside JAX's usual ones: `mhlo.num_partitions = 2 : i32`.
  void setAttribute(const std::string& key, std::string value) { module_.attributes[key] = value; }
  // "b", "c": every function but the first takes their values.
  void setDimensionVariables(std::vector<std::string> names);
  const std::vector<std::string>& dimensionVariables() const { return dimensionVariables_; }
  void addDeclaration(std::string text) { module_.declarations.push_back(std::move(text)); }

  FunctionBuilder& function(std::string name, const Types& arguments);
  // A private function by this name with these arguments, which `make` fills
  // once; the same name with other arguments becomes NAME_0, NAME_1, ….
  template <typename Make>
  SsaValues callPrivate(FunctionBuilder& caller, const std::string& name, const Operands& operands,
                        Make make) {
    FunctionBuilder& callee = definePrivate(name, typesOf(operands), make);
    return caller.call(callee.function_.name, operands, callee.results());
  }
  // The name of such a function where an operation names it instead of calling it.
  template <typename Make>
  std::string privateName(const std::string& name, Types arguments, Make make) {
    return definePrivate(name, std::move(arguments), make).function_.name;
  }
  // And where the compiler calls it by itself, who looks only at what is visible.
  template <typename Make>
  std::string visibleName(const std::string& name, Types arguments, Make make) {
    FunctionBuilder& function = definePrivate(name, std::move(arguments), make, false);
    function.function_.isVisible = true;
    return function.function_.name;
  }
  // And where it is called as what it is, without the values of dimension variables.
  template <typename Make>
  std::string decompositionName(const std::string& name, Types arguments, Make make) {
    return definePrivate(name, std::move(arguments), make, false).function_.name;
  }

 private:
  template <typename Make>
  FunctionBuilder& definePrivate(const std::string& name, std::vector<TensorType> arguments,
                                 Make make, bool takesDimensions = true) {
    const auto [function, isNew] = privateFunction(name, std::move(arguments), takesDimensions);
    if (isNew) make(*function);
    return *function;
  }
  std::pair<FunctionBuilder*, bool> privateFunction(const std::string& name, Types arguments,
                                                    bool takesDimensions);
  FunctionBuilder& function(std::string name, const Types& arguments, bool takesDimensions);

  struct PrivateFunction {
    std::string name;
    Types arguments;
    FunctionBuilder* function;
  };
  const Profile* profile_;
  BuiltModule module_;
  std::deque<FunctionBuilder> builders_;
  std::vector<PrivateFunction> privateFunctions_;
  std::vector<std::string> dimensionVariables_;
};

}  // namespace vintage::primitives::lowering
