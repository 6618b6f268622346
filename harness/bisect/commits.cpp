#include "harness/bisect/commits.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>
#include <unistd.h>

#include "archive/records/build_details.h"
#include "golden/base/content_hash.h"
#include "golden/base/failures.h"
#include "golden/base/process_host.h"

namespace vintage::harness {
using namespace archive;

namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kGitTime{600};
constexpr size_t kShownOfBuildLog = 300;
constexpr char kFieldEnd = '\x1f', kRecordEnd = '\x1e';
constexpr size_t kMostOutput = size_t{64} << 20;
constexpr int kTimedOut = 124;

struct CommandResult {
  int status = 0;         // 128 + signal where it was killed, 124 after the time limit.
  std::string output;     // Standard output, up to 64 MiB.
  std::string errorTail;  // The last KiB of standard error.
};

// Builds in a session of its own. When this process ends or kills the shell, the other end of the
// shell's standard input closes, and the whole session is killed.
constexpr char kBuildUntilOrphaned[] = R"(
cd "$1" || exit
exec 3<&0
setsid /bin/sh -c "$2" </dev/null 3<&- &
build=$!
{ read -r closed <&3; kill -s TERM -- -$build; } >/dev/null 2>&1 &
guard=$!
wait $build
status=$?
kill $guard 2>/dev/null
exit $status
)";

// An error where it cannot be started. A time limit kills the program alone.
Result<CommandResult> runCommand(const std::vector<std::string>& command,
                                 std::chrono::seconds timeLimit) {
  auto host = makePosixProcessHost();
  ProcessOptions options;
  options.command = command;
  ASSIGN_OR_RETURN(auto process, host->start(options));
  const auto deadline = host->now() + timeLimit;
  CommandResult result;
  const auto take = [&] {
    for (const std::byte byte : process->read())
      if (result.output.size() < kMostOutput) result.output += static_cast<char>(byte);
  };
  bool timedOut = false;
  while (!process->end()) {
    const ProcessHost::Interest interest{process.get(), false};
    host->wait({&interest, 1}, deadline);
    take();
    if (host->now() < deadline || timedOut) continue;
    timedOut = true;
    process->kill();
  }
  take();
  const ProcessEnd end = *process->end();
  result.status = timedOut ? kTimedOut : end.signalled ? 128 + end.code : end.code;
  result.errorTail = process->errorTail();
  return result;
}

std::string trimmed(std::string text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back()))) text.pop_back();
  return text;
}

// Standard output of `git -C repository ARGUMENTS`.
Result<std::string> git(const std::string& repository, std::vector<std::string> arguments) {
  std::vector<std::string> command{"git", "-C", repository};
  command.insert(command.end(), arguments.begin(), arguments.end());
  ASSIGN_OR_RETURN(auto result, runCommand(command, kGitTime));
  if (result.status == 0) return std::move(result.output);
  return ioError("git -C {} {}: {}", repository, arguments.front(), trimmed(result.errorTail));
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (size_t start = 0; start <= text.size();) {
    const size_t end = std::min(text.find(separator, start), text.size());
    parts.push_back(text.substr(start, end - start));
    start = end + 1;
  }
  return parts;
}

ProbeReport notBuilt(std::string problem, std::string detail) {
  ProbeReport report;
  report.answer.started = false;
  report.answer.problem = std::move(problem);
  report.detail = std::move(detail);
  return report;
}

// "1767225600" to "2026-01-01": the day in UTC, wherever it was committed.
std::string dayOfSeconds(std::string_view seconds) {
  int64_t since = 0;
  std::from_chars(seconds.data(), seconds.data() + seconds.size(), since);
  return formatDate(
      std::chrono::floor<std::chrono::days>(std::chrono::sys_seconds(std::chrono::seconds(since))));
}

// The ends must be related: one leads to the other, or both have a common ancestor.
Status checkEnds(const std::string& repository, const std::string& good, const std::string& bad) {
  if (good != bad && git(repository, {"merge-base", "--is-ancestor", bad, good}))
    return usageError("{}: the ends are swapped: the bad commit {} came before the good one, {}",
                      repository, bad, good);
  if (git(repository, {"merge-base", good, bad})) return {};
  return usageError("{}: {} and {} have no commit in common", repository, good, bad);
}

constexpr char kLogFormat[] = "--format=%H\x1f%ct\x1f%an <%ae>\x1f%s\x1f%P\x1e";

