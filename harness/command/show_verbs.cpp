#include <fmt/format.h>

#include "archive/store/archive.h"
#include "archive/store/record_json.h"
#include "golden/base/failures.h"
#include "golden/base/file.h"
#include "golden/base/isolate.h"
#include "golden/exported/exported.h"
#include "golden/program/program.h"
#include "harness/command/verb.h"
#include "harness/importer/inspect.h"
#include "harness/model/difference/artifact_difference.h"

namespace vintage::harness {
using namespace golden;
using namespace archive;

namespace {

class ShowVerb final : public Verb {
 public:
  ShowVerb()
      : Verb("show", "Print an artifact's metadata and its StableHLO text",
             "vintage show 3f9a0c21 --archive A\n  vintage show model.exported --minimum-version") {
  }
  void addOptions(CLI::App& app) override {
    app.add_option("ARTIFACT", artifact_, "A file, or with --archive an id or a name")->required();
    app.add_option("--archive", archive_, "Look up an id or a name in this archive");
    app.add_flag("--json", json_, "The same as --format json");
    app.add_flag("--minimum-version", minimumVersion_,
                 "The lowest StableHLO version that could carry it, and what forces it");
    app.add_flag("--locations", locations_, "Print source locations in the text");
  }

  Result<int> run(Console& console) override {
    if (json_) console.format = OutputFormat::kJson;
    std::vector<std::byte> bytes;
    std::string name = artifact_;
    std::string oracle;
    std::optional<ArtifactRecord> record;
    if (archive_.empty()) {
      ASSIGN_OR_RETURN(bytes, readFile(artifact_));
    } else {
      ASSIGN_OR_RETURN(auto archive, Archive::open(archive_, Archive::Mode::kReadOnly));
      ASSIGN_OR_RETURN(auto found, archive.find(artifact_));
      ASSIGN_OR_RETURN(bytes, archive.read(found.id));
      name = found.name;
      if (auto golden = archive.readGolden(found); golden && !found.golden.empty())
        oracle = golden->oracle;
      record = std::move(found);
    }
    InspectOptions options;
    if (!minimumVersion_ || console.json()) options.text.emplace().locations = locations_;
    options.minimumVersion = minimumVersion_;
    auto inspection = inspectArtifact(bytes, name, options);
    if (!inspection) {
      // The archive's record is still worth seeing.
      if (record && !console.json()) printFields(recordJson(*record), console);
      return tl::unexpected<Error>(inspection.error());
    }
    if (!oracle.empty()) inspection->details["oracle"] = oracle;
    print(*inspection, record, console);
    return kExitHolds;
  }

 private:
  static void printFields(const nlohmann::json& fields, Console& console) {
    for (const auto& [field, value] : fields.items()) {
      if (value.is_object() || value.empty() || value == "" || value == false) continue;
      console.line("// {:<28}{}", field, textOf(value));
    }
  }

  void print(const Inspection& inspection, const std::optional<ArtifactRecord>& record,
             Console& console) const {
    nlohmann::json fields = inspection.details;
    if (record) {
      const nlohmann::json known = recordJson(*record);
      for (const auto& [field, value] : known.items())
        if (!fields.contains(field)) fields[field] = value;
      // The archive knows what a module on its own cannot say.
      for (const char* field :
           {"calling_convention_version", "platforms", "variant", "device_count"})
        fields[field] = known.at(field);
    }
    if (console.json()) {
      fields["text"] = inspection.text;
      console.printJson(fields);
      return;
    }
    if (minimumVersion_) {
      const auto& minimum = fields.at("minimum_version");
      const std::string reason = minimum.at("reason").get<std::string>();
      console.line("{}{}{}", minimum.at("version").get<std::string>(), reason.empty() ? "" : ": ",
                   reason);
      return;
    }
    printFields(fields, console);
    console.print(inspection.text);
    if (!inspection.text.ends_with('\n')) console.print("\n");
  }

