// Trees that no parser makes: every one must end in a result or an error.
#include <random>

#include "tests/harness/engine/run_text.h"

namespace vintage::tests::engine_test {
using namespace golden;
using namespace harness;

namespace {

// One of each kind of operation, on small tensors.
constexpr const char* kPrograms[] = {
    R"(func.func @main(%x: tensor<3x4xf32>, %i: tensor<i32>) -> tensor<4x3xf32> {
      %a = stablehlo.add %x, %x : tensor<3x4xf32>
      %t = stablehlo.transpose %a, dims = [1, 0] : (tensor<3x4xf32>) -> tensor<4x3xf32>
      %s = stablehlo.slice %t [0:4:2, 1:3] : (tensor<4x3xf32>) -> tensor<2x2xf32>
      %z = stablehlo.constant dense<0.0> : tensor<f32>
      %p = stablehlo.pad %s, %z, low = [1, -1], high = [0, 2], interior = [1, 0]
          : (tensor<2x2xf32>, tensor<f32>) -> tensor<4x3xf32>
      %r = stablehlo.reverse %p, dims = [0] : tensor<4x3xf32>
      %c = stablehlo.concatenate %r, %p, dim = 0
          : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<8x3xf32>
      %d = stablehlo.dynamic_slice %c, %i, %i, sizes = [4, 3]
          : (tensor<8x3xf32>, tensor<i32>, tensor<i32>) -> tensor<4x3xf32>
      return %d : tensor<4x3xf32>
    })",
    R"(func.func @main(%x: tensor<4x3xf32>, %i: tensor<2x1xi32>) -> tensor<4x3xf32> {
      %g = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1],
          collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>,
          slice_sizes = array<i64: 1, 3>}> : (tensor<4x3xf32>, tensor<2x1xi32>) -> tensor<2x3xf32>
      %s = "stablehlo.scatter"(%x, %i, %g) <{scatter_dimension_numbers = #stablehlo.scatter<
          update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0],
          index_vector_dim = 1>}> ({
        ^bb0(%a: tensor<f32>, %b: tensor<f32>):
          %c = stablehlo.add %a, %b : tensor<f32>
          stablehlo.return %c : tensor<f32>
      }) : (tensor<4x3xf32>, tensor<2x1xi32>, tensor<2x3xf32>) -> tensor<4x3xf32>
      %o:2 = "stablehlo.sort"(%s, %s) <{dimension = 1 : i64}> ({
        ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<f32>, %d: tensor<f32>):
          %l = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
          stablehlo.return %l : tensor<i1>
      }) : (tensor<4x3xf32>, tensor<4x3xf32>) -> (tensor<4x3xf32>, tensor<4x3xf32>)
      return %o#0 : tensor<4x3xf32>
    })",
    R"(func.func @main(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
      %z = stablehlo.constant dense<0.0> : tensor<f32>
      %w = "stablehlo.reduce_window"(%x, %z) <{window_dimensions = array<i64: 2, 3>,
          window_strides = array<i64: 2, 1>, padding = dense<[[0, 0], [1, 1]]> : tensor<2x2xi64>}> ({
        ^bb0(%a: tensor<f32>, %b: tensor<f32>):
          %c = stablehlo.maximum %a, %b : tensor<f32>
          stablehlo.return %c : tensor<f32>
      }) : (tensor<4x6xf32>, tensor<f32>) -> tensor<2x6xf32>
      %s = "stablehlo.select_and_scatter"(%x, %w, %z) <{window_dimensions = array<i64: 2, 3>,
          window_strides = array<i64: 2, 1>, padding = dense<[[0, 0], [1, 1]]> : tensor<2x2xi64>}> ({
        ^bb0(%a: tensor<f32>, %b: tensor<f32>):
          %c = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
          stablehlo.return %c : tensor<i1>
      }, {
        ^bb0(%a: tensor<f32>, %b: tensor<f32>):
          %c = stablehlo.add %a, %b : tensor<f32>
          stablehlo.return %c : tensor<f32>
      }) : (tensor<4x6xf32>, tensor<2x6xf32>, tensor<f32>) -> tensor<4x6xf32>
      %r = "stablehlo.reduce"(%s, %z) <{dimensions = array<i64: 0>}> ({
        ^bb0(%a: tensor<f32>, %b: tensor<f32>):
          %c = stablehlo.add %a, %b : tensor<f32>
          stablehlo.return %c : tensor<f32>
      }) : (tensor<4x6xf32>, tensor<f32>) -> tensor<6xf32>
      %y = stablehlo.broadcast_in_dim %r, dims = [1] : (tensor<6xf32>) -> tensor<4x6xf32>
      %i = stablehlo.iota dim = 1 : tensor<4x6xf32>
      %b = stablehlo.bitcast_convert %y : (tensor<4x6xf32>) -> tensor<4x6x4xui8>
      %q = stablehlo.reduce_precision %y, format = e5m2 : tensor<4x6xf32>
      %v = stablehlo.convert %b : (tensor<4x6x4xui8>) -> tensor<4x6x4xi4>
      %f = stablehlo.add %i, %q : tensor<4x6xf32>
      return %f : tensor<4x6xf32>
    })",
    R"(func.func @main(%x: tensor<i32>, %n: tensor<2xi32>) -> tensor<i32> {
      %p = stablehlo.constant dense<true> : tensor<i1>
      %r = "stablehlo.if"(%p) ({
        stablehlo.return %x : tensor<i32>
      }, {
        %y = stablehlo.power %x, %x : tensor<i32>
        stablehlo.return %y : tensor<i32>
      }) : (tensor<i1>) -> tensor<i32>
      %w:2 = stablehlo.while(%i = %r, %j = %p) : tensor<i32>, tensor<i1>
        cond {
          stablehlo.return %j : tensor<i1>
        } do {
          %f = stablehlo.constant dense<false> : tensor<i1>
          stablehlo.return %i, %f : tensor<i32>, tensor<i1>
        }
      %b = stablehlo.dynamic_broadcast_in_dim %w#0, %n, dims = []
          : (tensor<i32>, tensor<2xi32>) -> tensor<?x?xi32>
      %d = stablehlo.get_dimension_size %b, dim = 1 : (tensor<?x?xi32>) -> tensor<i32>
      return %d : tensor<i32>
    })"};

