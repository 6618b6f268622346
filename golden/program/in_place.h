// Reading a portable artifact of which nothing else is needed afterwards, so that its large
// constants are in memory once (golden/program/referred_constants.h says how).
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "golden/base/result.h"
#include "golden/program/program.h"
#include "golden/program/room.h"

namespace vintage::golden::program {

// As ProgramContext::readPortableArtifact(). Large constants stay in `bytes`, which outlive the
// Program, until takeTree() moves them out. Text is printed of it before, and without them.
Result<Program> readInPlace(ProgramContext& context, std::span<std::byte> bytes,
                            std::string_view name);

// As Program::tree(), once, and nothing else afterwards: of a program that was read in place the
// large constants move into the tree.
Result<ModuleTree> takeTree(Program& program);

}  // namespace vintage::golden::program
