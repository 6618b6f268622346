// vintage-pjrt-prepare: answers execute requests with what a PJRT plugin compiles.

#include <optional>
#include <string>

#include <fmt/format.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include "harness/runtimes/pjrt/preparation/artifact_preparer.h"
#include "harness/runtimes/worker_server.h"

namespace vintage::harness {
namespace {

int serve(std::optional<StablehloVersion> version) {
  ArtifactPreparer preparer(version);
  const int output = takeStandardOutput();
  const Status status = eachFrame(STDIN_FILENO, [&](Frame frame) -> Status {
    ASSIGN_OR_RETURN(auto request, requestFromFrame(std::move(frame)));
    const PreparationAnswer answer = preparer.prepare(std::move(request));
    return std::visit([&](const auto& one) { return say(one, output); }, answer);
  });
  if (status) return 0;
  fmt::print(stderr, "vintage-pjrt-prepare: {}\n", status.error().message);
  return 3;
}

int run(int argc, char** argv) {
  CLI::App app(
      "Makes archived artifacts ready for a PJRT plugin (docs/howto/pjrt.md). vintage-pjrt-worker "
      "starts it; nobody else needs to.");
  std::string stablehlo;
  app.add_option("--stablehlo", stablehlo, "Write each module at this StableHLO version");
  CLI11_PARSE(app, argc, argv);
  if (stablehlo.empty()) return serve(std::nullopt);
  const auto version = parseStablehloVersion(stablehlo);
  if (version) return serve(*version);
  fmt::print(stderr, "vintage-pjrt-prepare: --stablehlo: {}\n", version.error().message);
  return 2;
}

}  // namespace
}  // namespace vintage::harness

int main(int argc, char** argv) { return vintage::harness::run(argc, argv); }
