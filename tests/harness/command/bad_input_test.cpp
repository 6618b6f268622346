// Bytes that are not what they should be: one clear error, status 3, no crash,
// nothing lost.

#include <random>

#include <gmock/gmock.h>

#include "tests/harness/command/artifacts.h"

namespace vintage::tests::command {
namespace {

using testing::AnyOf;
using testing::HasSubstr;

class BadInput : public testing::Test {
 protected:
  BadInput()
      : good_(Sandbox::read(writeCompatibilityTest(sandbox_, "good", 33) + "/module.mlirbc")) {}

  // `show`, `convert` and `import` refuse these bytes, with a message that contains `says`.
  void expectRefused(const std::string& bytes, const char* says = "") {
    const std::string file = sandbox_.write("bad.mlirbc", bytes);
    const std::vector<std::vector<std::string>> calls{
        {"show", file},
        {"convert", file, "--target", "1.0.0", "-o", sandbox_.path("out")},
        {"import", file, "--archive", sandbox_.path("A"), "--build-date", "2026-01-01"}};
    for (const auto& call : calls) {
      const Finished finished = sandbox_.run(call);
      EXPECT_EQ(finished.status, 3) << call[0] << ": " << finished.err;
      EXPECT_THAT(finished.err, HasSubstr("bad.mlirbc")) << call[0];
      EXPECT_THAT(finished.err, HasSubstr(says)) << call[0];
      EXPECT_LT(finished.err.size(), 3000u);
    }
    EXPECT_FALSE(std::filesystem::exists(sandbox_.path("out")));
  }

  Sandbox sandbox_;
  std::string good_;
};

TEST_F(BadInput, TruncatedFilesAreRefused) {
  ASSERT_GT(good_.size(), 60u);
  for (size_t length : {size_t{5}, good_.size() / 2, good_.size() - 1})
    expectRefused(good_.substr(0, length));
}

TEST_F(BadInput, ForeignFilesAreToldApart) {
  expectRefused(std::string("\x89PNG\r\n\x1a\n\0\0\0\0", 12), "not an artifact");
  expectRefused(std::string(4000, '\xff'), "not an artifact");
  expectRefused("Dear diary, today I exported a model.\n");
}

TEST_F(BadInput, AnUnknownDialectIsNamed) {
  expectRefused("module { \"klingon.attack\"() : () -> () }\n", "klingon");
}

TEST_F(BadInput, AVersionFromTheFutureNamesWhatIsRead) {
  std::string future = good_;
  const size_t place = future.find("StableHLO_v1.0.0");
  ASSERT_NE(place, std::string::npos);
  future.replace(place, 16, "StableHLO_v9.9.9");
  expectRefused(future, "9.9.9");
}

TEST_F(BadInput, FlippedBitsNeverCrash) {
  std::mt19937 random(3);
  for (int round = 0; round < 40; ++round) {
    std::string damaged = good_;
    for (int flip = 0; flip < 3; ++flip)
      damaged[random() % damaged.size()] ^= static_cast<char>(1 << (random() % 8));
    const Finished finished = sandbox_.run({"show", sandbox_.write("flipped.mlirbc", damaged)});
    EXPECT_THAT(finished.status, AnyOf(0, 3)) << round << ": " << finished.err;
    if (finished.status == 3) EXPECT_THAT(finished.err, HasSubstr("flipped.mlirbc"));
  }
}

TEST_F(BadInput, AMetaFileThatLacksAFieldIsNamedAndTheOthersAreTaken) {
  sandbox_.write("good/meta.json", R"({"name": "x", "kind": "module"})");
  const std::string other = writeCompatibilityTest(sandbox_, "other", 33);
  const Finished finished =
      sandbox_.run({"import", sandbox_.path("good"), other, "--archive", sandbox_.path("A")});
  EXPECT_EQ(finished.status, 3);
  EXPECT_THAT(finished.err, HasSubstr("meta.json"));
  EXPECT_THAT(finished.out, HasSubstr("1 artifact taken"));
}

TEST_F(BadInput, AFileWithoutADateAsksForOne) {
  const Finished finished = sandbox_.run(
      {"import", sandbox_.path("good/module.mlirbc"), "--archive", sandbox_.path("A")});
  EXPECT_THAT(finished.status, AnyOf(2, 3));
  EXPECT_THAT(finished.err, HasSubstr("--build-date"));
}

}  // namespace
}  // namespace vintage::tests::command
