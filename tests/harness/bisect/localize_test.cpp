// The first operation that differs, with real workers: the engine with one
// seeded fault against the engine without.

#include "harness/bisect/localize/localize.h"

#include <gmock/gmock.h>

#include "harness/bisect/localize/side.h"
#include "tests/harness/bisect/sample_subjects.h"

namespace vintage::tests {
using namespace golden;
using namespace archive;
using namespace harness;

namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> withFault(const std::string& fault) {
  return {"env", "VINTAGE_SEEDED_FAULT=" + fault, VINTAGE_BINARY "/bin/vintage-worker-faults"};
}

// The reduced program fails on the failing side and not on the good one.
void expectReducedFails(const Localization& found, const std::vector<std::string>& failing) {
  ProgramContext context;
  auto program = context.readPortableArtifact(found.reduced.module, "reduced");
  ASSERT_TRUE(program) << program.error().message;
  const WorkerLimits limits;
  auto good = Side(kSound, "cpu", "graph", limits).run(*program, found.reduced.arguments);
  ASSERT_TRUE(good && good->ran());
  EXPECT_FALSE(firstDifference(found.reduced.expected, good->outputs, {}));
  auto bad = Side(failing, "cpu", "graph", limits).run(*program, found.reduced.arguments);
  ASSERT_TRUE(bad);
  EXPECT_TRUE(!bad->ran() || firstDifference(good->outputs, bad->outputs, {}));
}

struct SeededOperation {
  const char* fault;
  const char* operation;
  const char* type;  // Of %r.
  const char* body;  // Of %a, %b: tensor<4xf32>, %n: tensor<4xi32>, %m: tensor<2x2xf32>.
};

void PrintTo(const SeededOperation& one, std::ostream* out) { *out << one.fault; }

class SeededFaults : public testing::TestWithParam<SeededOperation> {};

TEST_P(SeededFaults, TheDamagedOperationIsTheFirstThatDiffers) {
  const SeededOperation& seeded = GetParam();
  const std::string text = std::string(
                               "func.func public @main(%a: tensor<4xf32>, %b: "
                               "tensor<4xf32>, %n: tensor<4xi32>, %m: tensor<2x2xf32>) "
                               "-> ") +
                           seeded.type + " {\n" + seeded.body + "\n  return %r : " + seeded.type +
                           "\n}\n";
  const Subject subject =
      subjectOf(text, {floats({4}, {-2.5f, -0.5f, 0.5f, 3.75f}), floats({4}, {1, 2, -3, 8}),
                       ints({4}, {7, -7, 3, 1}), floats({2, 2}, {1.1f, 2.3f, 3.7f, 4.9f})});
  auto found = localize(subject, withFault(seeded.fault), kSound, {});
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->operation, seeded.operation) << describe(*found);
  EXPECT_TRUE(found->alone);
  ASSERT_TRUE(found->difference);
  EXPECT_NE(found->difference->expected, found->difference->actual);
  EXPECT_THAT(found->notes, testing::Each(HasSubstr("regions")));
  expectReducedFails(*found, withFault(seeded.fault));
}

