// The unit of systemd that the package installs.
#include <gmock/gmock.h>

#include "tests/harness/command/run_vintage.h"

namespace vintage::tests::command {
namespace {

constexpr const char* kUnit = VINTAGE_SOURCE "/cmake/vintage.service";

TEST(ServiceUnit, IsHardened) {
  if (std::system("command -v systemd-analyze >/dev/null 2>&1") != 0)
    GTEST_SKIP() << "systemd-analyze is not there";
  // 0 is the most, 10 the least confined; a service of the network cannot be at 0.
  const std::string line =
      "systemd-analyze security --offline=true --threshold=15 " + std::string(kUnit);
  EXPECT_EQ(std::system((line + " >/dev/null 2>&1").c_str()), 0) << line;
}

// The verb with the options that the unit gives it.
TEST(ServiceUnit, StartsTheVerbAsItIs) {
  const std::string unit = Sandbox::read(kUnit);
  const std::string start = "ExecStart=/usr/bin/vintage serve --archive ";
  EXPECT_NE(unit.find(start), std::string::npos);
  const Sandbox sandbox;
  const std::string help = sandbox.run({"serve", "--help"}).out;
  for (const char* option : {"--archive", "--create", "--host", "--stop-seconds"}) {
    EXPECT_NE(help.find(option), std::string::npos) << option;
    EXPECT_NE(unit.find(option), std::string::npos) << option;
  }
}

}  // namespace
}  // namespace vintage::tests::command
