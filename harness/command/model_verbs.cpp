#include <charconv>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "archive/store/record_json.h"
#include "golden/base/failures.h"
#include "harness/command/verb.h"
#include "harness/command/verb_options.h"
#include "harness/importer/import.h"
#include "harness/model/keep.h"
#include "harness/model/model_folder.h"

namespace vintage::harness {
using namespace golden;
using namespace archive;

namespace {

Result<DimensionValues> parseSizes(const std::vector<std::string>& texts) {
  DimensionValues sizes;
  for (const std::string& text : texts) {
    const size_t equals = text.find('=');
    int64_t size = 0;
    const char* last = text.data() + text.size();
    const auto [end, error] =
        std::from_chars(text.data() + std::min(equals, text.size() - 1) + 1, last, size);
    if (equals == 0 || equals == std::string::npos || error != std::errc() || end != last ||
        size < 1)
      return usageError("--size {}: a name and a number are expected, such as b=4", text);
    sizes[text.substr(0, equals)] = size;
  }
  return sizes;
}

// The detection limits of the outputs, a line each, and whether the golden is in doubt.
std::string precisionText(const KeptModel& kept) {
  std::string text;
  if (!kept.notMeasured.empty())
    text = "\nnot measured how far roundings scatter the outputs: " + kept.notMeasured;
  if (!kept.limits.empty()) text += "\nan output fails from a relative error of";
  for (size_t i = 0; i < kept.limits.size(); ++i)
    text += fmt::format("\n  output {}: {}", i, describe(kept.limits[i]));
  if (!kept.inDoubt.empty()) text += fmt::format("\n{}{}", kGoldenInDoubt, kept.inDoubt);
  return text;
}

class PutVerb final : public Verb {
 public:
  PutVerb()
      : Verb("put", "Keep a model: an exported program with its inputs and expected outputs",
             "vintage put model.bin --archive A --inputs x.npz --outputs y.npz\n"
             "  vintage put model.bin --archive A --build-date 2026-03-01 --size batch=8") {}
  void addOptions(CLI::App& app) override {
    app.add_option("MODEL", model_.file,
                   "A serialized Exported, a portable artifact, or a folder that 'vintage get' "
                   "wrote")
        ->required();
    app.add_option("--archive", archive_, "The archive; created if missing")->required();
    app.add_option("--inputs", model_.inputs,
                   "Arrays that it takes: .npy, .npz or .safetensors (default: made here, with "
                   "values between -1 and 1)");
    app.add_option("--outputs", model_.outputs,
                   "Arrays that its producer computed from them (default: computed by the embedded "
                   "engine, and marked so)");
    app.add_option("--size", sizes_, "A symbolic dimension of inputs that are made: NAME=NUMBER");
    app.add_option("--name", model_.name, "Its name in the archive (default: the file's)");
    app.add_option("--producer", model_.producer,
                   "The build that exported it (default: the JAX it names)");
    addDateOption(app, "--build-date", model_.buildDate,
                  "When the producer was built (default: the day of the build of the archive that "
                  "is the release which the artifact names)");
    app.add_option("--recorded-by", model_.recordedBy,
                   "The build that computed the outputs (default: the producer)");
    app.add_option("--primitive", model_.primitive, "The primitive that it shows, for tables");
    app.add_option("--platform", model_.platforms,
                   "The platforms of a portable artifact (default: cpu)");
    limits_.addTo(app, "computing its outputs, and for measuring how roundings scatter them");
  }

  Result<int> run(Console& console) override {
    ASSIGN_OR_RETURN(model_.sizes, parseSizes(sizes_));
    model_.limits.timeout = limits_.timeout();
    model_.limits.memoryLimitBytes = limits_.memoryBytes();
    console.note(fmt::format("{} is run here, for up to {:.0f} s each time (--timeout)",
                             model_.file,
                             std::chrono::duration<double>(limits_.timeout()).count()));
    ASSIGN_OR_RETURN(auto archive, Archive::open(archive_, Archive::Mode::kCreate));
    auto host = makePosixProcessHost();
    ASSIGN_OR_RETURN(const auto kept, keepModel(model_, archive, *host));
    nlohmann::json fields = recordJson(kept.record);
    fields["new"] = kept.isNew;
    fields["inputs_from"] = kept.inputsFrom;
    fields["outputs_from"] = kept.outputsFrom;
    fields["no_golden"] = kept.noGolden;
    fields["not_measured"] = kept.notMeasured;
    if (!kept.inDoubt.empty()) fields["golden_in_doubt"] = kept.inDoubt;
    fields["detection_limits"] = toJson(std::span(kept.limits));
    console.answerLine(
        fields, "{}: {} ({}, {})\n{}{}", kept.isNew ? "kept" : "already there", kept.record.id,
        kept.record.name, kept.record.producer,
        kept.noGolden.empty()
            ? fmt::format("inputs: {}; outputs: {}", kept.inputsFrom, kept.outputsFrom)
            : "without inputs and outputs, since the embedded engine does not run it: " +
                  kept.noGolden,
        precisionText(kept));
    return kExitHolds;
  }

