// Tables for a terminal.
#include "reports/text_table.h"

#include <gtest/gtest.h>

namespace vintage::tests {
using namespace reports;

namespace {

TEST(TextTable, ColumnsAreAsWideAsTheirLongestCellAndLinesEndWithTheirText) {
  const std::vector<std::vector<std::string>> lines{
      {"what", "pass", "where"}, {"a longer name", "3", ""}, {"", "12345", "x y"}};
  EXPECT_EQ(textTable(lines),
            "what           pass   where\n"
            "a longer name  3\n"
            "               12345  x y\n");
}

TEST(MergeRows, AreOneWhereTheyDifferInOneColumnOnly) {
  using Rows = std::vector<std::vector<std::string>>;
  const Rows rows{{"1", "a", "x"}, {"2", "b", "x"}, {"1", "c", "x"}, {"1", "d", "y"}};
  EXPECT_EQ(mergeRows(rows, 1), (Rows{{"1", "a, c", "x"}, {"2", "b", "x"}, {"1", "d", "y"}}));
  EXPECT_EQ(mergeRows({}, 0), Rows());
}

TEST(TextTable, NoLinesGiveNoText) { EXPECT_EQ(textTable({}), ""); }

// Three rooms shortened lists of names, each in its own way.
TEST(SomeOf, NamesTheFirstAndCountsTheRest) {
  const std::vector<std::string> names{"a", "b", "c", "d"};
  EXPECT_EQ(someOf(names, 5), "a, b, c, d");
  EXPECT_EQ(someOf(names, 4), "a, b, c, d");
  EXPECT_EQ(someOf(names, 3), "a, b, c and 1 more");
  EXPECT_EQ(someOf({}, 3), "");
}

}  // namespace
}  // namespace vintage::tests
