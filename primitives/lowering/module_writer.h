// Writes StableHLO text as JAX lowers and upstream prints it: pretty forms,
// constants once each at the top of their function, `%0`, `%cst_1`, `%arg0`.
//
// A writer trusts its caller: it checks no types. golden/program verifies the
// text when it is parsed, and a test parses every case.
//
// In a module with dimension variables, sizes may be those of
// symbolic_dimension.h. Types then have `?` there, and an operation that would
// need the number in its attributes becomes its dynamic form with a computed
// operand (broadcast_in_dim, dynamic_broadcast_in_dim), as in JAX.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "golden/tensor/tensor.h"
#include "primitives/lowering/room.h"

namespace vintage::primitives::lowering {

// An SSA value of ranked tensor type.
struct SsaValue {
  std::string name;
  ElementType type = ElementType::kF32;
  Shape shape;
};

struct TensorType {
  ElementType type;
  Shape shape;
};

std::string tensorText(ElementType type, std::span<const int64_t> shape);  // "tensor<2x3xf32>"
std::string typeText(const SsaValue& value);
std::string typesText(std::span<const SsaValue> values);  // "tensor<f32>, tensor<i1>"
std::string namesText(std::span<const SsaValue> values);  // "%0, %arg1"
// "[0, 1]"; `array<i64: 0, 1>`; `dense<[0, 1]> : tensor<2xindex>`.
std::string listText(std::span<const int64_t> values);
std::string arrayText(std::span<const int64_t> values);
std::string layoutText(std::span<const int64_t> minorToMajor);
// What stands between `dense<` and `>` for one element; of complex types the
// imaginary part is zero.
std::string literalText(ElementType type, double value);
std::string integerLiteralText(ElementType type, __int128 value);

class ModuleWriter;

// One function body. Regions open and close as scopes of value names.
class FunctionWriter {
 public:
  // Takes the values of `dimensionVariables` before its arguments.
  FunctionWriter(ModuleWriter& module, std::string name, std::vector<TensorType> arguments,
                 std::span<const std::string> dimensionVariables = {});

  const std::vector<SsaValue>& arguments() const { return arguments_; }

  // A scalar constant: the same literal twice is one constant.
  SsaValue constant(ElementType type, std::string literal) { return constant(type, {}, literal); }
  SsaValue constant(ElementType type, Shape shape, std::string literal);
  SsaValue number(ElementType type, double value) { return constant(type, literalText(type, value)); }
  // A scalar constant and its broadcast_in_dim.
  SsaValue fill(ElementType type, double value, Shape shape);
  SsaValue fillLiteral(ElementType type, std::string literal, Shape shape);
  SsaValue broadcast(const SsaValue& operand, std::span<const int64_t> dimensions, Shape shape);
  SsaValue broadcast(const SsaValue& scalar, Shape shape) { return broadcast(scalar, {}, shape); }

  // `%0 = NAME %x : T`; of several operands all have the result's type.
  SsaValue same(std::string_view name, std::span<const SsaValue> operands);
  SsaValue same(std::string_view name, const SsaValue& operand) { return same(name, {&operand, 1}); }
  SsaValue same(std::string_view name, const SsaValue& left, const SsaValue& right);
  // `%0 = NAME %x : (T) -> U`.
  SsaValue convert(std::string_view name, const SsaValue& operand, ElementType type, Shape shape);
  SsaValue convert(const SsaValue& operand, ElementType type);
  SsaValue reshape(const SsaValue& operand, Shape shape);
  SsaValue transpose(const SsaValue& operand, std::span<const int64_t> permutation);
  SsaValue iota(ElementType type, Shape shape, int64_t dimension);
  // Direction "LT", …; the comparison type follows from the element type.
  SsaValue compare(std::string_view direction, const SsaValue& left, const SsaValue& right);
  SsaValue compareTotalOrder(std::string_view direction, const SsaValue& left, const SsaValue& right);
  SsaValue select(const SsaValue& predicate, const SsaValue& onTrue, const SsaValue& onFalse);
  SsaValue real(const SsaValue& operand);
  SsaValue imaginary(const SsaValue& operand);
  // CHLO has no portable form; serialization keeps such an operation as a call
  // of `mhlo.NAME` with its attributes, and that is what is written.
  std::vector<SsaValue> chlo(std::string_view name, std::span<const SsaValue> operands,
                          std::span<const TensorType> results, std::string_view attributes = "");
  std::vector<SsaValue> call(std::string_view function, std::span<const SsaValue> operands,
                          std::span<const TensorType> results);

