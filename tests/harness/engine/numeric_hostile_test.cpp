// Programs of the numeric families in which one attribute or type is replaced
// by another, one after the other: each must end in a result or an error.
#include "tests/harness/engine/numeric_program.h"

namespace vintage::tests {
using namespace golden;
using namespace harness;

namespace {

constexpr const char* kPrograms[] = {
    R"(func.func public @main(%a: tensor<2x3x4xf32>, %b: tensor<2x4x5xf32>) -> tensor<2x3x5xf32> {
      %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1]
          : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
      return %0 : tensor<2x3x5xf32> })",
    R"(func.func public @main(%a: tensor<1x4x5x2xf32>, %b: tensor<2x3x2x3xf32>) -> tensor<1x2x3x3xf32> {
      %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
          window = {stride = [2, 1], pad = [[0, 1], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1],
          reverse = [false, true]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
          : (tensor<1x4x5x2xf32>, tensor<2x3x2x3xf32>) -> tensor<1x2x3x3xf32>
      return %0 : tensor<1x2x3x3xf32> })",
    R"(func.func public @main(%a: tensor<3x4xf32>) -> tensor<3x4xf32> {
      %0 = stablehlo.fft %a, type = RFFT, length = [3, 4] : (tensor<3x4xf32>) -> tensor<3x3xcomplex<f32>>
      %1 = stablehlo.fft %0, type = IRFFT, length = [3, 4] : (tensor<3x3xcomplex<f32>>) -> tensor<3x4xf32>
      return %1 : tensor<3x4xf32> })",
    R"(func.func public @main(%a: tensor<2x3x3xf32>) -> tensor<2x3x3xf32> {
      %0 = stablehlo.cholesky %a, lower = true : tensor<2x3x3xf32>
      %1 = "stablehlo.triangular_solve"(%0, %a) <{left_side = true, lower = true, unit_diagonal = false,
          transpose_a = #stablehlo<transpose NO_TRANSPOSE>}>
          : (tensor<2x3x3xf32>, tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
      return %1 : tensor<2x3x3xf32> })",
    R"(func.func public @main(%s: tensor<2xui64>, %n: tensor<1xi64>, %x: tensor<f32>)
        -> (tensor<2xui64>, tensor<5xui32>, tensor<4xf32>) {
      %0, %1 = stablehlo.rng_bit_generator %s, algorithm = PHILOX
          : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5xui32>)
      %c = stablehlo.constant dense<4> : tensor<1xi64>
      %2 = stablehlo.rng %x, %x, %c, distribution = NORMAL
          : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<4xf32>
      return %0, %1, %2 : tensor<2xui64>, tensor<5xui32>, tensor<4xf32> })",
    R"(func.func public @main(%a: tensor<2x3x3xf32>, %t: tensor<2x3xf32>) -> tensor<2x3x3xf32> {
      %0:5 = stablehlo.custom_call @lapack_sgesdd_ffi(%a) {mhlo.backend_config = {mode = 65 : ui8},
          operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>],
          result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 0]> : tensor<2xindex>,
          dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 2, 0]> : tensor<3xindex>, dense<0> : tensor<1xindex>]}
          : (tensor<2x3x3xf32>) -> (tensor<2x3x3xf32>, tensor<2x3xf32>, tensor<2x3x3xf32>,
          tensor<2x3x3xf32>, tensor<2xi32>)
      %1 = stablehlo.custom_call @lapack_sorgqr_ffi(%0#2, %t) {mhlo.backend_config = {},
          operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 0]> : tensor<2xindex>],
          result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>]}
          : (tensor<2x3x3xf32>, tensor<2x3xf32>) -> tensor<2x3x3xf32>
      %2 = stablehlo.custom_call @lapack_strsm_ffi(%a, %1) {mhlo.backend_config = {diag = 78 : ui8,
          side = 76 : ui8, trans_x = 78 : ui8, uplo = 76 : ui8}}
          : (tensor<2x3x3xf32>, tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
      return %2 : tensor<2x3x3xf32> })",
    R"(func.func public @main(%d: tensor<3xf32>, %b: tensor<3x1xf32>) -> tensor<3x1xf32> {
      %0:5 = stablehlo.custom_call @lapack_sgtsv_ffi(%d, %d, %d, %b) {mhlo.backend_config = {}}
          : (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3x1xf32>)
          -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3x1xf32>, tensor<i32>)
      return %0#3 : tensor<3x1xf32> })",
    R"(func.func public @main(%a: tensor<4x3xf32>, %b: tensor<2x3x2xf32>, %g: tensor<2xi32>)
        -> (tensor<4x2xf32>, tensor<4x2xi32>, tensor<4x3xf32>) {
      %0 = "chlo.ragged_dot"(%a, %b, %g) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<
          lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1],
          lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}>
          : (tensor<4x3xf32>, tensor<2x3x2xf32>, tensor<2xi32>) -> tensor<4x2xf32>
      %v, %i = chlo.top_k(%a, k = 2) : tensor<4x3xf32> -> (tensor<4x2xf32>, tensor<4x2xi32>)
      %z = chlo.lgamma %a : tensor<4x3xf32> -> tensor<4x3xf32>
      %y = chlo.zeta %z, %a : tensor<4x3xf32>, tensor<4x3xf32> -> tensor<4x3xf32>
      return %0, %i, %y : tensor<4x2xf32>, tensor<4x2xi32>, tensor<4x3xf32> })"};

