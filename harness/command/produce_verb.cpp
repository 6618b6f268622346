#include <optional>

#include "golden/base/failures.h"
#include "golden/base/file.h"
#include "harness/command/produce_report.h"
#include "harness/command/slurm_option.h"
#include "harness/command/verb.h"
#include "harness/judge/window/merge_archives.h"
#include "harness/runtimes/builds/builds.h"
#include "harness/runtimes/builds/producing.h"

namespace vintage::harness {
using namespace archive;

namespace {

class ProduceVerb final : public Verb {
 public:
  ProduceVerb()
      : Verb("produce", "Export with a real release of JAX or TensorFlow, and archive what it made",
             "vintage produce --archive A --build jax-0.8.1 --platform cpu tpu --one-of-each\n"
             "  vintage produce --archive A --build jax-0.8.1 --cases own --filter 'variant=vjp'\n"
             "  vintage produce --archive A --build tensorflow-2.21.0 --format saved-model\n"
             "  vintage produce --archive /shared/A --build jax-0.8.1 --slurm 40") {}
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
    app.add_option("--apart", apart_,
                   "With --shard: export into an archive of the shard's own in this folder, which "
                   "'vintage merge --into' brings back; for machines that share a folder")
        ->needs("--shard");
    app.add_option("--out,-o", out_, "Write the report as JSON");
    app.add_option("--keep", keep_, "Keep the artifacts as folders here, too");
    app.add_flag("--retry", request_.retry, "Try again what could not be exported");
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
    ASSIGN_OR_RETURN(const ProduceReport report, slurm_.given()
                                                     ? produceOnCluster(archive, console)
                                                     : produceHere(build, archive, console));
    if (!out_.empty()) RETURN_IF_ERROR(writeTextFile(out_, toJson(report).dump(1) + "\n"));
    if (console.json())
      console.printJson(toJson(report));
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
      return usageError("--slurm exports all parts into the archive: --shard, --apart and --keep do "
                        "not go with it");
    ASSIGN_OR_RETURN(auto parts, slurm_.run("produce", archive_, slurm_.typedOptions(), console));
    return takeExports(parts, archive);
  }

  std::string archive_, build_, keep_, apart_, out_;
  std::vector<std::string> formats_;
  ProduceRequest request_;
  SlurmOption slurm_;
};

}  // namespace

std::unique_ptr<Verb> makeProduceVerb() { return std::make_unique<ProduceVerb>(); }

}  // namespace vintage::harness
