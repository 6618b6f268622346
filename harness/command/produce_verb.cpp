#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "harness/builds/builds.h"
#include "harness/command/python_progress.h"
#include "harness/command/verb.h"
#include "harness/consumers/python/producing.h"
#include "reports/text_table.h"

namespace vintage::harness::command {
namespace {

using nlohmann::json;

class ProduceVerb final : public Verb {
 public:
  const char* name() const override { return "produce"; }
  const char* summary() const override {
    return "Export with a real release of JAX or TensorFlow, and archive what it made";
  }
  const char* example() const override {
    return "vintage produce --archive A --build jax-0.8.1 --platform cpu tpu --one-of-each\n"
           "  vintage produce --archive A --build jax-0.8.1 --cases own --filter 'variant=vjp'\n"
           "  vintage produce --archive A --build tensorflow-2.21.0 --format saved-model";
  }
  void addOptions(CLI::App& app) override {
    app.add_option("--archive", archive_, "The archive")->required();
    app.add_option("--build", build_,
                   "A release that 'vintage builds add --jax' or '--tensorflow' registered")
        ->required();
    app.add_option(
           "--format", formats_,
           "text or json: what is printed; exported (by JAX) or saved-model (by TensorFlow): "
           "what is made, by default what the build makes")
        ->check(CLI::IsMember({"text", "json", "exported", "saved-model"}));
    app.add_option("--wrap", request_.wrapped,
                   "Make SavedModels around these archived Exported (an id, a name or "
                   "NAME@PRODUCER), instead of TensorFlow's own models")
        ->type_name("ARTIFACT ...");
    app.add_option("--platform", request_.platforms,
                   "Of JAX's: cpu, cuda, rocm, tpu; several are allowed")
        ->check(CLI::IsMember({"cpu", "cuda", "rocm", "tpu"}))
        ->capture_default_str();
    app.add_option("--mode", request_.modes,
                   "Of JAX's: default, ignore_forward_compatibility; both are allowed")
        ->check(CLI::IsMember({"default", "ignore_forward_compatibility"}))
        ->capture_default_str();
    app.add_option("--filter", request_.filters,
                   "Only cases whose name, primitive or variant fits, as in primitive=add*");
    app.add_option("--cases", request_.cases,
                   "Of JAX's: harnesses: JAX's own; own: functions that those lack; all")
        ->check(CLI::IsMember({"all", "harnesses", "own"}))
        ->capture_default_str();
    app.add_option("--one-of-each", request_.oneOfEach,
                   "Of the harnesses one for each primitive and dtype (the default), or class of "
                   "dtypes: bool, signed, unsigned, floating, complex")
        ->expected(0, 1)
        ->default_str("dtype")
        ->check(CLI::IsMember({"dtype", "class"}));
    app.add_option("--calling-convention", request_.callingConvention,
                   "Of JAX's: write artifacts in this version instead of the release's default, as "
                   "for an older consumer")
        ->check(CLI::Range(1, 1000));
    app.add_option("--harness-file", request_.harnessFile,
                   "The harnesses of another release (test_harnesses.py)");
    app.add_option("--jobs,-j", request_.jobs, "Processes at once")
        ->check(CLI::Range(1, 1024))
        ->capture_default_str();
    app.add_option("--shard", request_.shard, "Only the I-th of N parts of the cases: I/N")
        ->capture_default_str();
    app.add_option("--keep", keep_, "Keep the artifacts as folders here, too");
    app.add_flag("--retry", request_.retry, "Try again what could not be exported");
  }

  Result<int> run(Console& console) override {
    for (const std::string& format : formats_) {
      if (format == "json") console.format = OutputFormat::kJson;
      if (format == "exported" || format == "saved-model") request_.format = format;
    }
    auto host = makePosixProcessHost();
    ASSIGN_OR_RETURN(auto archive, Archive::open(archive_, Archive::Mode::kReadWrite));
    ASSIGN_OR_RETURN(auto build, findBuild(archive, build_));
    request_.keep = keep_;
    ASSIGN_OR_RETURN(auto report, produce(build, request_, archive, *host, progressOn(console)));
    if (console.json())
      console.printJson(toJson(report));
    else
      print(report, build, console);
    for (const Error& error : report.notImported) console.error(error);
    if (!report.broke.empty()) console.error({Error::Kind::kIo, report.broke});
    if (!report.broke.empty() || !report.notImported.empty()) return kExitCannotTell;
    return report.exported > 0 ? kExitHolds : kExitNothingRan;
  }

 private:
  static json toJson(const ProduceReport& report) {
    json kinds = json::array(), reasons = json::array(), refused = json::array();
    for (const ProduceReport::Kind& kind : report.kinds)
      kinds.push_back({{"platforms", kind.platforms},
                       {"variant", kind.variant},
                       {"mode", kind.mode},
                       {"exported", kind.exported},
                       {"unimplemented", kind.unimplemented},
                       {"refused", kind.refused}});
    for (const ProduceReport::Reason& reason : report.reasons)
      reasons.push_back({{"primitive", reason.primitive},
                         {"reason", reason.reason},
                         {"count", reason.count},
                         {"example", reason.example}});
    for (const Error& error : report.notImported) refused.push_back(error.message);
    return {{"producer", report.producer},
            {"exported", report.exported},
            {"without_golden", report.withoutGolden},
            {"unimplemented", report.unimplemented},
            {"refused", report.refused},
            {"new", report.added},
            {"kinds", std::move(kinds)},
            {"not_exported", std::move(reasons)},
            {"oracle_differs", report.oracleSays},
            {"not_imported", std::move(refused)}};
  }

  void print(const ProduceReport& report, const BuildRecord& build, Console& console) const {
    console.line(fmt::format(
        "{} of {}: {} artifacts exported, {} of them new in {}, {} without a golden; {} not "
        "implemented, as it says itself; {} could not be exported",
        report.producer, formatDate(build.buildDate), report.exported, report.added, archive_,
        report.withoutGolden, report.unimplemented, report.refused));
    std::vector<std::vector<std::string>> kinds{
        {"platforms", "variant", "mode", "exported", "not implemented", "not exported"}};
    for (const ProduceReport::Kind& kind : report.kinds)
      kinds.push_back({kind.platforms, kind.variant, kind.mode, std::to_string(kind.exported),
                       std::to_string(kind.unimplemented), std::to_string(kind.refused)});
    console.print(textTable(kinds));
    for (const std::string& text : report.oracleSays) console.line(text);
    if (report.reasons.empty()) return;
    console.line("what could not be exported:");
    std::vector<std::vector<std::string>> reasons{{"count", "primitive", "reason", "example"}};
    for (const ProduceReport::Reason& reason : report.reasons)
      reasons.push_back(
          {std::to_string(reason.count), reason.primitive, reason.reason, reason.example});
    console.print(textTable(reasons));
  }

  std::string archive_, build_, keep_;
  std::vector<std::string> formats_;
  ProduceRequest request_;
};

}  // namespace

std::unique_ptr<Verb> makeProduceVerb() { return std::make_unique<ProduceVerb>(); }

}  // namespace vintage::harness::command
