// The embedded engine, except that it rejects or crashes on one operation: for tests of finding the
// culprit operation of a failing consumer.
//
//   refusing_worker OPERATION refuse|crash

#include <csignal>
#include <string>

#include <fmt/format.h>
#include <unistd.h>

#include "golden/program/program.h"
#include "harness/runtimes/embedded/executor.h"
#include "harness/runtimes/worker_server.h"

int main(int argc, char** argv) {
  using namespace vintage;
  using namespace vintage::archive;
  using namespace vintage::golden;
  using namespace vintage::harness;
  if (argc != 3) return 2;
  const std::string operation = argv[1];
  const bool crash = std::string(argv[2]) == "crash";
  HelloMessage hello;
  hello.build = embeddedEngineBuild(*parseDate("2025-03-01"));
  Executor executor(size_t{1} << 30);
  return serveWorker(STDIN_FILENO, STDOUT_FILENO, hello,
                     [&](const ExecuteRequest& request) {
                       ProgramContext context;
                       auto program = context.readPortableArtifact(request.artifact, request.name);
                       if (!program || program->print().find(operation) == std::string::npos)
                         return executor.execute(request);
                       if (crash) ::raise(SIGABRT);
                       ExecuteReply reply;
                       reply.id = request.id;
                       reply.outcome = OutcomeKind::kUnsupported;
                       reply.stage = Stage::kCompile;
                       reply.detail = fmt::format("no kernel for {}", operation);
                       return reply;
                     })
             ? 0
             : 3;
}
