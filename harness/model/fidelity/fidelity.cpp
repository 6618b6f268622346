#include "harness/model/fidelity/fidelity.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "golden/base/failures.h"
#include "golden/base/file.h"
#include "golden/base/strict_json.h"
#include "golden/base/utf8.h"
#include "golden/exported/exported.h"
#include "golden/module/module_tree.h"
#include "golden/program/program.h"

namespace vintage::harness {
using namespace golden;
using namespace primitives;

namespace {

constexpr size_t kProgramsPerContext = 400;

// The folder of each case that JAX exported, and who that was.
struct Counterparts {
  std::map<std::string, std::string> folders;
  std::string producer;
};

Result<Counterparts> findCounterparts(const std::string& folder) {
  const std::string journal = folder + "/produced.jsonl";
  ASSIGN_OR_RETURN(const std::string text, readTextFile(journal));
  Counterparts found;
  for (size_t start = 0; start < text.size();) {
    const size_t end = std::min(text.find('\n', start), text.size());
    const auto line = nlohmann::json::parse(text.substr(start, end - start), nullptr, false);
    start = end + 1;
    if (!line.is_object() || line.value("status", "") != "exported") continue;
    found.folders[line.value("name", "")] = folder + "/" + line.value("folder", "");
  }
  if (found.folders.empty())
    return notFound(
        "{} lists nothing that was exported; write it with 'vintage_jax produce --counterparts-of "
        "CASES --out {}'",
        journal, folder);
  ASSIGN_OR_RETURN(const std::string meta,
                   readTextFile(found.folders.begin()->second + "/meta.json"));
  const auto parsed = nlohmann::json::parse(meta, nullptr, false);
  if (parsed.is_object()) found.producer = parsed.value("producer", "");
  return found;
}

Result<std::vector<std::string>> canonical(ProgramContext& context,
                                           std::span<const std::byte> module,
                                           const std::string& name) {
  ASSIGN_OR_RETURN(const Program program, context.readPortableArtifact(module, name));
  ASSIGN_OR_RETURN(const auto tree, within(name, program.tree()));
  return canonicalForm(tree);
}

Result<std::vector<std::string>> oursOf(ProgramContext& context, const Case& entry,
                                        const FidelityOptions& options) {
  ASSIGN_OR_RETURN(const Exported exported,
                   exportCase(context, entry, options.platform, {.profile = options.profile}));
  return canonical(context, exported.module, "<case " + entry.id + ">");
}

Result<std::vector<std::string>> theirsOf(ProgramContext& context, const std::string& folder) {
  const std::string path = folder + "/exported.bin";
  ASSIGN_OR_RETURN(const std::vector<std::byte> bytes, readFile(path));
  ASSIGN_OR_RETURN(const Exported exported, readExported(bytes, path));
  return canonical(context, exported.module, path);
}

constexpr size_t kLongestLine = 160;

std::string percent(size_t part, size_t whole) {
  return whole == 0 ? "-"
                    : fmt::format("{:.1f} %",
                                  100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

// Code in Markdown's tables holds no bars.
std::string cellText(std::string line) {
  const size_t first = line.find_first_not_of(' ');
  if (first != std::string::npos) line.erase(0, first);
  std::ranges::replace(line, '|', '/');
  return line.empty() ? "(its end)" : shortened(line, kLongestLine);
}

}  // namespace

PrimitiveFidelity FidelityReport::total() const {
  PrimitiveFidelity sum;
  for (const auto& [primitive, each] : primitives) {
    sum.cases += each.cases;
    sum.comparable += each.comparable;
    sum.identical += each.identical;
  }
  return sum;
}

std::optional<std::pair<std::string, std::string>> firstDifference(
    std::span<const std::string> ours, std::span<const std::string> jax) {
  const auto [a, b] = std::ranges::mismatch(ours, jax);
  if (a == ours.end() && b == jax.end()) return {};
  return std::pair(a == ours.end() ? "" : *a, b == jax.end() ? "" : *b);
}

Result<FidelityReport> measureFidelity(const FidelityOptions& options) {
  ASSIGN_OR_RETURN(const Counterparts counterparts, findCounterparts(options.folder));
  FidelityReport report{
      counterparts.producer, std::string(options.profile->name), options.platform, {}};
  std::optional<ProgramContext> context;
  size_t programs = 0, done = 0;
  for (const Case& entry : catalogue()) {
    options.progress(++done, catalogue().size());
    if (entry.variant != "static" ||
        std::ranges::find(entry.platforms, options.platform) == entry.platforms.end())
      continue;
    if (!options.primitives.empty() &&
        std::ranges::find(options.primitives, entry.primitive) == options.primitives.end())
      continue;
    PrimitiveFidelity& primitive = report.primitives[entry.primitive];
    ++primitive.cases;
    const auto folder = counterparts.folders.find(entry.id + "/" + options.platform);
    if (folder == counterparts.folders.end()) continue;
    if (programs++ % kProgramsPerContext == 0) context.emplace();
    const auto ours = oursOf(*context, entry, options);
    ASSIGN_OR_RETURN(const auto theirs, theirsOf(*context, folder->second));
    ++primitive.comparable;
    // A case that the profile cannot write is a difference, too.
    if (!ours)
      primitive.differences.push_back({entry.id, ours.error().message, "it exports the case"});
    else if (const auto difference = firstDifference(*ours, theirs))
      primitive.differences.push_back({entry.id, difference->first, difference->second});
    else
      ++primitive.identical;
  }
  return report;
}

std::string fidelityText(const FidelityReport& report, bool all) {
  std::string text;
  for (const auto& [name, primitive] : report.primitives) {
    if (primitive.differences.empty()) continue;
    text +=
        fmt::format("{}: {} of {} identical\n", name, primitive.identical, primitive.comparable);
    const size_t shown = all ? primitive.differences.size() : 1;
    for (const Difference& each : std::span(primitive.differences).first(shown))
      text += fmt::format("  {}\n    ours: {}\n    JAX:  {}\n", each.caseId, cellText(each.ours),
                          cellText(each.jax));
  }
  const PrimitiveFidelity total = report.total();
  return text + fmt::format(
                    "{} of {} comparable cases are identical to those of {} ({}); {} of "
                    "{} static cases for {} have a counterpart\n",
                    total.identical, total.comparable, report.producer,
                    percent(total.identical, total.comparable), total.comparable, total.cases,
                    report.platform);
}

std::string fidelityPage(const FidelityReport& report) {
  const PrimitiveFidelity total = report.total();
  std::string text = fmt::format(
      "# Fidelity to JAX\n\n"
      "Each static case of the catalogue that lowers for `{}`, exported in the profile `{}`, is "
      "compared with\nthe export of {} of the same primitive with the same dtypes, shapes and "
      "parameters. Two programs are\nidentical if their canonical forms are: the same operations "
      "with the same types and attributes in the\nsame order; names of values and functions do not "
      "count. A constant counts where it is used.\n\n"
      "**{} of {} comparable cases are identical ({})**; {} of {} cases have a counterpart.\n\n"
      "```\n"
      "vintage cases --format json > cases.json\n"
      "ENVIRONMENT/bin/python PATH/vintage_jax produce --environment ENVIRONMENT \\\n"
      "    --counterparts-of cases.json --platform {} --jobs 2 --out COUNTERPARTS\n"
      "vintage fidelity COUNTERPARTS --platform {} -o docs/measured/fidelity.md\n"
      "```\n\n",
      report.platform, report.profile, report.producer, total.identical, total.comparable,
      percent(total.identical, total.comparable), total.comparable, total.cases, report.platform,
      report.platform);
  std::vector<std::string> identical, alone;
  for (const auto& [name, primitive] : report.primitives) {
    if (primitive.comparable > 0 && primitive.differences.empty()) identical.push_back(name);
    if (primitive.comparable < primitive.cases)
      alone.push_back(fmt::format("{} {} of {}", name, primitive.cases - primitive.comparable,
                                  primitive.cases));
  }
  text += fmt::format("Every comparable case of {} primitives is identical: {}.\n",
                      identical.size(), fmt::join(identical, ", "));
  if (!alone.empty())
    text += fmt::format("\nCases without a counterpart: {}.\n", fmt::join(alone, ", "));
  text +=
      "\n## Differences\n\nOf each primitive the first case that differs, at its first line.\n\n";
  bool any = false;
  for (const auto& [name, primitive] : report.primitives) {
    if (primitive.differences.empty()) continue;
    any = true;
    const Difference& first = primitive.differences.front();
    text += fmt::format("- **{}** ({} of {}), `{}`\n  - ours: `{}`\n  - JAX: `{}`\n", name,
                        primitive.differences.size(), primitive.comparable, first.caseId,
                        cellText(first.ours), cellText(first.jax));
  }
  return any ? text : text + "None.\n";
}

}  // namespace vintage::harness
