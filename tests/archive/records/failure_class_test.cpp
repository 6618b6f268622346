// The class of a failure, by messages that real consumers wrote.

#include <fstream>
#include <set>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "archive/records/failure_class.h"

namespace vintage::tests::verdict {
using namespace archive;

namespace {

using enum FailureClass;

struct Recorded {
  OutcomeKind outcome;
  Stage stage;
  const char* detail;
  FailureClass failure;
};

void PrintTo(const Recorded& recorded, std::ostream* out) { *out << recorded.detail; }

class FailureClassOf : public testing::TestWithParam<Recorded> {};

TEST_P(FailureClassOf, Message) {
  const Recorded& recorded = GetParam();
  const auto found = failureClassOf(recorded.outcome, recorded.stage, recorded.detail);
  ASSERT_TRUE(found);
  EXPECT_EQ(failureClassName(*found), failureClassName(recorded.failure));
}

INSTANTIATE_TEST_SUITE_P(
    OfConsumers, FailureClassOf,
    testing::Values(
        // JAX
        Recorded{OutcomeKind::kError, Stage::kLoad,
                 "NotImplementedError: deserialize unsupported version 12", kVersionNotReadable},
        // It reads the number of devices where older files have it.
        Recorded{OutcomeKind::kError, Stage::kVerify,
                 "ValueError: Function sin was exported for 0 devices and is called in a context "
                 "with 1 devices. This is disallowed because: …",
                 kVersionNotReadable},
        // It was unknown. Vintage's worker reads the type as a tuple, others may not.
        Recorded{OutcomeKind::kError, Stage::kLoad,
                 "ValueError: Cannot deserialize a PyTreeDef containing an unregistered type "
                 "`my.State`. Use `export.register_pytree_node_serialization`",
                 kOperationUnknown},
        Recorded{OutcomeKind::kError, Stage::kVerify,
                 "XlaRuntimeError: INVALID_ARGUMENT: Failed to deserialize StableHLO",
                 kVersionNotReadable},
        Recorded{OutcomeKind::kError, Stage::kCompile,
                 "XlaRuntimeError: NOT_FOUND: No registered implementation for untyped custom "
                 "call to lapack_spotrf for Host",
                 kTargetNotRegistered},
        Recorded{OutcomeKind::kError, Stage::kCompile,
                 "XlaRuntimeError: INVALID_ARGUMENT: during context [hlo verifier]: u4 is "
                 "currently only supported in convert instructions, but got instruction: %call.1",
                 kNotImplemented},
        Recorded{OutcomeKind::kUnsupported, Stage::kLoad,
                 "expired: calling convention 8 is older than 9, the oldest that this JAX calls",
                 kExpired},
        // PJRT plugins
        Recorded{OutcomeKind::kError, Stage::kCompile,
                 "UNKNOWN: error: 'mhlo.asinh' op can't be translated to XLA HLO", kNotImplemented},
        Recorded{
            OutcomeKind::kError, Stage::kCompile,
            "UNKNOWN: error: RET_CHECK failure (shape_inference.cc:483) k=2 is larger than the "
            "last dimension\nmodule: its shapes are not refined: a custom call has a result "
            "with unknown dimensions",
            kNotImplemented},
        Recorded{OutcomeKind::kError, Stage::kUpgrade,
                 "UNKNOWN: error: unregistered operation 'vhlo.custom_call_v2' found in dialect "
                 "('vhlo') that does not allow unknown operations",
                 kOperationUnknown},
        Recorded{OutcomeKind::kError, Stage::kUpgrade,
                 "INTERNAL: Failed to deserialize the Mosaic module: INTERNAL: Missing or invalid "
                 "AttrSizedOperandSegments",
                 kOperationUnknown},
        Recorded{OutcomeKind::kError, Stage::kCompile,
                 "INVALID_ARGUMENT: during context [pre-optimization]: Unexpected operand type for "
                 "FFT: c128[14,15,16,17]{3,2,1,0}",
                 kNotImplemented},
        Recorded{OutcomeKind::kError, Stage::kUpgrade,
                 "INVALID_ARGUMENT: Failed to parse Triton module: error: expected "
                 "mlir::triton::CacheModifierAttr, but got: array<i32>",
                 kOperationUnknown},
        Recorded{OutcomeKind::kError, Stage::kCompile,
                 "INVALID_ARGUMENT: during context [hlo verifier]: Unbounded dynamism is disabled "
                 "for instruction: %Arg_0.3 = f32[?,3]{1,0} parameter(0)",
                 kNotImplemented},
        // TensorFlow
        Recorded{OutcomeKind::kError, Stage::kCompile,
                 "InvalidArgumentError: Symbol XlaCallModule.56 not found.: error: Symbols not "
                 "found: [ lapack_spotrf ]",
                 kTargetNotRegistered},
        Recorded{OutcomeKind::kError, Stage::kLoad,
                 "ValueError: Failed to convert a NumPy array to a Tensor (Unsupported numpy type: "
                 "not a numpy type).",
                 kNotImplemented},
        Recorded{OutcomeKind::kError, Stage::kLoad,
                 "InvalidArgumentError: XlaCallModuleOp with version 10 is not supported by this "
                 "build. Must be <= 9",
                 kVersionNotReadable},
        Recorded{OutcomeKind::kError, Stage::kUpgrade,
                 "InvalidArgumentError: Cannot deserialize computation: error: unknown attribute "
                 "code: 22",
                 kOperationUnknown},
        Recorded{OutcomeKind::kError, Stage::kUpgrade,
                 "InvalidArgumentError: Cannot deserialize computation: UNKNOWN: <unknown>:0: "
                 "error: loc(\"lu\"): unregistered operation 'vhlo.custom_call_v2' found in "
                 "dialect ('vhlo') that does not allow unknown operations",
                 kOperationUnknown},
        Recorded{OutcomeKind::kError, Stage::kUpgrade,
                 "InvalidArgumentError: Cannot deserialize computation: error: unknown vhlo "
                 "attribute code: 20",
                 kOperationUnknown},
        Recorded{OutcomeKind::kError, Stage::kUpgrade,
                 "InvalidArgumentError: Cannot deserialize computation: error: dialect 'sdy' is "
                 "unknown. If this is intended, please call allowUnregisteredDialects()",
                 kOperationUnknown},
        Recorded{OutcomeKind::kUnsupported, Stage::kLoad,
                 "TensorFlow 2.21.0 has no element type f8E3M4", kNotImplemented},
        // IREE
        Recorded{OutcomeKind::kError, Stage::kCompile,
                 "CompilationError: failed to legalize operation 'stablehlo.custom_call' that was "
                 "explicitly marked illegal",
                 kTargetNotRegistered},
        Recorded{OutcomeKind::kError, Stage::kCompile,
                 "CompilationError: failed to legalize operation 'stablehlo.select_and_scatter' "
                 "that was explicitly marked illegal",
                 kNotImplemented},
        // Its compiler makes an operation that its own verifier refuses.
        Recorded{OutcomeKind::kError, Stage::kCompile,
                 "CompilationError: 'iree_linalg_ext.scatter' op mismatch in shape of indices and "
                 "update value at dim#1",
                 kNotImplemented},
        Recorded{OutcomeKind::kError, Stage::kCompile,
                 "InternalError: RET_CHECK failure (collective_thunk.cc:167) "
                 "params.device_assignment Device assignment is null",
                 kNotImplemented},
        Recorded{OutcomeKind::kError, Stage::kCompile,
                 "CompilationError: iree-compile did not end within 50 s", kTimeout},
        Recorded{OutcomeKind::kError, Stage::kCompile,
                 "CompilationError: iree-compile was ended by signal 11", kCrash},
        Recorded{OutcomeKind::kError, Stage::kCompile,
                 "CompilationError: dialect 'sdy' does not implement the bytecode interface",
                 kOperationUnknown},
        Recorded{OutcomeKind::kError, Stage::kRun,
                 "IndexError: Error invoking function: command_buffer_validation.c:196: "
                 "OUT_OF_RANGE; indirect buffer reference slot 0 is out range",
                 kNotImplemented},
        // LiteRT
        Recorded{OutcomeKind::kError, Stage::kCompile,
                 "ConversionError: 'arith.index_cast' op operand type 'tensor<2xi32>' and result "
                 "type 'tensor<2xi64>' are cast incompatible",
                 kNotImplemented},
        Recorded{OutcomeKind::kError, Stage::kCompile,
                 "ValueError: Didn't find op for builtin opcode 'STABLEHLO_SORT' version '1'.",
                 kNotImplemented},
        Recorded{OutcomeKind::kError, Stage::kRun,
                 "RuntimeError: gather_nd index out of boundsNode number 6 (GATHER_ND) failed to "
                 "invoke.",
                 kNotImplemented},
        Recorded{OutcomeKind::kError, Stage::kUpgrade,
                 "ConversionError: dialect 'sdy' does not implement the bytecode interface",
                 kOperationUnknown},
        // All
        Recorded{OutcomeKind::kMismatch, Stage::kCompare, "output 0: expected 3, found 5",
                 kWrongValue},
        Recorded{OutcomeKind::kCrash, Stage::kRun, "the worker was killed by signal 11", kCrash},
        Recorded{OutcomeKind::kTimeout, Stage::kRun, "no answer within 60 s", kTimeout},
        Recorded{OutcomeKind::kError, Stage::kLoad, "a message that nobody has seen", kUnknown}));

TEST(FailureClass, APassAndABrokenConsumerHaveNone) {
  EXPECT_FALSE(failureClassOf(OutcomeKind::kPass, Stage::kCompare, ""));
  EXPECT_FALSE(failureClassOf(OutcomeKind::kRunnerError, Stage::kLoad, "it does not start"));
}

TEST(FailureClass, TheTableNamesClassesOutcomesAndStagesThatExist) {
  std::ifstream file(VINTAGE_SOURCE "/archive/records/failure_classes.json");
  const nlohmann::json document = nlohmann::json::parse(file);
  std::set<std::string> names;
  for (const FailureClass failure : failureClasses())
    names.insert(std::string(failureClassName(failure)));
  EXPECT_EQ(names.size(), 9);
  EXPECT_FALSE(parseFailureClass("unknown"));
  for (const FailureClass failure : speedClasses()) {
    EXPECT_FALSE(names.contains(std::string(failureClassName(failure))));
    EXPECT_EQ(parseFailureClass(failureClassName(failure)), failure);
  }
  ASSERT_GT(document.at("rules").size(), 5);
  for (const nlohmann::json& rule : document.at("rules")) {
    EXPECT_TRUE(names.contains(rule.at("class"))) << rule.dump();
    for (const std::string& outcome : rule.value("outcome", std::vector<std::string>()))
      EXPECT_TRUE(parseOutcome(outcome)) << outcome;
    for (const std::string& stage : rule.value("stage", std::vector<std::string>()))
      EXPECT_TRUE(parseStage(stage)) << stage;
    EXPECT_TRUE(rule.contains("outcome") || rule.contains("message")) << rule.dump();
  }
}

}  // namespace
}  // namespace vintage::tests::verdict
