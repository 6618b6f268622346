// The module tree: every kind of attribute and type in the form that
// module_tree.h promises.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "golden/module/module_tree.h"
#include "golden/program/program.h"

namespace vintage::tests {
using namespace golden;

namespace {

using testing::ElementsAre;

ModuleTree treeOf(const std::string& text) {
  ProgramContext context;
  auto program = context.parseText(text, "test.mlir");
  EXPECT_TRUE(program) << program.error().message;
  if (!program) return {};
  auto tree = program->tree();
  EXPECT_TRUE(tree) << tree.error().message;
  return tree ? std::move(*tree) : ModuleTree{};
}

const Operation& onlyOperation(const ModuleTree& tree) {
  return tree.functions.at(0).body.blocks.at(0).operations.at(0);
}

TEST(Tree, ValuesAreNumberedWithinAFunction) {
  const ModuleTree tree = treeOf(R"(
    module @m attributes {jax.uses_shape_polymorphism = false} {
      func.func public @main(%a: tensor<2x?xf32>, %b: tensor<i32>) -> tensor<2x?xf32> {
        %0 = stablehlo.add %a, %a : tensor<2x?xf32>
        return %0 : tensor<2x?xf32>
      }
      func.func private @other() { return }
    })");
  EXPECT_EQ(tree.name, "m");
  EXPECT_EQ(std::get<bool>(tree.attributes.at("jax.uses_shape_polymorphism").value), false);
  ASSERT_EQ(tree.functions.size(), 2u);
  const Function& main = *tree.find("main");
  EXPECT_TRUE(main.isPublic);
  EXPECT_FALSE(tree.find("other")->isPublic);
  EXPECT_EQ(tree.find("absent"), nullptr);
  ASSERT_EQ(main.valueTypes.size(), 3u);
  EXPECT_THAT(main.valueTypes[0].shape, ElementsAre(2, kDynamicDimension));
  EXPECT_EQ(main.valueTypes[1].element, ElementType::kI32);
  const Block& block = main.body.blocks.at(0);
  EXPECT_THAT(block.arguments, ElementsAre(0u, 1u));
  EXPECT_EQ(block.operations[0].name, "stablehlo.add");
  EXPECT_THAT(block.operations[0].operands, ElementsAre(0u, 0u));
  EXPECT_THAT(block.operations[0].results, ElementsAre(2u));
  EXPECT_EQ(block.operations[1].name, "func.return");
}

// A context caches the operations of its programs: one that differs in a field, in an attribute of
// its own, or in its terminator is another.
TEST(Tree, ProgramsOfOneContextAreReadAsEachInItsOwn) {
  const char* kBodies[] = {
      R"(%0 = stablehlo.compare LT, %a, %a : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>)",
      R"(%0 = stablehlo.compare GT, %a, %a : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>)",
      R"(%0 = stablehlo.exponential %a {note = 1 : i32} : tensor<2xf32>)",
      R"(%0 = stablehlo.exponential %a {note = 2 : i32} : tensor<2xf32>)",
      R"(%0 = stablehlo.exponential %a : tensor<2xf32>)",
      R"(%0 = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>)",
      R"(%0 = stablehlo.constant dense<[1.0, 3.0]> : tensor<2xf32>)",
      R"(%0 = stablehlo.constant dense<7> : tensor<2xi64>)",
      R"(%0 = stablehlo.custom_call @one(%a) {backend_config = "x"} : (tensor<2xf32>) -> tensor<2xf32>)",
      R"(%0 = stablehlo.custom_call @two(%a) {backend_config = "x"} : (tensor<2xf32>) -> tensor<2xf32>)",
      R"(%p = stablehlo.constant dense<true> : tensor<i1>
         %0 = "stablehlo.if"(%p) ({ stablehlo.return %a : tensor<2xf32> },
                                  { stablehlo.return %a : tensor<2xf32> }) : (tensor<i1>) -> tensor<2xf32>)",
  };
  std::vector<std::vector<std::byte>> artifacts;
  for (const char* body : kBodies) {
    ProgramContext context;
    auto program = context.parseText(
        fmt::format("func.func @main(%a: tensor<2xf32>) {{\n{}\nreturn\n}}", body), "test.mlir");
    ASSERT_TRUE(program) << program.error().message;
    auto written = program->writePortableArtifact(kCurrentStablehloVersion);
    ASSERT_TRUE(written) << written.error().message;
    artifacts.push_back(std::move(*written));
  }
  const auto read = [](ProgramContext& context, std::span<const std::byte> bytes) {
    auto program = context.readPortableArtifact(bytes, "test");
    EXPECT_TRUE(program) << program.error().message;
    if (!program) return std::pair<std::string, std::vector<std::string>>();
    auto tree = program->tree();
    EXPECT_TRUE(tree) << tree.error().message;
    return std::pair(program->print({}), tree ? canonicalForm(*tree) : std::vector<std::string>());
  };
  ProgramContext shared;
  for (int round = 0; round < 2; ++round)
    for (const auto& bytes : artifacts) {
      ProgramContext own;
      EXPECT_EQ(read(shared, bytes), read(own, bytes));
    }
}

// Simple types are printed by code of our own, for speed; the text must be MLIR's.
TEST(Tree, TypesHaveTheTextThatIsRead) {
  std::vector<std::string> types;
  for (int i = 0; i < kElementTypeCount; ++i) {
    const std::string element(stablehloName(static_cast<ElementType>(i)));
    for (const char* shape : {"", "3x", "2x?x", "0x1x"})
      types.push_back("tensor<" + std::string(shape) + element + ">");
  }
  for (const char* other :
       {"tensor<*xf32>", "tensor<2xsi32>", "tensor<?xindex>",
        "tensor<4x?xf32, #stablehlo.bounds<?, 8>>", "!stablehlo.token",
        "tensor<2x!quant.uniform<i8:f32, 5.000000e-01>>", "tuple<tensor<f32>, tensor<3xi1>>"})
    types.push_back(other);
  for (const std::string& type : types) {
    const ModuleTree tree = treeOf("func.func @main(%a: " + type + ") { return }");
    ASSERT_EQ(tree.functions.size(), 1u) << type;
    EXPECT_EQ(tree.functions[0].argumentTypes.at(0).text, type);
  }
}

TEST(Tree, AttributesHaveTheirPlainForms) {
  const ModuleTree tree = treeOf(R"(
    func.func @main() {
      "stablehlo.custom_call"() {
        call_target_name = "t", x.unit, x.true = true, x.byte = 200 : ui8, x.minus = -1 : i32,
        x.half = 0.5 : f32, x.symbol = @main, x.dense = dense<[3, 4]> : tensor<2xi64>,
        x.array = array<i64: 5, 6>, x.flags = array<i1: true, false>,
        x.matrix = dense<[[1, 2], [3, 4]]> : tensor<2x2xi64>, x.list = [1 : i32, "a"],
        x.nested = {inner = "b"}, x.index = dense<[1, 0]> : tensor<2xindex>,
        x.less = #stablehlo<comparison_direction LT>,
        x.gather = #stablehlo.gather<offset_dims = [1], start_index_map = [0], index_vector_dim = 2>
      } : () -> ()
      return
    })");
  const AttributeMap& attributes = onlyOperation(tree).attributes;
  const auto at = [&](const char* name) -> const Attribute& { return attributes.at(name); };
  EXPECT_EQ(std::get<std::string>(at("call_target_name").value), "t");
  EXPECT_TRUE(std::get<bool>(at("x.unit").value));
  EXPECT_TRUE(std::get<bool>(at("x.true").value));
  EXPECT_EQ(std::get<int64_t>(at("x.byte").value), 200);
  EXPECT_EQ(at("x.byte").type, ElementType::kUi8);
  EXPECT_EQ(std::get<int64_t>(at("x.minus").value), -1);
  EXPECT_EQ(std::get<double>(at("x.half").value), 0.5);
  EXPECT_EQ(at("x.half").type, ElementType::kF32);
  EXPECT_EQ(std::get<std::string>(at("x.symbol").value), "main");
  EXPECT_THAT(std::get<std::vector<int64_t>>(at("x.dense").value), ElementsAre(3, 4));
  EXPECT_THAT(std::get<std::vector<int64_t>>(at("x.array").value), ElementsAre(5, 6));
  EXPECT_THAT(std::get<std::vector<bool>>(at("x.flags").value), ElementsAre(true, false));
  EXPECT_THAT(std::get<std::vector<int64_t>>(at("x.index").value), ElementsAre(1, 0));
  const Tensor& matrix = std::get<Tensor>(at("x.matrix").value);
  EXPECT_THAT(matrix.shape(), ElementsAre(2, 2));
  EXPECT_THAT(matrix.values<int64_t>(), ElementsAre(1, 2, 3, 4));
  const auto& list = std::get<AttributeList>(at("x.list").value);
  EXPECT_EQ(std::get<int64_t>(list.at(0).value), 1);
  EXPECT_EQ(std::get<std::string>(list.at(1).value), "a");
  EXPECT_EQ(std::get<std::string>(std::get<AttributeMap>(at("x.nested").value).at("inner").value),
            "b");
  EXPECT_EQ(std::get<std::string>(at("x.less").value), "LT");
  const auto& gather = std::get<AttributeMap>(at("x.gather").value);
  EXPECT_THAT(std::get<std::vector<int64_t>>(gather.at("offset_dims").value), ElementsAre(1));
  EXPECT_EQ(std::get<int64_t>(gather.at("index_vector_dim").value), 2);
}

struct ConstantCase {
  const char* text;
  ElementType type;
  std::vector<int> bytes;
};

void PrintTo(const ConstantCase& constant, std::ostream* stream) { *stream << constant.text; }

class TreeConstant : public testing::TestWithParam<ConstantCase> {};

TEST_P(TreeConstant, IsATensor) {
  const std::string text = GetParam().text;
  const ModuleTree tree =
      treeOf("func.func @main() {\n  %c = stablehlo.constant " + text + "\n  return\n}");
  const Tensor& value = std::get<Tensor>(onlyOperation(tree).attributes.at("value").value);
  EXPECT_EQ(value.type(), GetParam().type);
  std::vector<int> bytes;
  for (std::byte each : value.bytes()) bytes.push_back(std::to_integer<int>(each));
  EXPECT_EQ(bytes, GetParam().bytes);
}

INSTANTIATE_TEST_SUITE_P(
    , TreeConstant,
    testing::Values(
        ConstantCase{"dense<[true, false, true]> : tensor<3xi1>", ElementType::kI1, {1, 0, 1}},
        ConstantCase{"dense<true> : tensor<9xi1>", ElementType::kI1, {1, 1, 1, 1, 1, 1, 1, 1, 1}},
        ConstantCase{"dense<[-8, 7]> : tensor<2xi4>", ElementType::kI4, {0xf8, 7}},
        ConstantCase{"dense<[15, 1]> : tensor<2xui4>", ElementType::kUi4, {15, 1}},
        ConstantCase{"dense<[-2, 1]> : tensor<2xi2>", ElementType::kI2, {0xfe, 1}},
        ConstantCase{"dense<3> : tensor<2xi16>", ElementType::kI16, {3, 0, 3, 0}},
        ConstantCase{"dense<[1, 2]> : tensor<2xi8>", ElementType::kI8, {1, 2}},
        ConstantCase{"dense<1.0> : tensor<f32>", ElementType::kF32, {0, 0, 0x80, 0x3f}},
        ConstantCase{"dense<1.0> : tensor<bf16>", ElementType::kBF16, {0x80, 0x3f}},
        ConstantCase{
            "dense<[1.0, 0.5]> : tensor<2xf8E4M3FN>", ElementType::kF8E4M3FN, {0x38, 0x30}},
        ConstantCase{"dense<(1.0, 0.0)> : tensor<1xcomplex<f32>>",
                     ElementType::kC64,
                     {0, 0, 0x80, 0x3f, 0, 0, 0, 0}},
        ConstantCase{"dense<\"0x01000000\"> : tensor<1xi32>", ElementType::kI32, {1, 0, 0, 0}},
        ConstantCase{"dense<[]> : tensor<0xi32>", ElementType::kI32, {}}));

TEST(Tree, QuantizedTypesTellTheirScales) {
  const ModuleTree tree = treeOf(
      "func.func @main(%a: tensor<2x!quant.uniform<i8:f32, 2.0:15>>, "
      "%b: tensor<2x2x!quant.uniform<u8:f32:1, {0.5, 0.25:3}>>) {\n  return\n}");
  const Function& main = tree.functions.at(0);
  const Quantization& perTensor = main.argumentTypes.at(0).quantization.value();
  EXPECT_EQ(perTensor.storage, ElementType::kI8);
  EXPECT_EQ(perTensor.expressed, ElementType::kF32);
  EXPECT_EQ(perTensor.storageMin, -128);
  EXPECT_THAT(perTensor.scales, ElementsAre(2.0));
  EXPECT_THAT(perTensor.zeroPoints, ElementsAre(15));
  EXPECT_FALSE(perTensor.dimension);
  const Quantization& perAxis = main.argumentTypes.at(1).quantization.value();
  EXPECT_EQ(perAxis.storage, ElementType::kUi8);
  EXPECT_EQ(perAxis.dimension, 1);
  EXPECT_THAT(perAxis.scales, ElementsAre(0.5, 0.25));
  EXPECT_THAT(perAxis.zeroPoints, ElementsAre(0, 3));
}

TEST(Tree, RegionsKeepTheirBlocks) {
  const ModuleTree tree = treeOf(R"(
    func.func @main(%n: tensor<i32>) -> tensor<i32> {
      %0 = stablehlo.while(%x = %n) : tensor<i32>
      cond {
        %1 = stablehlo.compare  LT, %x, %n,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %1 : tensor<i1>
      } do {
        %1 = stablehlo.add %x, %n : tensor<i32>
        stablehlo.return %1 : tensor<i32>
      }
      return %0 : tensor<i32>
    })");
  const Operation& loop = onlyOperation(tree);
  EXPECT_EQ(loop.name, "stablehlo.while");
  ASSERT_EQ(loop.regions.size(), 2u);
  const Block& condition = loop.regions[0].blocks.at(0);
  EXPECT_EQ(condition.arguments.size(), 1u);
  // %n is captured: the same number inside as outside.
  EXPECT_THAT(condition.operations.at(0).operands, ElementsAre(condition.arguments[0], 0u));
}

}  // namespace
}  // namespace vintage::tests
