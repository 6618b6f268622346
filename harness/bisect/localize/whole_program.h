// The program that a subject's consumer executes, ready to be taken apart.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "golden/base/result.h"
#include "golden/program/program.h"
#include "golden/tensor/tensor.h"
#include "harness/bisect/probe.h"
#include "harness/bisect/room.h"

namespace vintage::harness::bisect {

struct WholeProgram {
  Program program;
  std::vector<Tensor> arguments;   // main's, tokens left out.
  std::vector<std::string> notes;  // Where a limit was met.
};

// The artifact's module with shapes made static for the golden's inputs, where
// that can be done.
Result<WholeProgram> openWholeProgram(const Subject& subject, ProgramContext& context);

// A scalar's value, of the types that shapes and branches are chosen by.
std::optional<int64_t> integerOf(const Tensor& scalar);

}  // namespace vintage::harness::bisect
