#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "archive/store/archive.h"
#include "golden/base/failures.h"
#include "golden/base/own_program.h"
#include "golden/base/typed_words.h"
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

int unknownVerb(const std::string& word, const std::vector<std::unique_ptr<Verb>>& verbs,
                Console& console) {
  std::vector<std::string> names;
  for (const auto& verb : verbs) names.emplace_back(verb->name());
  const auto nearest = nearestWord(word, names);
  console.error({Error::Kind::kUsage,
                 fmt::format("unknown verb '{}'{}; the verbs are: {}. See 'vintage --help'", word,
                             nearest ? fmt::format(", did you mean '{}'?", *nearest) : "",
                             fmt::join(names, ", "))});
  return kExitWrongCall;
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
  app.require_subcommand(1);
  app.footer(
      "Exit status: 0 holds, 1 does not hold, 2 wrong call, 3 cannot tell, 4 nothing ran.\n"
      "'vintage VERB --help' ends with an example.");
  std::map<const CLI::App*, Verb*> verbOf;
  const std::map<std::string, OutputFormat> formats{{"text", OutputFormat::kText},
                                                    {"json", OutputFormat::kJson}};
  for (const VerbGroup& group : kVerbGroups)
    for (auto make : group.verbs) {
      const auto& verb = verbs.emplace_back(make());
      CLI::App* sub = app.add_subcommand(verb->name(), verb->summary())->group(group.name);
      verb->addOptions(*sub);
      if (sub->get_option_no_throw("--format") == nullptr)
        sub->add_option("--format", console.format, "text or json")
            ->transform(CLI::CheckedTransformer(formats));
      sub->footer(fmt::format("Example:\n  {}", verb->example()));
      verb->commandLine = joinArguments(arguments);
      verbOf[sub] = verb.get();
    }

  if (arguments.size() > 1 && !arguments[1].starts_with("-") &&
      std::ranges::none_of(verbs, [&](const auto& verb) { return arguments[1] == verb->name(); }))
    return unknownVerb(arguments[1], verbs, console);
  if (arguments.size() == 1) {
    console.error({Error::Kind::kUsage, "no verb given; 'vintage --help' lists the verbs"});
    return kExitWrongCall;
  }
  try {
    // CLI11 takes them last first, without the program's name.
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend() - 1));
  } catch (const CLI::Success& success) {
    app.exit(success);
    return kExitHolds;
  } catch (const CLI::ParseError& problem) {
    console.error({Error::Kind::kUsage,
                   fmt::format("{}. See 'vintage {} --help'", problem.what(), arguments[1])});
    return kExitWrongCall;
  }

  Verb& verb = *verbOf.at(app.get_subcommands().front());
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
