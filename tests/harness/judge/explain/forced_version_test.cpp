// A consumer that refuses a number and could read what stands behind it.
#include "harness/judge/explain/explain.h"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>

#include "golden/program/program.h"
#include "tests/archive/store/sample.h"

namespace vintage::tests {
using namespace golden;
using namespace archive;
using namespace harness;

namespace {

using harness::forcedText;
using harness::ForcedVersion;
using harness::runForced;
using testing::HasSubstr;

const std::string kWorker = std::string(VINTAGE_BINARY) + "/bin/vintage-worker";

constexpr const char* kIdentity = R"(module @identity {
  func.func public @main(%arg0: tensor<2xf32>) -> tensor<2xf32> {
    return %arg0 : tensor<2xf32>
  }
})";

class ForcedVersions : public FolderTest {
 protected:
  void SetUp() override {
    FolderTest::SetUp();
    archive_.emplace(must(Archive::open(path("a"), Archive::Mode::kCreate)));
    ProgramContext context;
    const auto bytes =
        must(must(context.parseText(kIdentity, "identity")).writePortableArtifact({1, 0, 0}));
    ArtifactRecord record = sampleRecord("identity");
    record.format = ArtifactRecord::Format::kPortableArtifact;
    record.callingConventionVersion = 10;
    record.platforms = {"cpu"};
    Golden golden;
    golden.inputs = {Tensor(ElementType::kF32, {2})};
    golden.expected = golden.inputs;
    golden.comparators = {Comparator()};
    must(archive_->put(record, bytes, &golden));
    artifact_ = must(archive_->find("identity"));
  }

  // The engine's worker stands in for TensorFlow's, and keeps the arguments that it is given.
  BuildRecord tensorFlow() const {
    BuildRecord build = sampleBuild("tensorflow-2.19.1");
    build.platforms = {"cpu"};
    build.modes = {"graph"};
    build.newestCallingConvention = 9;
    build.start.emplace().worker = {
        "/bin/sh", "-c", "echo \"$@\" > '" + path("arguments") + "'; exec " + kWorker, "worker"};
    build.details.said = SaidOfItself{"tensorflow 2.19.1", "2025-08-13"};
    return build;
  }

  Result<ForcedVersion> forced(const BuildRecord& build) {
    return runForced(*archive_, artifact_, build, "cpu", "graph", *host_);
  }

  std::optional<Archive> archive_;
  ArtifactRecord artifact_;
  std::unique_ptr<ProcessHost> host_ = makePosixProcessHost();
};

TEST_F(ForcedVersions, TheWorkerIsAskedForTheNewestThatTheBuildReads) {
  const ForcedVersion found = must(forced(tensorFlow()));
  EXPECT_EQ(found.version, 9);
  EXPECT_EQ(found.outcome, OutcomeKind::kPass) << found.detail;
  EXPECT_EQ(forcedText(found), "a gate by number alone: called as calling convention 9 it passes");
  std::ifstream file(path("arguments"));
  std::string arguments;
  std::getline(file, arguments);
  EXPECT_EQ(arguments, "--force-version 9");
}

TEST_F(ForcedVersions, NothingOfItIsRecorded) {
  must(forced(tensorFlow()));
  EXPECT_TRUE(must(archive_->outcomes({})).empty());
}

TEST(ForcedVersionText, AFailureBehindTheNumberIsSaid) {
  const ForcedVersion found{9, OutcomeKind::kError, "error in stage upgrade: vhlo.tanh_v2\nmore"};
  EXPECT_EQ(forcedText(found),
            "no gate by number alone: called as calling convention 9 it fails too: error in stage "
            "upgrade: vhlo.tanh_v2");
}

TEST_F(ForcedVersions, OnlyANumberThatIsRefusedIsForced) {
  BuildRecord build = tensorFlow();
  build.newestCallingConvention = 10;
  const auto read = forced(build);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().kind, Error::Kind::kUsage);
  EXPECT_THAT(read.error().message, HasSubstr("no number keeps it out"));
}

TEST_F(ForcedVersions, OnlyTensorFlowTakesTheVersionFromItsCaller) {
  BuildRecord build = tensorFlow();
  build.details = {};
  const auto other = forced(build);
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().kind, Error::Kind::kUsage);
  EXPECT_THAT(other.error().message, HasSubstr("only TensorFlow"));
}

}  // namespace
}  // namespace vintage::tests
