// StableHLO's programs with dynamic dimensions, if ../shared has them. They contain no checks, so
// each runs at two choices of its sizes, in three ways that must agree: as one plan, operation by
// operation, and as the program with static shapes.
#include <algorithm>
#include <array>
#include <complex>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "golden/compare/comparator.h"
#include "golden/program/program.h"
#include "golden/program/static_shapes.h"
#include "golden/tensor/visit.h"
#include "harness/engine/engine.h"
#include "tests/golden/base/texts.h"

namespace vintage::tests {
using namespace golden;
using namespace harness;

namespace {

namespace fs = std::filesystem;

constexpr size_t kPrograms = 199;
constexpr int kChoices = 2;
constexpr int64_t kMostPositions = 8;
// The same kernels run in all three ways; fusion may change a few units in the last place.
constexpr int64_t kMostUlps = 4;

// Sizes of the dimension variables, tried in order until enough of them fit: programs do not always
// state their assumptions about dimensions.
constexpr std::array<std::array<int64_t, 3>, 12> kSizes = {{{3, 5, 4},
                                                            {4, 3, 5},
                                                            {2, 7, 3},
                                                            {6, 8, 5},
                                                            {8, 6, 7},
                                                            {5, 4, 9},
                                                            {10, 12, 8},
                                                            {12, 16, 14},
                                                            {16, 20, 24},
                                                            {20, 10, 15},
                                                            {1, 2, 6},
                                                            {24, 32, 30}}};

// JAX passes the sizes of dimension variables first, as scalars without the
// attributes that the arguments of the user's function have.
bool isDimension(const Function& main, size_t argument) {
  const ValueType& type = main.argumentTypes[argument];
  return type.element == ElementType::kI64 && type.shape.empty() &&
         main.argumentAttributes[argument].empty();
}

struct Choice {
  std::vector<StaticArgument> arguments;
  std::string text;  // "f32[3,4]", for messages.
};

// A few integers, such as the start of a slice.
bool isPosition(const ValueType& type) {
  return isInteger(type.element) && std::ranges::count(type.shape, kDynamicDimension) == 0 &&
         checkedElementCount(type.shape).value_or(kMostPositions + 1) <= kMostPositions;
}

// The arguments where unknown dimension k, counted over all of them, has size
// `sizes[unknown[k]]`, and dimension argument k the value `sizes[k]`. Where shapes
// depend on positions too, these are 0.
Choice choose(const Function& main, const std::array<int64_t, 3>& sizes,
              const std::vector<size_t>& unknown, bool fixPositions) {
  Choice choice;
  size_t nextUnknown = 0, nextDimension = 0;
  for (size_t i = 0; i < main.argumentTypes.size(); ++i) {
    StaticArgument argument;
    for (int64_t size : main.argumentTypes[i].shape)
      argument.shape.push_back(size == kDynamicDimension ? sizes[unknown[nextUnknown++]] : size);
    if (isDimension(main, i)) {
      argument.value = {sizes[nextDimension++]};
      choice.text += std::to_string(argument.value->front()) + " ";
    } else {
      if (fixPositions && isPosition(main.argumentTypes[i]))
        argument.value.emplace(elementCount(argument.shape), 0);
      choice.text += describe(main.argumentTypes[i].element, argument.shape) + " ";
    }
    choice.arguments.push_back(std::move(argument));
  }
  return choice;
}

size_t countDimensions(const Function& main) {
  size_t count = 0;
  for (size_t i = 0; i < main.argumentTypes.size(); ++i) count += isDimension(main, i);
  return count;
}

size_t countUnknown(const Function& main) {
  size_t count = 0;
  for (const ValueType& type : main.argumentTypes)
    count += std::ranges::count(type.shape, kDynamicDimension);
  return count;
}

// Counts up in base `digits`; false once it is back at zero.
bool next(std::vector<size_t>& number, size_t digits) {
  for (size_t& digit : number) {
    if (++digit < digits) return true;
    digit = 0;
  }
  return false;
}

template <typename T>
T randomElement(std::mt19937_64& generator) {
  // Small, so that indices are often within bounds and sums do not overflow.
  const double real = static_cast<double>(generator() >> 11) / (1ull << 53) * 4 - 2;
  if constexpr (kElementTypeOf<T> == ElementType::kC64)
    return {static_cast<float>(real), static_cast<float>(real * 0.75 - 0.5)};
  else if constexpr (kElementTypeOf<T> == ElementType::kC128)
    return {real, real * 0.75 - 0.5};
  else if constexpr (kElementTypeOf<T> == ElementType::kI1)
    return T(generator() % 2 != 0);
  else if constexpr (std::is_integral_v<T>)
    return static_cast<T>(generator() % 6);
  else
    return T(static_cast<float>(real));
}

Tensor randomTensor(ElementType type, const Shape& shape, std::mt19937_64& generator) {
  Tensor tensor(type, shape);
  visitElementType(type, [&]<typename T>() {
    if constexpr (std::is_constructible_v<T, float>)
      for (T& value : tensor.mutableValues<T>()) value = randomElement<T>(generator);
  });
  return tensor;
}

std::vector<Tensor> inputsFor(const Function& main, const Choice& choice) {
  std::mt19937_64 generator(20230817);  // Any; the same in every run.
  std::vector<Tensor> inputs;
  for (size_t i = 0; i < choice.arguments.size(); ++i) {
    const StaticArgument& argument = choice.arguments[i];
    Tensor tensor = randomTensor(main.argumentTypes[i].element, argument.shape, generator);
    if (argument.value)
      tensor = Tensor(tensor.type(), argument.shape);  // Zero: what positions are fixed at.
    if (isDimension(main, i)) tensor.mutableValues<int64_t>()[0] = argument.value->front();
    inputs.push_back(std::move(tensor));
  }
  return inputs;
}

Result<std::vector<Tensor>> run(const ModuleTree& tree, ExecutionMode mode,
                                const std::vector<Tensor>& inputs) {
  ASSIGN_OR_RETURN(auto plan, compile(tree, {.mode = mode}));
  return plan.run(inputs);
}

// Integers exactly, floats within a few units in the last place.
void expectSame(const std::string& what, const std::vector<Tensor>& inputs,
                const std::vector<Tensor>& expected, const Result<std::vector<Tensor>>& actual) {
  ASSERT_TRUE(actual) << what << ": " << actual.error().message;
  ASSERT_EQ(actual->size(), expected.size()) << what;
  for (size_t i = 0; i < expected.size(); ++i) {
    const ElementType type = expected[i].type();
    Comparator comparator;
    if (isFloat(type) || isComplex(type)) {
      comparator.kind = Comparator::Kind::kElementwise;
      comparator.tolerance.ulps = kMostUlps;
    }
    const Comparison comparison =
        compareOutputs(comparator, inputs, std::span(&expected[i], 1), std::span(&(*actual)[i], 1));
    EXPECT_TRUE(comparison.same) << what << ", output " << i << ": " << comparison.firstDifference;
  }
}

bool isStatic(const ModuleTree& tree) {
  for (const Function& function : tree.functions)
    for (const ValueType& type : function.valueTypes)
      if (std::ranges::count(type.shape, kDynamicDimension) > 0) return false;
  return true;
}

// Runs `program` at as many fitting choices of its sizes as there are, `kChoices` at most.
// `refusal` becomes the reason why the last unfitting choice was rejected.
int runAtSizes(const Program& program, const std::string& name, std::string& refusal) {
  auto tree = program.tree();
  if (!tree) {
    ADD_FAILURE() << name << ": " << tree.error().message;
    return 0;
  }
  const Function* main = tree->find("main");
  if (main == nullptr) {
    ADD_FAILURE() << name << ": there is no @main";
    return 0;
  }
  const size_t variables = std::max<size_t>(1, countDimensions(*main));
  int choices = 0;
  for (const std::array<int64_t, 3>& sizes : kSizes) {
    std::vector<size_t> unknown(countUnknown(*main), 0);
    bool more = true;
    for (; more && choices < kChoices; more = next(unknown, variables)) {
      Choice choice = choose(*main, sizes, unknown, /*fixPositions=*/false);
      const std::string what = name + " at " + choice.text;
      auto fixed = makeShapesStatic(program, choice.arguments);
      if (!fixed && fixed.error().kind == Error::Kind::kUnsupported) {
        choice = choose(*main, sizes, unknown, /*fixPositions=*/true);
        fixed = makeShapesStatic(program, choice.arguments);
      }
      if (!fixed) {
        EXPECT_NE(fixed.error().kind, Error::Kind::kUsage) << fixed.error().message;
        refusal = fixed.error().message;
        continue;
      }
      auto fixedTree = fixed->tree();
      if (!fixedTree) {
        ADD_FAILURE() << what << ": " << fixedTree.error().message;
        break;
      }
      EXPECT_TRUE(isStatic(*fixedTree)) << what << fixed->print();
      const std::vector<Tensor> inputs = inputsFor(*main, choice);
      auto graph = run(*tree, ExecutionMode::kGraph, inputs);
      if (!graph) {
        ADD_FAILURE() << what << ": " << graph.error().message;
        break;
      }
      expectSame(what + ", eager", inputs, *graph, run(*tree, ExecutionMode::kEager, inputs));
      expectSame(what + ", static", inputs, *graph, run(*fixedTree, ExecutionMode::kGraph, inputs));
      ++choices;
      break;  // Other sizes, rather than the same in other places.
    }
    if (choices == kChoices) break;
  }
  return choices;
}

TEST(DynamicPrograms, RunTheSameAsGraphEagerAndStatic) {
  const fs::path folder = fs::path(VINTAGE_SHARED) / "corpus" / "stablehlo-testdata" / "dynamic";
  if (!fs::exists(folder)) GTEST_SKIP() << folder << " is absent";
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().extension() == ".mlir") files.push_back(entry.path());
  std::ranges::sort(files);
  EXPECT_EQ(files.size(), kPrograms);
  size_t executed = 0, sets = 0, skipped = 0;
  for (const fs::path& file : files) {
    const std::string name = file.filename().string();
    ProgramContext context;
    auto program = context.parseText(fileText(file), name);
    if (!program) {
      ADD_FAILURE() << program.error().message;
      continue;
    }
    std::string refusal;
    const int choices = runAtSizes(*program, name, refusal);
    sets += static_cast<size_t>(choices);
    executed += choices > 0;
    if (choices >= kChoices) continue;
    ++skipped;
    std::printf("%s: %d choices of sizes ran; the last refusal: %s\n", name.c_str(), choices,
                refusal.c_str());
  }
  std::printf("%zu programs executed at %zu choices of sizes, %zu at fewer than %d\n", executed,
              sets, skipped, kChoices);
  EXPECT_EQ(executed, files.size());
  EXPECT_EQ(skipped, 0u);
}

}  // namespace
}  // namespace vintage::tests
