// interpreter.run_parallel and Plan::runParallel: different programs side by side,
// programs that would hang, and hostile ones.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/harness/engine/run_grid.h"

namespace vintage::tests::engine_test {
using namespace golden;
using namespace harness;

namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(RunParallel, InfeedFunctionsAreTakenOneAfterTheOther) {
  auto results = run(R"(
    func.func @take(%t: !stablehlo.token) -> (tensor<i64>, tensor<i64>) {
      %a:2 = "stablehlo.infeed"(%t) : (!stablehlo.token) -> (tensor<i64>, !stablehlo.token)
      %b:2 = "stablehlo.infeed"(%a#1) : (!stablehlo.token) -> (tensor<i64>, !stablehlo.token)
      return %a#0, %b#0 : tensor<i64>, tensor<i64>
    }
    func.func @first() -> tensor<i64> {
      %c = stablehlo.constant dense<11> : tensor<i64>
      return %c : tensor<i64>
    }
    func.func @second() -> tensor<i64> {
      %c = stablehlo.constant dense<22> : tensor<i64>
      return %c : tensor<i64>
    }
    func.func @main() -> (tensor<i64>, tensor<i64>) {
      %t = stablehlo.create_token : !stablehlo.token
      %r:2 = "interpreter.run_parallel"(%t) {infeed = [@second, @first], programs = [[@take]]}
        : (!stablehlo.token) -> (tensor<i64>, tensor<i64>)
      return %r#0, %r#1 : tensor<i64>, tensor<i64>
    })");
  ASSERT_TRUE(results) << results.error().message;
  EXPECT_THAT(values<int64_t>((*results)[0]), ElementsAre(22));
  EXPECT_THAT(values<int64_t>((*results)[1]), ElementsAre(11));
}

// Processes 0 and 1 run @f and @g side by side as two replicas.
std::string sideBySide(std::string_view f, std::string_view g) {
  return fmt::format(R"(
    func.func @f(%x: tensor<1xi64>) -> tensor<1xi64> {{ {} return %r : tensor<1xi64> }}
    func.func @g(%x: tensor<1xi64>) -> tensor<1xi64> {{ {} return %r : tensor<1xi64> }}
    func.func @main(%x: tensor<1xi64>) -> (tensor<1xi64>, tensor<1xi64>) {{
      %y:2 = "interpreter.run_parallel"(%x, %x) {{programs = [[@f], [@g]]}}
        : (tensor<1xi64>, tensor<1xi64>) -> (tensor<1xi64>, tensor<1xi64>)
      return %y#0, %y#1 : tensor<1xi64>, tensor<1xi64>
    }})",
                     f, g);
}

std::string reduceStep(std::string_view result = "%r", std::string_view operand = "%x") {
  return fmt::format(R"({} = "stablehlo.all_reduce"({}) {} {{
      replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}} : (tensor<1xi64>) -> tensor<1xi64>
    )",
                     result, operand, region("stablehlo.add"));
}

std::string gatherStep(std::string_view result) {
  return fmt::format(R"({} = "stablehlo.all_gather"(%x) {{all_gather_dim = 0 : i64,
      replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}} : (tensor<1xi64>) -> tensor<2xi64>
    )",
                     result);
}

std::string errorOf(std::string_view text) {
  auto result = run(text, {tensor<int64_t>(ElementType::kI64, {1}, {1})});
  EXPECT_FALSE(result);
  if (!result) EXPECT_EQ(result.error().kind, Error::Kind::kBadInput);
  return result ? "" : result.error().message;
}

TEST(RunParallel, DifferentProgramsMeet) {
  auto results = run(sideBySide(reduceStep(), "%y = stablehlo.add %x, %x : tensor<1xi64>\n" +
                                                  reduceStep("%r", "%y")),
                     {tensor<int64_t>(ElementType::kI64, {1}, {5})});
  ASSERT_TRUE(results) << results.error().message;
  EXPECT_THAT(values<int64_t>((*results)[0]), ElementsAre(15));
  EXPECT_THAT(values<int64_t>((*results)[1]), ElementsAre(15));
}

