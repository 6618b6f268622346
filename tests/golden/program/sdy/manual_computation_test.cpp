// Operations of Shardy were written with portable types: `sdy.manual_computation` over
// !vhlo.tensor. Only this reader accepted that: Shardy's verifier expects types that it knows, and
// upstream inserts casts between the dialects.
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "golden/program/program.h"
#include "tests/golden/program/sdy/manual_computation_of_jax.h"

namespace vintage::tests {
using namespace golden;

namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::vector<std::byte> bytesOf(const std::string& hexadecimal) {
  std::vector<std::byte> bytes;
  for (size_t i = 0; i + 1 < hexadecimal.size(); i += 2)
    bytes.push_back(static_cast<std::byte>(std::stoi(hexadecimal.substr(i, 2), nullptr, 16)));
  return bytes;
}

TEST(ManualComputation, IsWrittenAsJaxWritesIt) {
  const std::vector<std::byte> jax = bytesOf(kManualComputationOfJax);
  ProgramContext context;
  auto program = context.readPortableArtifact(jax, "of JAX 0.8.1");
  ASSERT_TRUE(program) << program.error().message;
  auto written = program->writePortableArtifact({1, 13, 0}, {.locations = true});
  ASSERT_TRUE(written) << written.error().message;
  EXPECT_EQ(*written, jax);
}

TEST(ManualComputation, IsReadBack) {
  ProgramContext context;
  auto program = context.readPortableArtifact(bytesOf(kManualComputationOfJax), "of JAX 0.8.1");
  ASSERT_TRUE(program) << program.error().message;
  auto written = program->writePortableArtifact(kCurrentStablehloVersion);
  ASSERT_TRUE(written) << written.error().message;
  auto again = context.readPortableArtifact(*written, "written");
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->print(), program->print());
}

// A token in a manual computation is StableHLO's own type, not VHLO's: programs with ordered
// effects on several devices were refused, "dialect 'stablehlo' does not implement the bytecode
// interface".
TEST(ManualComputation, TokensAndBoundsAreOfStablehloItself) {
  const std::vector<std::byte> jax = bytesOf(kOwnTypesOfStablehlo);
  ProgramContext context;
  auto program = context.readPortableArtifact(jax, "of JAX 0.11.0");
  ASSERT_TRUE(program) << program.error().message;
  EXPECT_THAT(program->print(), AllOf(HasSubstr(R"(manual_axes={"x"} (%arg3: !stablehlo.token)"),
                                      HasSubstr("sdy.sharding_constraint %arg1 <@mesh, [{}]> : "
                                                "tensor<?xf32, #stablehlo.bounds<4>>")));
  auto written = program->writePortableArtifact({1, 13, 0}, {.locations = true});
  ASSERT_TRUE(written) << written.error().message;
  auto again = context.readPortableArtifact(*written, "written");
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->print(), program->print());

  std::vector<std::byte> damaged = jax;
  int refused = 0;
  for (size_t at = 0; at < damaged.size(); ++at) {
    damaged[at] ^= std::byte{0x42};
    if (!context.readPortableArtifact(damaged, "damaged")) ++refused;
    damaged[at] = jax[at];
  }
  EXPECT_GT(refused, 0);
}

}  // namespace
}  // namespace vintage::tests
