// A check of the frame of MLIR bytecode before MLIR reads it.
//
// MLIR's reader trusts counts: more grouped entries than announced are written
// past the end of its tables, and announced sizes are allocated as they are.
// Here every count of the sections is held against the bytes that are there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "golden/program/room.h"

namespace vintage::golden::program {

// Empty where the sections are consistent; otherwise what is wrong. `bytes`
// start with a header that readArtifactHeader() accepted.
std::string checkArtifactSections(std::span<const std::byte> bytes);

// The largest alignment that a section asks for; 1: none does, as in what JAX writes. Of bytes
// whose sections do not add up, any number.
uint64_t sectionAlignment(std::span<const std::byte> bytes);

}  // namespace vintage::golden::program
