// A worker of others had everything that its user has: homes, the network, other processes. In its
// place a script says what it reaches inside the sandbox.
#include <algorithm>

#include <gmock/gmock.h>

#include "archive/store/archive.h"
#include "tests/harness/command/artifacts.h"

namespace vintage::tests::command {
namespace {

using testing::HasSubstr;
using testing::Not;

class SandboxOfWorkers : public testing::Test {
 protected:
  SandboxOfWorkers() {
    const std::string folder = writeCompatibilityTest(sandbox_, "model", 33);
    EXPECT_EQ(sandbox_.run({"import", folder, "--archive", archive_}).status, 0);
  }
  // Outside, where it is registered, it is the engine.
  void addScript() const {
    const std::string secret = sandbox_.write("secret", "the secret\n");
    const std::string script = sandbox_.write(
        "worker.sh", "if [ -e '" + secret + "' ]; then exec '" + VINTAGE_BINARY +
                         "/bin/vintage-worker' --build-date 2025-07-01; fi\n{\n  cat '" + secret +
                         R"sh('
  echo "interfaces: $(grep -c : /proc/net/dev)"
  echo "processes: $(ls /proc | grep -c '^[0-9]')"
  echo "home: $(ls -A "$HOME" | grep -v '^vintage_' | wc -l)"
  echo "sockets: $(ls -A /run | wc -l)"
  echo "token: $VINTAGE_TOKEN."
  touch /usr/written && echo "wrote to the system"
  touch /tmp/scratch && echo "wrote to its own folder"
} >&2
exit 5
)sh");
    const Finished added = sandbox_.run({"builds", "add", "--archive", archive_, "--name", "script",
                                         "--date", "2025-07-01", "--", "/bin/sh", script});
    EXPECT_EQ(added.status, 0) << added.err;
  }
  Finished replay(const std::vector<std::string>& more) const {
    std::vector<std::string> arguments{"replay", "--archive", archive_, "--build", "script"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return sandbox_.run(arguments);
  }
  void SetUp() override {
    if (std::system("bwrap --unshare-all --ro-bind / / --dev /dev --proc /proc true "
                    ">/dev/null 2>&1") != 0)
      GTEST_SKIP() << "bubblewrap does not start here";
  }

  const Sandbox sandbox_;
  const std::string archive_ = sandbox_.path("A");
};

TEST_F(SandboxOfWorkers, TheEngineRunsInIt) {
  const Finished ran = sandbox_.run({"replay", "--archive", archive_, "--sandbox"});
  EXPECT_EQ(ran.status, 0) << ran.out << ran.err;
  EXPECT_THAT(sandbox_.run({"doctor", "--offline"}).out,
              HasSubstr("with --sandbox all: no network"));
}

// The script stands where the engine stood when it was registered.
TEST_F(SandboxOfWorkers, AScriptInAWorkersPlaceReachesNothing) {
  addScript();
  EXPECT_EQ(replay({}).status, 0);
  ::setenv("VINTAGE_TOKEN", "a token", 1);
  const Finished confined = replay({"--sandbox"});
  ::unsetenv("VINTAGE_TOKEN");
  const std::string said = confined.out + confined.err;
  EXPECT_EQ(confined.status, 3) << said;
  EXPECT_THAT(said, HasSubstr("interfaces: 1"));
  EXPECT_THAT(said, HasSubstr("home: 0"));
  // Services listen there, and their sockets need no network.
  EXPECT_THAT(said, HasSubstr("sockets: 0"));
  EXPECT_THAT(said, HasSubstr("token: ."));
  EXPECT_THAT(said, HasSubstr("wrote to its own folder"));
  EXPECT_THAT(said, Not(HasSubstr("the secret\n")));
  EXPECT_THAT(said, Not(HasSubstr("wrote to the system")));
}

// Packages of a release bring code that runs when Python starts (.pth files, sitecustomize): it had
// all that the user has, unless somebody thought of --sandbox.
TEST_F(SandboxOfWorkers, ABuildFromARecipeIsInItUnlessSomebodySaysNo) {
  addScript();
  {
    auto archive = archive::Archive::open(archive_, archive::Archive::Mode::kReadWrite);
    ASSERT_TRUE(archive);
    auto builds = archive->builds();
    ASSERT_TRUE(builds);
    const auto script = std::ranges::find(*builds, "script", &archive::BuildRecord::name);
    ASSERT_NE(script, builds->end());
    script->platforms = {"cpu"};
    script->details.environment.emplace().framework = "jax";
    ASSERT_TRUE(archive->putBuild(*script));
  }
  const Finished confined = replay({});
  EXPECT_THAT(confined.out + confined.err, HasSubstr("interfaces: 1"));
  const Finished open = replay({"--no-sandbox"});
  EXPECT_EQ(open.status, 0) << open.out << open.err;
}

}  // namespace
}  // namespace vintage::tests::command
