// Replica groups along the axes of a mesh.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/harness/engine/run_grid.h"

namespace vintage::tests::engine_test {
namespace {

using ::testing::HasSubstr;

TEST(Collective, GroupsAlongTheAxesOfAMesh) {
  const std::string mesh =
      R"(mesh = #stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = "x", size = 2>, )"
      R"(#stablehlo.mesh_axis<name = "y", size = 4>]>)";
  const Rows numbers = {{0}, {1}, {2}, {3}, {4}, {5}, {6}, {7}};
  const auto gather = [&](std::string_view axes) {
    return evaluateOn({8, 1}, gatherByMesh(fmt::format("{}, axes = [{}]", mesh, axes)), {1},
                      numbers);
  };
  EXPECT_EQ(gather(R"(#stablehlo.axis_ref<name = "x">)"),
            (Rows{{0, 4}, {1, 5}, {2, 6}, {3, 7}, {0, 4}, {1, 5}, {2, 6}, {3, 7}}));
  // The slower half of y, and its faster half.
  EXPECT_EQ(gather(R"(#stablehlo.axis_ref<name = "y", sub_axis_info = (1)2>)"),
            (Rows{{0, 2}, {1, 3}, {0, 2}, {1, 3}, {4, 6}, {5, 7}, {4, 6}, {5, 7}}));
  EXPECT_EQ(gather(R"(#stablehlo.axis_ref<name = "y", sub_axis_info = (2)2>)"),
            (Rows{{0, 1}, {0, 1}, {2, 3}, {2, 3}, {4, 5}, {4, 5}, {6, 7}, {6, 7}}));
}

TEST(Collective, GroupsAlongTheAxesOfTheModulesMesh) {
  const Rows numbers = {{0}, {1}, {2}, {3}};
  const char* groups = R"(mesh = @mesh, axes = [#stablehlo.axis_ref<name = "b">])";
  EXPECT_EQ(evaluateOn({4, 1}, gatherByMesh(groups, R"(sdy.mesh @mesh = <["a"=2, "b"=2]>)"), {1},
                       numbers),
            (Rows{{0, 1}, {0, 1}, {2, 3}, {2, 3}}));
  const char* shuffled = R"(sdy.mesh @mesh = <["a"=2, "b"=2], device_ids=[3, 1, 2, 0]>)";
  EXPECT_EQ(evaluateOn({4, 1}, gatherByMesh(groups, shuffled), {1}, numbers),
            (Rows{{2, 0}, {3, 1}, {2, 0}, {3, 1}}));
  EXPECT_THAT(errorOn({4, 1}, gatherByMesh(groups), {1}, numbers), HasSubstr("no mesh @mesh"));
  EXPECT_THAT(errorOn({4, 1}, gatherByMesh(groups, R"(sdy.mesh @mesh = <["a"=4]>)"), {1}, numbers),
              HasSubstr("no axis \"b\""));
}

}  // namespace
}  // namespace vintage::tests::engine_test
