// The parent of a worker was killed, and the worker computed on: an endless program burned a core
// for ever. After each way in which a run can end, the processes that it started are counted.
#include <gmock/gmock.h>

#include "tests/harness/command/endless.h"

namespace vintage::tests::command {
namespace {

constexpr const char* kWorker = VINTAGE_BINARY "/bin/vintage-worker";

class ProcessEnd : public testing::Test {
 protected:
  ProcessEnd() {
    const std::string folder = writeCompatibilityTest(sandbox_, "endless", 33, kEndlessText);
    EXPECT_EQ(sandbox_.run({"import", folder, "--archive", archive_, "--timeout", "0.2"}).status,
              0);
  }
  std::vector<std::string> replay(const std::string& timeout = "600") const {
    return {"replay", "--archive", archive_, "--workers", "1", "--timeout", timeout};
  }
  void endsBySignal(const std::vector<std::string>& arguments, const std::string& computes,
                    int signal, bool group = false) const {
    MarkedProcess vintage(sandbox_, arguments);
    ASSERT_TRUE(vintage.computes(computes)) << Sandbox::read(sandbox_.path("marked_out"));
    vintage.signal(signal, group);
    EXPECT_EQ(vintage.wait(), 128 + signal);
    EXPECT_TRUE(vintage.nothingIsLeft()) << "after signal " << signal;
  }

  const Sandbox sandbox_;
  const std::string archive_ = sandbox_.path("A");
};

TEST_F(ProcessEnd, BySignals) {
  for (const int signal : {SIGKILL, SIGTERM, SIGHUP})
    endsBySignal(replay(), "vintage-worker", signal);
  endsBySignal(replay(), "vintage-worker", SIGINT, true);  // As a terminal sends it.
}

// Ctrl-C ended a verb without a word on what is kept and how to go on.
TEST_F(ProcessEnd, AnInterruptedVerbSaysThatItGoesOn) {
  endsBySignal(
      {"import", sandbox_.path("endless"), "--archive", sandbox_.path("B"), "--timeout", "600"},
      "import", SIGINT, true);
  EXPECT_EQ(Sandbox::read(sandbox_.path("marked_out")),
            "vintage: interrupted; the same command goes on from what is kept\n");
}

// A replay and a check of an archive ended without a word.
TEST_F(ProcessEnd, AnotherInterruptedVerbSaysThatItBeginsAgain) {
  endsBySignal(replay(), "vintage-worker", SIGINT, true);
  EXPECT_EQ(Sandbox::read(sandbox_.path("marked_out")),
            "vintage: interrupted; the same command begins again\n");
}

// The shell gets the parent's end, and its worker only a pipe that nobody reads.
TEST_F(ProcessEnd, BehindAShell) {
  ASSERT_EQ(sandbox_
                .run({"builds", "add", "--archive", archive_, "--name", "shell", "--date",
                      "2025-07-01", "--", "/bin/sh", "-c",
                      "'" + std::string(kWorker) + "' --build-date 2025-07-01; true"})
                .status,
            0);
  std::vector<std::string> arguments = replay();
  arguments.insert(arguments.end(), {"--build", "shell"});
  endsBySignal(arguments, "bin/vintage-worker", SIGKILL);
  MarkedProcess timed(sandbox_, [&] {
    arguments[6] = "1";
    return arguments;
  }());
  EXPECT_EQ(timed.wait(), 1);
  EXPECT_TRUE(timed.nothingIsLeft());
}

TEST_F(ProcessEnd, ByATimeout) {
  MarkedProcess vintage(sandbox_, replay("1"));
  EXPECT_EQ(vintage.wait(), 1);
  EXPECT_TRUE(vintage.nothingIsLeft());
}

TEST_F(ProcessEnd, ByACrashOfTheWorker) {
  MarkedProcess vintage(sandbox_, replay());
  // It is tried again, alone. The worker that was killed may still be there for a moment.
  std::vector<pid_t> killed;
  for (int crash = 0; crash < 2; ++crash) {
    ASSERT_TRUE(vintage.computes("vintage-worker", killed));
    killed = vintage.marked("vintage-worker");
    for (const pid_t worker : killed) ::kill(worker, SIGSEGV);
  }
  EXPECT_EQ(vintage.wait(), 1);
  EXPECT_TRUE(vintage.nothingIsLeft());
}

// Children without a program of their own: those that read, and those that measure.
TEST_F(ProcessEnd, OfForkedChildren) {
  sandbox_.write("endless.mlir", kEndlessCheck);
  endsBySignal({"conform", sandbox_.path("endless.mlir"), "--timeout", "600"}, "conform", SIGKILL);
  endsBySignal(
      {"import", sandbox_.path("endless"), "--archive", sandbox_.path("B"), "--timeout", "600"},
      "import", SIGKILL);
}

}  // namespace
}  // namespace vintage::tests::command
