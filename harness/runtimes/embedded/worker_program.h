// The embedded engine as a worker's program: options, limits, and the protocol on
// the standard streams. vintage-worker is nothing else.
#pragma once

#include <functional>
#include <optional>

#include <CLI/CLI.hpp>

namespace vintage::harness {

// The exit status. `addOptions` and `begin` are for programs that are more than
// this: options of their own, and what is done between the command line and the
// first request. `begin` returns an exit status where the program ends there.
int runWorkerProgram(int argc, char** argv,
                     const std::function<void(CLI::App&)>& addOptions = nullptr,
                     const std::function<std::optional<int>()>& begin = nullptr);

}  // namespace vintage::harness
