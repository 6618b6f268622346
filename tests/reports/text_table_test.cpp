// Tables for a terminal.
#include "reports/text_table.h"

#include <gtest/gtest.h>

#include "tests/rooms.h"

namespace vintage::tests {
namespace {

TEST(TextTable, ColumnsAreAsWideAsTheirLongestCellAndLinesEndWithTheirText) {
  const std::vector<std::vector<std::string>> lines{
      {"what", "pass", "where"}, {"a longer name", "3", ""}, {"", "12345", "x y"}};
  EXPECT_EQ(textTable(lines),
            "what           pass   where\n"
            "a longer name  3\n"
            "               12345  x y\n");
}

TEST(TextTable, NoLinesGiveNoText) { EXPECT_EQ(textTable({}), ""); }

}  // namespace
}  // namespace vintage::tests
