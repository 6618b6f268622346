// The embedded engine, except that it rejects or crashes on one operation, or says that this one
// takes a millisecond and all others a hundredth of that: for tests of finding the culprit.
//
//   refusing_worker OPERATION refuse|crash|slow

#include <csignal>
#include <string>

#include <fmt/format.h>
#include <unistd.h>

#include "golden/program/program.h"
#include "harness/runtimes/embedded/executor.h"
#include "harness/runtimes/worker_server.h"

namespace {

double countOf(const std::string& part, const std::string& text) {
  double count = 0;
  for (size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++count;
  return count;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace vintage;
  using namespace vintage::archive;
  using namespace vintage::golden;
  using namespace vintage::harness;
  if (argc != 3) return 2;
  const std::string operation = argv[1];
  const std::string behaviour = argv[2];
  HelloMessage hello;
  hello.build = embeddedEngineBuild(*parseDate("2025-03-01"));
  Executor executor(size_t{1} << 30);
  return serveWorker(STDIN_FILENO, STDOUT_FILENO, hello,
                     [&](const ExecuteRequest& request) {
                       ProgramContext context;
                       auto program = context.readPortableArtifact(request.artifact, request.name);
                       const std::string text = program ? program->print() : "";
                       const auto all = countOf("stablehlo.", text),
                                  slow = countOf(operation, text);
                       if (behaviour == "slow" || slow == 0) {
                         ExecuteReply reply = executor.execute(request);
                         if (!reply.measured) return reply;
                         const double took = 1e-5 * (all - slow) + 1e-3 * slow;
                         reply.measured->runs = {{took, took}};
                         return reply;
                       }
                       if (behaviour == "crash") ::raise(SIGABRT);
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
