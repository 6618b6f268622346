#include "archive/records/limitation.h"

#include <gtest/gtest.h>

namespace vintage::tests {
using namespace archive;

namespace {

const Date kToday = std::chrono::sys_days(std::chrono::year(2026) / 11 / 20);

struct LimitedUse {
  std::string primitive = "eigh";
  std::vector<std::string> dtypes = {"i32", "bf16"};
  std::string platform = "cuda", mode = "compiled", variant = "poly";
  Date day = kToday;
};

bool coversUse(const Limitation& limitation, const LimitedUse& use) {
  ArtifactRecord artifact;
  artifact.primitive = use.primitive;
  artifact.dtypes = use.dtypes;
  artifact.variant = use.variant;
  return covers(limitation, artifact, "build", use.platform, use.mode, use.day);
}

TEST(Covers, EachField) {
  Limitation limitation;
  limitation.primitive = "eigh";
  limitation.dtypes = {"floating"};
  limitation.platforms = {"cuda"};
  limitation.modes = {"compiled"};
  limitation.variants = {"poly"};
  limitation.since = "2026-11-01";
  limitation.until = "2026-11-20";
  EXPECT_TRUE(coversUse(limitation, {}));
  EXPECT_FALSE(coversUse(limitation, {.primitive = "eig"}));
  EXPECT_FALSE(coversUse(limitation, {.dtypes = {"i32"}}));
  EXPECT_FALSE(coversUse(limitation, {.platform = "cpu"}));
  EXPECT_FALSE(coversUse(limitation, {.mode = "graph"}));
  EXPECT_FALSE(coversUse(limitation, {.variant = "static"}));
  EXPECT_FALSE(coversUse(limitation, {.day = kToday + std::chrono::days(1)}));
  EXPECT_FALSE(coversUse(limitation, {.day = kToday - std::chrono::days(20)}));
  // From its first day on.
  EXPECT_TRUE(coversUse(limitation, {.day = kToday - std::chrono::days(19)}));
  EXPECT_TRUE(coversUse({}, {.primitive = "anything",
                             .dtypes = {"i32"},
                             .platform = "cpu",
                             .mode = "graph",
                             .variant = "static"}));
}

}  // namespace
}  // namespace vintage::tests
