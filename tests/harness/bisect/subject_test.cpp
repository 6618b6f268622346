// The artifact that a bisect chooses for a case exported for several platforms.

#include "harness/bisect/sequence.h"

#include <gmock/gmock.h>

#include "harness/runtimes/builds/builds.h"
#include "tests/harness/command/run_vintage.h"

namespace vintage::tests {
using namespace golden;
using namespace archive;
using namespace harness;

namespace {

class SubjectOfCase : public testing::Test {
 protected:
  void SetUp() override {
    auto archive = Archive::open(sandbox_.path("A"), Archive::Mode::kCreate);
    ASSERT_TRUE(archive) << archive.error().message;
    archive_.emplace(std::move(*archive));
    for (const char* platform : {"cpu", "cuda", "tpu"}) put(platform);
  }

  void put(const std::string& platform) {
    ArtifactRecord record;
    record.name = "neg_f32[]/" + platform;
    record.caseId = "neg_f32[]";
    record.producer = "engine";
    record.platforms = {platform};
    Golden golden;
    golden.inputs = golden.expected = {Tensor(ElementType::kF32, {})};
    golden.comparators = {Comparator{}};
    const auto kept = archive_->put(record, std::as_bytes(std::span(platform)), &golden);
    ASSERT_TRUE(kept) << kept.error().message;
  }
  void registerBuild(const std::string& platform, std::vector<std::string> modes = {}) {
    BuildRecord build;
    build.name = "worker of " + platform;
    build.platforms = {platform};
    build.modes = std::move(modes);
    build.kind = "command";
    build.start.emplace().worker = {"/bin/true"};
    ASSERT_TRUE(harness::registerBuild(*archive_, build));
  }
  std::string platformChosen(const SubjectChoice& choice) {
    auto subject = loadSubject(*archive_, choice);
    return subject ? subject->platform : subject.error().message;
  }

  tests::command::Sandbox sandbox_;
  std::optional<Archive> archive_;
};

TEST_F(SubjectOfCase, IsOneThatABuildRuns) {
  EXPECT_EQ(platformChosen({"", "neg_f32[]", "", "graph", ""}), "cpu");
  registerBuild("cuda");
  EXPECT_EQ(platformChosen({"", "neg_f32[]", "", "graph", ""}), "cuda");
  EXPECT_EQ(platformChosen({"", "neg_f32[]", "tpu", "graph", ""}), "tpu");
}

// 'bisect --case' did not find artifacts that JAX exported by the name that 'list' shows.
TEST_F(SubjectOfCase, OfWhatWasImportedIsItsName) {
  ArtifactRecord record;
  record.name = "cholesky_shape=float32[4,4]";
  record.platforms = {"cpu"};
  Golden golden;
  golden.comparators = {Comparator{}};
  for (const char* producer : {"jax 0.5.0", "jax 0.6.0"}) {
    record.producer = producer;
    record.buildDate += std::chrono::days(30);
    ASSERT_TRUE(
        archive_->put(record, std::as_bytes(std::span(std::string_view(producer))), &golden));
  }
  const auto subject = loadSubject(*archive_, {"", record.name, "", "compiled", ""});
  ASSERT_TRUE(subject) << subject.error().message;
  EXPECT_EQ(subject->record.producer, "jax 0.6.0");
}

// A bisect over releases of JAX, which have no mode but "compiled", asked them for "graph" and
// ended with "no build can be probed".
TEST_F(SubjectOfCase, RunsInAModeThatTheSearchedBuildHas) {
  const auto modeOf = [&](const SubjectChoice& choice) {
    auto subject = loadSubject(*archive_, choice);
    return subject ? subject->mode : subject.error().message;
  };
  EXPECT_EQ(modeOf({"", "neg_f32[]", "", "", ""}), "graph");
  registerBuild("cuda", {"compiled"});
  EXPECT_EQ(modeOf({"", "neg_f32[]", "", "", ""}), "compiled");
  EXPECT_EQ(modeOf({"", "neg_f32[]", "", "eager", ""}), "eager");
  registerBuild("tpu", {"eager", "graph"});
  EXPECT_EQ(modeOf({"", "neg_f32[]", "tpu", "", ""}), "graph");
}

// Commits of one day were ordered by their hashes, and one was named as if that order were known.
TEST_F(SubjectOfCase, BuildsOfOneDayMayHaveNoOrder) {
  const auto add = [&](const char* name, const char* version, const char* moment) {
    BuildRecord build;
    build.name = name;
    build.version = version;
    build.buildDate = *parseDate("2026-01-05");
    build.platforms = {"cpu"};
    build.modes = {"graph"};
    build.kind = "command";
    build.start.emplace().worker = {"/bin/true"};
    if (*moment) build.details.commit = SourceCommit{.id = name, .time = moment, .subject = ""};
    ASSERT_TRUE(harness::registerBuild(*archive_, build));
  };
  const auto unorderedOf = [&](const char* build) {
    auto subject = loadSubject(*archive_, {"", "neg_f32[]", "cpu", "graph", ""});
    auto sequence = chooseBuilds(*archive_, *subject, {"", build});
    return sequence ? sequence->problem.unordered : std::vector<bool>();
  };
  add("compiler a1", "1", "2026-01-05T09:00:00Z");
  add("compiler f0", "1", "2026-01-05T08:00:00Z");
  EXPECT_EQ(unorderedOf("compiler a1"), std::vector<bool>({false, false}));
  add("tool-0.9", "0.9", "");
  add("tool-0.12", "0.12", "");
  EXPECT_EQ(unorderedOf("tool-0.12"), std::vector<bool>({false, false}));
  add("other f3a0", "1", "");
  add("other a1b2", "1", "");
  EXPECT_EQ(unorderedOf("other a1b2"), std::vector<bool>({false, true}));
}

TEST_F(SubjectOfCase, UnknownCasesAndPlatformsAreRefused) {
  EXPECT_THAT(platformChosen({"", "neg_f32[9]", "", "graph", ""}), testing::HasSubstr("--case"));
  EXPECT_THAT(platformChosen({"neg_f32[]/cpu", "", "rocm", "graph", ""}),
              testing::HasSubstr("was lowered for cpu, not for rocm"));
}

}  // namespace
}  // namespace vintage::tests