  // Anything else: `text` is what follows "= ".
  SsaValue emit(ElementType type, Shape shape, std::string_view text);
  std::vector<SsaValue> emit(std::span<const TensorType> results, std::string_view text);

  // An operation with regions: begin, then text and regions in turn, then end.
  std::vector<SsaValue> beginOperation(std::span<const TensorType> results, std::string_view text);
  void append(std::string_view text);
  std::vector<SsaValue> enterRegion(std::span<const TensorType> arguments);
  void startLine();  // Indentation of the region's level.
  void leaveRegion();
  void endOperation();
  // `({ ^bb0(…): … stablehlo.return … })` around what `body` writes and returns.
  template <typename Body>
  void region(std::span<const TensorType> arguments, Body body) {
    append("(");
    regionBody(arguments, body);
    append(")");
  }
  template <typename Body>
  void regionBody(std::span<const TensorType> arguments, Body body) {
    append("{");
    std::vector<SsaValue> values = enterRegion(arguments);
    printBlockHeader(values);
    returnFromRegion(body(std::span<const SsaValue>(values)));
    leaveRegion();
    append("}");
  }
  // `{ … stablehlo.return … }`, a region without arguments in a list of them.
  template <typename Body>
  void branch(Body body) {
    append("{\n");
    enterRegion({});
    returnFromRegion(body());
    leaveRegion();
    append("}");
  }
  void returnFromRegion(const std::vector<SsaValue>& values);
  // stablehlo.while; `condition` returns its predicate, `body` the next values.
  template <typename Condition, typename Body>
  std::vector<SsaValue> whileLoop(std::span<const SsaValue> initial, Condition condition, Body body) {
    std::vector<SsaValue> carried;
    std::vector<SsaValue> results = beginWhile(initial, carried);
    returnFromRegion({condition(std::span<const SsaValue>(carried))});
    nextWhileRegion();
    returnFromRegion(body(std::span<const SsaValue>(carried)));
    leaveRegion();
    append("}");
    endOperation();
    return results;
  }

  // Of a module with dimension variables: their values here, scalars of i32.
  void setDimensionValues(std::vector<SsaValue> values) { dimensionValues_ = std::move(values); }
  const std::vector<SsaValue>& dimensionValues() const { return dimensionValues_; }
  // A size as a scalar of i32: a constant, or computed from the variables.
  SsaValue dimension(int64_t size);
  // Sizes as an operand of a dynamic operation: tensor<NxI32>.
  SsaValue sizes(std::span<const int64_t> sizes);

  // Arguments in front of the others, for a main that takes more than arrays:
  // before anything else is written.
  SsaValue takePlatformIndex();
  void takeToken();  // finish() returns it in front of the results.
  // stablehlo.case; `branch` writes the i-th one and returns its values.
  template <typename Branch>
  std::vector<SsaValue> caseOf(const SsaValue& index, std::span<const TensorType> results,
                               size_t count, Branch writeBranch) {
    std::vector<SsaValue> values =
        beginOperation(results, "\"stablehlo.case\"(" + index.name + ") (");
    for (size_t i = 0; i < count; ++i) {
      if (i > 0) append(", ");
      branch([&] { return writeBranch(i); });
    }
    endCase(index, results);
    return values;
  }

  // Each argument's attributes, "" for none; of the results of a public function
  // those behind JAX's own.
  void setArgumentAttributes(std::vector<std::string> attributes);
  void setResultAttributes(std::vector<std::string> attributes);

  void finish(std::span<const SsaValue> results);
  ModuleWriter& module() { return module_; }
  const std::vector<TensorType>& results() const { return results_; }

