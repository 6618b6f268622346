#include "harness/runtimes/builds/from_git.h"

#include <cstdio>
#include <sstream>

#include <fmt/chrono.h>
#include <fmt/ranges.h>

#include "golden/base/failures.h"

namespace vintage::harness {
namespace {

namespace fs = std::filesystem;

constexpr size_t kToldBytes = 2000;

std::string lastWords(const FinishedProgram& finished) {
  std::string words = finished.out + finished.errorTail;
  if (words.size() > kToldBytes) words.erase(0, words.size() - kToldBytes);
  words.erase(words.find_last_not_of('\n') + 1);
  return words;
}

Result<std::string> run(const std::vector<std::string>& command, ProcessHost& host,
                        const std::function<void(std::string_view)>& line = {}) {
  auto finished = runProgram(command, host, line);
  if (!finished) return ioError("{}; install it (cmake/packages.txt)", finished.error().message);
  if (finished->status != 0)
    return ioError("'{}' ended with status {}:\n{}", fmt::join(command, " "), finished->status,
                   lastWords(*finished));
  return std::move(finished->out);
}

// The commit that a revision names.
Result<GitBuild> resolveCommit(const FromGitOptions& options, ProcessHost& host) {
  // A revision that begins with a dash would be read as an option.
  if (options.revision.empty() || options.revision.starts_with('-'))
    return usageError("'{}' is not a revision of a repository", options.revision);
  const std::string repository = options.repository.string();
  ASSIGN_OR_RETURN(auto shown, runProgram({"git", "-C", repository, "show", "-s",
                                           "--format=%H%n%ct%n%s", options.revision + "^{commit}"},
                                          host));
  if (shown.status != 0)
    return notFound("'{}' is not a commit of the repository {}: {}", options.revision, repository,
                    lastWords(shown));
  GitBuild build;
  int64_t seconds = 0;
  std::istringstream lines(shown.out);
  if (!(lines >> build.commit.id >> seconds))
    return failure(Error::Kind::kIo, "expected git to print a commit, found: " + shown.out);
  lines.ignore();
  std::getline(lines, build.commit.subject);
  const std::chrono::sys_seconds time{std::chrono::seconds(seconds)};
  build.commit.time =
      fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::chrono::system_clock::to_time_t(time)));
  build.date = std::chrono::floor<std::chrono::days>(time);
  return build;
}

}  // namespace

Result<GitBuild> buildFromGit(const FromGitOptions& options, ProcessHost& host,
                              const BuildProgress& progress) {
  ASSIGN_OR_RETURN(auto build, resolveCommit(options, host));
  std::error_code problem;
  const fs::path scratch = fs::absolute(options.scratch, problem);
  // As the presets do it: compilations are found again in the compiler cache by
  // paths that are relative to the source.
  const fs::path source = scratch / "source", objects = source / "build" / options.preset;
  fs::create_directories(scratch, problem);
  if (problem)
    return ioError("{}: cannot create the folder: {}", scratch.string(), problem.message());
  const fs::path repository = fs::absolute(options.repository, problem);
  progress("check out", 0, 0);
  if (!fs::exists(source / ".git", problem))
    RETURN_IF_ERROR(run({"git", "clone", "--quiet", "--shared", "--no-checkout",
                         repository.string(), source.string()},
                        host));
  // With shared objects a commit that came later is there already.
  RETURN_IF_ERROR(run(
      {"git", "-C", source.string(), "checkout", "--quiet", "--force", "--detach", build.commit.id},
      host));

  const auto runCmake = [&](std::vector<std::string> command,
                            const std::function<void(std::string_view)>& line = {}) {
    // Compilations are found again whichever scratch folder they ran in.
    command.insert(command.begin(),
                   {"env", "CCACHE_BASEDIR=" + source.string(), "CCACHE_NOHASHDIR=1", "cmake"});
    return within(options.revision, run(command, host, line));
  };
  progress("configure", 0, 0);
  RETURN_IF_ERROR(
      runCmake({"-S", source.string(), "-B", objects.string(), "--preset", options.preset}));
  RETURN_IF_ERROR(
      runCmake({"--build", objects.string(), "--target", options.target, "--",
                fmt::format("-j{}", options.jobs)},
               [&](std::string_view line) {
                 // "[12/420] Building CXX object …", as ninja says it.
                 size_t done = 0, total = 0;
                 if (std::sscanf(std::string(line).c_str(), "[%zu/%zu", &done, &total) == 2)
                   progress("compile", done, total);
               }));
  build.worker = objects / "bin" / options.target;
  if (!fs::exists(build.worker, problem))
    return ioError("{}: it was built, but {} is not there", options.revision,
                   build.worker.string());
  return build;
}

}  // namespace vintage::harness
