// An artifact for each thing that the specification leaves open, on a consumer that answers in its
// own way: the worker of these tests gives the inputs back, which the programs do not look at.
#include <algorithm>
#include <limits>
#include <map>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "golden/tensor/npy.h"
#include "golden/tensor/tensor.h"
#include "tests/golden/tensor/sample_tensors.h"
#include "tests/harness/command/run_vintage.h"

namespace vintage::tests::command {
using namespace golden;

namespace {

using nlohmann::json;
using testing::HasSubstr;

using Tensors = std::vector<Tensor>;

struct OpenProgram {
  std::string name, signature, body;
  Tensors expected, permitted, wrong;  // As the inputs; the worker answers with each.
};

std::vector<OpenProgram> openPrograms() {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  return {
      {"rng",
       "(%x: tensor<2xf32>) -> tensor<2xf32>",
       R"(
    %a = stablehlo.constant dense<0.0> : tensor<f32>
    %b = stablehlo.constant dense<1.0> : tensor<f32>
    %s = stablehlo.constant dense<2> : tensor<1xi64>
    %0 = stablehlo.rng %a, %b, %s, distribution = UNIFORM
      : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<2xf32>
    return %0 : tensor<2xf32>)",
       {floats({2}, {0.25f, 0.5f})},
       {floats({2}, {0.125f, 0.75f})},
       {floats({2}, {0.125f, 1})}},
      {"rng_bit_generator",
       "(%x: tensor<1xui64>, %y: tensor<1xi32>) -> (tensor<1xui64>, tensor<1xi32>)",
       R"(
    %s = stablehlo.constant dense<[1, 2]> : tensor<2xui64>
    %five = stablehlo.constant dense<5> : tensor<1xi32>
    %0, %1 = stablehlo.rng_bit_generator %s, algorithm = DEFAULT
      : (tensor<2xui64>) -> (tensor<2xui64>, tensor<1xui64>)
    return %1, %five : tensor<1xui64>, tensor<1xi32>)",
       {filled<uint64_t>(ElementType::kUi64, {1}, {77}), ints({1}, {5})},
       {filled<uint64_t>(ElementType::kUi64, {1}, {78}), ints({1}, {5})},
       {filled<uint64_t>(ElementType::kUi64, {1}, {78}), ints({1}, {6})}},
      {"cholesky",
       "(%x: tensor<2x2xf32>) -> tensor<2x2xf32>",
       R"(
    %a = stablehlo.constant dense<[[4.0, 2.0], [2.0, 5.0]]> : tensor<2x2xf32>
    %0 = stablehlo.cholesky %a, lower = true : tensor<2x2xf32>
    return %0 : tensor<2x2xf32>)",
       {floats({2, 2}, {2, 0, 1, 2})},
       {floats({2, 2}, {2, 9, 1, 2})},
       {floats({2, 2}, {2, 0, 3, 2})}},
      {"dot_general",
       "(%x: tensor<1x1xf32>) -> tensor<1x1xf32>",
       R"(
    %a = stablehlo.constant dense<1.00390625> : tensor<1x1xf32>
    %b = stablehlo.constant dense<3.0> : tensor<1x1xf32>
    %0 = "stablehlo.dot_general"(%a, %b) <{
      dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1],
                                             rhs_contracting_dimensions = [0]>,
      precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>],
      algorithm = #stablehlo.dot_algorithm<lhs_precision_type = bf16, rhs_precision_type = bf16,
        accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1,
        num_primitive_operations = 1, allow_imprecise_accumulation = false>}>
      : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
    return %0 : tensor<1x1xf32>)",
       {floats({1, 1}, {3})},
       {floats({1, 1}, {3.01171875f})},
       {floats({1, 1}, {4})}},
      {"sort",
       "(%x: tensor<3xi32>, %y: tensor<3xi32>) -> (tensor<3xi32>, tensor<3xi32>)",
       R"(
    %k = stablehlo.constant dense<[2, 2, 1]> : tensor<3xi32>
    %v = stablehlo.constant dense<[20, 21, 10]> : tensor<3xi32>
    %r:2 = "stablehlo.sort"(%k, %v) <{dimension = 0 : i64, is_stable = false}> ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>, %c: tensor<i32>, %d: tensor<i32>):
      %p = stablehlo.compare LT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    }) : (tensor<3xi32>, tensor<3xi32>) -> (tensor<3xi32>, tensor<3xi32>)
    return %r#0, %r#1 : tensor<3xi32>, tensor<3xi32>)",
       {ints({3}, {1, 2, 2}), ints({3}, {10, 20, 21})},
       {ints({3}, {1, 2, 2}), ints({3}, {10, 21, 20})},
       {ints({3}, {1, 2, 2}), ints({3}, {20, 10, 21})}},
      {"approx_top_k",
       "(%x: tensor<2xf32>, %y: tensor<2xi32>) -> (tensor<2xf32>, tensor<2xi32>)",
       R"(
    %k = stablehlo.constant dense<[5.0, 3.0, 9.0, 7.0]> : tensor<4xf32>
    %i = stablehlo.iota dim = 0 : tensor<4xi32>
    %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %none = stablehlo.constant dense<-1> : tensor<i32>
    %r:2 = stablehlo.custom_call @ApproxTopK(%k, %i, %least, %none) {
      called_computations = [@order],
      mhlo.backend_config = {aggregate_to_topk = true, is_fallback = true,
        recall_target = 0.95 : f32, reduction_dim = 0 : i64,
        reduction_input_size_override = -1 : i64, top_k = 2 : i64}}
      : (tensor<4xf32>, tensor<4xi32>, tensor<f32>, tensor<i32>) -> (tensor<2xf32>, tensor<2xi32>)
    return %r#0, %r#1 : tensor<2xf32>, tensor<2xi32>
  }
  func.func private @order(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<i32>, %d: tensor<i32>)
      -> tensor<i1> {
    %p = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    return %p : tensor<i1>)",
       {floats({2}, {9, 7}), ints({2}, {2, 3})},
       {floats({2}, {9, 5}), ints({2}, {2, 0})},
       {floats({2}, {10, 7}), ints({2}, {2, 3})}},
      {"reduce_precision",
       "(%x: tensor<1xf32>) -> tensor<1xf32>",
       R"(
    %n = stablehlo.constant dense<0x7FC00000> : tensor<1xf32>
    %0 = stablehlo.reduce_precision %n, format = e5m0 : tensor<1xf32>
    return %0 : tensor<1xf32>)",
       {floats({1}, {kInfinity})},
       {floats({1}, {kNan})},
       {floats({1}, {3})}},
      {"bitcast_convert",
       "(%x: tensor<1xi32>) -> tensor<1xi32>",
       R"(
    %n = stablehlo.constant dense<0x7FC00000> : tensor<1xf32>
    %0 = stablehlo.bitcast_convert %n : (tensor<1xf32>) -> tensor<1xi32>
    return %0 : tensor<1xi32>)",
       {ints({1}, {0x7fc00000})},
       {ints({1}, {-0x400000})},
       {ints({1}, {5})}},
  };
}

