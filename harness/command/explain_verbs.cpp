#include "archive/store/archive.h"
#include "golden/base/failures.h"
#include "harness/command/verb.h"
#include "harness/command/verb_options.h"
#include "harness/judge/explain/explain.h"
#include "harness/judge/explain/load_agreement.h"
#include "harness/judge/runs/compare_runs.h"
#include "harness/model/difference/artifact_difference.h"
#include "harness/model/difference/outcome_difference.h"

namespace vintage::harness {
using namespace archive;

namespace {

class ExplainVerb final : public Verb {
 public:
  ExplainVerb()
      : Verb("explain",
             "Explain why an artifact passes or fails: its needs, its readers, its outcomes",
             "vintage explain 3f9a0c21 --archive A\n"
             "  vintage explain 'tanh_f32[8,8]/cpu' --build 'vintage-engine 2026-11-20' --archive "
             "A\n"
             "  vintage explain 3f9a0c21 --element '0[3, 5]' --archive A\n"
             "  vintage explain 'tanh_f32[8,8]/cpu' --build tensorflow-2.19.1 --force-version "
             "--archive A\n"
             "  vintage explain --agreement --archive A") {}
  void addOptions(CLI::App& app) override {
    app.add_option("ARTIFACT", artifact_, "An id, a name, or NAME@PRODUCER");
    app.add_option("--archive", archive_, "The archive")->required();
    app.add_flag("--agreement", agreement_,
                 "Instead of one artifact, compare 'would it load?' with every recorded outcome");
    app.add_option("--build", build_, "Only this build (default: all with an outcome)");
    app.add_option("--element", element_,
                   "Also what decides of this element of the golden: OUTPUT[INDEX, …], as in "
                   "'0[3, 5]'");
    app.add_flag("--force-version", forceVersion_,
                 "With --build, a TensorFlow: also run the artifact as if it were of the newest "
                 "calling convention that the build reads, and say whether the number alone keeps "
                 "it out; a diagnostic, recorded nowhere");
    addDefaulted(app, "--policy", policy_, "The promises: jax, stablehlo, or a file");
    today_.addTo(app);
  }

  Result<int> run(Console& console) override {
    if (agreement_ == !artifact_.empty())
      return usageError("name an ARTIFACT to explain, or give --agreement");
    return agreement_ ? explainAgreement(console) : explainArtifact(console);
  }

 private:
  Result<int> explainAgreement(Console& console) const {
    ASSIGN_OR_RETURN(auto archive, Archive::open(archive_, Archive::Mode::kReadOnly));
    ASSIGN_OR_RETURN(auto agreement, compareLoading(archive));
    console.answer(toJson(agreement), agreementText(agreement));
    if (agreement.outcomes() == 0) return kExitNothingRan;
    return agreement.disagreements.empty() ? kExitHolds : kExitDoesNotHold;
  }

  Result<int> explainArtifact(Console& console) const {
    ExplainOptions options;
    options.archiveArgument = archive_;
    options.build = build_;
    options.element = element_;
    if (forceVersion_ && build_.empty())
      return usageError("--force-version runs one build: name it with --build");
    const auto host = makePosixProcessHost();
    if (forceVersion_) options.forceVersion = host.get();
    ASSIGN_OR_RETURN(options.policy, within("--policy", readPolicy(policy_)));
    options.today = today_.date();
    ASSIGN_OR_RETURN(auto archive, Archive::open(archive_, Archive::Mode::kReadOnly));
    ASSIGN_OR_RETURN(auto explanation, harness::explain(artifact_, options, archive));
    console.answer(toJson(explanation), explanationText(explanation));
    return kExitHolds;
  }

