// Builds that a search takes for one product.

#include <gtest/gtest.h>

#include "harness/runtimes/builds/product.h"

namespace vintage::tests {
using namespace harness;

namespace {

// A bisect over releases of JAX mixed "jax-0.5.3-fresh" with "jax-0.6.0", and could not determine
// which of the two was the first bad one.
TEST(ProductOf, LeavesTheConditionAndDropsTheVersion) {
  EXPECT_EQ(productOf("jax-0.6.0"), "jax");
  EXPECT_EQ(productOf("jax-0.6.0-fresh"), "jax-fresh");
  EXPECT_EQ(productOf("jaxlib-v0.4.16-rc1"), "jaxlib");
  EXPECT_EQ(productOf("vintage-engine 2026-11-20"), "vintage-engine");
  EXPECT_EQ(productOf("compiler 3f2a91c"), "compiler");
  EXPECT_EQ(productOf("compiler abcdef"), "compiler");
  EXPECT_EQ(productOf("jaxlib-0.4.14"), "jaxlib");
  EXPECT_EQ(productOf("20260101"), "20260101");
}

// Compilers for two topologies were one product, and so were a plugin that reads artifacts as
// archived and the same one behind --reserialize.
TEST(ProductOf, LeavesWhatAPluginCompilesFor) {
  EXPECT_EQ(productOf("libtpu-0.0.24-v5e:2x2"), "libtpu-v5e:2x2");
  EXPECT_EQ(productOf("jax-cuda12-pjrt-0.8.1-h100"), "jax-cuda-h100");
  EXPECT_EQ(productOf("xla-cpu-pjrt-0.0.1-reserialized"), "xla-cpu-pjrt-reserialized");
  EXPECT_EQ(productOf("xla-cpu-pjrt-0.0.1-ffi"), "xla-cpu-pjrt-ffi");
  EXPECT_EQ(productOf("xla-cpu-pjrt-0.0.1"), "xla-cpu-pjrt");
}

// Only the last of several words was kept, so that a plugin with the engine's kernels was one
// product with and without rewritten modules.
TEST(ProductOf, LeavesEveryWordBehindTheVersion) {
  EXPECT_EQ(productOf("xla-cpu-pjrt-0.0.1-reserialized-ffi"), "xla-cpu-pjrt-reserialized-ffi");
  EXPECT_EQ(productOf("libtpu-0.0.24-v5e:2x2-reserialized"), "libtpu-v5e:2x2-reserialized");
  EXPECT_EQ(productOf("jax-0.6.0-rc1-fresh"), "jax-fresh");
}

// A local version made a build another product, so that it was left out of the search and an
// innocent build beside it was named.
TEST(ProductOf, HowAVersionWasBuiltMakesNoOtherProduct) {
  EXPECT_EQ(productOf("jaxlib-0.5.3+cuda12-cudnn89"), "jaxlib");
  EXPECT_EQ(productOf("jaxlib-0.5.3-dev20250301+cuda12"), "jaxlib");
  EXPECT_EQ(productOf("jaxlib-0.5.3+cuda12-cudnn89-fresh"), "jaxlib-fresh");
  EXPECT_EQ(productOf("jaxlib-0.5.3.dev20250301+g3f2a91c"), "jaxlib");
}

}  // namespace
}  // namespace vintage::tests