#define F32 "tensor<4xf32>"
constexpr SeededOperation kSeeded[] = {
    {"absolute_of_nan", "stablehlo.abs", F32, R"(
  %z = stablehlo.subtract %a, %a : tensor<4xf32>
  %q = stablehlo.divide %z, %z : tensor<4xf32>
  %y = stablehlo.abs %q : tensor<4xf32>
  %r = stablehlo.add %y, %b : tensor<4xf32>)"},
    {"cbrt_loses_sign", "stablehlo.cbrt", F32, R"(
  %x = stablehlo.multiply %a, %b : tensor<4xf32>
  %y = stablehlo.cbrt %x : tensor<4xf32>
  %r = stablehlo.add %y, %a : tensor<4xf32>)"},
    {"ceil_toward_zero", "stablehlo.ceil", F32, R"(
  %x = stablehlo.negate %a : tensor<4xf32>
  %y = stablehlo.ceil %x : tensor<4xf32>
  %r = stablehlo.multiply %y, %b : tensor<4xf32>)"},
    {"floor_toward_zero", "stablehlo.floor", F32, R"(
  %x = stablehlo.add %a, %b : tensor<4xf32>
  %y = stablehlo.floor %x : tensor<4xf32>
  %r = stablehlo.multiply %y, %y : tensor<4xf32>)"},
    {"clamp_bounds_swapped", "stablehlo.clamp", F32, R"(
  %l = stablehlo.constant dense<-1.0> : tensor<f32>
  %h = stablehlo.constant dense<1.0> : tensor<f32>
  %y = stablehlo.clamp %l, %a, %h : (tensor<f32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %r = stablehlo.add %y, %b : tensor<4xf32>)"},
    {"concatenate_reversed", "stablehlo.concatenate", "tensor<8xf32>", R"(
  %x = stablehlo.add %a, %b : tensor<4xf32>
  %y = stablehlo.concatenate %x, %b, dim = 0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
  %r = stablehlo.abs %y : tensor<8xf32>)"},
    {"divide_floors", "stablehlo.divide", "tensor<4xi32>", R"(
  %c = stablehlo.constant dense<2> : tensor<4xi32>
  %y = stablehlo.divide %n, %c : tensor<4xi32>
  %r = stablehlo.multiply %y, %n : tensor<4xi32>)"},
    {"dynamic_slice_shifted", "stablehlo.dynamic_slice", "tensor<2xf32>", R"(
  %i = stablehlo.constant dense<1> : tensor<i32>
  %x = stablehlo.add %a, %b : tensor<4xf32>
  %y = stablehlo.dynamic_slice %x, %i, sizes = [2] : (tensor<4xf32>, tensor<i32>) -> tensor<2xf32>
  %r = stablehlo.abs %y : tensor<2xf32>)"},
    {"dynamic_update_shifted", "stablehlo.dynamic_update_slice", F32, R"(
  %i = stablehlo.constant dense<1> : tensor<i32>
  %u = stablehlo.constant dense<[9.0, 10.0]> : tensor<2xf32>
  %y = stablehlo.dynamic_update_slice %a, %u, %i : (tensor<4xf32>, tensor<2xf32>, tensor<i32>) -> tensor<4xf32>
  %r = stablehlo.add %y, %b : tensor<4xf32>)"},
    {"expm1_cancels", "stablehlo.exponential_minus_one", F32, R"(
  %c = stablehlo.constant dense<1.0e-6> : tensor<4xf32>
  %x = stablehlo.multiply %a, %c : tensor<4xf32>
  %y = stablehlo.exponential_minus_one %x : tensor<4xf32>
  %r = stablehlo.divide %y, %c : tensor<4xf32>)"},
    {"log1p_cancels", "stablehlo.log_plus_one", F32, R"(
  %c = stablehlo.constant dense<1.0e-6> : tensor<4xf32>
  %x = stablehlo.multiply %a, %c : tensor<4xf32>
  %y = stablehlo.log_plus_one %x : tensor<4xf32>
  %r = stablehlo.divide %y, %c : tensor<4xf32>)"},
    {"iota_from_one", "stablehlo.iota", F32, R"(
  %y = stablehlo.iota dim = 0 : tensor<4xf32>
  %x = stablehlo.multiply %y, %a : tensor<4xf32>
  %r = stablehlo.add %x, %b : tensor<4xf32>)"},
    {"logistic_overflows", "stablehlo.logistic", F32, R"(
  %c = stablehlo.constant dense<1000.0> : tensor<4xf32>
  %x = stablehlo.multiply %a, %c : tensor<4xf32>
  %y = stablehlo.logistic %x : tensor<4xf32>
  %r = stablehlo.add %y, %b : tensor<4xf32>)"},
    {"not_negates", "stablehlo.not", "tensor<4xi32>", R"(
  %x = stablehlo.add %n, %n : tensor<4xi32>
  %y = stablehlo.not %x : tensor<4xi32>
  %r = stablehlo.subtract %y, %n : tensor<4xi32>)"},
    {"pad_one_too_far", "stablehlo.pad", "tensor<7xf32>", R"(
  %z = stablehlo.constant dense<0.5> : tensor<f32>
  %y = stablehlo.pad %a, %z, low = [1], high = [2], interior = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<7xf32>
  %r = stablehlo.abs %y : tensor<7xf32>)"},
    {"popcnt_misses_a_bit", "stablehlo.popcnt", "tensor<4xi32>", R"(
  %x = stablehlo.add %n, %n : tensor<4xi32>
  %y = stablehlo.popcnt %x : tensor<4xi32>
  %r = stablehlo.multiply %y, %n : tensor<4xi32>)"},
    {"power_of_zero", "stablehlo.power", F32, R"(
  %c = stablehlo.constant dense<0.0> : tensor<4xf32>
  %x = stablehlo.abs %b : tensor<4xf32>
  %y = stablehlo.power %x, %c : tensor<4xf32>
  %r = stablehlo.add %y, %a : tensor<4xf32>)"},
    {"reduce_max_is_min", "stablehlo.reduce", "tensor<f32>", R"(
  %c = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %x = stablehlo.negate %m : tensor<2x2xf32>
  %y = stablehlo.reduce(%x init: %c) applies stablehlo.maximum across dimensions = [0, 1] : (tensor<2x2xf32>, tensor<f32>) -> tensor<f32>
  %r = stablehlo.abs %y : tensor<f32>)"},
    {"reduce_sum_in_half", "stablehlo.reduce", "tensor<2xf32>", R"(
  %c = stablehlo.constant dense<0.0> : tensor<f32>
  %x = stablehlo.negate %m : tensor<2x2xf32>
  %y = stablehlo.reduce(%x init: %c) applies stablehlo.add across dimensions = [1] : (tensor<2x2xf32>, tensor<f32>) -> tensor<2xf32>
  %r = stablehlo.abs %y : tensor<2xf32>)"},
    {"remainder_of_divisor", "stablehlo.remainder", F32, R"(
  %x = stablehlo.add %a, %a : tensor<4xf32>
  %y = stablehlo.remainder %x, %b : tensor<4xf32>
  %r = stablehlo.add %y, %b : tensor<4xf32>)"},
    {"reverse_forgets_a_dimension", "stablehlo.reverse", "tensor<2x2xf32>", R"(
  %x = stablehlo.negate %m : tensor<2x2xf32>
  %y = stablehlo.reverse %x, dims = [0, 1] : tensor<2x2xf32>
  %r = stablehlo.add %y, %m : tensor<2x2xf32>)"},
    {"round_ties_to_even", "stablehlo.round_nearest_afz", F32, R"(
  %x = stablehlo.negate %a : tensor<4xf32>
  %y = stablehlo.round_nearest_afz %x : tensor<4xf32>
  %r = stablehlo.add %y, %b : tensor<4xf32>)"},
    {"shift_right_fills_zero", "stablehlo.shift_right_arithmetic", "tensor<4xi32>", R"(
  %c = stablehlo.constant dense<1> : tensor<4xi32>
  %y = stablehlo.shift_right_arithmetic %n, %c : tensor<4xi32>
  %r = stablehlo.add %y, %n : tensor<4xi32>)"},
    {"slice_one_too_far", "stablehlo.slice", "tensor<2xf32>", R"(
  %x = stablehlo.negate %a : tensor<4xf32>
  %y = stablehlo.slice %x [1:3] : (tensor<4xf32>) -> tensor<2xf32>
  %r = stablehlo.abs %y : tensor<2xf32>)"},
    {"sqrt_of_negative", "stablehlo.sqrt", F32, R"(
  %x = stablehlo.add %a, %a : tensor<4xf32>
  %y = stablehlo.sqrt %x : tensor<4xf32>
  %r = stablehlo.add %y, %b : tensor<4xf32>)"},
    {"subtract_wrong_sign", "stablehlo.subtract", F32, R"(
  %x = stablehlo.add %a, %a : tensor<4xf32>
  %y = stablehlo.subtract %x, %b : tensor<4xf32>
  %r = stablehlo.multiply %y, %b : tensor<4xf32>)"},
    {"tanh_saturates_early", "stablehlo.tanh", F32, R"(
  %x = stablehlo.add %a, %a : tensor<4xf32>
  %y = stablehlo.tanh %x : tensor<4xf32>
  %r = stablehlo.multiply %y, %b : tensor<4xf32>)"},
    {"transpose_only_reshapes", "stablehlo.transpose", "tensor<2x2xf32>", R"(
  %x = stablehlo.negate %m : tensor<2x2xf32>
  %y = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x2xf32>) -> tensor<2x2xf32>
  %r = stablehlo.add %y, %m : tensor<2x2xf32>)"},
    {"dot_in_half", "stablehlo.dot_general", "tensor<2x2xf32>", R"(
  %x = stablehlo.negate %m : tensor<2x2xf32>
  %y = stablehlo.dot_general %x, %m, contracting_dims = [1] x [0] : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %r = stablehlo.add %y, %m : tensor<2x2xf32>)"},
};
#undef F32

