// Programs whose arguments and results lie in other orders than row-major, as JAX annotates them.
#include "golden/program/program.h"
#include "harness/plugin/array_layout.h"
#include "harness/plugin/extensions.h"
#include "tests/harness/plugin/plugin_under_test.h"

namespace vintage::tests {
using namespace golden;
using namespace harness;

namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

const std::string kLaidOut = R"(module @jit_laid_out {
  func.func public @main(%a: tensor<2x3xf32> {mhlo.layout_mode = "{0,1}", jax.buffer_donor = true},
                         %b: tensor<f32> {mhlo.layout_mode = "default"})
      -> (tensor<2x3xf32> {mhlo.layout_mode = "{0,1}"}, tensor<3x2xf32>,
          tensor<3x2xf32> {mhlo.layout_mode = "auto"}) {
    %0 = stablehlo.add %a, %a : tensor<2x3xf32>
    %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
    %2 = stablehlo.transpose %a, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
    return %0, %1, %2 : tensor<2x3xf32>, tensor<3x2xf32>, tensor<3x2xf32>
  }
})";

class PluginLayouts : public PluginTest {
 protected:
  PluginLayouts() { EXPECT_EQ(makeClient().code, kOk); }

  // 0 to 5, row-major.
  PluginBuffer* matrix() {
    Tensor tensor(ElementType::kF32, {2, 3});
    for (size_t i = 0; i < 6; ++i) tensor.mutableValues<float>()[i] = static_cast<float>(i);
    return buffer(tensor, 11);
  }

  PluginExecutable* executable() {
    LoadedExecutableGetExecutable get;
    get.object = executables_.back();
    EXPECT_EQ(call(get).code, kOk);
    return get.value;
  }

  template <LayoutsPlace kPlace>
  std::vector<std::string> layoutsOfExecutable() {
    const auto& extension = *static_cast<LayoutsExtension*>(extensionOfType(4));
    PluginExecutable* asked = executable();
    ExecutableGetLayouts<kPlace> layouts;
    layouts.object = asked;
    const AnyFunction any = extension.functions[static_cast<size_t>(kPlace)];
    EXPECT_EQ(takeAnswer(reinterpret_cast<PluginError* (*)(void*)>(any)(&layouts)).code, kOk);
    std::vector<std::string> texts;
    for (size_t i = 0; i < layouts.count; ++i) texts.push_back(layoutText(layouts.items[i]->order));
    ExecutableDestroy destroy;
    destroy.object = asked;
    EXPECT_EQ(call(destroy).code, kOk);
    return texts;
  }

  std::vector<std::vector<PluginBuffer*>> results_;
};

// The annotations were ignored, and JAX stopped with "Unexpected XLA layout override".
TEST_F(PluginLayouts, ValuesLieAsAProgramAsks) {
  const Answer compiled = compile(kLaidOut);
  ASSERT_EQ(compiled.code, kOk) << compiled.message;
  EXPECT_THAT(layoutsOfExecutable<LayoutsPlace::kOfParameters>(), ElementsAre("{0,1}", "{}"));
  EXPECT_THAT(layoutsOfExecutable<LayoutsPlace::kOfOutputs>(),
              ElementsAre("{0,1}", "{1,0}", "{1,0}"));
  // A buffer in another order is taken by its values.
  PluginBuffer* given = matrix();
  ASSERT_EQ(run({{given, buffer(Tensor(ElementType::kF32, {}), 11)}}, 3, results_).code, kOk);
  EXPECT_TRUE(isDeleted(given));
  EXPECT_THAT(orderOf(results_[0][0]), ElementsAre(0, 1));
  EXPECT_THAT(bytesOf(results_[0][0], 6), ElementsAre(0, 6, 2, 8, 4, 10));
  EXPECT_THAT(bytesOf(results_[0][1], 6), ElementsAre(0, 6, 2, 8, 4, 10));
  EXPECT_THAT(bytesOf(results_[0][2], 6), ElementsAre(0, 3, 1, 4, 2, 5));
  ASSERT_EQ(run({{results_[0][0], buffer(Tensor(ElementType::kF32, {}), 11)}}, 3, results_).code,
            kOk);
  EXPECT_THAT(bytesOf(results_[0][0], 6), ElementsAre(0, 12, 4, 16, 8, 20));
}

