#include "reports/result_page.h"

#include <fmt/format.h>

#include "reports/markdown_table.h"

namespace vintage::reports {
namespace {

constexpr size_t kShownIdCharacters = 12;

std::string told(const TableResult& result) {
  std::string text;
  if (result.cell != Cell::kUntested && result.outcome != OutcomeKind::kPass)
    text = fmt::format("{} in stage {}: {}", outcomeName(result.outcome), stageName(result.stage),
                       result.detail);
  if (!result.limitation.empty())
    text += fmt::format("{}limitation {}", text.empty() ? "" : "; ", result.limitation);
  return text;
}

}  // namespace

std::string resultPageMarkdown(const PrimitiveSummary& primitive, const std::string& archive) {
  std::string text = fmt::format(
      "# Results of `{}`\n\nOne line for each artifact, platform and mode. "
      "`vintage explain ID --archive {}` tells why, `vintage replay --archive {} --id ID "
      "--platform P --mode M` runs it again.\n\n",
      primitive.primitive, archive, archive);
  MarkdownTable table({"Case", "Platform", "Mode", "Variant", "Cell", "Id", "What was recorded"});
  for (const TableResult& result : primitive.results)
    table.addRow({result.name, result.platform, result.mode, result.variant,
                  std::string(cellName(result.cell)), result.artifact.substr(0, kShownIdCharacters),
                  told(result)});
  return text + table.text();
}

}  // namespace vintage::reports
