// The engine's kernels beside the facts of all operations.
#include "harness/engine/kernel.h"

#include <set>
#include <string>

#include <gmock/gmock.h>

#include "golden/module/operation_facts.h"

namespace vintage::tests {
using namespace golden;
using namespace harness;

namespace {

TEST(OperationTable, HasEveryOperationButThoseOfThePlanner) {
  std::set<std::string> missing;
  for (const OperationFacts& facts : allOperationFacts())
    if (findOperation(facts.name) == nullptr) missing.insert(std::string(facts.name));
  EXPECT_THAT(missing,
              testing::UnorderedElementsAre("chlo.constant", "stablehlo.case",
                                            "stablehlo.composite", "stablehlo.constant",
                                            "stablehlo.if", "stablehlo.return", "stablehlo.while"));
}

TEST(OperationFacts, SayHowVersionsAndShapesFollow) {
  const OperationFacts* gather = operationFacts("stablehlo.gather");
  ASSERT_NE(gather, nullptr);
  EXPECT_EQ(gather->secondSince, (StablehloVersion{1, 1, 0}));
  EXPECT_EQ(gather->secondFeature, "batching dimensions");
  EXPECT_EQ(operationFacts("stablehlo.tanh")->shape, ShapeRule::kElementwise);
  EXPECT_EQ(operationFacts("stablehlo.sort")->shape, ShapeRule::kPairwise);
  EXPECT_EQ(operationFacts("chlo.broadcast_add")->shape, ShapeRule::kBroadcast);
  EXPECT_TRUE(operationFacts("stablehlo.add")->isCommutative);
  EXPECT_FALSE(operationFacts("stablehlo.subtract")->isCommutative);
  EXPECT_EQ(operationFacts("func.call"), nullptr);
}

TEST(OperationFacts, GiveThePartsOfAStructureWithTheirDefaults) {
  std::set<std::string> parts;
  for (const PortableAttributeFacts& facts : portableAttributes("dot_general")) {
    if (facts.structure != "dot_algorithm") continue;
    EXPECT_EQ(facts.whole, "algorithm");
    EXPECT_EQ(facts.value, "none");
    EXPECT_TRUE(facts.isAdded);
    parts.insert(std::string(facts.attribute));
  }
  EXPECT_EQ(parts.size(), 7u);
  EXPECT_TRUE(portableAttributes("unheard_of").empty());
}

}  // namespace
}  // namespace vintage::tests
