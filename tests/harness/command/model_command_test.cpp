// A user's own model: put, get, run.
#include <filesystem>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "tests/harness/command/artifacts.h"

namespace vintage::tests::command {
namespace {

using nlohmann::json;
using testing::HasSubstr;

class ModelCommand : public testing::Test {
 protected:
  void SetUp() override {
    module_ = portable("add", kAddText);
    sandbox_.write("x.npy", npyOfThree(1, 2, 3));
    sandbox_.write("y.npy", npyOfThree(10, 20, 30));
    sandbox_.write("sum.npy", npyOfThree(11, 22, 33));
    sandbox_.write("wrong.npy", npyOfThree(11, 22, 34));
  }

  std::string portable(const std::string& name, const std::string& text) {
    const std::string source = sandbox_.write(name + ".mlir", text);
    const std::string module = sandbox_.path(name + ".mlirbc");
    sandbox_.run({"convert", source, "--target", "1.0.0", "-o", module});
    return module;
  }

  Finished put(const std::string& model, const std::vector<std::string>& more) const {
    std::vector<std::string> arguments = {"put", model, "--archive", archive_};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return sandbox_.run(arguments);
  }
  Finished putSum(const std::string& expected) const {
    return put(module_, {"--inputs", sandbox_.path("x.npy"), sandbox_.path("y.npy"), "--outputs",
                         sandbox_.path(expected), "--build-date", "2025-06-01"});
  }
  json listed(const std::string& archive) const {
    return json::parse(sandbox_.run({"list", "--archive", archive, "--format", "json"}).out);
  }

  Sandbox sandbox_;
  std::string archive_ = sandbox_.path("A"), module_;
};

TEST_F(ModelCommand, KeepsRunsAndGivesBack) {
  const Finished kept = putSum("sum.npy");
  ASSERT_EQ(kept.status, 0) << kept.err;
  EXPECT_THAT(kept.out, HasSubstr("inputs: given; outputs: given"));
  const Finished ran = sandbox_.run({"run", "add.mlirbc", "--archive", archive_});
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("f32[3] [11, 22, 33]"));
  EXPECT_THAT(ran.out, HasSubstr("as the golden says"));
  const std::string folder = sandbox_.path("given");
  ASSERT_EQ(sandbox_.run({"get", "add.mlirbc", "--archive", archive_, "-o", folder}).status, 0);
  EXPECT_THAT(Sandbox::read(folder + "/module.mlir"), HasSubstr("stablehlo.add"));
  const Finished again = sandbox_.run({"put", folder, "--archive", sandbox_.path("B")});
  ASSERT_EQ(again.status, 0) << again.err;
  EXPECT_EQ(listed(archive_), listed(sandbox_.path("B")));
}

// A user could run a model on the archived inputs only.
TEST_F(ModelCommand, RunsOnTheCallersInputsAndComparesWithNothing) {
  ASSERT_EQ(putSum("wrong.npy").status, 0);
  const std::string x = sandbox_.path("x.npy"), y = sandbox_.path("y.npy");
  const auto run = [&](std::vector<std::string> inputs) {
    std::vector<std::string> call{"run", "add.mlirbc", "--archive", archive_, "--inputs"};
    call.insert(call.end(), inputs.begin(), inputs.end());
    return sandbox_.run(call);
  };
  const Finished ran = run({y, y});
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("f32[3] [20, 40, 60]"));
  EXPECT_THAT(ran.out, HasSubstr("compared with nothing"));
  const Finished fewer = run({x});
  EXPECT_EQ(fewer.status, 2);
  EXPECT_THAT(fewer.err, HasSubstr("inputs"));
}

TEST_F(ModelCommand, AnotherValueThanTheGoldensIsAMismatch) {
  ASSERT_EQ(putSum("wrong.npy").status, 0);
  const Finished ran = sandbox_.run({"run", "add.mlirbc", "--archive", archive_});
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.out, HasSubstr("34"));
}

TEST_F(ModelCommand, PutAndExplainSayThatTheEngineDoesNotConfirmAnElement) {
  const Finished kept = putSum("wrong.npy");
  ASSERT_EQ(kept.status, 0) << kept.err;
  const std::string doubt = "gives other values: output 0[2]: expected 34, found 33";
  EXPECT_THAT(kept.out, HasSubstr("golden in doubt: vintage-engine "));
  EXPECT_THAT(kept.out, HasSubstr(doubt));
  const Finished explained = sandbox_.run({"explain", "add.mlirbc", "--archive", archive_});
  EXPECT_THAT(explained.out, HasSubstr(doubt));
}

