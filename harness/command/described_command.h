// The --help of a command and its options as data, for manual pages and shells.
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace vintage::harness {

// "-o", "--output"; of an argument its one name: "ARTIFACT".
std::vector<std::string> optionNames(const CLI::Option& option);
std::string optionValue(const CLI::Option& option);  // Its value: "TEXT"; empty: it is a flag.
// All values that it accepts; empty: any.
std::vector<std::string> optionChoices(const CLI::Option& option);
bool takesSeveral(const CLI::Option& option);

// Without those that every command has (--help). A parameter that works with or without a name
// counts as an option.
std::vector<const CLI::Option*> commandOptions(const CLI::App& command);
std::vector<const CLI::Option*> commandArguments(const CLI::App& command);
// The verbs of the program, the actions of a verb.
std::vector<const CLI::App*> subcommandsOf(const CLI::App& command);

}  // namespace vintage::harness
