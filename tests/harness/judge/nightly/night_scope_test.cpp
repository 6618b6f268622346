// The scope of a night beside real releases.

#include "harness/judge/nightly/nightly.h"

#include <gmock/gmock.h>

#include "tests/harness/command/run_vintage.h"

namespace vintage::tests {
using namespace golden;
using namespace archive;
using namespace harness;

namespace {

class ScopeOfNight : public testing::Test {
 protected:
  void SetUp() override {
    auto archive = Archive::open(sandbox_.path("A"), Archive::Mode::kCreate);
    ASSERT_TRUE(archive) << archive.error().message;
    archive_.emplace(std::move(*archive));
  }

  void put(const std::string& name, const std::string& producer, bool withGolden) {
    ArtifactRecord record;
    record.name = name;
    record.producer = producer;
    record.platforms = {"cpu"};
    record.buildDate = *parseDate("2026-10-21");
    Golden golden;
    golden.inputs = golden.expected = {Tensor(ElementType::kF32, {})};
    golden.comparators = {Comparator{}};
    const auto kept =
        archive_->put(record, std::as_bytes(std::span(name)), withGolden ? &golden : nullptr);
    ASSERT_TRUE(kept) << kept.error().message;
  }

  RunScope settle() {
    BuildRecord tonight;
    tonight.name = "tonight";
    tonight.platforms = {"cpu"};
    tonight.modes = {"graph"};
    NightlyOptions options;
    options.today = *parseDate("2026-11-22");
    const std::vector<RealRelease> releases{{tonight, "jax 0.12.0", 2, 2, 0}};
    const auto settled = settleScope(options, {tonight, releases, {}, {}}, *archive_);
    EXPECT_TRUE(settled) << settled.error().message;
    return *settled;
  }

  tests::command::Sandbox sandbox_;
  std::optional<Archive> archive_;
};

// JAX exports a call of a target that no release has, and no outputs are known. Each night beside a
// release ended with "cannot tell" for that one artifact.
TEST_F(ScopeOfNight, LeavesOutWhatAReleaseCannotRunItself) {
  put("tanh", "jax 0.12.0", true);
  put("unknown_target", "jax 0.12.0", false);
  const RunScope scope = settle();
  EXPECT_THAT(scope.leftOut, testing::Contains(Unjudged{"exports that jax 0.12.0 cannot run itself",
                                                        "there is no golden to compare with", 1}));
  EXPECT_THAT(scope.missing, testing::IsEmpty());
}

TEST_F(ScopeOfNight, SaysNothingOfAReleaseThatRunsAllItExports) {
  put("tanh", "jax 0.12.0", true);
  put("somebody_elses", "jax 0.11.0", false);
  EXPECT_THAT(settle().leftOut, testing::Not(testing::Contains(testing::Field(
                                    &Unjudged::what, testing::HasSubstr("cannot run")))));
}

}  // namespace
}  // namespace vintage::tests
