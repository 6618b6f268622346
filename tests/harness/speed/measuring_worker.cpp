// A worker of the protocol whose measurements are scripted, for the tests of what is made of them:
// the sum of two f32 inputs takes SECONDS * elements^POWER, and holds BYTES.
//
//   measuring_worker SECONDS POWER BYTES [RELEASE]

#include <cmath>
#include <cstdlib>
#include <string>

#include <unistd.h>

#include "harness/runtimes/message.h"
#include "harness/runtimes/worker_server.h"

namespace {

using namespace vintage;
using namespace vintage::golden;
using namespace vintage::archive;
using namespace vintage::harness;

ExecuteReply answer(const ExecuteRequest& request, double seconds, double power, int64_t bytes) {
  ExecuteReply reply;
  reply.id = request.id;
  Tensor sum = request.inputs.at(0);
  auto values = sum.mutableValues<float>();
  const auto other = request.inputs.at(1).values<float>();
  for (size_t i = 0; i < values.size(); ++i) values[i] += other[i];
  if (request.measure) {
    const double took = seconds * std::pow(static_cast<double>(values.size()), power);
    reply.measured.emplace();
    reply.measured->compile = {0.02, 0.02};
    reply.measured->firstRun = {2 * took, 2 * took};
    reply.measured->runs = {{took, took}, {1.5 * took, 1.5 * took}};
    reply.measured->compiler = CompilerMemory{.temporaries = bytes};
  }
  reply.outputs = {sum};
  return reply;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  HelloMessage hello;
  hello.build.name = std::string("measured ") + (argc > 4 ? argv[4] : "1");
  hello.build.version = "1";
  hello.build.buildDate = std::chrono::sys_days(std::chrono::year(2025) / 7 / 1);
  hello.build.platforms = {"cpu"};
  hello.build.modes = {"graph"};
  const double seconds = std::atof(argv[1]), power = std::atof(argv[2]);
  const int64_t bytes = std::atoll(argv[3]);
  const auto status = serveWorker(
      STDIN_FILENO, STDOUT_FILENO, hello,
      [&](const ExecuteRequest& request) { return answer(request, seconds, power, bytes); },
      [&] {
        RuntimeDescription description;
        description.name = hello.build.name;
        description.version = hello.build.version;
        description.buildDate = hello.build.buildDate;
        description.platforms = hello.build.platforms;
        return description;
      });
  return status ? 0 : 3;
}