constexpr int64_t kNumbers[] = {0, 1, 2, 3, 7, -1, 78, int64_t{1} << 32, INT64_MAX, INT64_MIN};

// Calls `visit` with every variant of `attribute`, each put back afterwards.
void forEachVariant(Attribute& attribute, const std::function<void()>& visit) {
  const Attribute original = attribute;
  for (Attribute other : {Attribute{true, {}}, Attribute{std::string("DEFAULT"), {}},
                          Attribute{std::vector<int64_t>{}, {}}, Attribute{int64_t{0}, {}}}) {
    attribute = other;
    visit();
  }
  attribute = original;
  if (auto* integer = std::get_if<int64_t>(&attribute.value)) {
    for (int64_t number : kNumbers) {
      *integer = number;
      visit();
    }
  } else if (auto* integers = std::get_if<std::vector<int64_t>>(&attribute.value)) {
    for (size_t i = 0; i < integers->size(); ++i) {
      for (int64_t number : kNumbers) {
        (*integers)[i] = number;
        visit();
      }
      (*integers)[i] = std::get<std::vector<int64_t>>(original.value)[i];
    }
    integers->push_back(0);
    visit();
  } else if (auto* list = std::get_if<AttributeList>(&attribute.value)) {
    for (Attribute& element : *list) forEachVariant(element, visit);
    if (!list->empty()) list->pop_back();
    visit();
  } else if (auto* map = std::get_if<AttributeMap>(&attribute.value)) {
    for (auto& entry : *map) forEachVariant(entry.second, visit);
    if (!map->empty()) map->erase(map->begin());
    visit();
  }
  attribute = original;
}

class HostileNumbers : public testing::TestWithParam<const char*> {};

TEST_P(HostileNumbers, EndInAResultOrAnError) {
  ProgramContext context;
  const auto program = context.parseText(GetParam(), "<test>");
  ASSERT_TRUE(program.has_value()) << program.error().message;
  ModuleTree tree = *program->tree();
  Function& function = tree.functions[0];
  std::vector<Tensor> inputs;
  for (const ValueType& type : function.argumentTypes)
    inputs.emplace_back(type.element, type.shape);
  RunOptions options;
  options.memoryLimitBytes = 1 << 24;
  int runs = 0, errors = 0;
  const auto run = [&] {
    ++runs;
    const auto plan = compile(tree, PlanOptions{});
    const auto outputs = plan ? plan->run(inputs, options) : tl::unexpected<Error>(plan.error());
    if (outputs) return;
    ++errors;
    EXPECT_FALSE(outputs.error().message.empty());
  };
  run();
  EXPECT_EQ(errors, 0);
  for (Operation& operation : function.body.blocks[0].operations) {
    const AttributeMap attributes = operation.attributes;
    for (const auto& [name, attribute] : attributes) {
      forEachVariant(operation.attributes[name], run);
      operation.attributes.erase(name);
      run();
      operation.attributes = attributes;
    }
    const auto operands = operation.operands;
    while (!operation.operands.empty()) {
      operation.operands.pop_back();
      run();
    }
    operation.operands = operands;
  }
  for (ValueType& type : function.valueTypes) {
    const ValueType original = type;
    for (int element = 0; element < kElementTypeCount; ++element) {
      type.element = static_cast<ElementType>(element);
      run();
    }
    type = original;
    for (int64_t& dimension : type.shape) {
      for (int64_t number : kNumbers) {
        dimension = number;
        run();
      }
    }
    type.shape.clear();
    run();
    type = original;
  }
  EXPECT_GT(errors, runs / 4);
}

INSTANTIATE_TEST_SUITE_P(NumericFamilies, HostileNumbers, testing::ValuesIn(kPrograms),
                         [](const auto& info) { return std::to_string(info.index); });

}  // namespace
}  // namespace vintage::tests