INSTANTIATE_TEST_SUITE_P(Operations, SeededFaults, testing::ValuesIn(kSeeded),
                         [](const auto& info) { return std::string(info.param.fault); });

// --- where the operation is not in main's own body ---

Localization tanhFaultIn(const std::string& text, std::vector<Tensor> inputs) {
  auto found =
      localize(subjectOf(text, std::move(inputs)), withFault("tanh_saturates_early"), kSound, {});
  EXPECT_TRUE(found) << found.error().message;
  if (!found) return {};
  EXPECT_EQ(found->operation, "stablehlo.tanh") << describe(*found);
  EXPECT_EQ(found->reduced.operations, 1u);
  expectReducedFails(*found, withFault("tanh_saturates_early"));
  return *found;
}

TEST(Localize, LooksIntoCalls) {
  const Localization found = tanhFaultIn(R"(
func.func public @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = func.call @outer(%a) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
func.func private @outer(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.add %a, %a : tensor<2xf32>
  %1 = func.call @inner(%0) : (tensor<2xf32>) -> tensor<2xf32>
  return %1 : tensor<2xf32>
}
func.func private @inner(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.tanh %a : tensor<2xf32>
  return %0 : tensor<2xf32>
})",
                                         {floats({2}, {1, 2.5f})});
  EXPECT_THAT(found.inside, testing::IsEmpty());
}

