#include "harness/command/night_on_slurm.h"

#include <algorithm>
#include <iterator>

#include <nlohmann/json.hpp>

#include "golden/base/failures.h"
#include "golden/base/file.h"
#include "harness/command/produce_report.h"

namespace vintage::harness::command {
namespace {

using nlohmann::json;

// Outcomes of a part become the night's.
Status takeOutcomes(const Archive& part, const std::string& partRun, const std::string& run,
                    Archive& into) {
  OutcomeFilter filter;
  filter.runs = {partRun};
  ASSIGN_OR_RETURN(auto outcomes, part.outcomes(filter));
  for (OutcomeRecord& outcome : outcomes) outcome.run = run;
  return into.putOutcomes(outcomes);
}

// Adds what a part's report says that its archive does not, and returns the part's run.
Result<std::string> takeReport(const std::filesystem::path& file, NightElsewhere::Report& whole) {
  ASSIGN_OR_RETURN(auto bytes, readFile(file));
  const auto* text = reinterpret_cast<const char*>(bytes.data());
  const json report = json::parse(text, text + bytes.size(), nullptr, false);
  std::string run;
  std::vector<std::string> breakages;
  try {
    report.at("run").get_to(run);
    report.at("breakages").get_to(breakages);
    std::ranges::move(parseAccuracy(report.at("accuracy")), std::back_inserter(whole.accuracy));
  } catch (const json::exception& problem) {
    return badInput("{}: {}; 'vintage nightly --shard I/N --out' writes such a report",
                    file.string(), problem.what());
  }
  // A consumer that does not start breaks each part in the same words.
  for (std::string& breakage : breakages)
    if (std::ranges::find(whole.breakages, breakage) == whole.breakages.end())
      whole.breakages.push_back(std::move(breakage));
  return run;
}

}  // namespace

Result<ProduceReport> NightOnSlurm::exportWith(const BuildRecord& release,
                                               const ProduceRequest& request) {
  std::vector<std::string> words{"--build",         release.name, "--one-of-each",
                                 request.oneOfEach, "--jobs",     std::to_string(request.jobs)};
  for (const std::string& filter : request.filters) words.insert(words.end(), {"--filter", filter});
  ASSIGN_OR_RETURN(auto parts, slurm_.run("produce", folder_, words, console_));
  return takeExports(parts, archive_);
}

Result<NightElsewhere::Report> NightOnSlurm::replay(std::span<const RealRelease> releases,
                                                    const std::string& run) {
  std::vector<std::string> words = slurm_.typedOptions();
  words.insert(words.end(), {"--no-export", "--today", formatDate(today_)});
  // "latest" is what it was when the night began.
  if (!releases.empty()) words.push_back("--jax");
  for (const RealRelease& release : releases)
    words.push_back(release.producer.substr(release.producer.find(' ') + 1));  // "jax 0.8.1"
  ASSIGN_OR_RETURN(auto parts, slurm_.run("nightly", folder_, words, console_));
  Report whole;
  for (const ClusterPart& part : parts.finished) {
    ASSIGN_OR_RETURN(auto own, Archive::open(part.archive.string(), Archive::Mode::kReadOnly));
    ASSIGN_OR_RETURN(const std::string partRun, takeReport(part.result, whole));
    RETURN_IF_ERROR(within(part.archive.string(), takeOutcomes(own, partRun, run, archive_)));
  }
  RETURN_IF_ERROR(parts.remove());
  return whole;
}

}  // namespace vintage::harness::command
