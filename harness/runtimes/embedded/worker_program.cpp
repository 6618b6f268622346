#include "harness/runtimes/embedded/worker_program.h"

#include <cstdio>
#include <string>

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include "harness/engine/engine.h"
#include "harness/runtimes/embedded/confinement.h"
#include "harness/runtimes/embedded/executor.h"
#include "harness/runtimes/meter.h"
#include "harness/runtimes/worker_server.h"

namespace vintage::harness {

int runWorkerProgram(int argc, char** argv) {
  CLI::App app(
      "The embedded engine behind Vintage's worker protocol (docs/worker_protocol.md): requests "
      "on standard input, replies on standard output. `vintage` starts it; nobody else needs to.");
  std::string buildDate;
  size_t memoryLimit = 0;
  app.add_option("--build-date", buildDate,
                 "The day under which this build is registered (default: when it was compiled)");
  app.add_option("--memory-limit", memoryLimit, "Bytes of address space that it may use");
  bool describe = false;
  app.add_flag("--describe", describe,
               "Print what this build registers (docs/gate/registry.md) and end");
  bool confinement = false;
  app.add_flag("--confinement", confinement,
               "Say whether the kernel confines this program before it reads an artifact, and end");
  CLI11_PARSE(app, argc, argv);
  if (confinement) {
    const Status confined = confine();
    fmt::print("{}\n",
               confined ? "no files, no network, no other processes" : confined.error().message);
    return confined ? 0 : 3;
  }

  Date date = compiledOn();
  if (!buildDate.empty()) {
    auto parsed = parseDate(buildDate);
    if (!parsed) {
      fmt::print(stderr, "vintage-worker: --build-date: {}\n", parsed.error().message);
      return 2;
    }
    date = *parsed;
  }
  if (memoryLimit > 0) {
    const rlimit limit{memoryLimit, memoryLimit};
    ::setrlimit(RLIMIT_AS, &limit);
  }
  // The parent's limit, where it set one: what is allowed there must not be refused here.
  rlimit allowed{};
  ::getrlimit(RLIMIT_AS, &allowed);
  const size_t tensorLimit =
      allowed.rlim_cur == RLIM_INFINITY ? size_t{8} << 30 : static_cast<size_t>(allowed.rlim_cur);

  const int output = takeStandardOutput();

  HelloMessage hello;
  hello.build = embeddedEngineBuild(date);
  // A small artifact is done in a tenth of a millisecond, and a parent that records what came back
  // sends nothing for some of them.
  hello.requestsHeld = 256;
  const auto description = [&] { return describeEngine(hello.build); };
  if (describe) {
    const std::string text = toJson(description()).dump(2) + "\n";
    return ::write(output, text.data(), text.size()) == ssize_t(text.size()) ? 0 : 3;
  }
  keepFreedMemory();
  Meter::openFiles();
  if (const Status confined = confine(); !confined)
    fmt::print(stderr, "vintage-worker: it runs unconfined: {}\n", confined.error().message);
  Executor executor(tensorLimit);
  const Status status = serveWorker(
      STDIN_FILENO, output, hello,
      [&](ExecuteRequest request) { return executor.execute(std::move(request)); }, description);
  if (status) return 0;
  fmt::print(stderr, "vintage-worker: {}\n", status.error().message);
  return 3;
}

}  // namespace vintage::harness
