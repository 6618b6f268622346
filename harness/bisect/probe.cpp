#include "harness/bisect/probe.h"

#include <algorithm>
#include <cctype>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/replay/replay.h"
#include "harness/runtimes/builds/builds.h"
#include "harness/runtimes/builds/kept_program.h"

namespace vintage::harness {
using namespace archive;

namespace {

constexpr size_t kKindCharacters = 160;

// "XlaRuntimeError: no such target" and "JaxRuntimeError: no such target" fail alike: releases
// rename the classes of their exceptions.
std::string_view withoutException(std::string_view message) {
  const size_t colon = message.find(": ");
  if (colon == message.npos) return message;
  const std::string_view name = message.substr(0, colon);
  const bool isClass = std::ranges::all_of(
      name, [](unsigned char c) { return std::isalnum(c) || c == '_' || c == '.'; });
  return isClass && (name.ends_with("Error") || name.ends_with("Exception"))
             ? message.substr(colon + 2)
             : message;
}

// The first line, without the parts that differ from build to build.
std::string essence(std::string_view message) {
  message = withoutException(message.substr(0, message.find('\n')));
  std::string result;
  for (size_t i = 0; i < message.size() && result.size() < kKindCharacters;) {
    const char c = message[i];
    if (c == '\'' || c == '"') {
      const size_t close = message.find(c, i + 1);
      if (close != std::string_view::npos) {
        result += "'…'";
        i = close + 1;
        continue;
      }
    }
    if (c == '/' && i + 1 < message.size() &&
        std::isalpha(static_cast<unsigned char>(message[i + 1]))) {
      while (i < message.size() && !std::isspace(static_cast<unsigned char>(message[i]))) ++i;
      result += "PATH";
      continue;
    }
    if (std::isdigit(static_cast<unsigned char>(c))) {
      while (i < message.size() &&
             (std::isxdigit(static_cast<unsigned char>(message[i])) || message[i] == 'x'))
        ++i;
      result += '#';
      continue;
    }
    result += c;
    ++i;
  }
  return result;
}

ProbeReport notStarted(std::string problem) {
  ProbeReport report;
  report.answer.started = false;
  report.answer.problem = essence(problem);
  report.detail = std::move(problem);
  return report;
}

// Why the greeting build is not the expected one, or cannot run the subject.
std::string objection(const Subject& subject, const HelloMessage& hello,
                      const BuildRecord* registered) {
  if (registered)
    if (Status status = checkGreeting(*registered, hello.build); !status)
      return status.error().message;
  const BuildRecord& build = hello.build;
  if (!lists(build.platforms, subject.platform))
    return fmt::format("it runs {}, not {}", fmt::join(build.platforms, ", "), subject.platform);
  if (!lists(build.modes, subject.mode))
    return fmt::format("it has no mode {}; it has {}", subject.mode, fmt::join(build.modes, ", "));
  return "";
}

void take(const Subject& subject, WorkerResult result, ProbeReport& report) {
  if (result.outcome == OutcomeKind::kPass) {
    Judged judged = compareWithGolden(subject.golden, result.outputs);
    result.outcome = judged.outcome;
    result.stage = Stage::kCompare;
    result.detail = std::move(judged.detail);
  }
  report.seconds += result.seconds;
  const bool passed = !isFailure(result.outcome);
  report.answer.processes.back().push_back(
      passed ? "" : failureKind(result.outcome, result.stage, result.detail));
  if (passed && report.outcome != OutcomeKind::kRunnerError) return;
  report.outcome = result.outcome;
  report.stage = result.stage;
  report.detail = std::move(result.detail);
}

}  // namespace

std::string failureKind(OutcomeKind outcome, Stage stage, const std::string& detail) {
  switch (outcome) {
    case OutcomeKind::kPass:
    case OutcomeKind::kCompiled:
    case OutcomeKind::kNotComparable:
      return "";
    case OutcomeKind::kMismatch: {
      // "output 0[2, 1]: …", "output 0: …", and "3 outputs came out, 1 are expected".
      constexpr std::string_view kOutput = "output ";
      if (detail.starts_with(kOutput))
        return "mismatch of " +
               detail.substr(0, detail.find_first_not_of("0123456789", kOutput.size()));
      return "mismatch: " + essence(detail);
    }
    case OutcomeKind::kTimeout:
      return "timeout";
    case OutcomeKind::kCrash: {
      // How it ended, without its last output.
      const size_t place = detail.find("signal ");
      if (place == std::string::npos) return "crash: " + essence(detail);
      const size_t end = detail.find_first_not_of("0123456789", place + 7);
      return "crash by " + detail.substr(place, end == std::string::npos ? end : end - place);
    }
    default:
      return fmt::format("{} in {}: {}", outcomeName(outcome), stageName(stage), essence(detail));
  }
}

WorkerPoolOptions poolOptions(const std::vector<std::string>& command, const WorkerLimits& limits,
                              const BuildRecord* registered) {
  WorkerPoolOptions options;
  options.command = command;
  options.timeout = limits.timeout;
  options.memoryLimitBytes = limits.memoryLimitBytes;
  options.sandbox = sandboxFor(registered ? *registered : BuildRecord(), limits.sandbox);
  return options;
}

ProbeReport probeWorker(const Subject& subject, const std::vector<std::string>& command,
                        const BuildRecord* registered, const ProbeEffort& effort,
                        const WorkerLimits& limits) {
  auto host = makePosixProcessHost();
  ExecuteRequest request = requestOf(subject.record, subject.platform, subject.mode,
                                     subject.artifact, subject.golden.inputs);
  ProbeReport report;
  for (int process = 0; process < effort.processes; ++process) {
    WorkerPool pool(poolOptions(command, limits, registered), *host);
    auto hello = pool.greet();
    std::string problem = hello ? objection(subject, *hello, registered) : hello.error().message;
    report.answer.processes.emplace_back();
    for (int i = 0; i < effort.executions && problem.empty(); ++i, ++request.id) {
      auto result = pool.execute(request);
      if (!result) {
        problem = result.error().message;
        break;
      }
      const bool hung = result->outcome == OutcomeKind::kTimeout;
      take(subject, std::move(*result), report);
      // A hang costs the whole time limit each time; twice is enough.
      if (hung && (effort.processes > 1 || i > 0)) break;
    }
    if (report.answer.processes.back().empty()) report.answer.processes.pop_back();
    // A process that does not start gives no evidence if others did.
    if (!problem.empty() && report.answer.processes.empty()) return notStarted(std::move(problem));
  }
  return report;
}

ProbeReport probeBuild(const Subject& subject, const BuildRecord& build, const ProbeEffort& effort,
                       const WorkerLimits& limits) {
  auto host = makePosixProcessHost();
  auto ready = readyToStart(build, *host);
  if (!ready) return notStarted(ready.error().message);
  return probeWorker(subject, ready->start->worker, &*ready, effort, limits);
}

Status probeAtOnce(std::span<const size_t> positions, const ProbeEffort& effort,
                   const ProbePosition& probe,
                   const std::function<Status(size_t position, const ProbeReport&)>& sink) {
  struct Ended {
    size_t position;
    Result<ProbeReport> report;
  };
  std::mutex mutex;
  std::condition_variable ended;
  std::deque<Ended> queue;
  std::vector<std::jthread> threads;
  for (size_t slot = 0; slot < positions.size(); ++slot)
    threads.emplace_back([&, slot] {
      auto report = probe(positions[slot], slot, effort);
      const std::lock_guard lock(mutex);
      queue.push_back({positions[slot], std::move(report)});
      ended.notify_one();
    });
  Status status;
  for (size_t left = positions.size(); left > 0; --left) {
    std::unique_lock lock(mutex);
    ended.wait(lock, [&] { return !queue.empty(); });
    Ended one = std::move(queue.front());
    queue.pop_front();
    lock.unlock();
    if (!status) continue;  // The others are waited for.
    status = one.report ? sink(one.position, *one.report)
                        : Status(tl::unexpected<Error>(one.report.error()));
  }
  return status;
}

}  // namespace vintage::harness
