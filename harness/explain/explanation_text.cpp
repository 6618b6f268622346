#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/explain/explain.h"
#include "harness/verdict/failure_cause.h"

namespace vintage::harness::explain {
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
  const ArtifactRecord& artifact = explanation.artifact;
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
  }
}

void tellReaders(const Explanation& explanation, std::string& text) {
  if (explanation.releases == 0) {
    text += "no releases are known by their facts ('vintage builds import' takes a list)\n";
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

}  // namespace

std::string explanationText(const Explanation& explanation) {
  const ArtifactRecord& artifact = explanation.artifact;
  std::string text = fmt::format(
      "{} ({})\nexported by {} of {} for {}{}\n", artifact.name, artifact.id.substr(0, 12),
      artifact.producer, formatDate(artifact.buildDate), fmt::join(artifact.platforms, ", "),
      artifact.golden.empty() ? "; it has no golden, so nothing can be compared" : "");
  tellNeeds(explanation, text);
  tellReaders(explanation, text);
  for (const PairExplanation& pair : explanation.pairs) {
    text += fmt::format("on {} of {}, {}, {}: {}\n", pair.build, formatDate(pair.consumerDate),
                        pair.platform, pair.mode, pair.cell);
    const auto days = (pair.consumerDate - artifact.buildDate).count();
    text += fmt::format(
        "  {}; the consumer was built {} day{} {} the producer\n",
        pair.promises.empty() ? "no promise covers the pair"
                              : fmt::format("promise: {}", fmt::join(pair.promises, ", ")),
        std::abs(days), std::abs(days) == 1 ? "" : "s", days >= 0 ? "after" : "before");
    text += fmt::format("  by what the build says of itself it would load: {}{}{}\n",
                        wouldLoadName(pair.statically.answer),
                        pair.statically.reasons.empty() ? "" : ": ",
                        fmt::join(pair.statically.reasons, "; "));
    if (pair.outcome)
      text += fmt::format("  recorded: {} in {}{}{} (run {})\n", outcomeName(pair.outcome->outcome),
                          stageName(pair.outcome->stage), pair.outcome->detail.empty() ? "" : ": ",
                          shortDetail(pair.outcome->detail), pair.outcome->run);
    else
      text += "  nothing is recorded\n";
    if (!pair.limitation.empty())
      text += fmt::format("  limitation {}: {}\n", pair.limitation, pair.limitationText);
    if (pair.forced)
      text += fmt::format("  measured now and recorded nowhere: {}\n", forcedText(*pair.forced));
    if (!pair.reproduce.empty()) text += "  " + pair.reproduce + "\n";
  }
  return text;
}

json toJson(const Explanation& explanation) {
  const ArtifactRecord& artifact = explanation.artifact;
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
  if (explanation.needs) {
    json targets = json::array();
    for (size_t i = 0; i < explanation.needs->targets.size(); ++i) {
      const ForcedNeeds::Target& target = explanation.needs->targets[i];
      targets.push_back({{"name", target.name},
                         {"operation", target.operation},
                         {"calls", target.calls},
                         {"oldest_guarantee", readerJson(explanation.guarantees[i].first)},
                         {"newest_guarantee", readerJson(explanation.guarantees[i].second)}});
    }
    out["needs"] = {{"minimum_stablehlo", explanation.needs->minimumStablehlo},
                    {"stablehlo_forced_by", explanation.needs->stablehloForcedBy},
                    {"minimum_serialization", explanation.needs->minimumSerialization},
                    {"serialization_forced_by", explanation.needs->serializationForcedBy},
                    {"targets", targets}};
  }
  out["pairs"] = json::array();
  for (const PairExplanation& pair : explanation.pairs) {
    json one = {{"build", pair.build},
                {"consumer_date", formatDate(pair.consumerDate)},
                {"platform", pair.platform},
                {"mode", pair.mode},
                {"promises", pair.promises},
                {"cell", pair.cell},
                {"would_load", wouldLoadName(pair.statically.answer)},
                {"reasons", pair.statically.reasons},
                {"limitation", pair.limitation},
                {"reproduce", pair.reproduce}};
    if (pair.outcome)
      one["outcome"] = {{"outcome", outcomeName(pair.outcome->outcome)},
                        {"stage", stageName(pair.outcome->stage)},
                        {"detail", pair.outcome->detail},
                        {"run", pair.outcome->run}};
    if (pair.forced)
      one["forced"] = {{"calling_convention", pair.forced->version},
                       {"outcome", outcomeName(pair.forced->outcome)},
                       {"detail", pair.forced->detail}};
    out["pairs"].push_back(std::move(one));
  }
  return out;
}

}  // namespace vintage::harness::explain
