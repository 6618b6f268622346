// Which builds a search takes for builds of one product.

#include <gtest/gtest.h>

#include "harness/bisect/sequence.h"
#include "tests/rooms.h"

namespace vintage::tests {
namespace {

// A bisect over releases of JAX mixed "jax-0.5.3-fresh" with "jax-0.6.0", and could not say which
// of the two was the first bad one.
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

}  // namespace
}  // namespace vintage::tests
