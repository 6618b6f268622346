// Builds whose environments are made when they are needed; nothing is made here.
#include "harness/runtimes/builds/when_needed.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <unistd.h>

#include "golden/base/file.h"
#include "harness/runtimes/builds/builds.h"
#include "harness/runtimes/builds/start_commands.h"
#include "harness/runtimes/builds/would_load.h"

namespace vintage::tests {
using namespace archive;
using namespace harness;

namespace {

namespace fs = std::filesystem;

class WhenNeeded : public testing::Test {
 protected:
  WhenNeeded() {
    std::string folder = (fs::temp_directory_path() / "vintage_root_XXXXXX").string();
    root_ = ::mkdtemp(folder.data());
    build_.name = "toy-1.0";
    build_.kind = kRecipeKind;
    build_.buildDate = *parseDate("2026-03-01");
    build_.platforms = {"cpu"};
    StartCommand& start = build_.start.emplace();
    start.environment = (root_ / "environments/toy-1.0").string();
    start.worker = {start.environment + "/bin/python", "worker"};
  }
  ~WhenNeeded() override { fs::remove_all(root_); }

  void write(const fs::path& path) {
    fs::create_directories((root_ / path).parent_path());
    ASSERT_TRUE(writeTextFile(root_ / path, "{}"));
  }

  fs::path root_;
  BuildRecord build_;
};

TEST_F(WhenNeeded, ABuildStartsWhereItsEnvironmentCanBeMade) {
  EXPECT_FALSE(isEnvironmentThere(*build_.start));
  EXPECT_FALSE(canStart(build_));
  write("recipes/toy-1.0.json");
  EXPECT_TRUE(canBeMade(*build_.start));
  EXPECT_TRUE(canStart(build_));
  // Its interpreter is gone from an environment that is there.
  write("environments/toy-1.0/environment.json");
  EXPECT_TRUE(isEnvironmentThere(*build_.start));
  EXPECT_FALSE(canStart(build_));
}

TEST_F(WhenNeeded, ACommandIsBoundBeforeItsProgramIsThere) {
  auto archive = Archive::open((root_ / "archive").string(), Archive::Mode::kCreate);
  ASSERT_TRUE(archive) << archive.error().message;
  EXPECT_TRUE(registerBuild(*archive, build_));
  const auto found = findBuild(*archive, build_.name);
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->start->worker, build_.start->worker);
  EXPECT_THAT(found->start->files, testing::IsEmpty());
  // Its facts were forgotten when it was registered again.
  BuildRecord greeting = build_;
  greeting.newestCallingConvention = 10;
  ASSERT_TRUE(archive->putBuild(knownBy(build_, greeting)));
  EXPECT_TRUE(registerBuild(*archive, build_));
  EXPECT_EQ(findBuild(*archive, build_.name)->newestCallingConvention, 10);
  // An environment of one's own has to be there.
  build_.start->environment.clear();
  EXPECT_FALSE(registerBuild(*archive, build_));
}

TEST_F(WhenNeeded, TheFirstGreetingSaysWhatTheBuildReads) {
  ArtifactRecord artifact;
  artifact.callingConventionVersion = 9;
  artifact.serializationVersion = 3;
  artifact.customCallTargets = {"Sharding"};
  EXPECT_EQ(wouldLoad(artifact, build_).answer, WouldLoad::kCannotTell);
  BuildRecord greeting;
  greeting.name = "toy 1.0";
  greeting.platforms = {"cpu"};
  greeting.modes = {"graph", "compiled"};
  greeting.oldestCallingConvention = 8;
  greeting.newestCallingConvention = 9;
  greeting.newestSerialization = 4;
  greeting.customCallTargets = {"Sharding"};
  const BuildRecord known = knownBy(build_, greeting);
  EXPECT_EQ(known.name, build_.name);
  EXPECT_EQ(known.kind, "command");
  EXPECT_EQ(known.start, build_.start);
  EXPECT_THAT(known.modes, testing::ElementsAre("graph", "compiled"));
  EXPECT_EQ(wouldLoad(artifact, known).answer, WouldLoad::kYes);
}

}  // namespace
}  // namespace vintage::tests
