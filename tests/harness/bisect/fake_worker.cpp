// A worker of the protocol that misbehaves by its number, for the tests of the bisect:
// FOLDER/plan.json lists the behaviour of each build.
//
//   fake_worker FOLDER NUMBER
//
// "pass" gives the sum of two f32 inputs, "wrong" spoils its last element,
// "crash", "error", "exit" (before the hello), "flicker" (wrong by a coin). Each
// start leaves a line in FOLDER/starts.

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>

#include <fmt/format.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include "harness/runtimes/message.h"
#include "harness/runtimes/worker_server.h"

namespace vintage::tests {
using namespace golden;
using namespace archive;
using namespace harness;

namespace {

ExecuteReply behave(const ExecuteRequest& request, const std::string& behaviour,
                    std::mt19937& random) {
  ExecuteReply reply;
  reply.id = request.id;
  if (behaviour == "crash") ::raise(SIGSEGV);
  if (behaviour == "error") {
    reply.outcome = OutcomeKind::kError;
    reply.stage = Stage::kCompile;
    reply.detail = fmt::format("internal compiler error at 0x{:x}", random());
    return reply;
  }
  Tensor sum = request.inputs.at(0);
  auto values = sum.mutableValues<float>();
  const auto other = request.inputs.at(1).values<float>();
  for (size_t i = 0; i < values.size(); ++i) values[i] += other[i];
  if (behaviour == "wrong" || (behaviour == "flicker" && random() % 2 == 0)) values.back() += 1;
  reply.outputs = {sum};
  return reply;
}

}  // namespace
}  // namespace vintage::tests

int main(int argc, char** argv) {
  using namespace vintage;
  using namespace vintage::harness;
  using namespace vintage::tests;
  if (argc != 3) return 2;
  const std::filesystem::path folder = argv[1];
  const size_t number = std::stoul(argv[2]);
  {
    std::ofstream starts(folder / "starts", std::ios::app);
    starts << number << "\n";
  }
  std::ifstream file(folder / "plan.json");
  const nlohmann::json plan = nlohmann::json::parse(file);
  const std::string behaviour = plan.at(number).get<std::string>();
  if (behaviour == "exit") {
    std::fputs("a library is missing\n", stderr);
    return 5;
  }
  HelloMessage hello;
  hello.build.name = fmt::format("fake {:03}", number);
  hello.build.version = "1";
  hello.build.buildDate = *parseDate("2025-01-01") + std::chrono::days(number);
  hello.build.platforms = {"cpu"};
  hello.build.modes = {"graph"};
  std::mt19937 random(static_cast<unsigned>(::getpid()));
  return serveWorker(
             STDIN_FILENO, STDOUT_FILENO, hello,
             [&](const ExecuteRequest& request) { return behave(request, behaviour, random); })
             ? 0
             : 3;
}