TEST_F(ModelCommand, ExplainPrintsTheScaleOfAnElement) {
  ASSERT_EQ(putSum("sum.npy").status, 0);
  const auto asked = [&](const std::string& element) {
    return sandbox_.run({"explain", "add.mlirbc", "--archive", archive_, "--element", element});
  };
  for (const char* spelled : {"0[2]", "0[ 2 ]", "0 [2]"})
    EXPECT_THAT(asked(spelled).out, HasSubstr("element 0[2] = 33: the comparator allows "));
  for (const char* wrong : {"0[3]", "1[0]", "0", "0[2", "x", "0[1, 1]", "0[-1]"}) {
    const Finished refused = asked(wrong);
    EXPECT_EQ(refused.status, 2) << wrong;
    EXPECT_THAT(refused.err, HasSubstr("and the outputs are 0: f32[3]"));
  }
}

TEST_F(ModelCommand, WritesTheOutputsThatCameOut) {
  ASSERT_EQ(putSum("wrong.npy").status, 0);
  sandbox_.run({"run", "add.mlirbc", "--archive", archive_, "-o", sandbox_.path("out.npz")});
  const Finished kept =
      put(module_, {"--name", "right", "--inputs", sandbox_.path("x.npy"), sandbox_.path("y.npy"),
                    "--outputs", sandbox_.path("out.npz"), "--build-date", "2025-06-01"});
  ASSERT_EQ(kept.status, 0) << kept.err;
  EXPECT_EQ(sandbox_.run({"run", "right", "--archive", archive_}).status, 0);
}

TEST_F(ModelCommand, MakesInputsOfSizesThatTheProgramTakes) {
  // A multiple of 8 alone passes its check.
  const std::string text = R"(module @poly {
  func.func public @main(%arg0: tensor<?xf32>) -> tensor<?xf32> {
    %n = stablehlo.get_dimension_size %arg0, dim = 0 : (tensor<?xf32>) -> tensor<i32>
    %eight = stablehlo.constant dense<8> : tensor<i32>
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %rest = stablehlo.remainder %n, %eight : tensor<i32>
    %ok = stablehlo.compare EQ, %rest, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.custom_call @shape_assertion(%ok) {api_version = 2 : i32, error_message = "no multiple of 8", has_side_effect = true} : (tensor<i1>) -> ()
    return %arg0 : tensor<?xf32>
  }
}
)";
  const std::string model = portable("poly", text);
  const Finished kept = put(model, {"--build-date", "2025-06-01"});
  ASSERT_EQ(kept.status, 0) << kept.err;
  EXPECT_THAT(kept.out, HasSubstr("made here, with d0 = 8"));
  EXPECT_THAT(kept.out, HasSubstr("computed by the embedded engine, not by the producer"));
  const Finished chosen =
      put(model, {"--name", "chosen", "--build-date", "2025-06-01", "--size", "d0=24"});
  EXPECT_THAT(chosen.out, HasSubstr("d0 = 24"));
  const Finished refused =
      put(model, {"--name", "refused", "--build-date", "2025-06-01", "--size", "d0=9"});
  EXPECT_EQ(refused.status, 0);
  EXPECT_THAT(refused.out, HasSubstr("without inputs and outputs"));
  EXPECT_THAT(refused.out, HasSubstr("no multiple of 8"));
}

TEST_F(ModelCommand, TeachesWhatIsMissing) {
  const Finished undated = put(module_, {});
  EXPECT_EQ(undated.status, 2);
  EXPECT_THAT(undated.err, HasSubstr("--build-date"));
  const Finished halves =
      put(module_, {"--outputs", sandbox_.path("sum.npy"), "--build-date", "2025-06-01"});
  EXPECT_EQ(halves.status, 2);
  EXPECT_THAT(halves.err, HasSubstr("give both, or neither"));
  const Finished few =
      put(module_, {"--inputs", sandbox_.path("x.npy"), "--build-date", "2025-06-01"});
  EXPECT_EQ(few.status, 2);
  EXPECT_THAT(few.err, HasSubstr("x.npy: 1 array as inputs; the program has 2"));
  EXPECT_EQ(put(module_, {"--size", "b", "--build-date", "2025-06-01"}).status, 2);
  ASSERT_EQ(putSum("sum.npy").status, 0);
  const Finished taken =
      sandbox_.run({"get", "add.mlirbc", "--archive", archive_, "-o", sandbox_.path("")});
  EXPECT_EQ(taken.status, 1);
  EXPECT_THAT(taken.err, HasSubstr("holds something"));
  const Finished noFolder = put(archive_, {});
  EXPECT_EQ(noFolder.status, 2);
  EXPECT_THAT(noFolder.err, HasSubstr("no folder that 'vintage get' wrote"));
}

