#include <fmt/format.h>

#include "golden/base/failures.h"
#include "golden/exported/exported.h"
#include "golden/program/program.h"
#include "harness/command/verb.h"
#include "golden/base/file.h"
#include "harness/importer/inspect.h"
#include "golden/base/isolate.h"

namespace vintage::harness::command {
namespace {

std::string asText(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// In an Exported only the module inside changes.
Result<std::string> convert(std::span<const std::byte> bytes, const std::string& name,
                            StablehloVersion target, bool locations) {
  ASSIGN_OR_RETURN(auto format, recognizeFormat(bytes, name));
  std::optional<Exported> exported;
  if (format == ArtifactRecord::Format::kExported) {
    ASSIGN_OR_RETURN(exported, readExported(bytes, name));
    bytes = exported->module;
  }
  ProgramContext context;
  ASSIGN_OR_RETURN(auto program, readProgram(context, bytes, name));
  Program::WriteOptions options;
  options.locations = locations;
  ASSIGN_OR_RETURN(auto written, within(name, program.writePortableArtifact(target, options)));
  if (!exported) return asText(written);
  exported->module = std::move(written);
  ASSIGN_OR_RETURN(auto whole, within(name, writeExported(*exported)));
  return asText(whole);
}

class ConvertVerb final : public Verb {
 public:
  ConvertVerb()
      : Verb("convert", "Write a program as a portable artifact of a StableHLO version",
             "vintage convert model.mlir --target 1.0.0 -o model.mlirbc") {}
  void addOptions(CLI::App& app) override {
    app.add_option("FILE", file_, "StableHLO text, a portable artifact, or a serialized Exported")
        ->required();
    app.add_option("--target", target_,
                   fmt::format("The StableHLO version, from {} to {}",
                               formatStablehloVersion(kOldestStablehloVersion),
                               formatStablehloVersion(kCurrentStablehloVersion)))
        ->required();
    app.add_option("-o,--output", output_, "The file to write")->required();
    app.add_flag("--locations", locations_, "Keep source locations");
  }

  Result<int> run(Console& console) override {
    auto target = parseStablehloVersion(target_);
    if (!target) return failure(Error::Kind::kUsage, "--target: " + target.error().message);
    ASSIGN_OR_RETURN(auto bytes, readFile(file_));
    if (auto format = recognizeFormat(bytes, file_);
        format && *format == ArtifactRecord::Format::kSavedModel)
      return failure(Error::Kind::kUnsupported,
                     file_ + ": it wraps a TensorFlow SavedModel rather than a StableHLO module");
    ASSIGN_OR_RETURN(auto converted, runIsolated(file_, [&]() {
                       return convert(bytes, file_, *target, locations_);
                     }));
    RETURN_IF_ERROR(writeTextFile(output_, converted));
    if (console.json())
      console.printJson({{"output", output_},
                         {"bytes", converted.size()},
                         {"target", formatStablehloVersion(*target)}});
    else
      console.line("{}: {} bytes at StableHLO {}", output_, converted.size(),
                   formatStablehloVersion(*target));
    return kExitHolds;
  }

 private:
  std::string file_, target_, output_;
  bool locations_ = false;
};

}  // namespace

std::unique_ptr<Verb> makeConvertVerb() { return std::make_unique<ConvertVerb>(); }

}  // namespace vintage::harness::command
