#include "archive/store/archive.h"
#include "golden/base/failures.h"
#include "harness/command/verb.h"
#include "harness/command/verb_options.h"
#include "harness/judge/explain/explain.h"
#include "harness/judge/explain/load_agreement.h"

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
             "  vintage explain 'tanh_f32[8,8]/cpu' --build tensorflow-2.19.1 --force-version "
             "--archive A\n"
             "  vintage explain --agreement --archive A") {}
  void addOptions(CLI::App& app) override {
    app.add_option("ARTIFACT", artifact_, "An id, a name, or NAME@PRODUCER");
    app.add_option("--archive", archive_, "The archive")->required();
    app.add_flag("--agreement", agreement_,
                 "Instead of one artifact, compare 'would it load?' with every recorded outcome");
    app.add_option("--build", build_, "Only this build (default: all with an outcome)");
    app.add_flag("--force-version", forceVersion_,
                 "With --build, a TensorFlow: also run the artifact as if it were of the newest "
                 "calling convention that the build reads, and say whether the number alone keeps "
                 "it out; a diagnostic, recorded nowhere");
    app.add_option("--policy", policy_, "The promises: jax, stablehlo, or a file")
        ->capture_default_str();
    app.add_option("--today", today_, "The current date (YYYY-MM-DD; default: today)");
  }

  Result<int> run(Console& console) override {
    if (agreement_ == !artifact_.empty())
      return usageError("name an ARTIFACT to explain, or give --agreement");
    return agreement_ ? explainAgreement(console) : explainArtifact(console);
  }

 private:
  Result<int> explainAgreement(Console& console) const {
    ASSIGN_OR_RETURN(auto archive, Archive::open(archive_, Archive::Mode::kReadOnly));
    ASSIGN_OR_RETURN(auto agreement, harness::compareLoading(archive));
    console.answer(toJson(agreement), harness::agreementText(agreement));
    if (agreement.outcomes() == 0) return kExitNothingRan;
    return agreement.disagreements.empty() ? kExitHolds : kExitDoesNotHold;
  }

  Result<int> explainArtifact(Console& console) const {
    ExplainOptions options;
    options.archiveArgument = archive_;
    options.build = build_;
    if (forceVersion_ && build_.empty())
      return usageError("--force-version runs one build: name it with --build");
    const auto host = makePosixProcessHost();
    if (forceVersion_) options.forceVersion = host.get();
    ASSIGN_OR_RETURN(options.policy, within("--policy", readPolicy(policy_)));
    ASSIGN_OR_RETURN(auto today, parseDateOption(today_, "--today"));
    options.today = today.value_or(currentDate());
    ASSIGN_OR_RETURN(auto archive, Archive::open(archive_, Archive::Mode::kReadOnly));
    ASSIGN_OR_RETURN(auto explanation, harness::explain(artifact_, options, archive));
    console.answer(toJson(explanation), explanationText(explanation));
    return kExitHolds;
  }

  std::string artifact_, archive_, build_, policy_ = "jax", today_;
  bool agreement_ = false, forceVersion_ = false;
};

}  // namespace

std::unique_ptr<Verb> makeExplainVerb() { return std::make_unique<ExplainVerb>(); }

}  // namespace vintage::harness