std::vector<Commit> parseLog(const std::string& text) {
  std::vector<Commit> commits;
  for (std::string_view record : split(text, kRecordEnd)) {
    while (record.starts_with('\n')) record.remove_prefix(1);
    const auto fields = split(record, kFieldEnd);
    if (fields.size() != 5) continue;
    Commit& commit = commits.emplace_back();
    commit = {std::string(fields[0]),
              dayOfSeconds(fields[1]),
              std::string(fields[2]),
              std::string(fields[3]),
              {}};
    for (const std::string_view parent : split(fields[4], ' '))
      if (!parent.empty()) commit.parents.emplace_back(parent);
  }
  return commits;
}

// Commits along first parents up to `last` that are not part of `good`, behind the last one that
// is.
Result<HistorySearch> firstParents(const std::string& repository,
                                   const std::optional<std::string>& good,
                                   const std::string& last) {
  std::vector<std::string> arguments{"log", "--reverse", "--first-parent", kLogFormat, last};
  if (good) arguments.push_back("^" + *good);
  ASSIGN_OR_RETURN(auto text, git(repository, arguments));
  HistorySearch found;
  found.commits = parseLog(text);
  if (!good || found.commits.empty() || found.commits.front().parents.empty()) return found;
  ASSIGN_OR_RETURN(auto before,
                   git(repository, {"log", "-1", kLogFormat, found.commits[0].parents[0]}));
  for (Commit& one : parseLog(before)) found.commits.insert(found.commits.begin(), std::move(one));
  found.hasGoodEnd = true;
  return found;
}

// Appends the search of these commits, and those of branches that its culprit merged.
Status searchFrom(const std::string& repository, HistorySearch one, const SearchCommits& search,
                  std::vector<HistorySearch>& searches) {
  ASSIGN_OR_RETURN(one.conclusion, search(one));
  searches.push_back(one);
  if (one.conclusion.verdict != SearchEnding::kFound) return {};
  const Commit culprit = one.commits[one.conclusion.candidates.front()];
  for (size_t i = 1; i < culprit.parents.size(); ++i) {
    ASSIGN_OR_RETURN(auto branch,
                     firstParents(repository, culprit.parents.front(), culprit.parents[i]));
    if (branch.commits.empty()) continue;  // Part of the good parent.
    branch.mergedBy = culprit.id;
    RETURN_IF_ERROR(searchFrom(repository, std::move(branch), search, searches));
    if (searches.back().conclusion.verdict != SearchEnding::kDoesNotFail) return {};
  }
  return {};
}

// The commit that a build was registered with, where the repository has it; else the last one of
// HEAD's first-parent history before its day (UTC), or before so many days later. Empty: none.
Result<std::string> commitOf(const std::string& repository, const BuildRecord& build,
                             std::chrono::days later) {
  if (build.details.commit)
    if (auto commit = findCommit(repository, build.details.commit->id)) return commit;
  const std::string day = formatDate(build.buildDate + later);
  return git(repository, {"rev-list", "-1", "--first-parent",
                          fmt::format("--before={}T00:00:00Z", day), "HEAD"})
      .map(trimmed);
}

}  // namespace

Result<std::string> findCommit(const std::string& repository, const std::string& revision) {
  auto id = git(repository,
                {"rev-parse", "--verify", "--quiet", "--end-of-options", revision + "^{commit}"});
  if (id) return trimmed(*id);
  if (auto inside = git(repository, {"rev-parse", "--git-dir"}); !inside)
    return notFound("--repo {}: not a git repository: {}", repository, inside.error().message);
  return notFound("'{}' is not a commit of {}", revision, repository);
}

Result<std::string> firstCommit(const std::string& repository) {
  auto ids = git(repository, {"rev-list", "--max-parents=0", "HEAD"});
  if (!ids) return ids;
  // Joined histories have several first commits; the least id is a stable choice.
  std::string least;
  for (const std::string_view id : split(*ids, '\n'))
    if (!id.empty() && (least.empty() || id < least)) least = id;
  return least;
}

Result<HistorySearch> commitsBetween(const std::string& repository, const CommitRange& range) {
  if (range.good) RETURN_IF_ERROR(checkEnds(repository, *range.good, range.bad));
  ASSIGN_OR_RETURN(auto between, firstParents(repository, range.good, range.bad));
  if (between.commits.size() < 2)
    return usageError("{}: there is no commit between {} and {}", repository,
                      range.good.value_or("the first commit"), range.bad);
  return between;
}

Result<std::vector<HistorySearch>> searchHistory(const std::string& repository,
                                                 const CommitRange& range,
                                                 const SearchCommits& search) {
  ASSIGN_OR_RETURN(auto whole, commitsBetween(repository, range));
  std::vector<HistorySearch> searches;
  RETURN_IF_ERROR(searchFrom(repository, std::move(whole), search, searches));
  return searches;
}

