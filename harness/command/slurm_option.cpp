#include "harness/command/slurm_option.h"

#include <algorithm>
#include <array>
#include <iterator>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "golden/base/clock.h"
#include "golden/base/content_hash.h"
#include "golden/base/failures.h"
#include "golden/base/file.h"
#include "golden/base/own_program.h"
#include "golden/base/process_host.h"
#include "harness/command/verb_options.h"
#include "harness/judge/window/merge_archives.h"
#include "reports/run_notes.h"

namespace vintage::harness {
using namespace archive;
using namespace reports;

namespace {

namespace fs = std::filesystem;

constexpr const char* kGroup = "On a cluster";
// Slurm's own limit on the size of an array, unless it is configured otherwise.
constexpr int kLargestArray = 1000;
constexpr size_t kCharactersOfHash = 12;

// How this call prints, where it works and what it settles for all parts; those get other values.
constexpr std::array kOfThisCall{"--archive", "--out",       "--format", "--longest",
                                 "--today",   "--jax",       "--speed",  "--speed-limit",
                                 "--core",    "--no-export", "--label"};

constexpr uint32_t kMostShards = 1'000'000;

// Outcomes of a part become the night's.
Status takeOutcomes(const Archive& part, const std::string& partRun, const std::string& run,
                    Archive& into) {
  OutcomeFilter filter;
  filter.runs = {partRun};
  ASSIGN_OR_RETURN(auto outcomes, part.outcomes(filter));
  for (OutcomeRecord& outcome : outcomes) outcome.run = run;
  return into.putOutcomes(outcomes);
}

// Adds what a part's run says beside its outcomes, and returns the run's id.
Result<std::string> takeNotes(const Archive& part, RunNotes& whole) {
  ASSIGN_OR_RETURN(const auto runs, part.runs());
  const auto last = std::ranges::find_if(runs.rbegin(), runs.rend(), [](const RunRecord& run) {
    return run.kind == kPartOfNight && !run.finished.empty();
  });
  if (last == runs.rend())
    return badInput(
        "{}: no part of a night has finished in it; 'vintage nightly --shard I/N' "
        "records one",
        part.folder());
  ASSIGN_OR_RETURN(const auto run, part.run(last->id));
  RunNotes notes = parseRunNotes(run.verdict);
  std::ranges::move(notes.accuracy, std::back_inserter(whole.accuracy));
  // A consumer that does not start breaks each part in the same words.
  for (std::string& breakage : notes.breakages)
    if (!lists(whole.breakages, breakage)) whole.breakages.push_back(std::move(breakage));
  return run.id;
}

}  // namespace

Result<Shard> parseShard(const std::string& text) {
  ASSIGN_OR_RETURN(const auto chosen, parsePart(text, "--shard"));
  if (chosen.parts > kMostShards)
    return usageError("--shard={}: at most {} parts", text, kMostShards);
  return Shard{static_cast<int>(chosen.part) - 1, static_cast<int>(chosen.parts)};
}

void SlurmOption::addTo(CLI::App& app) {
  app_ = &app;
  app.add_option("--slurm", shards_,
                 "Run in this many parts on a Slurm cluster whose machines see the archive under "
                 "its name; what fails or is lost is submitted again (docs/howto/cluster.md)")
      ->check(CLI::Range(1, kLargestArray))
      ->group(kGroup);
  const auto add = [&](const char* name, auto& value, const char* what) {
    return app.add_option(name, value, what)->needs("--slurm")->group(kGroup);
  };
  add("--partition", options_.partition, "Slurm's partition (default: the cluster's)");
  add("--task-minutes", options_.minutes,
      "Slurm ends a part that runs longer, and it goes on in a new task")
      ->check(CLI::Range(1, 100'000));
  add("--sbatch", options_.options, "More of sbatch's options, as in --sbatch=--mem=8G");
  add("--attempts", attempts_, "How often a part is submitted at most")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000));
  add("--cluster-folder", folder_,
      "Where the parts are kept until they are merged (default: a folder in ARCHIVE/cluster)");
}

std::vector<std::string> SlurmOption::typedOptions() const {
  std::vector<std::string> words;
  for (const CLI::Option* option : app_->get_options()) {
    const std::string name = option->get_name();
    if (option->count() == 0 || option->get_group() == kGroup || lists(kOfThisCall, name)) continue;
    words.push_back(name);
    if (option->get_expected_max() > 0)
      for (const std::string& value : option->results()) words.push_back(value);
  }
  return words;
}

Result<ClusterParts> SlurmOption::run(const std::string& verb, const std::string& archive,
                                      const std::vector<std::string>& options,
                                      Console& console) const {
  ASSIGN_OR_RETURN(const auto program, programBeside("vintage"));
  const fs::path whole = fs::absolute(archive);
  ShardedWork work;
  work.name = "vintage-" + verb;
  work.shards = shards_;
  work.attempts = attempts_;
  work.command = {program.string(), verb, "--archive", whole.string()};
  work.command.insert(work.command.end(), options.begin(), options.end());
  // The same call finds its parts again.
  const std::string hash =
      contentHash(fmt::format("{} {}", shards_, fmt::join(work.command, "\n")));
  work.folder = folder_.empty() ? whole / "cluster" /
                                      fmt::format("{}-{}", verb, hash.substr(0, kCharactersOfHash))
                                : fs::absolute(folder_);
  const auto partOf = [&](const std::string& number) {
    return (work.folder / fmt::format("part-{}", number)).string();
  };
  for (const std::string& word :
       {std::string("--shard"), fmt::format("{}/{}", kTaskNumber, shards_), std::string("--apart"),
        partOf(kTaskNumber), std::string("--out"), partOf(kTaskNumber) + ".json"})
    work.command.push_back(word);

  auto host = makePosixProcessHost();
  const auto scheduler = slurm(options_, *host);
  console.note(fmt::format("{} parts in {}", shards_, work.folder.string()));
  ASSIGN_OR_RETURN(auto ended,
                   runShards(work, *scheduler, systemClock(), [&](const ShardedProgress& now) {
                     console.progress("parts", now.done, now.total);
                   }));
  if (ended.submittedAgain > 0)
    console.note(fmt::format("{} of {} parts were submitted again", ended.submittedAgain, shards_));
  ClusterParts parts;
  parts.folder = work.folder;
  for (int task = 1; task <= shards_; ++task)
    parts.finished.push_back({partOf(std::to_string(task)), resultOf(work.folder, task)});
  return parts;
}

Status ClusterParts::mergeInto(
    Archive& whole,
    const std::function<Status(std::string_view text, const std::string& file)>& take) const {
  for (const ClusterPart& part : finished) {
    ASSIGN_OR_RETURN(auto own, Archive::open(part.archive.string(), Archive::Mode::kReadOnly));
    RETURN_IF_ERROR(mergeArchive(own, whole));
    ASSIGN_OR_RETURN(auto bytes, readFile(part.result));
    RETURN_IF_ERROR(
        take({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, part.result.string()));
  }
  return {};
}

Status ClusterParts::remove() const {
  std::error_code problem;
  fs::remove_all(folder, problem);
  if (problem) return ioError("{}: {}", folder.string(), problem.message());
  return {};
}

NightElsewhere nightOnSlurm(const SlurmOption& slurm, const std::string& folder, Date today,
                            Archive& archive, Console& console) {
  NightElsewhere night;
  night.exportWith = [&](const BuildRecord& release,
                         const ProduceRequest& request) -> Result<ProduceReport> {
    std::vector<std::string> words{"--build",         release.name, "--one-of-each",
                                   request.oneOfEach, "--jobs",     std::to_string(request.jobs)};
    for (const std::string& filter : request.filters)
      words.insert(words.end(), {"--filter", filter});
    ASSIGN_OR_RETURN(auto parts, slurm.run("produce", folder, words, console));
    return takeExports(parts, archive);
  };
  night.replay = [&, today](std::span<const RealRelease> releases,
                            const std::string& run) -> Result<RunNotes> {
    std::vector<std::string> words = slurm.typedOptions();
    words.insert(words.end(), {"--no-export", "--today", formatDate(today)});
    // "latest" is what it was when the night began.
    if (!releases.empty()) words.push_back("--jax");
    for (const RealRelease& release : releases)
      words.push_back(release.producer.substr(release.producer.find(' ') + 1));  // "jax 0.8.1"
    ASSIGN_OR_RETURN(auto parts, slurm.run("nightly", folder, words, console));
    RunNotes whole;
    for (const ClusterPart& part : parts.finished) {
      ASSIGN_OR_RETURN(auto own, Archive::open(part.archive.string(), Archive::Mode::kReadOnly));
      ASSIGN_OR_RETURN(const std::string partRun, takeNotes(own, whole));
      RETURN_IF_ERROR(within(part.archive.string(), takeOutcomes(own, partRun, run, archive)));
    }
    RETURN_IF_ERROR(parts.remove());
    return whole;
  };
  return night;
}

}  // namespace vintage::harness