TEST(Localize, LooksIntoTheBranchThatIsTaken) {
  const Localization found = tanhFaultIn(R"(
func.func public @main(%i: tensor<i32>, %a: tensor<2xf32>) -> tensor<2xf32> {
  %one = stablehlo.constant dense<1> : tensor<i32>
  %j = stablehlo.add %i, %one : tensor<i32>
  %0 = "stablehlo.case"(%j) ({
    stablehlo.return %a : tensor<2xf32>
  }, {
    %1 = stablehlo.add %a, %a : tensor<2xf32>
    %2 = stablehlo.tanh %1 : tensor<2xf32>
    stablehlo.return %2 : tensor<2xf32>
  }) : (tensor<i32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
})",
                                         {ints({}, {0}), floats({2}, {1, 2.5f})});
  EXPECT_THAT(found.inside, ElementsAre("branch 1 of stablehlo.case"));
}

// The carried value grows by one each turn, and is wrong from four on.
TEST(Localize, LooksIntoTheFirstTurnThatDiffers) {
  const Localization found = tanhFaultIn(R"(
func.func public @main(%a: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0:2 = stablehlo.while(%x = %a, %sum = %zero) : tensor<f32>, tensor<f32>
  cond {
    %end = stablehlo.constant dense<20.0> : tensor<f32>
    %1 = stablehlo.compare LT, %x, %end : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1.0> : tensor<f32>
    %1 = stablehlo.tanh %x : tensor<f32>
    %2 = stablehlo.add %sum, %1 : tensor<f32>
    %3 = stablehlo.add %x, %one : tensor<f32>
    stablehlo.return %3, %2 : tensor<f32>, tensor<f32>
  }
  return %0#0, %0#1 : tensor<f32>, tensor<f32>
})",
                                         {floats({}, {-1.5f})});
  // -1.5, -0.5, …: 4.5 is the seventh.
  EXPECT_THAT(found.inside, ElementsAre("turn 7 of stablehlo.while"));
}

TEST(Localize, DynamicShapesAreMadeStaticFirst) {
  tanhFaultIn(R"(
func.func public @main(%a: tensor<?xf32>) -> tensor<?xf32> {
  %0 = stablehlo.add %a, %a : tensor<?xf32>
  %1 = stablehlo.tanh %0 : tensor<?xf32>
  return %1 : tensor<?xf32>
})",
              {floats({3}, {1, 2, 3})});
}

// --- consumers that fail ---

const char* kRefused = R"(
func.func public @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.add %a, %a : tensor<2xf32>
  %1 = stablehlo.sine %0 : tensor<2xf32>
  %2 = stablehlo.multiply %1, %a : tensor<2xf32>
  return %2 : tensor<2xf32>
})";

TEST(Localize, AnOperationThatIsRefusedIsNamed) {
  const std::vector<std::string> failing{VINTAGE_BINARY "/bin/vintage_refusing_worker",
                                         "stablehlo.sine", "refuse"};
  auto found = localize(subjectOf(kRefused, {floats({2}, {1, 2})}), failing, kSound, {});
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->operation, "stablehlo.sine");
  EXPECT_THAT(found->failure, HasSubstr("no kernel for stablehlo.sine"));
  EXPECT_EQ(found->reduced.operations, 1u);
  expectReducedFails(*found, failing);
}

TEST(Localize, AnOperationThatKillsTheConsumerIsNamed) {
  const std::vector<std::string> failing{VINTAGE_BINARY "/bin/vintage_refusing_worker",
                                         "stablehlo.sine", "crash"};
  auto found = localize(subjectOf(kRefused, {floats({2}, {1, 2})}), failing, kSound, {});
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->operation, "stablehlo.sine");
  EXPECT_THAT(found->failure, HasSubstr("crash by signal 6"));
}

TEST(Localize, WhereBothAgreeThereIsNothingToFind) {
  auto found = localize(subjectOf(kRefused, {floats({2}, {1, 2})}), kSound, kSound, {});
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().kind, Error::Kind::kUsage);
}

TEST(Localize, AReferenceThatFailsIsSaid) {
  const std::vector<std::string> failing{VINTAGE_BINARY "/bin/vintage_refusing_worker",
                                         "stablehlo.sine", "refuse"};
  auto found = localize(subjectOf(kRefused, {floats({2}, {1, 2})}), failing, failing, {});
  ASSERT_FALSE(found);
  EXPECT_THAT(found.error().message, HasSubstr("the reference fails as well"));
}

}  // namespace
}  // namespace vintage::tests
