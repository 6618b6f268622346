// The smallest part that is slower, with the engine behind workers whose clock is scripted: one
// operation takes a millisecond, each other one a hundredth of that.

#include "harness/bisect/localize/slow_part.h"

#include <gmock/gmock.h>

#include "tests/harness/bisect/sample_subjects.h"

namespace vintage::tests {
using namespace archive;
using namespace harness;

namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> slowAt(const std::string& operation) {
  return {VINTAGE_BINARY "/bin/vintage_refusing_worker", operation, "slow"};
}

Result<Localization> localized(const std::string& text, const std::string& slow, double bound = 2) {
  const Subject subject = subjectOf(text, {floats({4}, {1, 2, 3, 4}), floats({4}, {5, 6, 7, 8})});
  SpeedQuestion question;
  question.bound = bound;
  question.options.bounds = {bound};
  return localizeSlow(subject, slowAt(slow), slowAt("nothing"), question, {});
}

constexpr const char* kLine = R"(
func.func public @main(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.add %a, %b : tensor<4xf32>
  %1 = stablehlo.multiply %0, %0 : tensor<4xf32>
  %2 = stablehlo.tanh %1 : tensor<4xf32>
  %3 = stablehlo.negate %2 : tensor<4xf32>
  %4 = stablehlo.subtract %3, %a : tensor<4xf32>
  return %4 : tensor<4xf32>
}
)";

TEST(SlowPart, IsTheOperationOnTheValuesThatItTakes) {
  const auto found = localized(kLine, "stablehlo.tanh");
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->operation, "stablehlo.tanh") << describe(*found);
  EXPECT_TRUE(found->alone);
  EXPECT_EQ(found->reduced.operations, 1u);
  ASSERT_TRUE(found->measured);
  EXPECT_NEAR(found->measured->ratio.value, 100, 1);
  ASSERT_EQ(found->reduced.arguments.size(), 1u);
  EXPECT_TRUE(found->reduced.arguments[0].identical(floats({4}, {36, 64, 100, 144})));
  EXPECT_THAT(describe(*found), AllOf(HasSubstr("the smallest part that shows it: stablehlo.tanh"),
                                      HasSubstr("run: 100 times"), HasSubstr("still shows it")));
}

TEST(SlowPart, IsInTheTurnOfALoop) {
  const auto found = localized(R"(
func.func public @main(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %end = stablehlo.constant dense<3> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %x = %a) : tensor<i32>, tensor<4xf32>
    cond {
      %c = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %y = stablehlo.add %x, %b : tensor<4xf32>
      %t = stablehlo.tanh %y : tensor<4xf32>
      %n = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %n, %t : tensor<i32>, tensor<4xf32>
    }
  %1 = stablehlo.negate %0#1 : tensor<4xf32>
  return %1 : tensor<4xf32>
}
)",
                               "stablehlo.tanh");
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->operation, "stablehlo.tanh") << describe(*found);
  EXPECT_THAT(found->inside, ElementsAre("turn 1 of stablehlo.while"));
}

TEST(SlowPart, AProgramThatDoesNotShowItIsNoSubject) {
  const auto found = localized(kLine, "stablehlo.tanh", 1000);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().kind, Error::Kind::kUsage);
  EXPECT_THAT(found.error().message, HasSubstr("there is nothing to localize"));
}

}  // namespace
}  // namespace vintage::tests
