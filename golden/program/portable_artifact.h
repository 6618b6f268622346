// The frame of a portable artifact: MLIR bytecode whose producer is
// "StableHLO_vX.Y.Z". Program::writePortableArtifact and
// ProgramContext::readPortableArtifact are implemented beside it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "golden/base/result.h"
#include "golden/base/stablehlo_version.h"

namespace vintage::golden {

struct ArtifactHeader {
  uint64_t bytecodeVersion = 0;
  std::string producer;  // "StableHLO_v1.13.1"
  // Of the producer. Where MLIR itself is named ("MLIRxxx-trunk", as in the
  // first weeks of portable artifacts), the oldest.
  StablehloVersion version;
};

// Reads the header without MLIR. kBadInput: damaged or foreign bytes, with
// what they seem to be. kUnsupported: bytecode of another producer, of a major
// version or in an encoding that this build does not know. A later minor version
// is accepted (isNewerThanKnown): its contents may all be known. `name` starts the message.
Result<ArtifactHeader> readArtifactHeader(std::span<const std::byte> bytes, std::string_view name);

std::string artifactProducer(StablehloVersion version);

// A check before MLIR reads the bytes: empty where the sections are consistent; otherwise what is
// wrong. `bytes` start with a header that readArtifactHeader() accepted.
//
// MLIR's reader trusts counts: more grouped entries than announced are written
// past the end of its tables, and announced sizes are allocated as they are.
// This check compares every count of the sections with the available bytes.
std::string checkArtifactSections(std::span<const std::byte> bytes);

// The largest alignment that a section asks for; 1: none does, as in JAX's artifacts. Any number
// for bytes whose sections do not add up.
uint64_t sectionAlignment(std::span<const std::byte> bytes);

// The format of bytes that are no portable artifact: "a TensorFlow SavedModel", "text", …; empty:
// not recognised. A SavedModel is a protocol buffer, or a tar file in base64 as in JAX's tests.
std::string_view foreignFormat(std::span<const std::byte> bytes);

inline constexpr std::string_view kTensorflowFormat = "a TensorFlow SavedModel";

}  // namespace vintage::golden