 private:
  ModelToKeep model_;
  LimitOptions limits_;
  std::vector<std::string> sizes_;
  std::string archive_;
};

class GetVerb final : public Verb {
 public:
  GetVerb()
      : Verb("get", "Give an artifact back as files: its bytes, its text, its inputs and outputs",
             "vintage get 3f9a0c21 --archive A -o model") {}
  void addOptions(CLI::App& app) override {
    app.add_option("ARTIFACT", artifact_, "An id, the beginning of one, or a name")->required();
    app.add_option("--archive", archive_, "The archive")->required();
    app.add_option("-o,--output", folder_, "The folder to write; 'vintage put' takes it back")
        ->required();
  }

  Result<int> run(Console& console) override {
    ASSIGN_OR_RETURN(auto archive, Archive::open(archive_, Archive::Mode::kReadOnly));
    ASSIGN_OR_RETURN(const auto record, archive.find(artifact_));
    ASSIGN_OR_RETURN(const auto files, writeModelFolder(archive, record, folder_));
    console.answerLine({{"id", record.id}, {"files", files}}, "{}: {}", record.name,
                       fmt::join(files, ", "));
    return kExitHolds;
  }

 private:
  std::string artifact_, archive_, folder_;
};

class ImportVerb final : public Verb {
 public:
  ImportVerb()
      : Verb("import", "Import artifacts: JAX's compatibility tests, or single files",
             "vintage import jax-backcompat model.exported --archive A --build-date 2026-03-01") {}
  void addOptions(CLI::App& app) override {
    app.add_option("PATH", paths_,
                   "Folders of JAX's compatibility tests (with a meta.json, at any depth), "
                   "serialized Exported files, portable artifacts")
        ->required();
    app.add_option("--archive", archive_, "The archive; created if missing")->required();
    addDateOption(app, "--build-date", options_.buildDate,
                  "When the producer of single files was built");
    app.add_option("--producer", producer_, "The build that exported single files");
    app.add_option("--platform", options_.platforms, "The platforms of a single portable artifact");
    limits_.addTo(app, "measuring how roundings scatter the outputs of one artifact");
  }

  Result<int> run(Console& console) override {
    options_.noise.limit = limits_.timeout();
    options_.noise.memoryLimitBytes = limits_.memoryBytes();
    if (!producer_.empty()) options_.producer = producer_;
    // The paths are looked at before an archive is made for nothing.
    RETURN_IF_ERROR(findImportEntries(paths_));
    ASSIGN_OR_RETURN(auto archive, Archive::open(archive_, Archive::Mode::kCreate));
    ASSIGN_OR_RETURN(auto report, importPaths(paths_, options_, archive));
    print(report, console);
    for (const Error& error : report.refused) console.error(error);
    return report.refused.empty() ? kExitHolds : kExitCannotTell;
  }

 private:
  void print(const ImportReport& report, Console& console) const {
    size_t added = 0, goldens = 0, wrappers = 0, unmeasured = 0;
    std::string kept, differing;
    nlohmann::json lines = nlohmann::json::array();
    for (const ImportReport::Line& line : report.taken) {
      const bool isWrapper = line.record.format == ArtifactRecord::Format::kSavedModel;
      added += line.isNew;
      goldens += line.hasGolden;
      wrappers += isWrapper;
      nlohmann::json entry = recordJson(line.record);
      entry["path"] = line.path;
      entry["new"] = line.isNew;
      if (isWrapper)
        kept += line.record.name +
                ": kept; it wraps a TensorFlow SavedModel rather than a StableHLO module, and only "
                "builds of TensorFlow execute it\n";
      if (!line.oracleSays.empty()) {
        entry["oracle_differs"] = line.oracleSays;
        differing += fmt::format("{}: {}\n", line.record.name, line.oracleSays);
      }
      if (!line.inDoubt.empty()) {
        entry["golden_in_doubt"] = line.inDoubt;
        differing += fmt::format("{}: {}{}\n", line.record.name, kGoldenInDoubt, line.inDoubt);
      }
      if (!line.notMeasured.empty()) {
        entry["not_measured"] = line.notMeasured;
        ++unmeasured;
      }
      lines.push_back(std::move(entry));
    }
    console.answerLine(
        {{"taken", lines},
         {"new", added},
         {"with_golden", goldens},
         {"not_measured", unmeasured},
         {"unsupported", wrappers},
         {"refused", messagesJson(report.refused)}},
        "{}{}{} artifact{} taken ({} new, {} already there), {} with a golden, {} recognised and "
        "unsupported, {} refused; archive: {}{}",
        kept, differing, report.taken.size(), report.taken.size() == 1 ? "" : "s", added,
        report.taken.size() - added, goldens, wrappers, report.refused.size(), archive_,
        unmeasured == 0
            ? ""
            : fmt::format("\nnot measured: how far roundings scatter the outputs of {} "
                          "that the embedded engine could not run (--format json says why)",
                          unmeasured));
  }

  std::vector<std::string> paths_;
  std::string archive_, producer_;
  ImportOptions options_;
  LimitOptions limits_{20};
};

}  // namespace

std::unique_ptr<Verb> makePutVerb() { return std::make_unique<PutVerb>(); }
std::unique_ptr<Verb> makeGetVerb() { return std::make_unique<GetVerb>(); }
std::unique_ptr<Verb> makeImportVerb() { return std::make_unique<ImportVerb>(); }

}  // namespace vintage::harness
