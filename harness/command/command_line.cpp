#include <algorithm>
#include <csignal>
#include <map>
#include <regex>

#include <unistd.h>

#include <fmt/format.h>

#include "archive/store/archive.h"
#include "golden/base/failures.h"
#include "golden/base/own_program.h"
#include "golden/base/typed_words.h"
#include "harness/command/described_command.h"
#include "harness/command/verb.h"
#include "harness/runtimes/embedded/executor.h"

namespace vintage::harness {
using namespace archive;

namespace {

struct VerbGroup {
  const char* name;
  std::vector<std::unique_ptr<Verb> (*)()> verbs;
};

// In the order of --help: the most used verbs first, and each job before the verbs around it.
const VerbGroup kVerbGroups[] = {
    {"The four jobs, with what belongs to each",
     {makeNightlyVerb, makeWindowVerb, makeReplayVerb, makeAccuracyVerb, makeReportVerb,
      makeExplainVerb, makeGateVerb, makeHistoryVerb, makeTablesVerb, makeLimitationsVerb,
      makeBisectVerb}},
    {"Models",
     {makePutVerb, makeImportVerb, makeGetVerb, makeListVerb, makeShowVerb, makeRunVerb,
      makeDiffVerb, makeConvertVerb}},
    {"Builds", {makeBuildsVerb, makeProduceVerb, makeCasesVerb, makeFidelityVerb, makeConformVerb}},
    {"The archive",
     {makeMergeVerb, makeBackupVerb, makeRestoreVerb, makeFsckVerb, makeScrubVerb, makeSignVerb,
      makeKeyVerb, makeAuditVerb, makeRetentionVerb, makeHoldVerb, makeGcVerb}},
    {"Services",
     {makeServeVerb, makeTokenVerb, makePushVerb, makePullVerb, makeMirrorVerb, makeProveVerb}},
    {"This machine", {makeDoctorVerb, makeCompletionVerb, makeManualVerb}},
};

// As it could be typed again.
std::string joinArguments(const std::vector<std::string>& arguments) {
  std::string line = "vintage";
  for (size_t i = 1; i < arguments.size(); ++i) line += " " + shellWord(arguments[i]);
  return line;
}

std::string didYouMean(std::string_view word, const std::vector<std::string>& known) {
  const auto nearest = nearestWord(word, known);
  return nearest ? fmt::format("; did you mean '{}'?", *nearest) : ".";
}

// An unknown option comes before a missing one: it is often the same, mistyped.
std::string problemIn(const CLI::App& app, const CLI::ParseError& problem) {
  std::vector<std::string> unread, known;
  for (const CLI::App* verb = &app; verb != nullptr;) {
    for (std::string& word : verb->remaining()) unread.push_back(std::move(word));
    for (const CLI::Option* option : commandOptions(*verb))
      for (std::string& name : optionNames(*option)) known.push_back(std::move(name));
    const auto deeper = verb->get_subcommands();
    verb = deeper.empty() ? nullptr : deeper.front();
  }
  for (const std::string& word : unread)
    if (word.starts_with("-"))
      return fmt::format("unknown option '{}'{}", word, didYouMean(word, known));
  return fmt::format("{}.", problem.what());
}

// CLI11 writes "INT:INT in [1 - 256]" and, of lists that say so themselves, "... ...".
class HelpText final : public CLI::Formatter {
  std::string make_option_opts(const CLI::Option* option) const override {
    static const std::regex kTwice(R"((\w+):\1 in )"), kDots(R"(\.\.\. \.\.\.)");
    const std::string text = CLI::Formatter::make_option_opts(option);
    return std::regex_replace(std::regex_replace(text, kTwice, "$1 in "), kDots, "...");
  }
};

// Verbs that a second call continues.
constexpr std::string_view kGoOn[] = {"nightly", "window", "history", "produce",
                                      "import",  "bisect", "mirror",  "push",
                                      "pull",    "backup", "restore", "merge"};

pid_t interruptible = 0;  // Its forked children say nothing.

std::string_view whenInterrupted;  // Not made there: a handler may not allocate.

void endInterrupted(int signal) {
  if (::getpid() == interruptible)
    static_cast<void>(::write(STDERR_FILENO, whenInterrupted.data(), whenInterrupted.size()));
  ::raise(signal);  // It is not handled any more.
}

// Ctrl-C ends a process at once. The background job of a shell ignores it, as before.
void sayWhatIsKept(std::string_view verb) {
  whenInterrupted = std::ranges::find(kGoOn, verb) == std::end(kGoOn)
                        ? "vintage: interrupted; the same command begins again\n"
                        : "vintage: interrupted; the same command goes on from what is kept\n";
  interruptible = ::getpid();
  struct sigaction before{}, handled{};
  handled.sa_handler = endInterrupted;
  handled.sa_flags = static_cast<int>(SA_RESETHAND | SA_NODEFER);
  if (::sigaction(SIGINT, nullptr, &before) == 0 && before.sa_handler == SIG_DFL)
    ::sigaction(SIGINT, &handled, nullptr);
}

}  // namespace

int runCommandLine(const std::vector<std::string>& arguments) {
  Console console;
  std::vector<std::unique_ptr<Verb>> verbs;
  CLI::App app(
      "Vintage keeps archived array programs running: it archives exported programs with "
      "golden inputs and outputs, replays them against dated builds, and says whether "
      "the compatibility promises hold.",
      "vintage");
  app.set_version_flag("--version",
                       fmt::format("vintage {} (compiled {}; LLVM {}, SQLite {})", vintageVersion(),
                                   formatDate(compiledOn()), llvmVersion(), sqliteVersion()));
  app.formatter(std::make_shared<HelpText>());
  app.require_subcommand(1);
  std::string footer = "Exit status:\n";
  for (const auto& [status, meaning] : kExitMeanings)
    footer += fmt::format("  {}  {}\n", static_cast<int>(status), meaning);
  app.footer(footer + "'vintage VERB --help' ends with an example.");
  std::map<const CLI::App*, Verb*> verbOf;
  const std::map<std::string, OutputFormat> formats{{"text", OutputFormat::kText},
                                                    {"json", OutputFormat::kJson}};
  for (const VerbGroup& group : kVerbGroups)
    for (auto make : group.verbs) {
      const auto& verb = verbs.emplace_back(make());
      CLI::App* sub = app.add_subcommand(verb->name(), verb->summary())->group(group.name);
      sub->footer(fmt::format("Example:\n  {}", verb->example()));
      verb->addOptions(*sub);
      if (sub->get_option_no_throw("--format") == nullptr)
        sub->add_option("--format", console.format, "text or json")
            ->transform(CLI::CheckedTransformer(formats).description("{text,json}"))
            ->type_name("TEXT");
      verb->commandLine = joinArguments(arguments);
      verbOf[sub] = verb.get();
    }

  const auto wrongCall = [&](std::string message) {
    console.error({Error::Kind::kUsage, std::move(message)});
    return kExitWrongCall;
  };
  if (arguments.size() == 1) return wrongCall("no verb given; 'vintage --help' lists the verbs");
  std::vector<std::string> names;
  for (const auto& verb : verbs) names.emplace_back(verb->name());
  if (!arguments[1].starts_with("-") && std::ranges::find(names, arguments[1]) == names.end())
    return wrongCall(fmt::format("unknown verb '{}'{} 'vintage --help' lists the verbs",
                                 arguments[1], didYouMean(arguments[1], names)));
  try {
    // CLI11 takes them last first, without the program's name.
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend() - 1));
  } catch (const CLI::Success& success) {
    app.exit(success);
    return kExitHolds;
  } catch (const CLI::ParseError& problem) {
    return wrongCall(
        fmt::format("{} See 'vintage {} --help'", problemIn(app, problem), arguments[1]));
  }

  Verb& verb = *verbOf.at(app.get_subcommands().front());
  sayWhatIsKept(verb.name());
  Result<int> status = noResource("");
  try {
    status = verb.run(console);
  } catch (const std::bad_alloc&) {
    status = noResource("out of memory");
  } catch (const std::exception& exception) {
    status = ioError("a library threw: {}", exception.what());
  }
  if (status) return *status;
  console.error(status.error());
  if (console.json()) console.printJson({{"error", status.error().message}});
  return exitStatusOf(status.error().kind);
}

}  // namespace vintage::harness
