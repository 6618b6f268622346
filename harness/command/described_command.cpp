#include "harness/command/described_command.h"

namespace vintage::harness {
namespace {

std::vector<const CLI::Option*> described(const CLI::App& command, bool positional) {
  return command.get_options([&](const CLI::Option* option) {
    const bool isNamed = !option->get_snames().empty() || !option->get_lnames().empty();
    return option != command.get_help_ptr() && isNamed != positional;
  });
}

}  // namespace

std::vector<std::string> optionNames(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  if (names.empty()) names = {option.get_name(true)};
  return names;
}

// CLI11 describes values as "TEXT:{graph,eager}", and values that stand for others as
// "ENUM:value in {text->0,json->1} OR {0,1}".
std::string optionValue(const CLI::Option& option) {
  if (option.get_type_size_max() == 0) return "";
  const std::string type = option.get_type_name();
  return type.substr(0, type.find_first_of(": ["));
}

std::vector<std::string> optionChoices(const CLI::Option& option) {
  const std::string type = option.get_type_size_max() > 0 ? option.get_type_name() : "";
  const size_t open = type.find('{'), close = type.find('}', open);
  if (open == type.npos || close == type.npos) return {};
  std::vector<std::string> choices =
      CLI::detail::split(type.substr(open + 1, close - open - 1), ',');
  for (std::string& choice : choices) {
    CLI::detail::trim(choice);
    choice = choice.substr(0, choice.find("->"));
  }
  std::erase(choices, "");
  return choices;
}

bool takesSeveral(const CLI::Option& option) { return option.get_expected_max() > 1; }

std::vector<const CLI::Option*> commandOptions(const CLI::App& command) {
  return described(command, false);
}
std::vector<const CLI::Option*> commandArguments(const CLI::App& command) {
  return described(command, true);
}

std::vector<const CLI::App*> subcommandsOf(const CLI::App& command) {
  return command.get_subcommands([](const CLI::App*) { return true; });
}

}  // namespace vintage::harness
