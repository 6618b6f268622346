#include <algorithm>

#include <fmt/format.h>

#include "golden/base/utf8.h"
#include "harness/model/fidelity/fidelity.h"

namespace vintage::harness {
namespace {

constexpr size_t kLongestLine = 160;

std::string percent(size_t part, size_t whole) {
  return whole == 0 ? "-"
                    : fmt::format("{:.1f} %",
                                  100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

// Code in Markdown's tables holds no bars.
std::string cellText(std::string line) {
  line.erase(0, line.find_first_not_of(' ') == std::string::npos ? 0 : line.find_first_not_of(' '));
  std::ranges::replace(line, '|', '/');
  return line.empty() ? "(its end)" : shortened(line, kLongestLine);
}

}  // namespace

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
      "held against what\n{} exports of the same primitive with the same dtypes, shapes and "
      "parameters. Two programs are\nidentical where their canonical forms are: the same "
      "operations with the same types and attributes in\nthe same order, whatever values and "
      "functions are called. A constant counts where it is used.\n\n"
      "**{} of {} comparable cases are identical ({})**; {} of {} cases have a counterpart.\n\n"
      "```\n"
      "vintage cases --format json > cases.json\n"
      "ENVIRONMENT/bin/python PATH/vintage_jax produce --environment ENVIRONMENT \\\n"
      "    --counterparts-of cases.json --platform {} --jobs 2 --out COUNTERPARTS\n"
      "vintage fidelity COUNTERPARTS --platform {} -o docs/fidelity.md\n"
      "```\n\n"
      "| Primitive | cases | comparable | identical |\n| --- | ---: | ---: | ---: |\n",
      report.platform, report.profile, report.producer, total.identical, total.comparable,
      percent(total.identical, total.comparable), total.comparable, total.cases, report.platform,
      report.platform);
  for (const auto& [name, primitive] : report.primitives)
    text += fmt::format("| {} | {} | {} | {} |\n", name, primitive.cases, primitive.comparable,
                        primitive.identical);
  text +=
      "\n## Differences\n\nOf each primitive the first case that differs, at its first "
      "line.\n\n";
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
