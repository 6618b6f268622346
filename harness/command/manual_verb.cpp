#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "golden/base/date.h"
#include "golden/base/failures.h"
#include "golden/base/file.h"
#include "golden/base/own_program.h"
#include "harness/command/described_command.h"
#include "harness/command/verb.h"
#include "harness/runtimes/embedded/executor.h"

namespace vintage::harness {
namespace {

// Manual pages in the macros of man(7).
struct ManualPage {
  std::string file;  // "vintage-replay.1"
  std::string text;
};

// Text as troff prints it: a backslash, a hyphen and a leading dot mean something to it.
std::string escaped(std::string_view text) {
  std::string out;
  bool lineBegins = true;
  for (const char c : text) {
    if (lineBegins && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else
      out += c;
    lineBegins = c == '\n';
  }
  return out;
}

std::string bold(std::string_view text) { return "\\fB" + escaped(text) + "\\fR"; }
std::string italic(std::string_view text) { return "\\fI" + escaped(text) + "\\fR"; }

std::string optionText(const CLI::Option& option) {
  std::vector<std::string> names = optionNames(option);
  const bool isNamed = names.front().starts_with('-');
  for (std::string& name : names) name = isNamed ? bold(name) : italic(name);
  std::string head = fmt::format("{}", fmt::join(names, ", "));
  if (const std::string value = optionValue(option); !value.empty() && isNamed)
    head += " " + italic(value) + (takesSeveral(option) ? " ..." : "");
  std::vector<std::string> sentences;
  if (!option.get_description().empty()) sentences.push_back(option.get_description());
  if (const auto choices = optionChoices(option); !choices.empty())
    sentences.push_back(fmt::format("One of: {}", fmt::join(choices, ", ")));
  if (option.get_required()) sentences.emplace_back("Required");
  if (const std::string text = option.get_default_str(); !text.empty())
    sentences.push_back("Default: " + text);
  return fmt::format(".TP\n{}\n{}\n", head, escaped(fmt::format("{}", fmt::join(sentences, ". "))));
}

std::string optionTexts(const CLI::App& command) {
  std::string text;
  for (const CLI::Option* argument : commandArguments(command)) text += optionText(*argument);
  for (const CLI::Option* option : commandOptions(command)) text += optionText(*option);
  return text;
}

std::string synopsis(const std::string& call, const CLI::App& command) {
  std::string text = bold(call);
  if (!subcommandsOf(command).empty()) text += " " + italic("ACTION");
  for (const CLI::Option* argument : commandArguments(command)) {
    const std::string name =
        italic(optionNames(*argument).front()) + (takesSeveral(*argument) ? " ..." : "");
    text += argument->get_required() ? " " + name : " [" + name + "]";
  }
  const auto options = commandOptions(command);
  for (const CLI::Option* option : options)
    if (option->get_required())
      text +=
          fmt::format(" {} {}", bold(optionNames(*option).back()), italic(optionValue(*option)));
  return text + (options.empty() ? "\n" : " [" + italic("OPTION") + " ...]\n");
}

std::string exitStatuses() {
  std::string text = ".SH EXIT STATUS\n";
  for (const auto& [status, meaning] : kExitMeanings)
    text += fmt::format(".TP\n{}\n{}\n", static_cast<int>(status), escaped(meaning));
  return text;
}

std::string example(const CLI::App& command) {
  constexpr std::string_view kHeading = "Example:\n";
  const std::string footer = command.get_footer();
  if (!footer.starts_with(kHeading)) return "";
  return fmt::format(".SH EXAMPLES\n.nf\n{}\n.fi\n", escaped(footer.substr(kHeading.size())));
}

std::string pageOfVerb(const CLI::App& verb, const std::string& program,
                       const std::string& heading) {
  const std::string call = program + " " + verb.get_name();
  std::string text = heading;
  text += fmt::format(".SH NAME\n{} \\- {}\n", escaped(program + "-" + verb.get_name()),
                      escaped(verb.get_description()));
  text += ".SH SYNOPSIS\n" + synopsis(call, verb);
  if (const std::string options = optionTexts(verb); !options.empty())
    text += ".SH OPTIONS\n" + options;
  for (const CLI::App* action : subcommandsOf(verb)) {
    text += fmt::format(".SH {}\n{}\n.PP\n{}", escaped(action->get_name()),
                        escaped(action->get_description()),
                        synopsis(call + " " + action->get_name(), *action));
    text += optionTexts(*action);
  }
  text += example(verb) + exitStatuses();
  return text + fmt::format(".SH SEE ALSO\n.BR {} (1)\n", escaped(program));
}

// One for the program, and one for each verb. `date` and `version` stand in their footers.
std::vector<ManualPage> manualPages(const CLI::App& app, const std::string& version,
                                    const std::string& date) {
  const std::string program = app.get_name();
  const auto heading = [&](const std::string& name) {
    return fmt::format(".TH \"{}\" 1 \"{}\" \"{} {}\" \"User Commands\"\n", escaped(name),
                       escaped(date), escaped(program), escaped(version));
  };
  std::string text = heading(program);
  text += fmt::format(
      ".SH NAME\n{} \\- compatibility tests and an archive for exported array "
      "programs\n.SH SYNOPSIS\n{} {} [{} ...]\n.SH DESCRIPTION\n{}\n.SH VERBS\n",
      escaped(program), bold(program), italic("VERB"), italic("OPTION"),
      escaped(app.get_description()));
  std::vector<ManualPage> pages;
  std::string group;
  for (const CLI::App* verb : subcommandsOf(app)) {
    if (verb->get_group() != group) text += fmt::format(".SS {}\n", escaped(verb->get_group()));
    group = verb->get_group();
    const std::string name = program + "-" + verb->get_name();
    text += fmt::format(".TP\n.BR {} (1)\n{}\n", escaped(name), escaped(verb->get_description()));
    pages.push_back({name + ".1", pageOfVerb(*verb, program, heading(name))});
  }
  pages.insert(pages.begin(), {program + ".1", text + exitStatuses()});
  return pages;
}

namespace fs = std::filesystem;

class ManualVerb final : public Verb {
 public:
  ManualVerb()
      : Verb("manual", "Write the manual pages: one for vintage, one for each verb",
             "vintage manual -o man1 && man -l man1/vintage-replay.1") {}

  void addOptions(CLI::App& app) override {
    program_ = app.get_parent();
    app.add_option("-o,--output", folder_, "The folder to write them into")->required();
  }

  Result<int> run(Console& console) override {
    std::error_code problem;
    fs::create_directories(folder_, problem);
    if (problem) return ioError("{}: {}", folder_, problem.message());
    nlohmann::json files = nlohmann::json::array();
    for (const ManualPage& page :
         manualPages(*program_, vintageVersion(), formatDate(compiledOn()))) {
      const fs::path file = fs::path(folder_) / page.file;
      RETURN_IF_ERROR(writeTextFile(file, page.text));
      files.push_back(file.string());
    }
    console.answerLine({{"written", files}}, "wrote {} pages into {}", files.size(), folder_);
    return kExitHolds;
  }

 private:
  const CLI::App* program_ = nullptr;
  std::string folder_;
};

}  // namespace

std::unique_ptr<Verb> makeManualVerb() { return std::make_unique<ManualVerb>(); }

}  // namespace vintage::harness
