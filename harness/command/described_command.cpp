#include "harness/command/described_command.h"

#include <algorithm>

namespace vintage::harness {
namespace {

// CLI11 describes values as "TEXT:{graph,eager}", and values that stand for others as
// "ENUM:value in {text->0,json->1} OR {0,1}".
std::vector<std::string> choicesOf(const std::string& type) {
  const size_t open = type.find('{');
  if (open == type.npos) return {};
  const size_t close = type.find('}', open);
  if (close == type.npos) return {};
  std::vector<std::string> choices =
      CLI::detail::split(type.substr(open + 1, close - open - 1), ',');
  for (std::string& choice : choices) {
    CLI::detail::trim(choice);
    choice = choice.substr(0, choice.find("->"));
  }
  std::erase(choices, "");
  return choices;
}

std::vector<std::string> namesOf(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  return names;
}

DescribedOption describeOption(const CLI::Option& option) {
  DescribedOption described;
  // What may be written with or without a name is listed with it.
  described.names = namesOf(option);
  if (described.names.empty()) described.names = {option.get_name(true)};
  if (option.get_type_size_max() > 0) {
    const std::string type = option.get_type_name();
    described.value = type.substr(0, type.find_first_of(": ["));
    described.choices = choicesOf(type);
  }
  described.description = option.get_description();
  described.defaultValue = option.get_default_str();
  described.required = option.get_required();
  described.several = option.get_expected_max() > 1;
  return described;
}

}  // namespace

DescribedCommand describeCommand(const CLI::App& app) {
  DescribedCommand command;
  command.name = app.get_name();
  command.summary = app.get_description();
  command.group = app.get_group();
  command.footer = app.get_footer();
  for (const CLI::Option* option : app.get_options()) {
    if (option == app.get_help_ptr()) continue;
    auto& list = namesOf(*option).empty() ? command.arguments : command.options;
    list.push_back(describeOption(*option));
  }
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; }))
    command.commands.push_back(describeCommand(*sub));
  return command;
}

}  // namespace vintage::harness