 private:
  friend class ModuleWriter;
  struct Scope {
    int nextValue = 0, nextArgument = 0, nextLoopValue = 0;
  };
  struct Constant {
    ElementType type;
    Shape shape;
    std::string literal;
  };

  std::vector<SsaValue> beginWhile(std::span<const SsaValue> initial, std::vector<SsaValue>& carried);
  void nextWhileRegion();
  void endCase(const SsaValue& index, std::span<const TensorType> results);
  std::string takeLeading(std::string typeAndAttributes);
  void printBlockHeader(std::span<const SsaValue> arguments);
  std::vector<SsaValue> nameResults(std::span<const TensorType> results);
  std::string text(bool isPublic) const;
  // `text` as it is, or its dynamic form, whose operands are written first.
  std::string dynamicForm(std::string_view text, std::span<const TensorType> results);
  std::string sliceOfComputedSize(std::string_view text, std::string_view types,
                                  const std::string& result);
  SsaValue computedConstant(ElementType type, std::span<const int64_t> sizes, bool scalar);

  ModuleWriter& module_;
  std::string name_;
  std::vector<SsaValue> arguments_;
  std::vector<std::string> argumentAttributes_, resultAttributes_;
  std::vector<std::string> leadingArguments_;  // Types and attributes.
  std::string token_;  // The name of the argument; empty: none.
  std::vector<SsaValue> dimensionValues_;
  std::vector<TensorType> results_;
  std::string body_;
  Scope scope_;
  std::vector<Scope> outer_;
  std::vector<Constant> constants_;  // In the order of their first use.
};

class ModuleWriter {
 public:
  // `name`: "jit_add". The first function made is the public @main.
  explicit ModuleWriter(std::string name) : name_(std::move(name)) {}
  // A module attribute beside JAX's usual ones: `jax.uses_shape_polymorphism = true`.
  void setAttribute(const std::string& key, std::string value) { attributes_[key] = value; }

  // "b", "c": every function but the first takes their values.
  void setDimensionVariables(std::vector<std::string> names);
  const std::vector<std::string>& dimensionVariables() const { return dimensionVariables_; }
  // A declaration at the top of the module: `sdy.mesh @mesh = <["x"=2]>`.
  void addDeclaration(std::string text) { declarations_.push_back(std::move(text)); }

  FunctionWriter& function(std::string name, std::vector<TensorType> arguments);
  // A private function by this name with these arguments, which `make` fills
  // once; the same name with other arguments becomes NAME_0, NAME_1, ….
  template <typename Make>
  std::vector<SsaValue> callPrivate(FunctionWriter& caller, const std::string& name,
                                 std::span<const SsaValue> operands, Make make) {
    auto [callee, isNew] = privateFunction(name, operands);
    if (isNew) make(*callee);
    return caller.call(callee->name_, operands, callee->results());
  }
  // The name of such a function where an operation names it instead of calling it.
  template <typename Make>
  std::string definePrivate(const std::string& name, std::span<const TensorType> arguments,
                            Make make) {
    std::vector<SsaValue> operands;
    for (const TensorType& argument : arguments) {
      operands.push_back(SsaValue{"", argument.type, argument.shape});
    }
    auto [function, isNew] = privateFunction(name, operands);
    if (isNew) make(*function);
    return function->name_;
  }
  std::string text() const;

 private:
  std::pair<FunctionWriter*, bool> privateFunction(const std::string& name,
                                                   std::span<const SsaValue> operands);
  std::string name_;
  std::vector<std::string> dimensionVariables_, declarations_;
  std::map<std::string, std::string> attributes_{{"jax.uses_shape_polymorphism", "false"},
                                                 {"mhlo.num_partitions", "1 : i32"},
                                                 {"mhlo.num_replicas", "1 : i32"}};
  std::deque<FunctionWriter> functions_;
  std::map<std::string, FunctionWriter*> privateFunctions_;  // By name and argument types.
  std::map<std::string, int> privateNames_;
};

}  // namespace vintage::primitives::lowering
