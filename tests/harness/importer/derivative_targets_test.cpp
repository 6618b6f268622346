// A release that no longer registered what an artifact's derivative calls broke the artifact,
// and neither the gate, nor `explain`, nor a list by target knew of it: only the targets of the
// program itself were recorded, not those inside an Exported's vjp.
#include "harness/importer/described_module.h"

#include <gmock/gmock.h>

#include <fmt/format.h>

#include "harness/importer/inspect.h"
#include "tests/golden/exported/sample_exported.h"

namespace vintage::tests {
using namespace golden;
using namespace harness;

namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::byte> calling(const std::string& target) {
  ProgramContext context;
  const auto program = context.parseText(fmt::format(R"(module @call {{
  func.func public @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {{
    %0 = stablehlo.custom_call @{}(%arg0) : (tensor<3xf32>) -> tensor<3xf32>
    return %0 : tensor<3xf32>
  }}
}}
)",
                                                     target),
                                         "<test>");
  EXPECT_TRUE(program) << program.error().message;
  const auto bytes = program->writePortableArtifact({1, 9, 0});
  EXPECT_TRUE(bytes) << bytes.error().message;
  return *bytes;
}

Exported exportedCalling(const std::string& target) { return exportedOf(calling(target), "3"); }

TEST(DerivativeTargets, ThoseOfEachNestedDerivative) {
  Exported exported = exportedCalling("own");
  ProgramContext context;
  EXPECT_THAT(*derivativeTargets(context, exported, "f"), IsEmpty());
  exported.vjp = std::make_unique<Exported>(exportedCalling("of_the_first"));
  exported.vjp->vjp = std::make_unique<Exported>(exportedCalling("a_second_order"));
  EXPECT_THAT(*derivativeTargets(context, exported, "f"),
              ElementsAre("a_second_order", "of_the_first"));
}

TEST(DerivativeTargets, AnInspectedArtifactNeedsThemToo) {
  Exported exported = exportedCalling("own");
  exported.vjp = std::make_unique<Exported>(exportedCalling("in_the_derivative"));
  const auto bytes = writeExported(exported);
  ASSERT_TRUE(bytes) << bytes.error().message;
  const auto inspected = inspectArtifact(*bytes, "f", {});
  ASSERT_TRUE(inspected) << inspected.error().message;
  EXPECT_THAT(inspected->record.customCallTargets, ElementsAre("in_the_derivative", "own"));
}

}  // namespace
}  // namespace vintage::tests
