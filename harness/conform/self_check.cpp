#include "harness/conform/self_check.h"

#include <algorithm>

#include <fmt/format.h>

#include "harness/conform/check_operations.h"

namespace vintage::harness {
using namespace golden;

namespace {

using Outcome = SelfCheck::Outcome;

Outcome outcomeOf(const Error& error) {
  return error.kind == Error::Kind::kUnsupported ? Outcome::kUnsupported : Outcome::kError;
}

SelfCheck runEntry(ModuleTree module, const std::string& entry, ExecutionMode mode) {
  SelfCheck result;
  const auto stop = [&](const Error& error) {
    result.outcome = outcomeOf(error);
    result.messages.push_back(error.message);
    return result;
  };
  const auto function = std::ranges::find(module.functions, entry, &Function::name);
  if (!function->argumentTypes.empty() && !hasChecks(function->body)) {
    result.messages.push_back(fmt::format("@{} takes {} inputs and checks nothing", entry,
                                          function->argumentTypes.size()));
    return result;
  }
  auto checks = extractChecks(*function);
  if (!checks) return stop(checks.error());
  result.checks = static_cast<int>(checks->size());
  auto plan = compile(module, {.mode = mode, .entry = entry});
  if (!plan) return stop(plan.error());
  auto outputs = plan->run({});
  if (!outputs) return stop(outputs.error());
  if (checks->empty()) {
    result.messages.push_back(fmt::format("@{} checks nothing", entry));
    return result;
  }
  for (const Check& check : *checks) {
    const Tensor& expected =
        check.expectedOutput ? (*outputs)[*check.expectedOutput] : check.expected;
    if (auto message = judge(check, (*outputs)[check.actual], expected)) {
      if (!check.location.empty()) *message += " at " + check.location;
      result.messages.push_back(std::move(*message));
    }
  }
  result.outcome = result.messages.empty() ? Outcome::kPassed : Outcome::kMismatch;
  return result;
}

// Whether something is worse to learn.
int weight(Outcome outcome) {
  switch (outcome) {
    case Outcome::kSkipped: return 0;
    case Outcome::kPassed: return 1;
    case Outcome::kUnsupported: return 2;
    case Outcome::kError: return 3;
    case Outcome::kMismatch: return 4;
  }
  return 0;
}

// The line of `text` that holds `offset`, cut where it is long.
std::string lineAt(const std::string& text, size_t offset) {
  offset = std::min(offset, text.size());
  const size_t start = offset == 0 ? 0 : text.rfind('\n', offset - 1) + 1;
  return text.substr(start, std::min(text.find('\n', offset), text.size()) - start).substr(0, 200);
}

Status checkBy(ProgramContext& context, const Program& program, const std::string& before,
               StablehloVersion version, const std::string& name) {
  ASSIGN_OR_RETURN(auto bytes, program.writePortableArtifact(version, {.locations = true}));
  ASSIGN_OR_RETURN(auto again, context.readPortableArtifact(bytes, name));
  const std::string after = again.print();
  if (before == after) return {};
  const size_t shorter = std::min(before.size(), after.size());
  const auto place = std::mismatch(before.begin(), before.begin() + shorter, after.begin());
  const auto offset = static_cast<size_t>(place.first - before.begin());
  return failure(Error::Kind::kMismatch,
                 fmt::format("{}: by way of {} the text changes at '{}' to '{}'", name,
                             formatStablehloVersion(version), lineAt(before, offset),
                             lineAt(after, offset)));
}

}  // namespace

const char* name(SelfCheck::Outcome outcome) {
  switch (outcome) {
    case Outcome::kPassed: return "passed";
    case Outcome::kMismatch: return "mismatch";
    case Outcome::kError: return "error";
    case Outcome::kUnsupported: return "unsupported";
    case Outcome::kSkipped: return "skipped";
  }
  return "";
}

SelfCheck runSelfCheck(const ModuleTree& module, ExecutionMode mode) {
  std::vector<std::string> entries;
  for (const Function& function : module.functions) {
    if (function.name == "main") entries.assign(1, function.name);
    else if (entries != std::vector<std::string>{"main"} && function.argumentTypes.empty() &&
             hasChecks(function.body))
      entries.push_back(function.name);
  }
  SelfCheck total;
  if (entries.empty()) total.messages.push_back("no function without arguments checks anything");
  for (const std::string& entry : entries) {
    SelfCheck one = runEntry(module, entry, mode);
    total.checks += one.checks;
    if (weight(one.outcome) > weight(total.outcome)) total.outcome = one.outcome;
    total.messages.insert(total.messages.end(), one.messages.begin(), one.messages.end());
  }
  return total;
}

Status checkRoundTrip(ProgramContext& context, const Program& program, const std::string& name) {
  ASSIGN_OR_RETURN(auto minimum, program.minimumVersion());
  const std::string before = program.print();
  Status status = checkBy(context, program, before, minimum.version, name);
  if (!status || minimum.version == kCurrentStablehloVersion) return status;
  return checkBy(context, program, before, kCurrentStablehloVersion, name);
}

}  // namespace vintage::harness
