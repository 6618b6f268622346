#include <algorithm>
#include <iterator>
#include <optional>
#include <tuple>

#include <fmt/format.h>

#include "golden/base/counted.h"
#include "golden/base/failures.h"
#include "golden/base/file.h"
#include "harness/command/slurm_option.h"
#include "harness/command/verb.h"
#include "harness/command/verb_options.h"
#include "harness/judge/window/merge_archives.h"
#include "harness/runtimes/builds/builds.h"
#include "harness/runtimes/builds/producing.h"
#include "reports/text_table.h"

namespace vintage::harness {
using namespace archive;
using namespace reports;

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ProduceReport::Kind, platforms, variant, mode, exported,
                                   unimplemented, refused)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ProduceReport::Reason, primitive, reason, example, count)

namespace {

using nlohmann::json;

// The sums of a report, by their names in JSON.
constexpr std::pair<const char*, size_t ProduceReport::*> kSums[] = {
    {"exported", &ProduceReport::exported},
    {"without_golden", &ProduceReport::withoutGolden},
    {"unimplemented", &ProduceReport::unimplemented},
    {"refused", &ProduceReport::refused},
    {"new", &ProduceReport::added}};

json reportJson(const ProduceReport& report) {
  json document{{"producer", report.producer},
                {"kinds", report.kinds},
                {"not_exported", report.reasons},
                {"oracle_differs", report.oracleSays},
                {"golden_in_doubt", report.inDoubt},
                {"not_imported", messagesJson(report.notImported)},
                {"broke", report.broke}};
  for (const auto& [name, sum] : kSums) document[name] = report.*sum;
  return document;
}

// Reads the output of reportJson(); kBadInput names the wrong field.
Result<ProduceReport> parseProduceReport(std::string_view text, const std::string& name) {
  ProduceReport out;
  try {
    const json document = json::parse(text);
    document.at("producer").get_to(out.producer);
    document.at("broke").get_to(out.broke);
    for (const auto& [field, sum] : kSums) document.at(field).get_to(out.*sum);
    document.at("oracle_differs").get_to(out.oracleSays);
    document.at("golden_in_doubt").get_to(out.inDoubt);
    document.at("kinds").get_to(out.kinds);
    document.at("not_exported").get_to(out.reasons);
    for (const json& message : document.at("not_imported"))
      out.notImported.push_back({Error::Kind::kBadInput, message.get<std::string>()});
  } catch (const json::exception& problem) {
    return badInput("{}: {}; 'vintage produce -o' writes such a report", name, problem.what());
  }
  return out;
}

// `part` is another part of the same work.
void add(ProduceReport& whole, ProduceReport part) {
  for (const auto& [name, sum] : kSums) whole.*sum += part.*sum;
  if (whole.broke.empty()) whole.broke = part.broke;
  std::ranges::move(part.oracleSays, std::back_inserter(whole.oracleSays));
  std::ranges::move(part.inDoubt, std::back_inserter(whole.inDoubt));
  std::ranges::move(part.notImported, std::back_inserter(whole.notImported));
  for (ProduceReport::Kind& kind : part.kinds) {
    const auto key = [](const ProduceReport::Kind& one) {
      return std::tie(one.platforms, one.variant, one.mode);
    };
    const auto known = std::ranges::find(whole.kinds, key(kind), key);
    if (known == whole.kinds.end()) {
      whole.kinds.push_back(std::move(kind));
      continue;
    }
    known->exported += kind.exported;
    known->unimplemented += kind.unimplemented;
    known->refused += kind.refused;
  }
  for (ProduceReport::Reason& reason : part.reasons) {
    const auto key = [](const ProduceReport::Reason& one) {
      return std::tie(one.primitive, one.reason);
    };
    const auto known = std::ranges::find(whole.reasons, key(reason), key);
    if (known == whole.reasons.end())
      whole.reasons.push_back(std::move(reason));
    else
      known->count += reason.count;
  }
}

void print(const ProduceReport& report, const BuildRecord& build, const std::string& archive,
           Console& console) {
  console.line(fmt::format(
      "{} of {}: {} exported, {} of them new in {}, {} without a golden; {} not implemented, as it "
      "says itself; {} could not be exported",
      report.producer, formatDate(build.buildDate), counted(report.exported, "artifact"),
      report.added, archive, report.withoutGolden, report.unimplemented, report.refused));
  std::vector<std::vector<std::string>> kinds{
      {"platforms", "variant", "mode", "exported", "not implemented", "not exported"}};
  for (const ProduceReport::Kind& kind : report.kinds)
    kinds.push_back({kind.platforms, kind.variant, kind.mode, std::to_string(kind.exported),
                     std::to_string(kind.unimplemented), std::to_string(kind.refused)});
  console.print(textTable(kinds));
  for (const auto* list : {&report.oracleSays, &report.inDoubt})
    for (const std::string& text : *list) console.line(text);
  if (report.reasons.empty()) return;
  console.line("what could not be exported:");
  std::vector<std::vector<std::string>> reasons{{"count", "primitive", "reason", "example"}};
  for (const ProduceReport::Reason& reason : report.reasons)
    reasons.push_back(
        {std::to_string(reason.count), reason.primitive, reason.reason, reason.example});
  console.print(textTable(reasons));
}

class ProduceVerb final : public Verb {
 public:
  ProduceVerb()
      : Verb("produce", "Export with a real release of JAX or TensorFlow, and archive what it made",
             "vintage produce --archive A --build jax-0.8.1 --platform cpu tpu --one-of-each\n"
             "  vintage produce --archive A --build jax-0.8.1 --cases own --filter 'variant=vjp'\n"
             "  vintage produce --archive A --build tensorflow-2.21.0 --format saved-model\n"
             "  vintage produce --archive A --build jax-0.11.0 --with keras==3.15.1\n"
             "  vintage produce --archive /shared/A --build jax-0.8.1 --slurm 40") {}
  void addOptions(CLI::App& app) override {
    app.add_option("--archive", archive_, "The archive")->required();
    app.add_option("--build", build_,
                   "A release that 'vintage builds add --jax' or '--tensorflow' registered")
        ->required();
    app.add_option("--format", formats_,
                   "text or json: the form of the output; exported (by JAX) or saved-model (by "
                   "TensorFlow): the kind of artifact (default: the build's)")
        ->check(CLI::IsMember({"text", "json", "exported", "saved-model"}));
    app.add_option("--wrap", request_.wrapped,
                   "Make SavedModels around these archived Exported (an id, a name or "
                   "NAME@PRODUCER), instead of TensorFlow's own models")
        ->type_name("ARTIFACT ...");
    app.add_option("--jax2tf", request_.jax2tf,
                   "Make SavedModels with jax2tf of this registered release of JAX, instead of "
                   "TensorFlow's own models")
        ->type_name("BUILD")
        ->excludes("--wrap");
    app.add_option("--with", request_.with,
                   "Make models with this package instead, which is installed beside the release: "
                   "keras, torchax, torch-xla or flax (JAX); keras or orbax-export (TensorFlow and "
                   "--jax2tf)")
        ->type_name("PACKAGE[==VERSION]")
        ->excludes("--wrap");
    addDefaulted(app, "--platform", request_.platforms,
                 "Of JAX's: cpu, cuda, rocm, tpu; several are allowed",
                 CLI::IsMember({"cpu", "cuda", "rocm", "tpu"}));
    addDefaulted(app, "--mode", request_.modes,
                 "Of JAX's: default, ignore_forward_compatibility; both are allowed",
                 CLI::IsMember({"default", "ignore_forward_compatibility"}));
    app.add_option("--filter", request_.filters,
                   "Only cases whose name, primitive or variant fits, as in primitive=add*");
    addDefaulted(
        app, "--cases", request_.cases,
        "Of JAX's: harnesses: JAX's own; own: functions that those lack; sized: idioms at "
        "sizes up to a million elements; models: whole models; kernels: Pallas kernels for TPUs "
        "and GPUs; all; several are allowed",
        CLI::IsMember(kCaseKinds));
    app.add_option("--one-of-each", request_.oneOfEach,
                   "Take one harness for each primitive and dtype (the default), or class of "
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
    addDefaulted(app, "--jobs,-j", request_.jobs, "Processes at once", CLI::Range(1, 1024));
    addDefaulted(app, "--shard", request_.shard, "Only the I-th of N parts of the cases: I/N");
    app.add_option("--apart", apart_,
                   "With --shard: export into an archive of the shard's own in this folder, which "
                   "'vintage merge --into' brings back; for machines that share a folder")
        ->needs("--shard");
    app.add_option("--out,-o", out_, "Write the report as JSON");
    app.add_option("--keep", keep_, "Keep the artifacts as folders here, too");
    app.add_flag("--retry", request_.retry, "Try again what could not be exported");
    limits_.addSandboxTo(app);
    slurm_.addTo(app);
  }

  Result<int> run(Console& console) override {
    for (const std::string& format : formats_) {
      if (format == "json") console.format = OutputFormat::kJson;
      if (format == "exported" || format == "saved-model") request_.format = format;
    }
    ASSIGN_OR_RETURN(auto archive,
                     Archive::open(archive_, apart_.empty() ? Archive::Mode::kReadWrite
                                                            : Archive::Mode::kReadOnly));
    ASSIGN_OR_RETURN(auto build, findBuild(archive, build_));
    request_.keep = keep_;
    request_.sandbox = limits_.sandbox();
    ASSIGN_OR_RETURN(const ProduceReport report, slurm_.given()
                                                     ? produceOnCluster(archive, console)
                                                     : produceHere(build, archive, console));
    if (!out_.empty()) RETURN_IF_ERROR(writeTextFile(out_, reportJson(report).dump(1) + "\n"));
    if (console.json())
      console.printJson(reportJson(report));
    else
      print(report, build, archive_, console);
    for (const Error& error : report.notImported) console.error(error);
    if (!report.broke.empty()) console.error({Error::Kind::kIo, report.broke});
    if (!report.broke.empty() || !report.notImported.empty()) return kExitCannotTell;
    return report.exported > 0 ? kExitHolds : kExitNothingRan;
  }

 private:
  Result<ProduceReport> produceHere(const BuildRecord& build, Archive& archive, Console& console) {
    auto host = makePosixProcessHost();
    if (apart_.empty()) return produce(build, request_, archive, *host, progressOn(console));
    ASSIGN_OR_RETURN(auto own, archiveOfBuilds(archive, apart_));
    return produce(build, request_, own, *host, progressOn(console));
  }

  Result<ProduceReport> produceOnCluster(Archive& archive, Console& console) {
    if (!apart_.empty() || request_.shard != "1/1" || !keep_.empty())
      return usageError(
          "--slurm exports all parts into the archive: --shard, --apart and --keep do "
          "not go with it");
    ASSIGN_OR_RETURN(auto parts, slurm_.run("produce", archive_, slurm_.typedOptions(), console));
    return takeExports(parts, archive);
  }

  std::string archive_, build_, keep_, apart_, out_;
  std::vector<std::string> formats_;
  ProduceRequest request_;
  LimitOptions limits_;
  SlurmOption slurm_;
};

}  // namespace

Result<ProduceReport> takeExports(const ClusterParts& parts, Archive& archive) {
  std::optional<ProduceReport> whole;
  RETURN_IF_ERROR(
      parts.mergeInto(archive, [&whole](std::string_view text, const std::string& file) -> Status {
        ASSIGN_OR_RETURN(auto report, parseProduceReport(text, file));
        if (whole)
          add(*whole, std::move(report));
        else
          whole = std::move(report);
        return {};
      }));
  RETURN_IF_ERROR(parts.remove());
  return std::move(*whole);
}

std::unique_ptr<Verb> makeProduceVerb() { return std::make_unique<ProduceVerb>(); }

}  // namespace vintage::harness
