#include <functional>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "golden/base/typed_words.h"
#include "harness/command/described_command.h"
#include "harness/command/verb.h"

namespace vintage::harness {
namespace {

enum class Shell { kBash, kZsh, kFish };

std::string firstSentence(const std::string& text) {
  const size_t end = text.find_first_of(";\n");
  return text.substr(0, end);
}

// Calls `visit` for each verb and each action of one, with its path: "builds add".
void forEachCommand(const DescribedCommand& program,
                    const std::function<void(const std::string& path, const DescribedCommand&,
                                             const DescribedCommand* verb)>& visit) {
  for (const DescribedCommand& verb : program.commands) {
    visit(verb.name, verb, nullptr);
    for (const DescribedCommand& action : verb.commands)
      visit(verb.name + " " + action.name, action, &verb);
  }
}

std::vector<std::string> optionNames(const DescribedCommand& command) {
  std::vector<std::string> names{"--help"};
  for (const DescribedOption& option : command.options)
    names.insert(names.end(), option.names.begin(), option.names.end());
  return names;
}

std::vector<std::string> commandNames(const DescribedCommand& command) {
  std::vector<std::string> names;
  for (const DescribedCommand& one : command.commands) names.push_back(one.name);
  return names;
}

// An action takes its verb's options too.
std::string bashCase(const std::string& path, const DescribedCommand& command,
                     const DescribedCommand* verb) {
  std::vector<std::string> words = commandNames(command);
  std::vector<std::string> options = optionNames(command);
  if (verb)
    for (const DescribedOption& option : verb->options)
      options.insert(options.end(), option.names.begin(), option.names.end());
  std::string text = fmt::format("    {})\n      words={}\n      options={}\n", shellWord(path),
                                 shellWord(fmt::format("{}", fmt::join(words, " "))),
                                 shellWord(fmt::format("{}", fmt::join(options, " "))));
  std::string values;
  const auto add = [&](const DescribedCommand& from) {
    for (const DescribedOption& option : from.options)
      if (!option.choices.empty())
        values += fmt::format("        {}) words={} ;;\n", fmt::join(option.names, "|"),
                              shellWord(fmt::format("{}", fmt::join(option.choices, " "))));
      else if (!option.value.empty())
        values += fmt::format("        {}) files=yes ;;\n", fmt::join(option.names, "|"));
  };
  add(command);
  if (verb) add(*verb);
  if (!values.empty()) text += "      case $previous in\n" + values + "      esac\n";
  return text + "      ;;\n";
}

std::string bash(const DescribedCommand& program) {
  std::string cases, paths;
  forEachCommand(program, [&](const std::string& path, const DescribedCommand& command,
                              const DescribedCommand* verb) {
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
      program.name, shellWord(fmt::format("{}", fmt::join(commandNames(program), " "))), cases,
      paths);
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

std::string zshOptions(const DescribedCommand& command) {
  std::string text;
  for (const DescribedOption& option : command.options)
    for (const std::string& name : option.names) {
      std::string spec = fmt::format("{}{}[{}]", option.several ? "*" : "", name,
                                     zshWord(firstSentence(option.description)));
      if (!option.choices.empty())
        spec += fmt::format(":{}:({})", zshWord(option.value), fmt::join(option.choices, " "));
      else if (!option.value.empty())
        spec += fmt::format(":{}:_files", zshWord(option.value));
      text += " \\\n        " + shellWord(spec);
    }
  return text;
}

std::string zshDescribed(const DescribedCommand& command) {
  std::string text;
  for (const DescribedCommand& one : command.commands)
    text += fmt::format("\n      {}", shellWord(one.name + ":" + zshWord(one.summary)));
  return text;
}

std::string zsh(const DescribedCommand& program) {
  std::string cases;
  for (const DescribedCommand& verb : program.commands) {
    cases += fmt::format("    {})\n", verb.name);
    if (!verb.commands.empty()) {
      cases += fmt::format(
          "      if (( CURRENT == 3 )); then\n        commands=({})\n"
          "        _describe -t actions action commands && return\n      fi\n"
          "      case $words[3] in\n",
          zshDescribed(verb));
      for (const DescribedCommand& action : verb.commands)
        cases += fmt::format("        {}) _arguments{}{} '*:file:_files' ;;\n", action.name,
                             zshOptions(action), zshOptions(verb));
      cases += "      esac\n";
    } else {
      cases += fmt::format("      _arguments{} '*:file:_files'\n", zshOptions(verb));
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
                     program.name, zshDescribed(program), cases);
}

std::string fishOption(const std::string& program, const std::string& condition,
                       const DescribedOption& option) {
  std::string line = fmt::format("complete -c {} -n {}", program, shellWord(condition));
  for (const std::string& name : option.names)
    line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  if (!option.choices.empty())
    line += fmt::format(" -x -a {}", shellWord(fmt::format("{}", fmt::join(option.choices, " "))));
  else if (!option.value.empty())
    line += " -r";
  return line + fmt::format(" -d {}\n", shellWord(firstSentence(option.description)));
}

std::string fish(const DescribedCommand& program) {
  std::string text = fmt::format(
      "# fish completion of {0}; '{0} completion fish' wrote it.\n", program.name);
  for (const DescribedCommand& verb : program.commands)
    text += fmt::format("complete -c {} -f -n __fish_use_subcommand -a {} -d {}\n", program.name,
                        verb.name, shellWord(verb.summary));
  forEachCommand(program, [&](const std::string& path, const DescribedCommand& command,
                              const DescribedCommand* verb) {
    std::string condition = "__fish_seen_subcommand_from " + (verb ? verb->name : path);
    if (verb) condition += "; and __fish_seen_subcommand_from " + command.name;
    for (const DescribedCommand& action : command.commands)
      text += fmt::format("complete -c {} -f -n {} -a {} -d {}\n", program.name,
                          shellWord(condition), action.name, shellWord(action.summary));
    for (const DescribedOption& option : command.options)
      text += fishOption(program.name, condition, option);
  });
  return text;
}

// A script that the shell loads. Verbs, actions, options and the values that an option can
// have are completed; all other words are names of files.
std::string completionScript(const DescribedCommand& program, Shell shell) {
  switch (shell) {
    case Shell::kBash:
      return bash(program);
    case Shell::kZsh:
      return zsh(program);
    case Shell::kFish:
      return fish(program);
  }
  return "";
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
    const std::string script = completionScript(describeCommand(*program_), shell_);
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
