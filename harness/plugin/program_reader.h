// Reads programs for all threads of a client, one after the other.
#pragma once

#include <mutex>
#include <optional>
#include <span>
#include <string>

#include "golden/program/program.h"
#include "harness/plugin/room.h"

namespace vintage::harness::plugin {

// What a program holds once MLIR has read it.
struct ReadModule {
  ModuleTree tree;
  std::optional<StablehloVersion> version;  // None: it was text.
  std::vector<std::string> targets;         // Of its custom calls.
};

class ProgramReader {
 public:
  // A portable artifact, or StableHLO text.
  Result<ReadModule> read(std::span<const std::byte> bytes);
  // The same program as StableHLO text.
  Result<std::string> print(std::span<const std::byte> bytes);
  // The same program as a portable artifact of the newest version, from text.
  Result<std::vector<std::byte>> toArtifact(std::span<const std::byte> text);

 private:
  ProgramContext& context();

  std::mutex mutex_;
  std::optional<ProgramContext> context_;
  int programsRead_ = 0;
};

}  // namespace vintage::harness::plugin
