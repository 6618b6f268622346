// One artifact on the engine, at the command of bench/models/compare.py, which
// runs it in turns with JAX: a line of standard input is a command, and each is
// answered by a line.
//
//   compile  from the artifact's bytes to a plan: seconds, seconds of processor time
//   run N    N executions: the same, of one
//   outputs  writes them beside the inputs as output_0.npy …
//
// The folder holds `artifact` (an Exported) and input_0.npy ….
#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <optional>
#include <sstream>

#include "golden/program/program.h"
#include "golden/tensor/npy.h"
#include "harness/engine/engine.h"
#include "harness/runtimes/embedded/callable.h"

namespace {

using namespace vintage;
using namespace vintage::golden;
using namespace vintage::harness;

template <typename T>
T need(Result<T> result) {
  if (result) return std::move(*result);
  std::fprintf(stderr, "models_bench: %s\n", result.error().message.c_str());
  std::exit(3);
}

std::vector<std::byte> bytesOf(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto* first = reinterpret_cast<const std::byte*>(text.data());
  return {first, first + text.size()};
}

struct Clock {
  static double processor() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    const auto seconds = [](const timeval& time) {
      return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
    };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
  }
  void tell(int times) const {
    const double spent = processor() - processorStart;
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
    std::printf("%.9f %.9f\n", wall.count() / times, spent / times);
    std::fflush(stdout);
  }
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
  double processorStart = processor();
};

class Model {
 public:
  explicit Model(std::filesystem::path folder) : folder_(std::move(folder)) {
    request_.name = folder_.string();
    request_.platform = "cpu";
    request_.artifact = bytesOf(folder_ / "artifact");
    for (int i = 0;; ++i) {
      const auto path = folder_ / ("input_" + std::to_string(i) + ".npy");
      if (!std::filesystem::exists(path)) break;
      request_.inputs.push_back(need(readNpy(bytesOf(path), path.string())));
    }
  }

  void compile() {
    ExecuteRequest request = request_;
    const Callable callable = need(openArtifact(request)).function;
    const auto program = need(context_.readPortableArtifact(callable.module, request_.name));
    const auto tree = need(program.tree());
    plan_ = need(vintage::harness::compile(tree, PlanOptions{}));
    arguments_ = need(argumentsOf(callable, *tree.find("main"), request_));
  }

  std::vector<Tensor> run() const { return need(plan_->run(arguments_)); }

  void writeOutputs() const {
    int i = 0;
    for (const Tensor& output : run()) {
      const auto bytes = writeNpy(output);
      std::ofstream file(folder_ / ("output_" + std::to_string(i++) + ".npy"), std::ios::binary);
      file.write(reinterpret_cast<const char*>(bytes.data()),
                 static_cast<std::streamsize>(bytes.size()));
    }
  }

 private:
  std::filesystem::path folder_;
  ExecuteRequest request_;
  ProgramContext context_;
  std::optional<Plan> plan_;
  std::vector<Tensor> arguments_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: models_bench FOLDER\n");
    return 2;
  }
  keepFreedMemory();  // As the worker does.
  Model model(argv[1]);
  std::string line;
  while (std::getline(std::cin, line)) {
    std::istringstream words(line);
    std::string command;
    int times = 1;
    words >> command >> times;
    const Clock clock;
    if (command == "compile") {
      model.compile();
    } else if (command == "run") {
      for (int i = 0; i < times; ++i) model.run();
    } else if (command == "outputs") {
      model.writeOutputs();
    } else {
      std::fprintf(stderr, "models_bench: '%s' is no command\n", command.c_str());
      return 2;
    }
    clock.tell(std::max(times, 1));
  }
  return 0;
}