class Mutator {
 public:
  explicit Mutator(uint32_t seed) : random_(seed) {}

  void mutate(ModuleTree& module) {
    Function& function = module.functions[pick(module.functions.size())];
    switch (pick(4)) {
      case 0:
        return mutateType(function);
      default:
        return mutateRegion(function.body);
    }
  }

 private:
  size_t pick(size_t count) { return count == 0 ? 0 : random_() % count; }

  int64_t number() {
    constexpr int64_t kNumbers[] = {
        0, 1, 2, 3, 5, 7, -1, -2, 64, -7, 100, INT64_MAX, INT64_MIN, INT32_MAX, int64_t{1} << 40};
    return kNumbers[pick(std::size(kNumbers))];
  }

  void mutateType(Function& function) {
    if (function.valueTypes.empty()) return;
    ValueType& type = function.valueTypes[pick(function.valueTypes.size())];
    switch (pick(4)) {
      case 0:
        type.element = static_cast<ElementType>(pick(kElementTypeCount));
        break;
      case 1:
        type.shape.push_back(number());
        break;
      case 2:
        if (!type.shape.empty()) type.shape[pick(type.shape.size())] = number();
        break;
      default:
        type.kind = static_cast<ValueType::Kind>(pick(7));
        break;
    }
  }

  void mutateAttribute(Attribute& attribute) {
    if (auto* map = std::get_if<AttributeMap>(&attribute.value); map && !map->empty() && pick(4)) {
      auto place = map->begin();
      std::advance(place, static_cast<ptrdiff_t>(pick(map->size())));
      return mutateAttribute(place->second);
    }
    if (auto* integers = std::get_if<std::vector<int64_t>>(&attribute.value); integers && pick(4)) {
      if (pick(3) == 0 || integers->empty())
        integers->push_back(number());
      else
        (*integers)[pick(integers->size())] = number();
      return;
    }
    if (auto* tensor = std::get_if<Tensor>(&attribute.value); tensor && pick(4)) {
      auto bytes = tensor->mutableBytes();
      if (!bytes.empty()) bytes[pick(bytes.size())] = static_cast<std::byte>(random_());
      return;
    }
    if (std::holds_alternative<int64_t>(attribute.value) && pick(4)) {
      attribute.value = number();
      return;
    }
    switch (pick(4)) {
      case 0:
        attribute.value = number();
        break;
      case 1:
        attribute.value = std::vector<int64_t>{number(), number()};
        break;
      case 2:
        attribute.value = std::string("XX");
        break;
      default:
        attribute.value = AttributeMap();
        break;
    }
  }

