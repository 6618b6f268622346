// Completion of the command line for shells.
#pragma once

#include <string>

#include "harness/command/reference/described_command.h"
#include "harness/command/room.h"

namespace vintage::harness::command {

enum class Shell { kBash, kZsh, kFish };

// A script that the shell loads. Verbs, actions, options and the values that an option can
// have are completed; all other words are names of files.
std::string completionScript(const DescribedCommand& program, Shell shell);

}  // namespace vintage::harness::command