// Where JAX leaves the order to the compiler (Layout.AUTO), XLA moves no bytes.
TEST_F(PluginLayouts, AMovedValueKeepsItsBytesWhereTheOrderIsOpen) {
  const Answer compiled = compile(R"(module @jit_open {
  func.func public @main(%a: tensor<2x3x4xf32> {mhlo.layout_mode = "auto"})
      -> (tensor<4x2x3xf32> {mhlo.layout_mode = "auto"}, tensor<2x3x4xf32> {mhlo.layout_mode = "auto"},
          tensor<4x2x3xf32> {mhlo.layout_mode = "auto"}, tensor<3x4x2xf32> {mhlo.layout_mode = "auto"}) {
    %0 = stablehlo.transpose %a, dims = [2, 0, 1] : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
    %1 = stablehlo.add %0, %0 : tensor<4x2x3xf32>
    %2 = stablehlo.transpose %0, dims = [2, 0, 1] : (tensor<4x2x3xf32>) -> tensor<3x4x2xf32>
    %3 = stablehlo.custom_call @Sharding(%2) : (tensor<3x4x2xf32>) -> tensor<3x4x2xf32>
    return %0, %a, %1, %3 : tensor<4x2x3xf32>, tensor<2x3x4xf32>, tensor<4x2x3xf32>, tensor<3x4x2xf32>
  }
})");
  ASSERT_EQ(compiled.code, kOk) << compiled.message;
  EXPECT_THAT(layoutsOfExecutable<LayoutsPlace::kOfOutputs>(),
              ElementsAre("{0,2,1}", "{2,1,0}", "{2,1,0}", "{1,0,2}"));
  Tensor tensor(ElementType::kF32, {2, 3, 4});
  std::vector<float> values(24);
  for (size_t i = 0; i < 24; ++i)
    tensor.mutableValues<float>()[i] = values[i] = static_cast<float>(i);
  ASSERT_EQ(run({{buffer(tensor, 11)}}, 4, results_).code, kOk);
  for (const size_t moved : {0, 1, 3}) EXPECT_EQ(bytesOf(results_[0][moved], 24), values);
}

// jax.lax.with_sharding_constraint with a Format, and with_layout_constraint.
TEST_F(PluginLayouts, AConstraintSaysHowAnOpenResultLies) {
  const Answer compiled = compile(R"(module @jit_constrained {
  func.func public @main(%a: tensor<2x3xf32>) -> (tensor<3x2xf32> {mhlo.layout_mode = "auto"},
                                                  tensor<3x2xf32> {mhlo.layout_mode = "auto"}) {
    %0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
    %1 = stablehlo.custom_call @LayoutConstraint(%0) {
        operand_layouts = [dense<[0, 1]> : tensor<2xindex>],
        result_layouts = [dense<[1, 0]> : tensor<2xindex>]
    } : (tensor<3x2xf32>) -> tensor<3x2xf32>
    return %0, %1 : tensor<3x2xf32>, tensor<3x2xf32>
  }
})");
  ASSERT_EQ(compiled.code, kOk) << compiled.message;
  EXPECT_THAT(layoutsOfExecutable<LayoutsPlace::kOfOutputs>(), ElementsAre("{0,1}", "{1,0}"));
  ASSERT_EQ(run({{matrix()}}, 2, results_).code, kOk);
  EXPECT_THAT(bytesOf(results_[0][0], 6), ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_THAT(bytesOf(results_[0][1], 6), ElementsAre(0, 3, 1, 4, 2, 5));
}

// Clients of API 0.54 read the layouts from the text, and took a transposed result for
// column-major where it named none.
TEST_F(PluginLayouts, AreWrittenInTheText) {
  ASSERT_EQ(compile(kLaidOut).code, kOk);
  PluginProgram program{};
  ExecutableOptimizedProgram optimized;
  PluginExecutable* asked = executable();
  optimized.executable = asked;
  optimized.program = &program;
  ASSERT_EQ(call(optimized).code, kOk);
  std::string text(program.codeSize, ' ');
  program.code = text.data();
  ASSERT_EQ(call(optimized).code, kOk);
  EXPECT_THAT(text,
              AllOf(HasSubstr("mhlo.xla_entry_computation_parameter_layouts = [dense<[0, 1]> : "
                              "tensor<2xindex>, dense<> : tensor<0xindex>]"),
                    HasSubstr("mhlo.xla_entry_computation_result_layout = [[dense<[0, 1]> : "
                              "tensor<2xindex>, dense<[1, 0]> : tensor<2xindex>, ")));
  ExecutableDestroy destroy;
  destroy.object = asked;
  EXPECT_EQ(call(destroy).code, kOk);
}

TEST_F(PluginLayouts, ThatNoArrayHasAreRefused) {
  const auto asked = [&](const std::string& layout) {
    return compile(
        "module @jit_f { func.func public @main(%a: tensor<2x3xf32>) -> "
        "(tensor<2x3xf32> {mhlo.layout_mode = \"" +
        layout + "\"}) { return %a : tensor<2x3xf32> } }");
  };
  // JAX writes the bits of int4 so.
  EXPECT_EQ(asked("{0,1:E(4)}").code, kOk);
  const Answer tiled = asked("{0,1:T(8,128)}");
  EXPECT_EQ(tiled.code, kUnimplemented);
  EXPECT_THAT(tiled.message, AllOf(HasSubstr("result 0 of main"), HasSubstr("has tiles")));
  for (const char* layout : {"{0}", "{0,0}", "{0,2}", "{0,1", "rows", "{0,}", "{0 1}"})
    EXPECT_EQ(asked(layout).code, kInvalidArgument) << layout;
}

}  // namespace
}  // namespace vintage::tests