  void mutateRegion(Region& region) {
    if (region.blocks.empty()) return;
    Block& block = region.blocks[pick(region.blocks.size())];
    if (block.operations.empty()) return;
    Operation& operation = block.operations[pick(block.operations.size())];
    if (!operation.regions.empty() && pick(2))
      return mutateRegion(operation.regions[pick(operation.regions.size())]);
    switch (pick(8)) {
      case 0:
        if (!operation.operands.empty())
          operation.operands[pick(operation.operands.size())] = static_cast<ValueId>(pick(40));
        break;
      case 1:
        operation.operands.push_back(static_cast<ValueId>(pick(40)));
        break;
      case 2:
        if (!operation.operands.empty()) operation.operands.pop_back();
        break;
      case 3:
        if (!operation.results.empty()) operation.results.pop_back();
        break;
      case 4:
        block.arguments.push_back(static_cast<ValueId>(pick(60)));
        break;
      case 5:
        if (!operation.regions.empty())
          operation.regions.pop_back();
        else
          block.operations.erase(block.operations.begin());
        break;
      default: {
        if (operation.attributes.empty()) return;
        auto place = operation.attributes.begin();
        std::advance(place, static_cast<ptrdiff_t>(pick(operation.attributes.size())));
        if (pick(6) == 0)
          operation.attributes.erase(place);
        else
          mutateAttribute(place->second);
      }
    }
  }

  std::mt19937 random_;
};

Tensor inputOf(const ValueType& type) {
  auto made = Tensor::make(type.element, type.shape, 1 << 20);
  return made ? *made : Tensor();
}

TEST(HostileTree, EveryMutationEndsInAResultOrAnError) {
  int succeeded = 0, failed = 0;
  for (const char* text : kPrograms) {
    const auto original = treeOf(text);
    ASSERT_TRUE(original) << original.error().message;
    for (uint32_t seed = 0; seed < 1500; ++seed) {
      ModuleTree tree = *original;
      Mutator mutator(seed);
      const uint32_t mutations = 1 + seed % 3;
      for (uint32_t i = 0; i < mutations; ++i) mutator.mutate(tree);
      const auto mode = seed % 2 ? ExecutionMode::kGraph : ExecutionMode::kEager;
      auto plan = compile(tree, {.mode = mode});
      if (!plan) {
        ++failed;
        EXPECT_FALSE(plan.error().message.empty());
        continue;
      }
      std::vector<Tensor> inputs;
      for (const ValueType& type : tree.functions[0].argumentTypes) inputs.push_back(inputOf(type));
      auto result = plan->run(
          inputs, {.memoryLimitBytes = 16 << 20, .timeLimit = std::chrono::milliseconds(200)});
      result ? ++succeeded : ++failed;
    }
  }
  // Both happen, or the mutations say nothing.
  EXPECT_GT(succeeded, 100);
  EXPECT_GT(failed, 400);
}

TEST(HostileTree, UnmutatedProgramsRun) {
  for (const char* text : kPrograms) {
    const auto tree = treeOf(text);
    ASSERT_TRUE(tree) << tree.error().message;
    std::vector<Tensor> inputs;
    for (const ValueType& type : tree->functions[0].argumentTypes) inputs.push_back(inputOf(type));
    auto plan = compile(*tree, {});
    ASSERT_TRUE(plan) << plan.error().message;
    auto result = plan->run(inputs);
    EXPECT_TRUE(result) << result.error().message;
  }
}

}  // namespace
}  // namespace vintage::tests::engine_test
