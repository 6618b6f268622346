// Which jaxlib goes with which jax.

#include "harness/runtimes/builds/release_facts.h"

#include <gmock/gmock.h>

namespace vintage::tests {
using namespace harness;

namespace {

using Answer = Pairing::Answer;

struct Pair {
  const char* jax;
  const char* minimum;
  const char* jaxlib;
  Answer answer;
  const char* reason;
};

TEST(Pairing, TheRulesOfTheVersioningDocument) {
  const Pair pairs[] = {
      {"0.4.30", "0.4.27", "0.4.27", Answer::kAllowed, ""},
      {"0.4.30", "0.4.27", "0.4.30", Answer::kAllowed, ""},
      {"0.4.30", "0.4.27", "0.4.26", Answer::kForbidden, "older than 0.4.27"},
      {"0.4.30", "0.4.27", "0.4.31", Answer::kForbidden, "newer than jax 0.4.30"},
      // The order of PEP 440 forbade what JAX accepts, and allowed what it refuses.
      {"0.4.30", "0.4.27", "0.4.30.post1", Answer::kAllowed, ""},
      {"0.4.30", "0.4.27", "0.4.27rc1", Answer::kAllowed, ""},
      {"0.5.3", "0.5.1", "0.5.3+cuda12", Answer::kAllowed, ""},
      {"0.5.3", "0.5.3", "0.5.3.dev20250301", Answer::kAllowed, ""},
      {"0.5.3", "0.5.1", "0.5.3.0", Answer::kForbidden, "newer than jax 0.5.3"},
      {"0.5.3.dev1", "0.5.1", "0.5.3", Answer::kAllowed, ""},
      {"0.9.1", "0.9.0.1", "0.9.0", Answer::kForbidden, "older than 0.9.0.1"},
      {"0.4.30", "", "0.4.30", Answer::kUnknown, "minimum jaxlib"},
      {"0.4.30", "", "0.4.31", Answer::kForbidden, "newer"},
  };
  for (const Pair& pair : pairs) {
    const auto shown = checkPairing({pair.jax, pair.minimum, {}}, {pair.jaxlib, {}});
    ASSERT_TRUE(shown);
    EXPECT_EQ(shown->answer, pair.answer) << pair.jax << " with " << pair.jaxlib;
    EXPECT_THAT(shown->reason, testing::HasSubstr(pair.reason));
  }
}

TEST(Pairing, TheExtensionVersionStandsBesideThem) {
  const JaxPackage jax{"0.4.30", "0.4.27", 270};
  EXPECT_EQ(checkPairing(jax, {"0.4.29", 270})->answer, Answer::kAllowed);
  const auto older = checkPairing(jax, {"0.4.29", 269});
  EXPECT_EQ(older->answer, Answer::kForbidden);
  EXPECT_THAT(older->reason, testing::HasSubstr("extension version 269"));
  EXPECT_EQ(checkPairing(jax, {"0.4.29", {}})->answer, Answer::kUnknown);
  // It does not outweigh the versions.
  EXPECT_EQ(checkPairing(jax, {"0.4.26", 999})->answer, Answer::kForbidden);
  EXPECT_EQ(checkPairing({"x", "", {}}, {"0.4.26", {}}).error().kind, Error::Kind::kUsage);
}

}  // namespace
}  // namespace vintage::tests
