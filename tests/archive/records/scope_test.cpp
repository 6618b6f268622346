#include "archive/records/scope.h"

#include <gmock/gmock.h>

namespace vintage::tests {
using namespace archive;

namespace {

using testing::AllOf;
using testing::HasSubstr;

const std::string kPlatforms[] = {"cpu", "cuda"};

Result<Scope> scopeOf(const std::vector<std::string>& words) {
  return parseScope(words, kPlatforms, jaxPolicy());
}

TEST(Scope, WordsOfOneKindLimitThatKindOnly) {
  const auto platforms = scopeOf({"cpu"});
  ASSERT_TRUE(platforms);
  EXPECT_TRUE(platforms->hasPlatform("cpu"));
  EXPECT_FALSE(platforms->hasPlatform("cuda"));
  EXPECT_TRUE(platforms->hasPromise("forward"));
  EXPECT_TRUE(platforms->hasPromise(kDefaults));
  EXPECT_FALSE(platforms->goldenOnly);
  const auto promises = scopeOf({"backward", "golden"});
  ASSERT_TRUE(promises);
  EXPECT_TRUE(promises->hasPlatform("cuda"));
  EXPECT_FALSE(promises->hasPromise("forward"));
  EXPECT_FALSE(promises->hasPromise(kDefaults));
  EXPECT_TRUE(promises->goldenOnly);
  EXPECT_EQ(scopeText(*promises), "backward, golden");
  EXPECT_EQ(scopeText(Scope{}), "everything");
}

TEST(Scope, AnotherWordIsRefusedWithThoseThereAre) {
  EXPECT_THAT(scopeOf({"cpu", "cqu"}).error().message,
              AllOf(HasSubstr("'cqu'"), HasSubstr("cpu, cuda"),
                    HasSubstr("backward, forward, defaults"), HasSubstr("golden")));
  // A policy without the rule has no such word.
  EXPECT_FALSE(parseScope(std::vector<std::string>{"defaults"}, kPlatforms, stablehloPolicy()));
}

}  // namespace
}  // namespace vintage::tests