const Commit* culpritOf(std::span<const HistorySearch> searches) {
  const Commit* culprit = nullptr;
  for (const HistorySearch& one : searches) {
    if (one.conclusion.verdict == SearchEnding::kFound)
      culprit = &one.commits[one.conclusion.candidates.front()];
    else if (!culprit || one.conclusion.verdict != SearchEnding::kDoesNotFail)
      return nullptr;
  }
  return culprit;
}

std::vector<SequenceMember> membersOf(const std::vector<Commit>& commits,
                                      const CommitRecipe& recipe) {
  const std::string identity =
      contentHash(recipe.buildCommand + "\n" + recipe.worker).substr(0, 16);
  std::vector<SequenceMember> members;
  for (const Commit& commit : commits) members.push_back({commit.id, identity});
  return members;
}

CommitProbes::CommitProbes(const Subject& subject, CommitRecipe recipe, fs::path folder,
                           const WorkerLimits& limits)
    : subject_(subject), recipe_(std::move(recipe)), folder_(std::move(folder)), limits_(limits) {
  // A run that was killed may have left half a clone.
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

CommitProbes::~CommitProbes() {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

Result<CommitProbes::Built> CommitProbes::build(const std::string& commit, size_t slot) {
  std::error_code problem;
  const fs::path checkout = folder_ / fmt::format("checkout-{}", slot);
  if (!fs::exists(checkout, problem)) {
    fs::create_directories(folder_, problem);
    ASSIGN_OR_RETURN(auto cloned,
                     git(recipe_.repository, {"clone", "--quiet", "--shared", "--no-checkout",
                                              fs::absolute(recipe_.repository).string(),
                                              fs::absolute(checkout).string()}));
  }
  // The shared objects contain the commit even if no branch of the clone reaches it.
  ASSIGN_OR_RETURN(auto out, git(checkout.string(), {"-c", "advice.detachedHead=false", "checkout",
                                                     "--quiet", "--force", "--detach", commit}));
  // The last commit's worker must not be mistaken for this one's.
  const fs::path worker = checkout / recipe_.worker;
  ASSIGN_OR_RETURN(auto tracked, runCommand({"git", "-C", checkout.string(), "ls-files",
                                             "--error-unmatch", "--", recipe_.worker},
                                            kGitTime));
  if (tracked.status != 0) fs::remove(worker, problem);

  ASSIGN_OR_RETURN(auto built, runCommand({"/bin/sh", "-c", kBuildUntilOrphaned, "sh",
                                           checkout.string(), recipe_.buildCommand},
                                          recipe_.buildTime));
  if (built.status != 0) {
    std::string log = trimmed(built.errorTail.empty() ? built.output : built.errorTail);
    if (log.size() > kShownOfBuildLog) log = "…" + log.substr(log.size() - kShownOfBuildLog);
    return Built{
        {},
        notBuilt("it does not build",
                 fmt::format("the build command ended with status {}: {}", built.status, log))};
  }
  if (::access(worker.c_str(), X_OK) != 0)
    return Built{{},
                 notBuilt("it does not build a worker",
                          fmt::format("the build command succeeded, but left no program at {}",
                                      recipe_.worker))};
  return Built{{fs::absolute(worker).string()}, std::nullopt};
}

Result<ProbeReport> CommitProbes::probe(const std::string& commit, size_t slot,
                                        const ProbeEffort& effort) {
  ASSIGN_OR_RETURN(auto built, build(commit, slot));
  if (built.problem) return *built.problem;
  return probeWorker(subject_, built.command, nullptr, effort, limits_);
}

Result<CommitRange> commitRange(const SequenceChoice& ends, const std::string& repository,
                                std::span<const BuildRecord> builds,
                                const SearchConclusion* found) {
  std::optional<std::string> good;
  std::string bad = "HEAD";
  if (builds.empty() || found == nullptr || found->candidates.empty()) {
    if (!ends.good.empty()) good = ends.good;
    if (!ends.bad.empty()) bad = ends.bad;
  } else {
    const std::vector<size_t>& candidates = found->candidates;
    if (candidates.front() > 0) {
      ASSIGN_OR_RETURN(auto before,
                       commitOf(repository, builds[candidates.front() - 1], std::chrono::days(0)));
      if (!before.empty()) good = std::move(before);
    }
    const BuildRecord& culprit = builds[candidates.back()];
    ASSIGN_OR_RETURN(bad, commitOf(repository, culprit, std::chrono::days(1)));
    if (bad.empty())
      return usageError("--repo: {} has no commit as old as the build {}", repository,
                        culprit.name);
  }
  ASSIGN_OR_RETURN(auto badId, findCommit(repository, bad));
  if (!good) return CommitRange{std::nullopt, badId};
  ASSIGN_OR_RETURN(auto goodId, findCommit(repository, *good));
  return CommitRange{goodId, badId};
}

}  // namespace vintage::harness
