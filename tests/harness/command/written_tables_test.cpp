// Tables of the documents that repeat what the program knows are written by it. Each stands behind
// a line "<!-- program: NAME -->"; VINTAGE_WRITE_PAGES=1 writes those that are out of date.
#include <gmock/gmock.h>

#include "archive/records/verdict.h"
#include "archive/records/window_policy.h"
#include "harness/command/verb.h"
#include "reports/text_table.h"
#include "tests/golden/base/texts.h"

namespace vintage::tests::command {
using namespace archive;
using namespace harness;
using reports::MarkdownTable;

namespace {

std::string exitStatusTable() {
  MarkdownTable table({"exit status", "meaning"});
  for (const auto& [status, meaning] : kExitMeanings)
    table.addRow({std::to_string(status), meaning});
  return table.text();
}

// The one that decides the whole first.
std::string verdictTable() {
  std::string text = "| verdict | exit status | when |\n| --- | --- | --- |\n";
  for (const Verdict verdict : {Verdict::kBroken, Verdict::kCannotTell, Verdict::kNothingPassed,
                                Verdict::kCompiles, Verdict::kHolds, Verdict::kNothingRan})
    text += fmt::format("| *{}* | {} | {} |\n", verdictName(verdict), exitStatus(verdict),
                        verdictMeaning(verdict));
  return text;
}

std::string promisesOf(const WindowPolicy& policy) {
  std::string text;
  for (const PromiseRule& rule : policy.promises) {
    if (text.empty())
      for (const auto format : rule.formats) text += fmt::format("{}s: ", formatName(format));
    else
      text += ", ";
    text += rule.direction == Promise::kBackward
                ? fmt::format("up to {} after the producer", rule.span())
                : fmt::format("{} before it", rule.span());
  }
  if (policy.defaultBumpDays)
    text += fmt::format(
        "; a calling convention becomes the default {} days after the first consumer that reads it",
        *policy.defaultBumpDays);
  return text;
}

std::string policyTable() {
  return fmt::format(
      "| policy | promises consumers built |\n| --- | --- |\n"
      "| `jax` (default) | {} |\n| `stablehlo` | {} |\n"
      "| a file | as below; an unknown field is an error |\n",
      promisesOf(jaxPolicy()), promisesOf(stablehloPolicy()));
}

TEST(WrittenTables, AreFresh) {
  struct Written {
    const char *page, *name;
    std::string table;
  };
  for (const auto& [page, name, table] :
       {Written{"README.md", "exit statuses", exitStatusTable()},
        Written{"docs/reference/verdicts.md", "verdicts", verdictTable()},
        Written{"docs/reference/window.md", "policies", policyTable()}}) {
    const std::string path = std::string(VINTAGE_SOURCE "/") + page;
    std::string text = fileText(path);
    const std::string mark = fmt::format("<!-- program: {} -->\n\n", name);
    const size_t found = text.find(mark);
    ASSERT_NE(found, text.npos) << page << " has no line " << mark;
    const size_t begin = found + mark.size();
    size_t end = begin;
    while (text.compare(end, 1, "|") == 0) end = text.find('\n', end) + 1;
    if (std::getenv("VINTAGE_WRITE_PAGES") != nullptr)
      std::ofstream(path, std::ios::binary) << text.replace(begin, end - begin, table);
    else
      EXPECT_EQ(text.substr(begin, end - begin), table)
          << page << ": VINTAGE_WRITE_PAGES=1 writes it anew";
  }
}

}  // namespace
}  // namespace vintage::tests::command
