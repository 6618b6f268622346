#include <functional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "golden/base/typed_words.h"
#include "harness/command/described_command.h"
#include "harness/command/verb.h"

namespace vintage::harness {
namespace {

enum class Shell { kBash, kZsh, kFish };

std::string firstSentence(const std::string& text) {
  return text.substr(0, text.find_first_of(";\n"));
}

// Calls `visit` for each verb and each action of one, with its path: "builds add".
void forEachCommand(const CLI::App& program,
                    const std::function<void(const std::string& path, const CLI::App& command,
                                             const CLI::App* verb)>& visit) {
  for (const CLI::App* verb : subcommandsOf(program)) {
    visit(verb->get_name(), *verb, nullptr);
    for (const CLI::App* action : subcommandsOf(*verb))
      visit(verb->get_name() + " " + action->get_name(), *action, verb);
  }
}

std::string joined(const std::vector<std::string>& words, const char* between = " ") {
  return fmt::format("{}", fmt::join(words, between));
}

std::vector<std::string> commandNames(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::App* one : subcommandsOf(command)) names.push_back(one->get_name());
  return names;
}

// An action takes its verb's options too.
std::string bashCase(const std::string& path, const CLI::App& command, const CLI::App* verb) {
  std::vector<std::string> options{"--help"};
  std::string values;
  const auto add = [&](const CLI::App& from) {
    for (const CLI::Option* option : commandOptions(from)) {
      const auto names = optionNames(*option), choices = optionChoices(*option);
      options.insert(options.end(), names.begin(), names.end());
      if (!choices.empty())
        values += fmt::format("        {}) words={} ;;\n", joined(names, "|"),
                              shellWord(joined(choices)));
      else if (!optionValue(*option).empty())
        values += fmt::format("        {}) files=yes ;;\n", joined(names, "|"));
    }
  };
  add(command);
  if (verb) add(*verb);
  std::string text =
      fmt::format("    {})\n      words={}\n      options={}\n", shellWord(path),
                  shellWord(joined(commandNames(command))), shellWord(joined(options)));
  if (!values.empty()) text += "      case $previous in\n" + values + "      esac\n";
  return text + "      ;;\n";
}

std::string bash(const CLI::App& program) {
  std::string cases, paths;
  forEachCommand(program,
                 [&](const std::string& path, const CLI::App& command, const CLI::App* verb) {
                   cases += bashCase(path, command, verb);
                   paths += " " + shellWord(path);
                 });
  return fmt::format(
      R"(# bash completion of {0}; '{0} completion bash' wrote it.
_{0}() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}}
  local path= words= options= files= word
  for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
    local longer=${{path:+$path }}$word known
    for known in{3}; do
      if [[ $known == "$longer" ]]; then path=$longer; break; fi
    done
  done
  case $path in
    '') words={1} options='--help --version' ;;
{2}  esac
  if [[ $files ]]; then
    mapfile -t COMPREPLY < <(compgen -f -- "$current")
  elif [[ $current == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$options" -- "$current")
  elif [[ $words ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
  else
    mapfile -t COMPREPLY < <(compgen -f -- "$current")
  fi
}}
complete -o filenames -F _{0} {0}
)",
      program.get_name(), shellWord(joined(commandNames(program))), cases, paths);
}

