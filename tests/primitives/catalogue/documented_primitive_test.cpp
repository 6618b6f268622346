#include <cmath>

#include <gtest/gtest.h>

#include "primitives/catalogue/case_list.h"

namespace vintage::primitives {
using namespace golden;

void addHaversineCases(CaseList& cases);
}  // namespace vintage::primitives

namespace vintage::tests {
using namespace golden;
using namespace primitives;
namespace {

// The example of docs/tutorial/adding_a_primitive.md did not compile: it called a helper that was
// removed. The build compiles it from the page.
TEST(DocumentedPrimitive, LowersAndHasAnOracle) {
  CaseList cases;
  addHaversineCases(cases);
  ASSERT_EQ(cases.cases().size(), types::kFloats.size());
  for (const Case& one : cases.cases()) {
    EXPECT_EQ(one.primitive, "haversine");
    EXPECT_TRUE(one.lower("cpu").has_value()) << one.id;
    if (one.dtypes.front() != ElementType::kF64) continue;
    const std::vector<Tensor> inputs = one.makeInputs();
    const auto expected = one.expected(inputs);
    ASSERT_TRUE(expected.has_value());
    for (int64_t i = 0; i < inputs[0].size(); ++i) {
      const double x = inputs[0].values<double>()[i], sine = std::sin(x / 2);
      if (std::isfinite(x))
        EXPECT_NEAR((*expected)[0].values<double>()[i], sine * sine, 1e-15) << x;
    }
  }
}

}  // namespace
}  // namespace vintage::tests