  std::string artifact_, archive_, build_, element_, policy_ = "jax";
  TodayOption today_;
  bool agreement_ = false, forceVersion_ = false;
};

class DiffVerb final : public Verb {
 public:
  DiffVerb()
      : Verb(
            "diff", "Show how two artifacts, two outcomes, two runs or two files of arrays differ",
            "vintage diff old.exported new.exported\n"
            "  vintage diff 3f9a0c21 7b12 --archive A\n"
            "  vintage diff 3f9a0c21 --archive A --build jax-0.5.0 --build jax-0.12.0\n"
            "  vintage diff --run before --run after --archive A      # runs with these labels\n"
            "  vintage diff --run nightly --archive A       # the newest night and the one before\n"
            "  vintage diff expected.npz found.npz") {}
  void addOptions(CLI::App& app) override {
    app.add_option("WHAT", what_,
                   "Two artifacts (a file, a folder that 'vintage get' wrote, an id or a name), "
                   "two files of arrays, or with --build one artifact")
        ->expected(1, 2);
    app.add_option("--archive", archive_, "Where ids and names are looked up");
    app.add_option("--build", builds_,
                   "Run the artifact on this build; given twice, on both, else compare with its "
                   "golden")
        ->expected(1)
        ->take_all();
    app.add_option("--run", runs_,
                   "A recorded run, twice: its id, or for the newest its label or kind ('vintage "
                   "list --runs'); what broke, what was mended and what was measured to be slower "
                   "from the first to the second. Once: from the run before it")
        ->expected(1)
        ->take_all();
    app.add_option("--platform", execution_.platform, "With --build: one of the artifact's");
    app.add_option("--mode", execution_.mode, "With --build: graph, eager or compiled");
    limits_.addTo(app, "one run, with --build");
    limits_.addSandboxTo(app);
  }

  // As diff(1): 0 the same, 1 not the same.
  Result<int> run(Console& console) override {
    std::optional<Archive> archive;
    if (!archive_.empty()) {
      ASSIGN_OR_RETURN(archive, Archive::open(archive_, Archive::Mode::kReadOnly));
    }
    if (!runs_.empty()) return runs(archive, console);
    if (!builds_.empty()) return outcomes(archive, console);
    if (what_.size() != 2)
      return usageError(
          "name two of them, or one artifact with --build (see 'vintage diff --help')");
    if (isArrayFile(what_[0]) && isArrayFile(what_[1])) return compareFiles(console);
    ASSIGN_OR_RETURN(const auto first, readCompared(what_[0], archive ? &*archive : nullptr));
    ASSIGN_OR_RETURN(const auto second, readCompared(what_[1], archive ? &*archive : nullptr));
    ASSIGN_OR_RETURN(const auto difference, compareArtifacts(first, second));
    console.answer(toJson(difference), textOf(difference));
    return difference.same() ? kExitHolds : kExitDoesNotHold;
  }

 private:
  Result<int> runs(const std::optional<Archive>& archive, Console& console) const {
    if (!archive || runs_.size() > 2 || !what_.empty() || !builds_.empty())
      return usageError(
          "--run compares two recorded runs: give it once or twice, with --archive and nothing "
          "else");
    ASSIGN_OR_RETURN(const auto comparison, runs_.size() == 1
                                                ? compareWithRunBefore(*archive, runs_[0])
                                                : compareRuns(*archive, runs_[0], runs_[1]));
    console.answer(toJson(comparison), textOf(comparison));
    if (comparison.total.both == 0) return kExitNothingRan;
    const int64_t changes = comparison.total.broken + comparison.total.mended + comparison.slower();
    return changes == 0 ? kExitHolds : kExitDoesNotHold;
  }

  Result<int> compareFiles(Console& console) const {
    ASSIGN_OR_RETURN(const auto first, readArrayFile(what_[0]));
    ASSIGN_OR_RETURN(const auto second, readArrayFile(what_[1]));
    const auto arrays = compareArrays(first, second);
    console.answer({{"same", arrays.empty()}, {"arrays", toJson(std::span(arrays))}},
                   arrays.empty() ? "the same values\n" : textOf(std::span(arrays)));
    return arrays.empty() ? kExitHolds : kExitDoesNotHold;
  }

  Result<int> outcomes(const std::optional<Archive>& archive, Console& console) {
    if (!archive) return usageError("--build runs an archived artifact: give --archive");
    if (what_.size() != 1)
      return usageError("--build runs one artifact; {} are named", what_.size());
    ASSIGN_OR_RETURN(const auto record, archive->find(what_.front()));
    execution_.timeout = limits_.timeout();
    execution_.memoryLimitBytes = limits_.memoryBytes();
    execution_.sandbox = limits_.sandbox();
    const auto host = makePosixProcessHost();
    ASSIGN_OR_RETURN(const auto difference,
                     compareOutcomes(*archive, record, builds_, execution_, *host));
    console.answer(toJson(difference), textOf(difference));
    return difference.same() ? kExitHolds : kExitDoesNotHold;
  }

  std::vector<std::string> what_, builds_, runs_;
  std::string archive_;
  Execution execution_;
  LimitOptions limits_{600, 16};
};

}  // namespace

std::unique_ptr<Verb> makeExplainVerb() { return std::make_unique<ExplainVerb>(); }
std::unique_ptr<Verb> makeDiffVerb() { return std::make_unique<DiffVerb>(); }

}  // namespace vintage::harness
