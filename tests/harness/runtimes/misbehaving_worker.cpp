// A worker of the protocol that fails on request: the name of an artifact says
// how. Everything else it answers by giving the inputs back as outputs.

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <vector>

#include <unistd.h>

#include "harness/runtimes/message.h"
#include "harness/runtimes/worker_server.h"

namespace vintage::tests {
using namespace archive;
using namespace harness;

namespace {

void hang() {
  for (;;) ::pause();
}

void eatMemory() {
  std::vector<char*> blocks;
  for (;;) {
    constexpr size_t kBlock = size_t{64} << 20;
    char* block = static_cast<char*>(std::malloc(kBlock));
    if (!block) {
      std::fputs("no memory left\n", stderr);
      std::abort();
    }
    std::memset(block, 1, kBlock);
    blocks.push_back(block);
  }
}

void writeGarbage() {
  const std::string garbage(4096, '\xfe');
  [[maybe_unused]] const auto written = ::write(STDOUT_FILENO, garbage.data(), garbage.size());
}

ExecuteReply misbehave(const ExecuteRequest& request) {
  const std::string_view name = request.name;
  if (name == "crash") {
    std::fputs("about to crash\n", stderr);
    ::raise(SIGSEGV);
  }
  if (name == "hang") hang();
  if (name == "memory") eatMemory();
  if (name == "garbage") writeGarbage();
  if (name == "exit") std::_Exit(7);
  if (name == "close") {
    ::close(STDOUT_FILENO);
    hang();
  }
  if (name.starts_with("crash-once:")) {
    const std::filesystem::path marker(name.substr(std::strlen("crash-once:")));
    if (!std::filesystem::exists(marker)) {
      std::ofstream(marker) << "crashed\n";
      std::abort();
    }
  }
  if (name == "error") {
    ExecuteReply reply;
    reply.id = request.id;
    reply.outcome = OutcomeKind::kError;
    reply.stage = Stage::kCompile;
    reply.detail = "it was asked to say this";
    return reply;
  }
  ExecuteReply reply;
  reply.id = name == "wrong-turn" ? request.id + 1 : request.id;
  reply.outputs = request.inputs;
  return reply;
}

}  // namespace
}  // namespace vintage::tests

int main(int argc, char** argv) {
  using namespace vintage;
  using namespace vintage::harness;
  using namespace vintage::tests;
  const std::string_view start = argc > 1 ? argv[1] : "";
  if (start == "--exit-at-start") {
    std::fputs("a library is missing\n", stderr);
    return 5;
  }
  if (start == "--no-hello") hang();
  if (start == "--garbage-hello") {
    writeGarbage();
    hang();
  }
  HelloMessage hello;
  hello.build.name = "misbehaving";
  hello.build.version = "1";
  hello.build.buildDate = *parseDate("2026-01-02");
  hello.build.platforms = {"cpu"};
  hello.build.modes = {"graph"};
  return serveWorker(STDIN_FILENO, STDOUT_FILENO, hello, misbehave) ? 0 : 3;
}