class OpenValuesCommand : public testing::Test {
 protected:
  void import(const std::string& name, const std::string& primitive, const std::string& signature,
              const std::string& body, const Tensors& inputs, const Tensors& expected) const {
    std::filesystem::create_directories(sandbox_.path(name));
    sandbox_.write(name + "/module.mlir",
                   "module {\n  func.func public @main" + signature + " {" + body + "\n  }\n}\n");
    const Finished converted =
        sandbox_.run({"convert", sandbox_.path(name + "/module.mlir"), "--target", "1.9.0", "-o",
                      sandbox_.path(name + "/module.mlirbc")});
    ASSERT_EQ(converted.status, 0) << name << converted.err;
    json meta{{"name", name},
              {"primitive", primitive},
              {"kind", "module"},
              {"platform", "cpu"},
              {"nr_devices", 1},
              {"custom_call_targets", json::array()},
              {"inputs", json::array()},
              {"outputs", json::array()},
              {"serialized_date", "2025-06-01"},
              {"recorded_by", "somebody"}};
    const auto add = [&](const char* list, const char* stem, const Tensors& tensors) {
      for (size_t i = 0; i < tensors.size(); ++i) {
        meta[list].push_back({dtypeName(tensors[i].type()), tensors[i].shape()});
        const auto bytes = writeNpy(tensors[i]);
        sandbox_.write(name + "/" + stem + std::to_string(i) + ".npy",
                       {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
      }
    };
    add("inputs", "input_", inputs);
    add("outputs", "expected_", expected);
    sandbox_.write(name + "/meta.json", meta.dump());
    const Finished imported = sandbox_.run({"import", sandbox_.path(name), "--archive", archive_});
    ASSERT_EQ(imported.status, 0) << name << imported.out << imported.err;
  }

  // The cells by the names of artifacts.
  std::map<std::string, json> replay(const std::vector<std::string>& more) const {
    std::vector<std::string> arguments{"replay", "--archive", archive_, "--format", "json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Finished done = sandbox_.run(arguments);
    std::map<std::string, json> pairs;
    const json report = json::parse(done.out, nullptr, false);
    EXPECT_TRUE(report.is_object()) << done.out << done.err;
    if (report.is_object())
      for (const json& pair : report["pairs"]) pairs[pair["name"].get<std::string>()] = pair;
    return pairs;
  }

  void addOwnConsumer() const {
    ASSERT_EQ(sandbox_
                  .run({"builds", "add", "--archive", archive_, "--name", "own", "--date",
                        "2025-07-01", "--", VINTAGE_BINARY "/bin/vintage_misbehaving_worker"})
                  .status,
              0);
  }

  const Sandbox sandbox_;
  const std::string archive_ = sandbox_.path("A");
};

TEST_F(OpenValuesCommand, AConsumerMayDifferWhereItMayAndNowhereElse) {
  const auto programs = openPrograms();
  for (const OpenProgram& program : programs) {
    import(program.name + "_permitted", program.name, program.signature, program.body,
           program.permitted, program.expected);
    import(program.name + "_wrong", program.name, program.signature, program.body, program.wrong,
           program.expected);
  }
  addOwnConsumer();
  const auto own = replay({"--build", "own"});
  const auto engine = replay({});
  for (const OpenProgram& program : programs) {
    const json& permitted = own.at(program.name + "_permitted");
    EXPECT_EQ(permitted["cell"], "differs where it may") << program.name << permitted["detail"];
    EXPECT_THAT(permitted["detail"].get<std::string>(), HasSubstr("specification, "));
    const json& wrong = own.at(program.name + "_wrong");
    EXPECT_EQ(wrong["cell"], "fail") << program.name << wrong["detail"];
    // The engine's numbers are its own where they may be.
    const auto cell = engine.at(program.name + "_permitted")["cell"].get<std::string>();
    EXPECT_EQ(cell, program.name.starts_with("rng") ? "differs where it may" : "pass")
        << program.name;
  }
}

TEST_F(OpenValuesCommand, ReportsTablesAndExplanationsSayIt) {
  const OpenProgram rng = openPrograms()[0];
  import("drawn", rng.name, rng.signature, rng.body, rng.permitted, rng.expected);
  addOwnConsumer();
  const Finished replayed = sandbox_.run({"replay", "--archive", archive_, "--build", "own"});
  EXPECT_EQ(replayed.status, 0) << replayed.out;
  EXPECT_THAT(replayed.out, HasSubstr("DIFFERS WHERE IT MAY drawn"));
  EXPECT_THAT(replayed.out, HasSubstr("ran 1 pair in"));
  EXPECT_THAT(replayed.out, HasSubstr("1 differs where it may"));
  EXPECT_THAT(replayed.out, HasSubstr("expected 0.25, found 0.125"));
  const Finished explained = sandbox_.run({"explain", "drawn", "--archive", archive_});
  EXPECT_THAT(explained.out, HasSubstr("it may differ there: stablehlo.rng (specification, rng"));
  EXPECT_THAT(explained.out, HasSubstr("graph: differs where it may"));
  const Finished table =
      sandbox_.run({"tables", "--archive", archive_, "--consumers", "-o", sandbox_.path("t.md")});
  ASSERT_EQ(table.status, 0) << table.err;
  EXPECT_THAT(Sandbox::read(sandbox_.path("t.md")),
              HasSubstr("| differs where it may | float32: rng |"));
  const Finished window = sandbox_.run(
      {"window", "--archive", archive_, "--today", "2025-12-31", "--scope", "cpu", "backward"});
  EXPECT_EQ(window.status, 0) << window.out;
  EXPECT_THAT(window.out, HasSubstr("1 pair: 0 pass, 1 differ where they may, "));
  const Finished ran = sandbox_.run({"run", "drawn", "--archive", archive_, "--build", "own"});
  EXPECT_EQ(ran.status, 0) << ran.out;
  EXPECT_THAT(ran.out, HasSubstr("own: differs where it may: output 0[0]"));
}

// A window with one element outside. The recorded golden left out all of it, as XLA does.
TEST_F(OpenValuesCommand, WindowsPartlyOutsideAreLeftOutAsAWholeOrByElement) {
  constexpr const char* kSignature =
      "(%x: tensor<4xf32>, %i: tensor<1xi32>, %u: tensor<3xf32>) -> "
      "(tensor<4xf32>, tensor<1xi32>, tensor<3xf32>)";
  constexpr const char* kBody = R"(
    %0 = "stablehlo.scatter"(%x, %i, %u) <{
      scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0],
        scatter_dims_to_operand_dims = [0], index_vector_dim = 0>}> ({
    ^bb0(%l: tensor<f32>, %m: tensor<f32>):
      %s = stablehlo.add %l, %m : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<4xf32>, tensor<1xi32>, tensor<3xf32>) -> tensor<4xf32>
    return %0, %i, %u : tensor<4xf32>, tensor<1xi32>, tensor<3xf32>)";
  const auto add = [&](const std::string& name, int32_t start, const std::vector<float>& expected) {
    const Tensors inputs{floats({4}, {10, 20, 30, 40}), ints({1}, {start}), floats({3}, {1, 2, 3})};
    import(name, "scatter", kSignature, kBody, inputs,
           {floats({4}, expected), inputs[1], inputs[2]});
  };
  add("by_element", 2, {10, 20, 31, 42});
  add("as_a_whole", 2, {10, 20, 30, 40});
  add("inside", 1, {10, 21, 32, 43});
  addOwnConsumer();
  const auto own = replay({"--build", "own"});
  EXPECT_EQ(own.at("by_element")["cell"], "differs where it may");
  EXPECT_EQ(own.at("as_a_whole")["cell"], "pass");
  EXPECT_EQ(own.at("inside")["cell"], "fail");
  const auto engine = replay({});
  EXPECT_EQ(engine.at("by_element")["cell"], "pass");
  EXPECT_EQ(engine.at("as_a_whole")["cell"], "differs where it may");
  EXPECT_EQ(engine.at("inside")["cell"], "pass");
}

// The half of a triangle that is not read reaches nothing: a consumer that reads it is wrong.
TEST_F(OpenValuesCommand, TheUnreadHalfOfATriangleIsNoExcuse) {
  import("solve", "triangular_solve", "(%x: tensor<2x1xf32>) -> tensor<2x1xf32>", R"(
    %a = stablehlo.constant dense<[[1.0, 0x7FC00000], [2.0, 4.0]]> : tensor<2x2xf32>
    %b = stablehlo.constant dense<[[2.0], [8.0]]> : tensor<2x1xf32>
    %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true,
      unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}>
      : (tensor<2x2xf32>, tensor<2x1xf32>) -> tensor<2x1xf32>
    return %0 : tensor<2x1xf32>)",
         {floats({2, 1}, {2, 3})}, {floats({2, 1}, {2, 1})});
  addOwnConsumer();
  EXPECT_EQ(replay({"--build", "own"}).at("solve")["cell"], "fail");
  EXPECT_EQ(replay({}).at("solve")["cell"], "pass");
}

}  // namespace
}  // namespace vintage::tests::command