TEST(RunParallel, WaitingForAProcessThatEndedIsAnError) {
  EXPECT_THAT(errorOf(sideBySide(reduceStep(), "%r = stablehlo.add %x, %x : tensor<1xi64>")),
              AllOf(HasSubstr("no process can go on"),
                    HasSubstr("replica 0, partition 0 waits for stablehlo.all_reduce of i64[1]"),
                    HasSubstr("replica 1, partition 0 has ended")));
}

TEST(RunParallel, DifferentOperationsAreAMismatch) {
  EXPECT_THAT(errorOf(sideBySide(reduceStep(), gatherStep("%q") + reduceStep())),
              AllOf(HasSubstr("different things"), HasSubstr("stablehlo.all_reduce of i64[1]"),
                    HasSubstr("stablehlo.all_gather of i64[1]")));
}

TEST(RunParallel, WaitingForEachOtherOnTwoChannelsIsAnError) {
  const auto receive = [](int channel) {
    return fmt::format(R"(%t = stablehlo.create_token : !stablehlo.token
      %q:2 = "stablehlo.recv"(%t) {{
        channel_handle = #stablehlo.channel_handle<handle = {}, type = 1>}}
        : (!stablehlo.token) -> (tensor<1xi64>, !stablehlo.token)
      %r = stablehlo.add %q#0, %x : tensor<1xi64>
      )",
                       channel);
  };
  EXPECT_THAT(
      errorOf(sideBySide(receive(1), receive(2))),
      AllOf(HasSubstr("no process can go on"), HasSubstr("channel 1"), HasSubstr("channel 2")));
}

TEST(RunParallel, AnErrorInOneProcessEndsAll) {
  // Process 1 has no infeed to take from, while process 0 waits for it.
  EXPECT_THAT(errorOf(sideBySide(reduceStep(), R"(
      %t = stablehlo.create_token : !stablehlo.token
      %q:2 = "stablehlo.infeed"(%t) : (!stablehlo.token) -> (tensor<1xi64>, !stablehlo.token)
      %r = stablehlo.add %q#0, %x : tensor<1xi64>
      )")),
              AllOf(HasSubstr("replica 1, partition 0: stablehlo.infeed"), HasSubstr("empty")));
  // And while process 0 computes for ever.
  EXPECT_THAT(errorOf(sideBySide(R"(
      %r = stablehlo.while(%i = %x) : tensor<1xi64>
        cond {
          %c = stablehlo.constant dense<true> : tensor<i1>
          stablehlo.return %c : tensor<i1>
        } do { stablehlo.return %i : tensor<1xi64> }
      )",
                                 R"(
      %t = stablehlo.create_token : !stablehlo.token
      %q:2 = "stablehlo.infeed"(%t) : (!stablehlo.token) -> (tensor<1xi64>, !stablehlo.token)
      %r = stablehlo.add %q#0, %x : tensor<1xi64>
      )")),
              HasSubstr("replica 1, partition 0: stablehlo.infeed"));
}

TEST(RunParallel, GroupsThatDoNotFitTheProcesses) {
  const Rows two = {{1}, {2}};
  EXPECT_THAT(
      errorOn({2, 1}, allReduce("replica_groups = dense<[[0, 1, 2]]> : tensor<1x3xi64>"), {1}, two),
      HasSubstr("name replica 2; the program runs on 2 replicas and 1 partitions"));
  EXPECT_THAT(
      errorOn({2, 1}, allReduce("replica_groups = dense<[[0]]> : tensor<1x1xi64>"), {1}, two),
      HasSubstr("replica 1, partition 0 is in none of its groups"));
  EXPECT_THAT(errorOn({2, 1},
                      mainOf("stablehlo.collective_permute",
                             "source_target_pairs = dense<[[0, 5]]> : tensor<1x2xi64>",
                             "tensor<1xi64>", "tensor<1xi64>"),
                      {1}, two),
              HasSubstr("replica 5"));
}

TEST(RunParallel, ProgramsThatDoNotFitTheOperation) {
  const auto text = [](std::string_view programs) {
    return fmt::format(R"(
      func.func @f(%x: tensor<1xi64>) -> tensor<1xi64> {{ return %x : tensor<1xi64> }}
      func.func @h(%x: tensor<2xi64>) -> tensor<1xi64> {{
        %r = stablehlo.constant dense<0> : tensor<1xi64>
        return %r : tensor<1xi64>
      }}
      func.func @main(%x: tensor<1xi64>) -> tensor<1xi64> {{
        %r = "interpreter.run_parallel"(%x) {{programs = [{}]}} : (tensor<1xi64>) -> tensor<1xi64>
        return %r : tensor<1xi64>
      }})",
                       programs);
  };
  EXPECT_THAT(errorOf(text("[@missing]")), HasSubstr("no function @missing"));
  EXPECT_THAT(errorOf(text("[@h]")), HasSubstr("input 0 does not fit @h"));
  EXPECT_THAT(errorOf(text("[@f], [@f]")), HasSubstr("input 1 does not fit @f"));
  EXPECT_THAT(errorOf(text("[@f], [@f, @f]")), HasSubstr("not equally long"));
  EXPECT_THAT(errorOf(text("[]")), HasSubstr("at least one of each"));
  EXPECT_THAT(errorOf(text("[@main]")), HasSubstr("recursion"));
}

TEST(RunParallel, GridsAndInputsAreChecked) {
  const std::string text = allReduce("replica_groups = dense<> : tensor<0x0xi64>");
  EXPECT_THAT(errorOn({0, 1}, text, {1}, {}), HasSubstr("at least one of each"));
  EXPECT_THAT(errorOn({int64_t{1} << 40, int64_t{1} << 40}, text, {1}, {}),
              HasSubstr("more than 1024 processes"));
  EXPECT_THAT(errorOn({2, 1}, text, {1}, {{1}}), HasSubstr("given the inputs of 1"));
  auto wrong = runOn({2, 1}, text,
                     {{tensor<int64_t>(ElementType::kI64, {1}, {1})},
                      {tensor<int64_t>(ElementType::kI64, {}, {1})}});
  ASSERT_FALSE(wrong);
  EXPECT_THAT(wrong.error().message, HasSubstr("replica 1, partition 0: argument 0 is i64[]"));
}

// Trees need not come from text that was verified.
TEST(RunParallel, HostileAttributesAreRefusedOrRun) {
  const std::string one =
      "replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>" + std::string(kChannel);
  const std::vector<std::string> texts = {
      allReduce(one),
      mainOf("stablehlo.all_gather", "all_gather_dim = 0 : i64, " + one, "tensor<1xi64>",
             "tensor<2xi64>"),
      mainOf("stablehlo.all_to_all",
             "split_dimension = 0 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, " + one,
             "tensor<2xi64>", "tensor<2xi64>"),
      mainOf("stablehlo.reduce_scatter", "scatter_dimension = 0 : i64, " + one, "tensor<2xi64>",
             "tensor<1xi64>", region("stablehlo.add")),
      mainOf("stablehlo.collective_permute",
             "source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>" + std::string(kChannel),
             "tensor<1xi64>", "tensor<1xi64>"),
      gatherByMesh(R"(axes = [#stablehlo.axis_ref<name = "x">], mesh = #stablehlo.mesh<axes = )"
                   R"([#stablehlo.mesh_axis<name = "x", size = 2>]>)"),
  };
  const AttributeMap hugeAxis = {{"name", {std::string("x"), {}}}, {"size", {INT64_MAX, {}}}};
  const std::vector<Attribute> hostile = {
      {std::monostate(), {}},
      {true, {}},
      {int64_t{-1}, {}},
      {int64_t{1} << 62, {}},
      {std::string("x"), {}},
      {std::vector<int64_t>{1, 0, -7, INT64_MAX}, {}},
      {Tensor(ElementType::kF32, {2, 2}), {}},
      {Tensor(ElementType::kI64, {0, 3}), {}},
      {Tensor(ElementType::kI64, {1, 2, 1}), {}},
      {AttributeList{{int64_t{0}, {}}}, {}},
      {AttributeMap{{"handle", {std::string("1"), {}}}, {"mesh", {AttributeMap{}, {}}}}, {}},
      {AttributeMap{{"mesh", {AttributeMap{{"axes", {AttributeList{{hugeAxis, {}}}, {}}}}, {}}},
                    {"axes", {AttributeList{}, {}}}},
       {}},
  };
  int runs = 0;
  for (const std::string& text : texts) {
    auto tree = treeOf(text);
    ASSERT_TRUE(tree) << tree.error().message;
    const Shape shape = tree->functions[0].argumentTypes[0].shape;
    const Rows rows(4, std::vector<int64_t>(static_cast<size_t>(shape[0]), 1));
    const AttributeMap original = tree->functions[0].body.blocks[0].operations[0].attributes;
    for (const auto& [name, value] : original) {
      for (const Attribute& other : hostile) {
        AttributeMap& attributes = tree->functions[0].body.blocks[0].operations[0].attributes;
        attributes = original;
        attributes[name] = other;
        auto plan = compile(*tree, {});
        if (!plan) continue;
        ++runs;
        auto result = plan->runParallel({2, 2}, inputsOf(shape, rows), {});
        if (!result) EXPECT_FALSE(result.error().message.empty());
      }
    }
  }
  EXPECT_GT(runs, 0);
}

// Many processes that meet often: what is lost or mixed up shows in the sum.
TEST(RunParallel, ManyProcessesMeetManyTimes) {
  const std::string text = R"(
    func.func @main(%x: tensor<1xi64>) -> tensor<1xi64> {
      %zero = stablehlo.constant dense<0> : tensor<i64>
      %one = stablehlo.constant dense<1> : tensor<i64>
      %turns = stablehlo.constant dense<200> : tensor<i64>
      %modulus = stablehlo.constant dense<1000003> : tensor<1xi64>
      %r:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i64>, tensor<1xi64>
        cond {
          %c = stablehlo.compare LT, %i, %turns : (tensor<i64>, tensor<i64>) -> tensor<i1>
          stablehlo.return %c : tensor<i1>
        } do {
          %s = "stablehlo.all_reduce"(%v) )" +
                           region("stablehlo.add") + R"( {
            replica_groups = dense<[[0, 1, 2, 3], [4, 5, 6, 7]]> : tensor<2x4xi64>
          } : (tensor<1xi64>) -> tensor<1xi64>
          %p = "stablehlo.collective_permute"(%v) {
            source_target_pairs = dense<[[0, 5], [1, 6], [2, 7], [3, 4], [4, 0], [5, 1], [6, 2],
                                         [7, 3]]> : tensor<8x2xi64>
          } : (tensor<1xi64>) -> tensor<1xi64>
          %a = stablehlo.add %s, %p : tensor<1xi64>
          %m = stablehlo.remainder %a, %modulus : tensor<1xi64>
          %n = stablehlo.add %i, %one : tensor<i64>
          stablehlo.return %n, %m : tensor<i64>, tensor<1xi64>
        }
      return %r#1 : tensor<1xi64>
    })";
  std::vector<int64_t> state = {1, 2, 3, 4, 5, 6, 7, 8};
  Rows rows;
  for (const int64_t value : state) rows.push_back({value});
  const size_t source[] = {4, 5, 6, 7, 3, 0, 1, 2};
  for (int turn = 0; turn < 200; ++turn) {
    std::vector<int64_t> next(8);
    for (size_t i = 0; i < 8; ++i) {
      const size_t first = i < 4 ? 0 : 4;
      next[i] = (state[first] + state[first + 1] + state[first + 2] + state[first + 3] +
                 state[source[i]]) %
                1000003;
    }
    state = next;
  }
  Rows expected;
  for (const int64_t value : state) expected.push_back({value});
  EXPECT_EQ(evaluateOn({8, 1}, text, {1}, rows), expected);
}

}  // namespace
}  // namespace vintage::tests::engine_test
