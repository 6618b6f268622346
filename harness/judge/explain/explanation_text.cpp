#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/judge/explain/explain.h"
#include "reports/failure_cause.h"

namespace vintage::harness {
using namespace archive;
using namespace reports;

namespace {

using nlohmann::json;

std::string readerText(const Reader& reader) {
  return fmt::format("{} of {}", reader.build, formatDate(reader.date));
}

json readerJson(const std::optional<Reader>& reader) {
  if (!reader) return nullptr;
  return {{"build", reader->build}, {"date", formatDate(reader->date)}};
}

void tellNeeds(const Explanation& explanation, std::string& text) {
  const ArtifactRecord& artifact = *explanation.artifact;
  text += "it needs\n";
  if (artifact.callingConventionVersion > 0)
    text += fmt::format("  calling convention {}, under which it was exported\n",
                        artifact.callingConventionVersion);
  const auto forced = [](const std::string& reason) {
    return reason.empty() ? std::string("nothing forces a higher one") : "forced by: " + reason;
  };
  if (artifact.serializationVersion > 0)
    text += fmt::format(
        "  serialization version {}{}\n", artifact.serializationVersion,
        explanation.needs
            ? fmt::format("; {} could hold it ({})", explanation.needs->minimumSerialization,
                          forced(explanation.needs->serializationForcedBy))
            : "");
  if (!artifact.stablehloVersion.empty())
    text +=
        fmt::format("  StableHLO {}{}\n", artifact.stablehloVersion,
                    explanation.needs ? fmt::format("; {} could carry it ({})",
                                                    explanation.needs->minimumStablehlo,
                                                    forced(explanation.needs->stablehloForcedBy))
                                      : "");
  if (!explanation.needs) {
    text += "  more is not known: " + explanation.needsProblem + "\n";
    return;
  }
  for (size_t i = 0; i < explanation.needs->targets.size(); ++i) {
    const ForcedNeeds::Target& target = explanation.needs->targets[i];
    const auto& [oldest, newest] = explanation.guarantees[i];
    text += fmt::format(
        "  target {}, called by {}{}; {}\n", target.name, target.operation,
        target.calls > 1 ? fmt::format(" and {} more", target.calls - 1) : "",
        oldest ? fmt::format("guaranteed from {} to {}", readerText(*oldest), readerText(*newest))
               : "no known release guarantees it");
    if (!target.kernel.empty()) text += fmt::format("    its kernel: {}\n", target.kernel);
  }
}

void tellReaders(const Explanation& explanation, std::string& text) {
  if (explanation.releases == 0) {
    text +=
        "no releases are known by their facts ('vintage builds import' takes a list, "
        "docs/howto/builds.md#facts; 'vintage builds add --jax' runs some)\n";
    return;
  }
  if (!explanation.oldestReader) {
    text += fmt::format("none of {} known releases can read it{}{}\n", explanation.releases,
                        explanation.olderCannot.empty() ? "" : ": ", explanation.olderCannot);
    return;
  }
  text += fmt::format("of {} known releases, {} would load it and {} are uncertain\n",
                      explanation.releases, explanation.readers, explanation.uncertain);
  text +=
      fmt::format("  the oldest: {}{}\n", readerText(*explanation.oldestReader),
                  explanation.olderCannot.empty() ? "" : "; before it " + explanation.olderCannot);
  text +=
      fmt::format("  the newest: {}{}\n", readerText(*explanation.newestReader),
                  explanation.newerCannot.empty() ? "" : "; after it " + explanation.newerCannot);
}

constexpr size_t kOutputsShown = 8;

void tellPrecision(const Explanation& explanation, std::string& text) {
  if (explanation.limits.empty()) return;
  text += "an output fails from a relative error of\n";
  for (size_t i = 0; i < std::min(explanation.limits.size(), kOutputsShown); ++i) {
    const double scale = i < explanation.scales.size() ? explanation.scales[i] : 0;
    text += fmt::format(
        "  output {}: {}{}\n", i, golden::describe(explanation.limits[i]),
        scale == 0
            ? std::string()
            : fmt::format("; roundings scatter it by up to {:.2g} (seeds {}), and {} times "
                          "that is allowed",
                          scale, fmt::join(explanation.seeds, ", "), golden::kNoiseMultiple));
    const auto worst = std::ranges::find(explanation.worst, i, &golden::ElementScale::output);
    if (worst != explanation.worst.end())
      text += fmt::format("    the worst: {}\n", golden::describe(*worst));
  }
  if (explanation.limits.size() > kOutputsShown)
    text += fmt::format("  and {} more outputs; --format json has all of them\n",
                        explanation.limits.size() - kOutputsShown);
  if (explanation.asked) text += fmt::format("element {}\n", golden::describe(*explanation.asked));
}

}  // namespace

std::string forcedText(const ForcedVersion& forced) {
  if (forced.outcome == OutcomeKind::kPass)
    return fmt::format("a gate by number alone: called as calling convention {} it passes",
                       forced.version);
  return fmt::format("no gate by number alone: called as calling convention {} it fails too: {}",
                     forced.version, forced.detail.substr(0, forced.detail.find('\n')));
}

std::string explanationText(const Explanation& explanation) {
  const ArtifactRecord& artifact = *explanation.artifact;
  std::string text = fmt::format(
      "{} ({})\nexported by {} of {} for {}{}\n", artifact.name, artifact.id.substr(0, 12),
      artifact.producer, formatDate(artifact.buildDate), fmt::join(artifact.platforms, ", "),
      artifact.golden.empty() ? "; it has no golden, so nothing can be compared" : "");
  tellNeeds(explanation, text);
  tellReaders(explanation, text);
  tellPrecision(explanation, text);
  if (!explanation.inDoubt.empty())
    text += fmt::format("{}{}\n", kGoldenInDoubt, explanation.inDoubt);
  if (explanation.kernels) text += describe(*explanation.kernels) + "\n";
  if (!explanation.kernelsProblem.empty())
    text += fmt::format("its kernels were not run: {}\n", explanation.kernelsProblem);
  if (!explanation.open.empty())
    text += fmt::format("it may differ there: {}\n", fmt::join(explanation.open, "\n  "));
  for (const PairExplanation& explained : explanation.pairs) {
    const Pair& pair = explained.pair;
    const OutcomeRecord& outcome = pair.outcome;
    text += fmt::format("on {} of {}, {}, {}: {}\n", outcome.build, formatDate(pair.consumerDate),
                        outcome.platform, outcome.mode, cellName(pair.cell));
    const auto days = (pair.consumerDate - artifact.buildDate).count();
    text +=
        fmt::format("  {}; the consumer was built {} day{} {} the producer\n",
                    explained.promises.empty()
                        ? "no promise covers the pair"
                        : fmt::format("promise: {}", fmt::join(explained.promises, ", ")),
                    std::abs(days), std::abs(days) == 1 ? "" : "s", days >= 0 ? "after" : "before");
    text += fmt::format("  by what the build says of itself it would load: {}{}{}\n",
                        wouldLoadName(explained.statically.answer),
                        explained.statically.reasons.empty() ? "" : ": ",
                        fmt::join(explained.statically.reasons, "; "));
    if (pair.cell != Cell::kUntested)
      text += fmt::format("  recorded: {} in {}{}{} (run {})\n", outcomeName(outcome.outcome),
                          stageName(outcome.stage), outcome.detail.empty() ? "" : ": ",
                          shortDetail(outcome.detail), outcome.run);
    else
      text += "  nothing is recorded\n";
    if (!outcome.limitation.empty())
      text += fmt::format("  limitation {}: {}\n", outcome.limitation, explained.limitationText);
    if (explained.forced)
      text +=
          fmt::format("  measured now and recorded nowhere: {}\n", forcedText(*explained.forced));
    if (!pair.command.empty()) text += "  " + pair.command + "\n";
  }
  return text;
}

json toJson(const Explanation& explanation) {
  const ArtifactRecord& artifact = *explanation.artifact;
  json out = {{"artifact", artifact.id},
              {"name", artifact.name},
              {"producer", artifact.producer},
              {"build_date", formatDate(artifact.buildDate)},
              {"calling_convention", artifact.callingConventionVersion},
              {"serialization", artifact.serializationVersion},
              {"stablehlo", artifact.stablehloVersion},
              {"needs_problem", explanation.needsProblem},
              {"releases", explanation.releases},
              {"would_load", explanation.readers},
              {"cannot_tell", explanation.uncertain},
              {"oldest_reader", readerJson(explanation.oldestReader)},
              {"newest_reader", readerJson(explanation.newestReader)},
              {"older_cannot", explanation.olderCannot},
              {"newer_cannot", explanation.newerCannot}};
  if (!explanation.open.empty()) out["open"] = explanation.open;
  if (explanation.needs) {
    json& needs = out["needs"] = toJson(*explanation.needs);
    for (size_t i = 0; i < explanation.guarantees.size(); ++i) {
      needs["targets"][i]["oldest_guarantee"] = readerJson(explanation.guarantees[i].first);
      needs["targets"][i]["newest_guarantee"] = readerJson(explanation.guarantees[i].second);
    }
  }
  out["detection_limits"] = golden::toJson(std::span(explanation.limits));
  out["noise"] = {{"seeds", explanation.seeds},
                  {"multiple", golden::kNoiseMultiple},
                  {"largest_scales", explanation.scales}};  // Infinite ones are null.
  for (const golden::ElementScale& element : explanation.worst)
    out["noise"]["worst"].push_back(golden::toJson(element));
  if (explanation.asked) out["noise"]["element"] = golden::toJson(*explanation.asked);
  if (!explanation.inDoubt.empty()) out["golden_in_doubt"] = explanation.inDoubt;
  if (explanation.kernels) out["kernels"] = toJson(*explanation.kernels);
  if (!explanation.kernelsProblem.empty()) out["kernels_problem"] = explanation.kernelsProblem;
  out["pairs"] = json::array();
  for (const PairExplanation& explained : explanation.pairs) {
    const Pair& pair = explained.pair;
    const OutcomeRecord& outcome = pair.outcome;
    json one = {{"build", outcome.build},
                {"consumer_date", formatDate(pair.consumerDate)},
                {"platform", outcome.platform},
                {"mode", outcome.mode},
                {"promises", explained.promises},
                {"cell", cellName(pair.cell)},
                {"would_load", wouldLoadName(explained.statically.answer)},
                {"reasons", explained.statically.reasons},
                {"limitation", outcome.limitation},
                {"reproduce", pair.command}};
    if (pair.cell != Cell::kUntested)
      one["outcome"] = {{"outcome", outcomeName(outcome.outcome)},
                        {"stage", stageName(outcome.stage)},
                        {"detail", outcome.detail},
                        {"run", outcome.run}};
    if (explained.forced)
      one["forced"] = {{"calling_convention", explained.forced->version},
                       {"outcome", outcomeName(explained.forced->outcome)},
                       {"detail", explained.forced->detail}};
    out["pairs"].push_back(std::move(one));
  }
  return out;
}

}  // namespace vintage::harness