// _arguments takes "--mode[description]:value:(graph eager)"; brackets and colons mean
// something to it.
std::string zshWord(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string zshOptions(const CLI::App& command) {
  std::string text;
  for (const CLI::Option* option : commandOptions(command))
    for (const std::string& name : optionNames(*option)) {
      std::string spec = fmt::format("{}{}[{}]", takesSeveral(*option) ? "*" : "", name,
                                     zshWord(firstSentence(option->get_description())));
      const std::string value = optionValue(*option);
      if (const auto choices = optionChoices(*option); !choices.empty())
        spec += fmt::format(":{}:({})", zshWord(value), joined(choices));
      else if (!value.empty())
        spec += fmt::format(":{}:_files", zshWord(value));
      text += " \\\n        " + shellWord(spec);
    }
  return text;
}

std::string zshDescribed(const CLI::App& command) {
  std::string text;
  for (const CLI::App* one : subcommandsOf(command))
    text += fmt::format("\n      {}",
                        shellWord(one->get_name() + ":" + zshWord(one->get_description())));
  return text;
}

std::string zsh(const CLI::App& program) {
  std::string cases;
  for (const CLI::App* verb : subcommandsOf(program)) {
    cases += fmt::format("    {})\n", verb->get_name());
    const auto actions = subcommandsOf(*verb);
    if (!actions.empty()) {
      cases += fmt::format(
          "      if (( CURRENT == 3 )); then\n        commands=({})\n"
          "        _describe -t actions action commands && return\n      fi\n"
          "      case $words[3] in\n",
          zshDescribed(*verb));
      for (const CLI::App* action : actions)
        cases += fmt::format("        {}) _arguments{}{} '*:file:_files' ;;\n", action->get_name(),
                             zshOptions(*action), zshOptions(*verb));
      cases += "      esac\n";
    } else {
      cases += fmt::format("      _arguments{} '*:file:_files'\n", zshOptions(*verb));
    }
    cases += "      ;;\n";
  }
  return fmt::format(R"(#compdef {0}
# zsh completion of {0}; '{0} completion zsh' wrote it.
_{0}() {{
  local -a commands
  if (( CURRENT == 2 )); then
    commands=({1})
    _describe -t verbs verb commands
    return
  fi
  case $words[2] in
{2}  esac
}}
_{0} "$@"
)",
                     program.get_name(), zshDescribed(program), cases);
}

std::string fishOption(const std::string& program, const std::string& condition,
                       const CLI::Option& option) {
  std::string line = fmt::format("complete -c {} -n {}", program, shellWord(condition));
  for (const std::string& name : optionNames(option))
    line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  if (const auto choices = optionChoices(option); !choices.empty())
    line += fmt::format(" -x -a {}", shellWord(joined(choices)));
  else if (!optionValue(option).empty())
    line += " -r";
  return line + fmt::format(" -d {}\n", shellWord(firstSentence(option.get_description())));
}

std::string fish(const CLI::App& app) {
  const std::string program = app.get_name();
  std::string text =
      fmt::format("# fish completion of {0}; '{0} completion fish' wrote it.\n", program);
  for (const CLI::App* verb : subcommandsOf(app))
    text += fmt::format("complete -c {} -f -n __fish_use_subcommand -a {} -d {}\n", program,
                        verb->get_name(), shellWord(verb->get_description()));
  forEachCommand(app, [&](const std::string& path, const CLI::App& command, const CLI::App* verb) {
    std::string condition = "__fish_seen_subcommand_from " + (verb ? verb->get_name() : path);
    if (verb) condition += "; and __fish_seen_subcommand_from " + command.get_name();
    for (const CLI::App* action : subcommandsOf(command))
      text += fmt::format("complete -c {} -f -n {} -a {} -d {}\n", program, shellWord(condition),
                          action->get_name(), shellWord(action->get_description()));
    for (const CLI::Option* option : commandOptions(command))
      text += fishOption(program, condition, *option);
  });
  return text;
}

class CompletionVerb final : public Verb {
 public:
  CompletionVerb()
      : Verb("completion", "Print what lets a shell complete vintage's command line",
             "vintage completion bash >~/.local/share/bash-completion/completions/vintage\n"
             "  vintage completion zsh >~/.zfunc/_vintage\n"
             "  vintage completion fish >~/.config/fish/completions/vintage.fish") {}

  void addOptions(CLI::App& app) override {
    program_ = app.get_parent();
    app.add_option("SHELL", shell_, "The shell")
        ->required()
        ->transform(CLI::CheckedTransformer(std::map<std::string, Shell>{
            {"bash", Shell::kBash}, {"zsh", Shell::kZsh}, {"fish", Shell::kFish}}));
  }

  Result<int> run(Console& console) override {
    // Verbs, actions, options and the values that an option can have are completed; all other words
    // are names of files.
    constexpr std::string (*kMakers[])(const CLI::App&) = {bash, zsh, fish};
    const std::string script = kMakers[static_cast<size_t>(shell_)](*program_);
    console.answer({{"script", script}}, script);
    return kExitHolds;
  }

 private:
  const CLI::App* program_ = nullptr;
  Shell shell_ = Shell::kBash;
};

}  // namespace

std::unique_ptr<Verb> makeCompletionVerb() { return std::make_unique<CompletionVerb>(); }

}  // namespace vintage::harness