  std::string artifact_, archive_;
  bool json_ = false, minimumVersion_ = false, locations_ = false;
};

struct Conversion {
  StablehloVersion target;
  bool locations = false;
  bool moduleAlone = false;  // Write the module that an Exported wraps.
};

Result<std::vector<std::byte>> convertModule(ProgramContext& context,
                                             std::span<const std::byte> bytes,
                                             const std::string& name,
                                             const Conversion& conversion) {
  ASSIGN_OR_RETURN(auto program, readProgram(context, bytes, name));
  Program::WriteOptions options;
  options.locations = conversion.locations;
  return program.writePortableArtifact(conversion.target, options);
}

// In an Exported only the modules inside change: its own, and those of its derivatives.
Result<std::vector<std::byte>> convert(std::span<const std::byte> bytes, const std::string& name,
                                       const Conversion& conversion) {
  ProgramContext context;
  ASSIGN_OR_RETURN(auto format, recognizeFormat(bytes, name));
  if (format != ArtifactRecord::Format::kExported)
    return convertModule(context, bytes, name, conversion);
  ASSIGN_OR_RETURN(auto exported, readExported(bytes, name));
  if (conversion.moduleAlone) return convertModule(context, exported.module, name, conversion);
  std::string of = name;
  for (Exported* one = &exported; one; one = one->vjp.get()) {
    ASSIGN_OR_RETURN(one->module, convertModule(context, one->module, of, conversion));
    of += ", its derivative";
  }
  return within(name, writeExported(exported));
}

class ConvertVerb final : public Verb {
 public:
  ConvertVerb()
      : Verb("convert",
             "Write a program at another StableHLO version: as a portable artifact, or as the "
             "Exported that it came in",
             "vintage convert model.mlir --target 1.0.0 -o model.mlirbc\n"
             "  vintage convert model.exported --target 1.0.0 --to portable -o model.mlirbc") {}
  void addOptions(CLI::App& app) override {
    app.add_option("FILE", file_, "StableHLO text, a portable artifact, or a serialized Exported")
        ->required();
    app.add_option("--target", target_,
                   fmt::format("The StableHLO version, from {} to {}",
                               formatStablehloVersion(kOldestStablehloVersion),
                               formatStablehloVersion(kCurrentStablehloVersion)))
        ->required();
    app.add_option("--to", to_,
                   "exported: an Exported, with its derivatives at this version too; portable: of "
                   "an Exported its module alone (default: what FILE is)")
        ->check(CLI::IsMember({"exported", "portable"}));
    app.add_option("-o,--output", output_, "The file to write")->required();
    app.add_flag("--locations", locations_, "Keep source locations");
  }

  Result<int> run(Console& console) override {
    auto target = parseStablehloVersion(target_);
    if (!target) return failure(Error::Kind::kUsage, "--target: " + target.error().message);
    ASSIGN_OR_RETURN(auto bytes, readFile(file_));
    ASSIGN_OR_RETURN(const auto format, recognizeFormat(bytes, file_));
    if (format == ArtifactRecord::Format::kSavedModel)
      return unsupported("{}: it wraps a TensorFlow SavedModel rather than a StableHLO module",
                         file_);
    const bool isExported = format == ArtifactRecord::Format::kExported;
    if (to_ == "exported" && !isExported)
      return usageError("--to exported: {} is a module, and only a JAX release exports one", file_);
    const Conversion conversion{*target, locations_, to_ == "portable"};
    ASSIGN_OR_RETURN(auto converted, runIsolated(file_, [&]() -> Result<std::string> {
                       ASSIGN_OR_RETURN(auto written, convert(bytes, file_, conversion));
                       return std::string(reinterpret_cast<const char*>(written.data()),
                                          written.size());
                     }));
    const std::string written = formatName(isExported && !conversion.moduleAlone
                                               ? ArtifactRecord::Format::kExported
                                               : ArtifactRecord::Format::kPortableArtifact);
    RETURN_IF_ERROR(writeTextFile(output_, converted));
    console.answerLine({{"output", output_},
                        {"format", written},
                        {"bytes", converted.size()},
                        {"target", formatStablehloVersion(*target)}},
                       "{}: {} of {} bytes at StableHLO {}", output_, written, converted.size(),
                       formatStablehloVersion(*target));
    return kExitHolds;
  }

 private:
  std::string file_, target_, to_, output_;
  bool locations_ = false;
};

}  // namespace

std::unique_ptr<Verb> makeShowVerb() { return std::make_unique<ShowVerb>(); }
std::unique_ptr<Verb> makeConvertVerb() { return std::make_unique<ConvertVerb>(); }

}  // namespace vintage::harness
