// The frame of a portable artifact: MLIR bytecode whose producer is
// "StableHLO_vX.Y.Z". Program::writePortableArtifact and
// ProgramContext::readPortableArtifact are implemented beside it.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "golden/base/result.h"
#include "golden/base/stablehlo_version.h"
#include "golden/program/room.h"

namespace vintage::golden::program {

struct ArtifactHeader {
  uint64_t bytecodeVersion = 0;
  std::string producer;      // "StableHLO_v1.13.1"
  // Of the producer. Where MLIR itself is named ("MLIRxxx-trunk", as in the
  // first weeks of portable artifacts), the oldest.
  StablehloVersion version;
};

// Reads the header without MLIR. kBadInput: damaged or foreign bytes, with
// what they seem to be. kUnsupported: bytecode of another producer, or a
// version that this build does not know. `name` starts the message.
Result<ArtifactHeader> readArtifactHeader(std::span<const std::byte> bytes, std::string_view name);

std::string artifactProducer(StablehloVersion version);

}  // namespace vintage::golden::program
