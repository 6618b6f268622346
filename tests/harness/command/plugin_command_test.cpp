// PJRT plugins from the command line: registered, run, judged.
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "tests/harness/command/artifacts.h"

namespace vintage::tests::command {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

const std::string kStub = VINTAGE_BINARY "/bin/libvintage_stub_pjrt.so";

class PluginCommand : public testing::Test {
 protected:
  // The stub's programs give their arguments back.
  void keepEcho(const std::string& platform, bool golden) {
    const std::string source = sandbox_.write("echo.mlir", R"(module @echo {
  func.func public @main(%a: tensor<3xf32>) -> tensor<3xf32> {
    return %a : tensor<3xf32>
  }
}
)");
    const std::string module = sandbox_.path("echo.mlirbc");
    sandbox_.run({"convert", source, "--target", "1.0.0", "-o", module});
    std::vector<std::string> command{golden ? "put" : "import",
                                     module,
                                     "--archive",
                                     archive_,
                                     "--build-date",
                                     "2026-06-01",
                                     "--platform",
                                     platform};
    if (golden) {
      const std::string values = sandbox_.write("x.npy", npyOfThree(1, 2, 3));
      command.insert(command.end(), {"--inputs", values, "--outputs", values});
    }
    const Finished kept = sandbox_.run(command);
    ASSERT_EQ(kept.status, 0) << kept.err;
  }

  Finished add(const std::vector<std::string>& options) const {
    std::vector<std::string> command{"builds", "add", "--archive", archive_, "--plugin", kStub};
    command.insert(command.end(), options.begin(), options.end());
    return sandbox_.run(command);
  }

  Sandbox sandbox_;
  std::string archive_ = sandbox_.path("A");
};

TEST_F(PluginCommand, RunsArtifactsOnAPlugin) {
  keepEcho("cpu", true);
  const Finished added = add({"--date", "2026-06-23", "--name", "stub"});
  ASSERT_EQ(added.status, 0) << added.err;
  const std::string junit = sandbox_.path("plugin.xml");
  const Finished ran =
      sandbox_.run({"replay", "--archive", archive_, "--build", "stub", "--junit", junit});
  EXPECT_EQ(ran.status, 0) << ran.out << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("verdict: holds"));
  EXPECT_THAT(Sandbox::read(junit), AllOf(HasSubstr("<testcase"), HasSubstr("echo.mlirbc")));
}

// The replay on a plugin with a platform of its own skipped all artifacts.
TEST_F(PluginCommand, APlatformThatNoExportIsForIsNoted) {
  EXPECT_THAT(add({"--date", "2026-06-23", "--platform", "mine"}).out,
              AllOf(HasSubstr("not for mine"), HasSubstr("--platform")));
  EXPECT_THAT(add({"--date", "2026-06-23"}).out, Not(HasSubstr("--platform")));
}

// The stub calls a Cholesky factorization with its argument; of 1 the factor is 1.
TEST_F(PluginCommand, AnOutcomeSaysThatTheEnginesKernelsWereCalled) {
  const std::string source = sandbox_.write("factor.mlir", R"(module @call_lapack_spotrf_ffi {
  func.func public @main(%a: tensor<1x1xf32>) -> tensor<1x1xf32> {
    return %a : tensor<1x1xf32>
  }
}
)");
  const std::string module = sandbox_.path("factor.mlirbc");
  sandbox_.run({"convert", source, "--target", "1.0.0", "-o", module});
  const std::string values = sandbox_.write("one.npy", npyOf("(1, 1)", {1}));
  const Finished kept =
      sandbox_.run({"put", module, "--archive", archive_, "--build-date", "2026-06-01",
                    "--platform", "cpu", "--inputs", values, "--outputs", values});
  ASSERT_EQ(kept.status, 0) << kept.err;
  const Finished added = add({"--date", "2026-06-23", "--ffi"});
  ASSERT_EQ(added.status, 0) << added.err;
  const std::string build = "libvintage_stub_pjrt-ffi";
  EXPECT_THAT(added.out, HasSubstr(build));
  const Finished ran =
      sandbox_.run({"replay", "--archive", archive_, "--build", build, "--format", "json"});
  EXPECT_EQ(ran.status, 0) << ran.out << ran.err;
  const json pair = json::parse(ran.out).at("pairs").at(0);
  EXPECT_EQ(pair.at("outcome"), "pass");
  EXPECT_EQ(pair.at("detail"), "with the engine's LAPACK kernels: lapack_spotrf_ffi");
}

// A promise that nobody has run is not kept: a compiler only takes its programs.
TEST_F(PluginCommand, WhatIsOnlyCompiledCompiles) {
  keepEcho("tpu", false);
  ASSERT_EQ(add({"--date", "2026-06-23", "--topology", "grid:2x2"}).status, 0);
  const std::string build = "libvintage_stub_pjrt-grid:2x2";
  const Finished ran = sandbox_.run({"replay", "--archive", archive_, "--build", build});
  EXPECT_EQ(ran.status, 0) << ran.out << ran.err;
  EXPECT_THAT(ran.out,
              AllOf(HasSubstr("verdict: compiles"), HasSubstr("1 of 1 pair was compiled")));

  const Finished window =
      sandbox_.run({"window", "--archive", archive_, "--mode", "compile-only", "--scope",
                    "backward", "--today", "2026-07-01", "--format", "json"});
  EXPECT_EQ(window.status, 0) << window.out << window.err;
  const json report = json::parse(window.out);
  EXPECT_EQ(report.at("verdict"), "compiles");
  for (const json& promise : report.at("promises"))
    if (promise.at("rule").at("name") == "backward") {
      EXPECT_EQ(promise.at("compiled"), 1);
      EXPECT_EQ(promise.at("pass"), 0);
    }

  const Finished tables = sandbox_.run({"tables", "--archive", archive_, "--consumers"});
  EXPECT_EQ(tables.status, 0) << tables.err;
  EXPECT_THAT(tables.out, HasSubstr("compile-only"));
}

TEST_F(PluginCommand, ThePromisesNeedTheDayOnWhichItWasBuilt) {
  const Finished added = add({});
  EXPECT_EQ(added.status, 2);
  EXPECT_THAT(added.err, AllOf(HasSubstr(kStub), HasSubstr("--date YYYY-MM-DD")));
}

TEST_F(PluginCommand, ALibraryThatIsMissingIsNamed) {
  const Finished added = sandbox_.run({"builds", "add", "--archive", archive_, "--plugin",
                                       "/nowhere/libmine.so", "--date", "2026-06-23"});
  EXPECT_NE(added.status, 0);
  EXPECT_THAT(added.err, HasSubstr("/nowhere/libmine.so: there is no such file"));
}

TEST_F(PluginCommand, ThereIsOneWayToNameABuild) {
  const Finished added = add({"--date", "2026-06-23", "--embedded"});
  EXPECT_EQ(added.status, 2);
  EXPECT_THAT(added.err, HasSubstr("--plugin LIBRARY"));
}

}  // namespace
}  // namespace vintage::tests::command
