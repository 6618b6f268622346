// A worker of others had everything that its user has: homes, the network, other processes. In its
// place a script says what it reaches inside the sandbox.
#include <gmock/gmock.h>

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
  EXPECT_THAT(sandbox_.run({"doctor", "--offline"}).out, HasSubstr("--sandbox: no network"));
}

TEST_F(SandboxOfWorkers, AScriptInAWorkersPlaceReachesNothing) {
  const std::string secret = sandbox_.write("secret", "the secret\n");
  // Outside, where it is registered, it is the engine.
  const std::string script = sandbox_.write(
      "worker.sh", "if [ -e '" + secret + "' ]; then exec '" + VINTAGE_BINARY +
                       "/bin/vintage-worker' --build-date 2025-07-01; fi\n{\n  cat '" + secret +
                       R"sh('
  echo "interfaces: $(grep -c : /proc/net/dev)"
  echo "processes: $(ls /proc | grep -c '^[0-9]')"
  echo "home: $(ls -A "$HOME" | grep -v '^vintage_' | wc -l)"
  echo "token: $VINTAGE_TOKEN."
  touch /usr/written && echo "wrote to the system"
  touch /tmp/scratch && echo "wrote to its own folder"
} >&2
exit 5
)sh");
  const Finished added = sandbox_.run({"builds", "add", "--archive", archive_, "--name", "script",
                                       "--date", "2025-07-01", "--", "/bin/sh", script});
  ASSERT_EQ(added.status, 0) << added.err;
  EXPECT_EQ(sandbox_.run({"replay", "--archive", archive_, "--build", "script"}).status, 0);
  ::setenv("VINTAGE_TOKEN", "a token", 1);
  const Finished confined =
      sandbox_.run({"replay", "--archive", archive_, "--build", "script", "--sandbox"});
  ::unsetenv("VINTAGE_TOKEN");
  const std::string said = confined.out + confined.err;
  EXPECT_EQ(confined.status, 3) << said;
  EXPECT_THAT(said, HasSubstr("interfaces: 1"));
  EXPECT_THAT(said, HasSubstr("home: 0"));
  EXPECT_THAT(said, HasSubstr("token: ."));
  EXPECT_THAT(said, HasSubstr("wrote to its own folder"));
  EXPECT_THAT(said, Not(HasSubstr("the secret\n")));
  EXPECT_THAT(said, Not(HasSubstr("wrote to the system")));
}

}  // namespace
}  // namespace vintage::tests::command
