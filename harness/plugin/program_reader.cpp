#include "harness/plugin/program_reader.h"

#include "golden/base/stablehlo_version.h"

namespace vintage::harness::plugin {
namespace {

// Attributes live as long as their context.
constexpr int kProgramsPerContext = 500;
constexpr std::string_view kName = "the program";

}  // namespace

ProgramContext& ProgramReader::context() {
  if (!context_ || ++programsRead_ > kProgramsPerContext) {
    context_.emplace();
    programsRead_ = 0;
  }
  return *context_;
}

Result<ReadModule> ProgramReader::read(std::span<const std::byte> bytes) {
  const std::lock_guard lock(mutex_);
  ASSIGN_OR_RETURN(auto program, context().read(bytes, kName));
  ReadModule module;
  ASSIGN_OR_RETURN(module.tree, program.tree());
  module.version = program.artifactVersion();
  module.targets = program.customCallTargets();
  return module;
}

Result<std::string> ProgramReader::print(std::span<const std::byte> bytes) {
  const std::lock_guard lock(mutex_);
  ASSIGN_OR_RETURN(auto program, context().read(bytes, kName));
  return program.print();
}

Result<std::vector<std::byte>> ProgramReader::toArtifact(std::span<const std::byte> text) {
  const std::lock_guard lock(mutex_);
  ASSIGN_OR_RETURN(auto program, context().read(text, kName));
  return program.writePortableArtifact(kCurrentStablehloVersion);
}

}  // namespace vintage::harness::plugin
