#include "harness/judge/history/history.h"

#include <algorithm>
#include <ranges>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "reports/text_table.h"

namespace vintage::harness {
using namespace archive;
using namespace reports;

namespace {

constexpr size_t kShownId = 12;
constexpr size_t kNamesShown = 12;

std::string daysText(const std::optional<int64_t>& days) {
  return days ? std::to_string(*days) : "-";
}

// "0.4.30 to 0.5.3", or each of them where others lie between.
std::string versions(const History& history, const std::set<size_t>& indices) {
  if (indices.empty()) return "";
  const size_t first = *indices.begin(), last = *indices.rbegin();
  if (indices.size() > 2 && last - first + 1 == indices.size())
    return fmt::format("{} to {}", history.releases[first].version, history.releases[last].version);
  std::vector<std::string> names;
  for (size_t index : indices) names.push_back(history.releases[index].version);
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string some(const std::set<std::string>& names) {
  return someOf(std::vector(names.begin(), names.end()), kNamesShown);
}

std::string whatHappens(const Break& found) {
  switch (found.outcome) {
    case OutcomeKind::kMismatch:
      return "Other values of";
    case OutcomeKind::kCrash:
      return "The process dies at";
    case OutcomeKind::kTimeout:
      return "No answer in time from";
    case OutcomeKind::kUnsupported:
      return "Refused:";
    default:
      return fmt::format("An error in stage {} of", stageName(found.stage));
  }
}

std::string releasesTable(const History& history) {
  MarkdownTable table({"Release", "Published", "Python", "Calling convention", "Serialization",
                       "StableHLO", "Artifacts", "Worker"});
  for (const HistoryRelease& release : history.releases)
    table.addRow({release.version, formatDate(release.released), release.python,
                  std::to_string(release.newestCallingConvention),
                  std::to_string(release.newestSerialization), release.stablehloVersion,
                  std::to_string(release.artifacts),
                  release.fresh.empty()  ? "warm"
                  : release.warm.empty() ? "fresh"
                                         : "warm and fresh"});
  return table.text();
}

struct Totals {
  int64_t ran = 0, passed = 0, differ = 0, notComparable = 0, failed = 0, refused = 0;
  void add(const PairOutcomes& pair) {
    ran += pair.ran();
    passed += pair.passed;
    differ += pair.differ;
    notComparable += pair.notComparable;
    refused += pair.refused;
    for (const auto& [kind, count] : pair.failed) failed += count;
  }
  std::vector<std::string> cells(const std::string& name) const {
    return {name,
            std::to_string(ran),
            std::to_string(passed),
            std::to_string(differ),
            std::to_string(notComparable),
            std::to_string(failed),
            std::to_string(refused)};
  }
};

std::string totalsTable(const History& history) {
  const WindowPolicy policy = jaxPolicy();
  std::map<std::string, Totals> totals;
  for (const auto& [key, pair] : history.pairs) {
    const auto [producer, consumer, fresh] = key;
    const auto promise =
        policy.covers(history.releases[producer].released, history.releases[consumer].released);
    const std::string where = producer == consumer ? "the same release"
                              : promise ? fmt::format("promised {}", promiseName(*promise))
                                        : "beyond the promises";
    totals[fmt::format("{}, {}", where, fresh ? "fresh" : "warm")].add(pair);
  }
  MarkdownTable table(
      {"Pairs", "Ran", "Pass", "Differ where they may", "Not comparable", "Fail", "Refused"});
  for (const auto& [name, total] : totals) table.addRow(total.cells(name));
  return table.text();
}

// Pairs of releases that the sampling includes and that have not run; empty: none. Fresh processes
// run only promised pairs with targets.
std::string notMeasured(const History& history) {
  const WindowPolicy policy = jaxPolicy();
  const bool freshRan = std::ranges::any_of(
      history.pairs, [](const auto& pair) { return std::get<bool>(pair.first); });
  std::map<std::string, std::pair<int64_t, int64_t>> missing;  // Missing, of all.
  for (size_t producer = 0; producer < history.releases.size(); ++producer)
    for (size_t consumer = 0; consumer < history.releases.size(); ++consumer)
      for (const bool fresh : {false, true}) {
        const HistoryRelease &from = history.releases[producer], &on = history.releases[consumer];
        const bool promised = policy.covers(from.released, on.released).has_value();
        if (from.artifacts == 0 || (fresh ? on.fresh : on.warm).empty() ||
            (fresh && (!freshRan || !promised)))
          continue;
        auto& [absent, all] = missing[fmt::format(
            "{}, {}", promised ? "inside the promises" : "beyond them", fresh ? "fresh" : "warm")];
        absent += !history.pairs.contains({producer, consumer, fresh});
        ++all;
      }
  std::vector<std::string> parts;
  for (const auto& [where, counts] : missing)
    if (counts.first > 0)
      parts.push_back(fmt::format("{} of {} {}", counts.first, counts.second, where));
  return parts.empty() ? ""
                       : fmt::format(
                             "**Not finished**: of the pairs of releases nothing ran yet of "
                             "{}. The same command goes on.\n\n",
                             fmt::join(parts, "; "));
}

std::string readme(const History& history, const HistoryOrigin& origin) {
  return fmt::format(
      "# What real releases of JAX do with each other's artifacts\n\n"
      "{} releases of JAX exported {} artifacts for the CPU, and ran each other's: {} executions. "
      "An artifact's golden is what its own release computed. Written on {} by\n\n"
      "```\n{}\n```\n\n{}\n\n{}- [matrix.md](matrix.md): each release's artifacts on each release\n"
      "- [reach.md](reach.md): how many days backward and forward works, by primitive and by "
      "target\n"
      "- [breaks.md](breaks.md): {} breaks of what is promised, each with its smallest artifact\n"
      "- [history.json](history.json): all of it for programs\n\n"
      "## Together\n\n{}\n## The releases\n\n{}",
      history.releases.size(), history.artifacts, history.executions, formatDate(history.today),
      origin.command, origin.sampling, notMeasured(history), history.breaks.size(),
      totalsTable(history), releasesTable(history));
}

// "545", "192/194v"
std::string counts(const PairOutcomes& pair) {
  std::string text = std::to_string(pair.passed);
  if (pair.passed < pair.ran()) text += fmt::format("/{}", pair.ran());
  for (const auto& [kind, letter] :
       {std::pair(OutcomeKind::kMismatch, 'v'), std::pair(OutcomeKind::kCrash, 'c'),
        std::pair(OutcomeKind::kTimeout, 't')})
    if (pair.failed.contains(kind)) text += letter;
  if (pair.refused > 0) text += 'r';
  if (pair.differ > 0) text += 'd';
  if (pair.notComparable > 0) text += 'n';
  return text;
}

std::string matrix(const History& history) {
  std::string text =
      "# Each release's artifacts on each release\n\n"
      "A number counts the artifacts that pass, of those that ran where they are more; bold is "
      "promised. The others fail with an error, or: v, other values "
      "among them; c, a crash; t, a timeout; r, the consumer itself declines some, which it calls "
      "expired or whose type it does not have; d, some differ where they may; n, some are not "
      "comparable. [history.json](history.json) has each number.\n";
  const WindowPolicy policy = jaxPolicy();
  for (const bool fresh : {false, true}) {
    // By producer: releases in turn that end alike.
    std::map<size_t, std::vector<std::pair<std::string, std::set<size_t>>>> runs;
    for (const auto& [key, pair] : history.pairs) {
      const auto [producer, consumer, isFresh] = key;
      if (isFresh != fresh) continue;
      const HistoryRelease &from = history.releases[producer], &on = history.releases[consumer];
      const char* const mark = policy.covers(from.released, on.released) ? "**" : "";
      const std::string cell = fmt::format("{0}{1}{0}", mark, counts(pair));
      auto& row = runs[producer];
      if (row.empty() || row.back().first != cell) row.push_back({cell, {}});
      row.back().second.insert(consumer);
    }
    if (runs.empty()) continue;
    MarkdownTable table({"Exported by", "Pass, on releases"});
    for (const auto& [producer, row] : runs) {
      const auto part = [&](const auto& run) {
        return fmt::format("{} on {}", run.first, versions(history, run.second));
      };
      table.addRow({history.releases[producer].version,
                    fmt::format("{}", fmt::join(row | std::views::transform(part), "; "))});
    }
    text +=
        fmt::format("\n## {}\n\n{}", fresh ? "Fresh processes" : "Warm processes", table.text());
  }
  return text;
}

std::string reach(const History& history) {
  std::string text =
      "# How many days works\n\n"
      "By releases with warm processes; what fails on its own release is left out. *All* is the "
      "greatest number of days up to which everything that ran passes, *any* the greatest on "
      "which anything does; a dash says that nothing ran, or that it fails from the first day "
      "on. A refusal counts as not working.\n";
  for (const std::string kind : {"primitive", "target"}) {
    std::vector<std::vector<std::string>> rows;
    for (const ReachOfPart& part : history.reach)
      if (part.kind == kind)
        rows.push_back({daysText(part.backward.allPass()), daysText(part.backward.longestPass()),
                        daysText(part.forward.allPass()), daysText(part.forward.longestPass()),
                        part.name.empty() ? "(unknown)" : part.name});
    MarkdownTable table({"Backward, all", "Backward, any", "Forward, all", "Forward, any",
                         kind == "primitive" ? "Primitives" : "Targets"});
    for (const auto& row : mergeRows(std::move(rows), 4)) table.addRow(row);
    text += fmt::format("\n## By {}\n\n{}", kind, table.text());
  }
  return text;
}

std::string breakEntry(const History& history, const Break& found, size_t number) {
  const HistoryRelease &from = history.releases[found.smallestProducer],
                       &on = history.releases[found.smallestConsumer];
  std::string text =
      fmt::format("## {}. {} {}{}\n\n", number, whatHappens(found), some(found.primitives),
                  found.condition == "fresh" ? ", in a fresh process" : "");
  const auto part = [](const auto& one) { return fmt::format("{} {}", one.second, one.first); };
  text += fmt::format("- Pairs: {} ({})\n", found.pairs,
                      fmt::join(found.promises | std::views::transform(part), ", "));
  text += fmt::format("- Exported by {}; run by {}\n", versions(history, found.producers),
                      versions(history, found.consumers));
  text += found.leastDays == found.mostDays
              ? fmt::format("- Days from producer to consumer: {}\n", found.leastDays)
              : fmt::format("- Days from producer to consumer: {} to {}\n", found.leastDays,
                            found.mostDays);
  if (!found.targets.empty()) text += fmt::format("- Targets: {}\n", some(found.targets));
  if (!found.message.empty()) text += fmt::format("- Message: `{}`\n", found.message);
  if (!found.issue.empty())
    text += fmt::format("- Upstream: [{}]({})\n", found.issueTitle, found.issue);
  text += fmt::format("- The smallest artifact: {} of {} bytes, exported by {} ({}), on {} ({})\n",
                      found.smallest.name, found.smallest.bytes, from.version,
                      formatDate(from.released), on.version, formatDate(on.released));
  text +=
      fmt::format("\n```\nvintage replay --archive A --id {} --build {} --mode compiled\n```\n\n",
                  found.smallest.id.substr(0, kShownId), found.smallestOn);
  return text;
}

std::string breaks(const History& history) {
  std::string text =
      "# Breaks of what is promised\n\n"
      "An artifact that its own release runs fails on a release that the promises cover: 180 "
      "days backward, 21 forward. Failures with one message are one entry; so are other values "
      "of one primitive, beyond the tolerance of its type.\n\n";
  size_t number = 0;
  for (const Break& found : history.breaks) text += breakEntry(history, found, ++number);
  if (history.breaks.empty()) text += "None was found.\n\n";
  if (history.failsAtHome.empty()) return text;
  text += "## Left out\n\nArtifacts that fail on the release that exported them.\n\n";
  MarkdownTable table({"Artifact", "Release", "Outcome", "Message"});
  for (const FailsAtHome& one : history.failsAtHome)
    table.addRow({one.name, one.producer, outcomeName(one.outcome), one.message});
  return text + table.text();
}

}  // namespace

std::map<std::string, std::string> historyPages(const History& history,
                                                const HistoryOrigin& origin) {
  return {{"README.md", readme(history, origin)},
          {"matrix.md", matrix(history)},
          {"reach.md", reach(history)},
          {"breaks.md", breaks(history)},
          {"history.json", toJson(history).dump(1) + "\n"}};
}

}  // namespace vintage::harness