// An array of another shape than the model takes was kept as its golden, and every run of it
// failed.
TEST_F(ModelCommand, ArraysOfAnotherShapeAreRefused) {
  sandbox_.write("long.npy", npyOf("(4,)", {1, 2, 3, 4}));
  const std::string x = sandbox_.path("x.npy"), y = sandbox_.path("y.npy"),
                    longer = sandbox_.path("long.npy");
  const std::vector<std::string> inputs{"--build-date", "2025-06-01", "--inputs", x, longer};
  const Finished wrong = put(module_, inputs);
  EXPECT_EQ(wrong.status, 2);
  EXPECT_THAT(wrong.err, HasSubstr("input 1 is f32[4] and the model states f32[3]"));
  const Finished expected =
      put(module_, {"--build-date", "2025-06-01", "--inputs", x, y, "--outputs", longer});
  EXPECT_EQ(expected.status, 2);
  EXPECT_THAT(expected.err, HasSubstr("output 0 is f32[4] and the model states f32[3]"));
  EXPECT_THAT(sandbox_.run({"list", "--archive", archive_}).out, HasSubstr("0 artifacts"));
}

// Text that is no program was answered with MLIR's "custom op 'hello' is unknown", and a file where
// an archived model is expected without a word about 'vintage put'.
TEST_F(ModelCommand, OtherFilesGetASentence) {
  const std::string text = sandbox_.write("notes.txt", "hello, my model\n");
  EXPECT_THAT(put(text, {}).err, HasSubstr("16 bytes that are not an artifact"));
  EXPECT_THAT(sandbox_.run({"run", text, "--archive", archive_}).err,
              HasSubstr("'vintage put' keeps a file"));
}

// A model with a factorization and half-precision outputs was taken for a use of the primitive
// 'cholesky' in half precision, which is declared as not implemented, and was never run.
TEST_F(ModelCommand, WhatIsDeclaredOfAPrimitiveDoesNotCoverAModelThatCallsItsTarget) {
  const std::string text = R"(module @solver {
  func.func public @main(%arg0: tensor<1x1xf32>) -> (tensor<1x1xf32>, tensor<1x1xbf16>) {
    %0:2 = stablehlo.custom_call @lapack_spotrf_ffi(%arg0) {mhlo.backend_config = {uplo = 76 : ui8}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], api_version = 4 : i32} : (tensor<1x1xf32>) -> (tensor<1x1xf32>, tensor<i32>)
    %1 = stablehlo.convert %0#0 : (tensor<1x1xf32>) -> tensor<1x1xbf16>
    return %0#0, %1 : tensor<1x1xf32>, tensor<1x1xbf16>
  }
}
)";
  const std::string source = sandbox_.write("solver.mlir", text), model = sandbox_.path("solver");
  sandbox_.run({"convert", source, "--target", "1.10.0", "-o", model});
  const Finished kept = put(model, {"--build-date", "2025-06-01"});
  ASSERT_EQ(kept.status, 0) << kept.err;
  EXPECT_EQ(listed(archive_)[0]["custom_call_targets"][0], "lapack_spotrf_ffi");
  const Finished replayed = sandbox_.run({"replay", "--archive", archive_});
  EXPECT_THAT(replayed.out, HasSubstr("ran 1 pair in"));
  EXPECT_THAT(replayed.out, testing::Not(HasSubstr("limitation")));
}

TEST_F(ModelCommand, AFolderWithAChangedArrayIsAnotherGolden) {
  ASSERT_EQ(putSum("sum.npy").status, 0);
  const std::string folder = sandbox_.path("given");
  sandbox_.run({"get", "add.mlirbc", "--archive", archive_, "-o", folder});
  std::filesystem::remove(folder + "/outputs.npz");
  const Finished missing = sandbox_.run({"put", folder, "--archive", sandbox_.path("B")});
  EXPECT_EQ(missing.status, 3);
  EXPECT_THAT(missing.err, HasSubstr("outputs.npz"));
}

}  // namespace
}  // namespace vintage::tests::command
