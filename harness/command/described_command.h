// The command line as data: what --help prints, for manual pages and shells.
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace vintage::harness {

struct DescribedOption {
  std::vector<std::string> names;    // "-o", "--output"; of an argument its one name: "ARTIFACT".
  std::string value;                 // What it takes: "TEXT"; empty: it is a flag.
  std::vector<std::string> choices;  // All that it takes; empty: anything.
  std::string description;
  std::string defaultValue;  // Empty: none.
  bool required = false;
  bool several = false;  // It takes more than one value.
};

struct DescribedCommand {
  std::string name, summary;
  std::string group;   // The heading under which --help lists it.
  std::string footer;  // "Example:\n  …"
  std::vector<DescribedOption> arguments, options;
  std::vector<DescribedCommand> commands;
};

// `app` with all its verbs and their actions, without the options that every one has (--help).
DescribedCommand describeCommand(const CLI::App& app);

}  // namespace vintage::harness
