#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "golden/base/counted.h"
#include "reports/failure_cause.h"
#include "reports/speed_report.h"
#include "reports/text_table.h"
#include "reports/window_report.h"

namespace vintage::reports {
using namespace archive;

namespace {

void tellPairs(const std::vector<Pair>& pairs, size_t longest, std::string& text) {
  std::vector<const Pair*> all;
  for (const Pair& pair : pairs) all.push_back(&pair);
  size_t listed = 0, omitted = 0;
  for (const Cause& cause : causesOf(all)) {
    if (listed++ >= longest) {
      omitted += cause.size();
      continue;
    }
    const Pair& pair = *cause.front();
    const ArtifactRecord& artifact = *pair.artifact;
    const OutcomeRecord& outcome = pair.outcome;
    text += fmt::format(
        "  {}: {} ({}, {} of {}) on {} of {}, {}: {} in {}{}{}\n",
        pair.cell == Cell::kUnexpectedPass ? "passes against limitation " + outcome.limitation
        : pair.cell == Cell::kFail         ? "broken"
                                           : std::string(cellName(pair.cell)),
        artifact.name, outcome.platform, artifact.producer, formatDate(artifact.buildDate),
        outcome.build, formatDate(pair.consumerDate), outcome.mode, outcomeName(outcome.outcome),
        stageName(outcome.stage), outcome.detail.empty() ? "" : ": ", shortDetail(outcome.detail));
    text += fmt::format("    {}{}\n", pair.count > 1 ? fmt::format("{} pairs; ", pair.count) : "",
                        pair.command);
    if (cause.size() > 1) text += fmt::format("    and {}\n", othersOf(cause));
  }
  if (omitted > 0) text += fmt::format("  and {} more\n", omitted);
}

void tellPromise(const PromiseReport& promise, size_t longest, std::string& text) {
  if (!promise.inScope) {
    text += fmt::format("promise {} ({}): out of scope\n", promise.rule.name, promise.rule.span());
    return;
  }
  text += fmt::format("promise {} ({}): {}\n", promise.rule.name, promise.rule.span(),
                      verdictName(promise.verdict()));
  for (const Unjudged& part : promise.notCovered())
    text += fmt::format("  missing: {}\n", unjudgedText(part));
  const Tally& tally = promise.tally;
  if (tally.total() == 0) return;
  const auto some = [&](Cell cell, std::string_view how) {
    return tally[cell] > 0 ? fmt::format("{} {}, ", tally[cell], how) : std::string();
  };
  text += fmt::format(
      "  {} pair{}: {} pass, {}{}{}{} fail as declared, {} fail, {} pass against a "
      "limitation, {} not known\n",
      tally.total(), tally.total() == 1 ? "" : "s", tally[Cell::kPass],
      some(Cell::kPermitted, "differ where they may"), some(Cell::kCompiled, "compile"),
      some(Cell::kNotComparable, "are not comparable"), tally[Cell::kExpectedFailure],
      tally[Cell::kFail], tally[Cell::kUnexpectedPass], tally[Cell::kUntested]);
  tellPairs(promise.broken, longest, text);
  tellPairs(promise.undecided, longest, text);
  for (const auto& [build, missing] : promise.missing)
    text += fmt::format("  missing: {} ({} pair{}): {}\n", build, missing.pairs,
                        missing.pairs == 1 ? "" : "s", missing.reason);
}

void tellMeasured(const std::map<MeasuredKey, Measured>& all, size_t longest, std::string& text) {
  if (all.empty()) return;
  text += "measured beyond the promises:\n";
  // Few windows have the second and the fourth.
  std::vector<std::pair<std::string, Cell>> columns{{"pass", Cell::kPass},
                                                    {"may differ", Cell::kPermitted},
                                                    {"compile", Cell::kCompiled},
                                                    {"not comparable", Cell::kNotComparable},
                                                    {"fail", Cell::kFail}};
  std::erase_if(columns, [&](const auto& column) {
    const Cell cell = column.second;
    return (cell == Cell::kPermitted || cell == Cell::kNotComparable) &&
           std::ranges::none_of(all, [&](const auto& one) { return one.second.tally[cell] > 0; });
  });
  std::vector<std::vector<std::string>> lines{{"  what", "platform"}};
  for (const auto& [name, cell] : columns) lines[0].push_back(name);
  for (const char* name : {"oldest artifact", "oldest consumer", "days backward", "days forward"})
    lines[0].emplace_back(name);
  const std::string none = "-";
  for (const auto& [key, measured] : all) {
    if (measured.name.empty()) continue;  // Models show no primitive.
    if (lines.size() > longest) break;
    auto& line = lines.emplace_back(std::vector<std::string>{
        fmt::format("  {} {}", measured.kind, measured.name.empty() ? "(unknown)" : measured.name),
        measured.platform});
    for (const auto& [name, cell] : columns) line.push_back(std::to_string(measured.tally[cell]));
    const auto& artifact = measured.oldestArtifact;
    const auto& consumer = measured.oldestConsumer;
    line.push_back(artifact ? formatDate(artifact->producerDate) : none);
    line.push_back(consumer ? formatDate(consumer->consumerDate) : none);
    const auto& backward = measured.longestBackward;
    const auto& forward = measured.longestForward;
    line.push_back(backward ? std::to_string(backward->age().count()) : none);
    line.push_back(forward ? std::to_string(-forward->age().count()) : none);
  }
  const size_t listed = lines.size() - 1;
  text += textTable(lines);
  if (listed < all.size())
    text += fmt::format("  and {} more (--format json has all of them, with the builds)\n",
                        all.size() - listed);
}

void tellDefaults(const WindowReport& report, std::string& text) {
  if (!report.scope.hasPromise(kDefaults)) return;
  int64_t unknown = 0;
  const DefaultBump* first = nullptr;
  for (const DefaultBump& bump : report.bumps) {
    if (bump.verdict == Verdict::kBroken)
      text += fmt::format(
          "default raised too early: {} of {} exports calling convention {}, which "
          "{} is the first known to read, of {}; it is legal from {} on\n",
          bump.producer, formatDate(bump.producerDate), bump.version, bump.firstConsumer,
          bump.supportedSince ? formatDate(*bump.supportedSince) : "?",
          bump.earliest ? formatDate(*bump.earliest) : "?");
    if (bump.verdict != Verdict::kCannotTell) continue;
    ++unknown;
    if (!first) first = &bump;
  }
  if (first)
    text += fmt::format(
        "defaults: cannot tell for {} producer{}, the first is {} of {} with calling convention "
        "{}\n"
        "  missing: a consumer that does not read it yet, which would show since when others do "
        "('vintage builds import' and --facts know JAX's releases)\n",
        unknown, unknown == 1 ? "" : "s", first->producer, formatDate(first->producerDate),
        first->version);
}

}  // namespace

std::string windowText(const WindowReport& report, size_t longest) {
  std::string text = fmt::format(
      "window of {} under policy {}: {} ({}), {} ({})\n"
      "{} were known, {} were run\n",
      formatDate(report.today), report.policy, counted(report.artifacts, "artifact"),
      counted(report.contents, "different content"), counted(report.consumers, "consumer"),
      counted(report.programs, "different program"), counted(report.reused, "execution"),
      report.ran);
  if (report.factsLeftOut > 0)
    text += fmt::format("left out: {} build{} known only by facts (--facts includes them)\n",
                        report.factsLeftOut, report.factsLeftOut == 1 ? "" : "s");
  if (report.shards > 1 && static_cast<int>(report.parts.size()) < report.shards) {
    std::string parts;
    for (const int part : report.parts)
      parts += fmt::format("{}{}", parts.empty() ? "" : ", ", part + 1);
    text += fmt::format("only shard {} of {}: 'vintage merge' puts shards together\n", parts,
                        report.shards);
  }
  if (report.scope != Scope{}) text += fmt::format("scope: {}\n", scopeText(report.scope));
  for (const auto& [what, artifacts] : report.outOfScope)
    text +=
        fmt::format("out of scope: {}\n", unjudgedText({what, "--scope leaves it out", artifacts}));
  for (const std::string& breakage : report.breakages) text += "broke: " + breakage + "\n";
  for (const PromiseReport& promise : report.promises) tellPromise(promise, longest, text);
  tellDefaults(report, text);
  tellMeasured(report.measured, longest, text);
  if (report.speed) text += speedText(*report.speed, longest);
  const Conclusion conclusion = report.conclusion();
  text +=
      fmt::format("verdict: {}: {}\n", verdictName(conclusion.verdict), conclusion.reasons.front());
  return text;
}

}  // namespace vintage::reports
