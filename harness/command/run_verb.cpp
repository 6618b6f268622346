#include <chrono>

#include <fmt/format.h>

#include "harness/command/verb.h"
#include "harness/model/execute.h"
#include "harness/runtimes/builds/builds.h"
#include "harness/runtimes/builds/kept_program.h"
#include "reports/failure_cause.h"

namespace vintage::harness {
using namespace archive;
using namespace reports;

namespace {

class RunVerb final : public Verb {
 public:
  RunVerb()
      : Verb("run", "Run an artifact once on a build, and print or write what came out",
             "vintage run 3f9a0c21 --archive A --build jax-0.12.0\n"
             "  vintage run model.bin --archive A --build jax-0.12.0 -o outputs.npz") {}
  void addOptions(CLI::App& app) override {
    app.add_option("ARTIFACT", artifact_, "An id, the beginning of one, or a name")->required();
    app.add_option("--archive", archive_, "The archive")->required();
    app.add_option("--build", build_, "A registered build (default: the embedded engine)");
    app.add_option("--platform", execution_.platform,
                   "One of the artifact's (default: its first that the build has)");
    app.add_option("--mode", execution_.mode, "graph, eager or compiled (default: the build's)");
    app.add_option("--timeout", timeoutSeconds_, "Seconds after which it is ended")
        ->capture_default_str()
        ->check(CLI::PositiveNumber);
    app.add_option("-o,--output", output_, "Write the outputs to this .npz file");
  }

  // 1 where other values came out than the golden holds, or it did not run.
  Result<int> run(Console& console) override {
    ASSIGN_OR_RETURN(auto archive, Archive::open(archive_, Archive::Mode::kReadOnly));
    ASSIGN_OR_RETURN(const auto record, archive.find(artifact_));
    auto host = makePosixProcessHost();
    ASSIGN_OR_RETURN(const BuildRecord build, chosenBuild(archive, *host));
    execution_.timeout = std::chrono::seconds(timeoutSeconds_);
    ASSIGN_OR_RETURN(const auto ran, runWithGolden(archive, record, build, execution_, *host));
    if (!output_.empty()) RETURN_IF_ERROR(writeOutputs(ran.result, output_));
    print(build, ran, console);
    return isSuccess(ran.outcome) ? kExitHolds : kExitDoesNotHold;
  }

 private:
  Result<BuildRecord> chosenBuild(const Archive& archive, ProcessHost& host) const {
    if (build_.empty()) return engineHere();
    ASSIGN_OR_RETURN(const auto build, findBuild(archive, build_));
    return readyToStart(build, host);
  }

  void print(const BuildRecord& build, const GoldenRun& ran, Console& console) const {
    if (console.json()) {
      console.printJson({{"build", build.name},
                         {"outcome", outcomeName(ran.outcome)},
                         {"detail", ran.detail},
                         {"seconds", ran.result.seconds},
                         {"outputs", outputsJson(ran.result)}});
      return;
    }
    if (output_.empty()) console.print(outputsText(ran.result));
    console.line("{}: {}", build.name,
                 ran.outcome == OutcomeKind::kPass       ? "as the golden says"
                 : ran.outcome == OutcomeKind::kCompiled ? "compiled; this build runs nothing"
                                                         : shortDetail(ran.detail));
  }

  std::string artifact_, archive_, build_, output_;
  Execution execution_;
  int timeoutSeconds_ = 600;
};

}  // namespace

std::unique_ptr<Verb> makeRunVerb() { return std::make_unique<RunVerb>(); }

}  // namespace vintage::harness
