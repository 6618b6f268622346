#include "golden/exported/calling_convention.h"

#include <gmock/gmock.h>

namespace vintage::tests {
using namespace golden;

namespace {

using testing::HasSubstr;

ValueType tensorType(ElementType element, Shape shape) {
  ValueType type;
  type.element = element;
  type.shape = std::move(shape);
  return type;
}

ValueType tokenType() {
  ValueType type;
  type.kind = ValueType::Kind::kToken;
  return type;
}

AbstractValue value(std::string dtype, std::vector<std::string> shape) {
  AbstractValue result;
  result.dtype = std::move(dtype);
  result.shape = std::move(shape);
  return result;
}

// The example of JAX's documentation: f32[w, 2*h], two platforms, one ordered
// effect; and an input that main does not take.
CallingMetadata metadata() {
  CallingMetadata m;
  m.version = 9;
  m.platforms = {"cpu", "tpu"};
  m.inputs = {value("f32", {"w", "2*h"}), value("f64", {"7"}), value("key_fry", {"h"})};
  m.outputs = {value("bf16", {"h", "w + 1"})};
  m.keptInputs = {0, 2};
  m.orderedEffects = 1;
  return m;
}

Function mainFunction() {
  Function main;
  main.name = "main";
  const int64_t unknown = kDynamicDimension;
  main.argumentTypes = {tensorType(ElementType::kI32, {}), tokenType(),
                        tensorType(ElementType::kF32, {unknown, unknown}),
                        tensorType(ElementType::kUi32, {unknown, 2})};
  main.argumentAttributes.resize(4);
  main.argumentAttributes[0]["jax.global_constant"].value = std::string("_platform_index");
  main.resultTypes = {tokenType(), tensorType(ElementType::kBF16, {unknown, unknown})};
  return main;
}

TEST(CallingConvention, SaysWhichArgumentIsWhat) {
  const auto signature = matchMain(metadata(), mainFunction());
  ASSERT_TRUE(signature) << signature.error().message;
  ASSERT_EQ(signature->arguments.size(), 4u);
  EXPECT_EQ(signature->arguments[0].kind, MainArgument::Kind::kPlatformIndex);
  EXPECT_EQ(signature->arguments[1].kind, MainArgument::Kind::kToken);
  EXPECT_EQ(signature->arguments[2].index, 0u);
  EXPECT_EQ(signature->arguments[3].kind, MainArgument::Kind::kInput);
  EXPECT_EQ(signature->arguments[3].index, 2u);
  EXPECT_EQ(signature->tokenResults, 1u);
}

// A module for one platform was rejected for lack of an index that nothing needs.
TEST(CallingConvention, OnePlatformNeedsNoIndex) {
  CallingMetadata m = metadata();
  m.platforms = {"cpu"};
  Function main = mainFunction();
  main.argumentTypes.erase(main.argumentTypes.begin());
  main.argumentAttributes.erase(main.argumentAttributes.begin());
  const auto signature = matchMain(m, main);
  ASSERT_TRUE(signature) << signature.error().message;
  EXPECT_EQ(signature->arguments[0].kind, MainArgument::Kind::kToken);
}

TEST(CallingConvention, TheOldestAndTheNewestAreKnown) {
  CallingMetadata m = metadata();
  for (const int version : {kOldestCallingConvention - 1, kOldestCallingConvention,
                            kNewestCallingConvention, kNewestCallingConvention + 1}) {
    m.version = version;
    const auto signature = matchMain(m, mainFunction());
    const bool isKnown =
        signature || signature.error().message.find("is unknown") == std::string::npos;
    EXPECT_EQ(isKnown, version >= kOldestCallingConvention && version <= kNewestCallingConvention);
  }
}

TEST(CallingConvention, BeforeVersion9MainHasNoTokens) {
  CallingMetadata m = metadata();
  m.version = 8;
  Function main = mainFunction();
  EXPECT_THAT(matchMain(m, main).error().message, HasSubstr("convention 8 needs 3"));
  main.argumentTypes.erase(main.argumentTypes.begin() + 1);
  main.argumentAttributes.erase(main.argumentAttributes.begin() + 1);
  main.resultTypes.erase(main.resultTypes.begin());
  const auto signature = matchMain(m, main);
  ASSERT_TRUE(signature) << signature.error().message;
  EXPECT_EQ(signature->tokenResults, 0u);
}

TEST(CallingConvention, ADimensionVariableMayBeAnArgument) {
  Function main = mainFunction();
  main.argumentTypes.insert(main.argumentTypes.begin() + 1, tensorType(ElementType::kI32, {}));
  main.argumentAttributes.insert(main.argumentAttributes.begin() + 1, AttributeMap());
  main.argumentAttributes[1]["jax.global_constant"].value = std::string("h");
  const auto signature = matchMain(metadata(), main);
  ASSERT_TRUE(signature) << signature.error().message;
  EXPECT_EQ(signature->arguments[1].kind, MainArgument::Kind::kDimensionVariable);
  EXPECT_EQ(signature->arguments[1].dimensionVariable, "h");
}

TEST(CallingConvention, EachMismatchIsNamed) {
  const auto problem = [](void (*change)(CallingMetadata&, Function&)) {
    CallingMetadata m = metadata();
    Function main = mainFunction();
    change(m, main);
    const auto signature = matchMain(m, main);
    return signature ? "none" : signature.error().message;
  };
  using M = CallingMetadata;
  using F = Function;
  EXPECT_THAT(problem([](M& m, F&) { m.version = 11; }), HasSubstr("4 to 10 are known"));
  EXPECT_THAT(problem([](M& m, F&) { m.version = 3; }), HasSubstr("convention 3"));
  EXPECT_THAT(problem([](M&, F& f) { f.argumentTypes[0].element = ElementType::kF32; }),
              HasSubstr("platform index"));
  EXPECT_THAT(problem([](M&, F& f) { f.argumentTypes.clear(); }), HasSubstr("missing"));
  EXPECT_THAT(problem([](M&, F& f) { f.argumentTypes[1] = tensorType(ElementType::kI1, {0}); }),
              HasSubstr("the token of ordered effect 0"));
  EXPECT_THAT(problem([](M&, F& f) { f.argumentTypes[2].element = ElementType::kF64; }),
              HasSubstr("argument 2 of main (input 0) is f64[?,?] in the module, but f32[w,2*h]"));
  EXPECT_THAT(problem([](M&, F& f) { f.argumentTypes[3].shape[1] = 4; }), HasSubstr("input 2"));
  EXPECT_THAT(problem([](M&, F& f) { f.argumentTypes[2].shape[0] = 4; }), HasSubstr("input 0"));
  EXPECT_THAT(problem([](M& m, F&) { m.keptInputs = {0}; }), HasSubstr("takes 4 arguments"));
  EXPECT_THAT(problem([](M& m, F&) { m.keptInputs = {0, 9}; }), HasSubstr("input 9 is kept"));
  EXPECT_THAT(problem([](M&, F& f) { f.resultTypes.pop_back(); }), HasSubstr("returns 1 values"));
  EXPECT_THAT(problem([](M&, F& f) { f.resultTypes[1].shape.pop_back(); }),
              HasSubstr("result 1 of main (output 0)"));
}

TEST(CallingConvention, ChecksInputsAndSolvesTheirDimensions) {
  std::vector<Tensor> inputs = {Tensor(ElementType::kF32, {5, 6}), Tensor(ElementType::kF64, {7}),
                                Tensor(ElementType::kUi32, {3, 2})};
  const auto values = solveInputs(metadata(), inputs);
  ASSERT_TRUE(values) << values.error().message;
  EXPECT_EQ(*values, (DimensionValues{{"h", 3}, {"w", 5}}));
  EXPECT_EQ(*outputShapes(metadata(), *values), (std::vector<Shape>{{3, 6}}));

  CallingMetadata shrinking = metadata();
  shrinking.outputs = {value("bf16", {"h - 4"})};
  EXPECT_THAT(outputShapes(shrinking, *values).error().message, HasSubstr("the dimension -1"));

  inputs[0] = Tensor(ElementType::kF32, {5, 7});
  EXPECT_THAT(solveInputs(metadata(), inputs).error().message,
              HasSubstr("dimension 1 of input 0 ('2*h') is 7"));
  inputs[0] = Tensor(ElementType::kF32, {5, 8});
  EXPECT_THAT(solveInputs(metadata(), inputs).error().message, HasSubstr("input 2 ('h')"));
  inputs[0] = Tensor(ElementType::kBF16, {5, 6});
  EXPECT_THAT(solveInputs(metadata(), inputs).error().message, HasSubstr("input 0 is bf16[5,6]"));
  inputs.pop_back();
  EXPECT_THAT(solveInputs(metadata(), inputs).error().message, HasSubstr("2 inputs"));
}

TEST(CallingConvention, Platforms) {
  EXPECT_EQ(*platformIndex(metadata(), "tpu"), 1u);
  EXPECT_THAT(platformIndex(metadata(), "cuda").error().message, HasSubstr("cpu, tpu"));
}

TEST(CallingConvention, ShapeRefinement) {
  AttributeMap polymorphic;
  polymorphic["jax.uses_shape_polymorphism"].value = true;
  EXPECT_FALSE(needsShapeRefinement(6, polymorphic));
  EXPECT_TRUE(needsShapeRefinement(7, {}));
  EXPECT_FALSE(needsShapeRefinement(8, {}));
  EXPECT_TRUE(needsShapeRefinement(9, polymorphic));
  polymorphic["jax.uses_shape_polymorphism"].value = false;
  EXPECT_FALSE(needsShapeRefinement(9, polymorphic));
}

}  // namespace
}  // namespace vintage::tests
