#include <fmt/format.h>

#include "golden/base/file.h"
#include "harness/command/verb.h"
#include "harness/model/fidelity/fidelity.h"

namespace vintage::harness {
using namespace primitives;

namespace {

class FidelityVerb final : public Verb {
 public:
  FidelityVerb()
      : Verb("fidelity",
             "Hold the catalogue's exports against those of a release of JAX, operation by "
             "operation",
             "vintage fidelity COUNTERPARTS --at-least 95 -o docs/fidelity.md") {}
  void addOptions(CLI::App& app) override {
    app.add_option("COUNTERPARTS", options_.folder,
                   "What 'vintage_jax produce --counterparts-of' wrote (docs/jax.md)")
        ->required();
    app.add_option("--profile", profile_, "The profile of ours (default: the newest)");
    app.add_option("--platform", options_.platform, "cpu, cuda, rocm or tpu")
        ->capture_default_str();
    app.add_option("--primitive", options_.primitives, "Only these primitives");
    app.add_option("--at-least", atLeast_, "Fail where fewer percent are identical")
        ->check(CLI::Range(0.0, 100.0));
    app.add_flag("--all", all_, "Print every difference, not the first one of each primitive");
    app.add_option("-o,--out", out_, "Write the page to this file");
  }

  Result<int> run(Console& console) override {
    if (!profile_.empty()) {
      ASSIGN_OR_RETURN(options_.profile, findProfile(profile_));
    }
    options_.progress = [&](size_t done, size_t of) { console.progress("compare", done, of); };
    ASSIGN_OR_RETURN(const FidelityReport report, measureFidelity(options_));
    if (!out_.empty()) RETURN_IF_ERROR(writeTextFile(out_, fidelityPage(report)));
    console.answer(json(report), fidelityText(report, all_));
    const PrimitiveFidelity total = report.total();
    if (total.comparable == 0) return kExitNothingRan;
    const double identical =
        100.0 * static_cast<double>(total.identical) / static_cast<double>(total.comparable);
    return identical >= atLeast_ ? kExitHolds : kExitDoesNotHold;
  }

 private:
  static nlohmann::json json(const FidelityReport& report) {
    nlohmann::json primitives = nlohmann::json::object();
    for (const auto& [name, each] : report.primitives) {
      nlohmann::json differences = nlohmann::json::array();
      for (const Difference& difference : each.differences)
        differences.push_back(
            {{"case", difference.caseId}, {"ours", difference.ours}, {"jax", difference.jax}});
      primitives[name] = {{"cases", each.cases},
                          {"comparable", each.comparable},
                          {"identical", each.identical},
                          {"differences", differences}};
    }
    const PrimitiveFidelity total = report.total();
    return {{"producer", report.producer},    {"profile", report.profile},
            {"platform", report.platform},    {"cases", total.cases},
            {"comparable", total.comparable}, {"identical", total.identical},
            {"primitives", primitives}};
  }

  FidelityOptions options_;
  std::string profile_, out_;
  double atLeast_ = 0;
  bool all_ = false;
};

}  // namespace

std::unique_ptr<Verb> makeFidelityVerb() { return std::make_unique<FidelityVerb>(); }

}  // namespace vintage::harness
