// docs/seeded_faults/engine.md lists every fault of the engine, and each was caught.

#include <fstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/harness/engine/faults/fault.h"

namespace vintage::tests {
using namespace harness;

namespace {

std::vector<std::string> cellsOf(const std::string& row) {
  std::vector<std::string> cells;
  size_t start = 2;  // Behind "| ".
  for (size_t at; (at = row.find(" |", start)) != std::string::npos; start = at + 3)
    cells.push_back(row.substr(start, at - start));
  return cells;
}

class SeededFaultsPage : public testing::Test {
 protected:
  void SetUp() override {
    std::ifstream file(VINTAGE_SOURCE "/docs/seeded_faults/engine.md");
    ASSERT_TRUE(file.is_open()) << "bench/seeded_faults/engine.py writes it";
    bool table = false;
    for (std::string line; std::getline(file, line);) {
      if (table)
        rows_.push_back(cellsOf(line));
      else
        head_ += line + "\n";
      table |= line.starts_with("| ---");
    }
  }
  std::string head_;
  std::vector<std::vector<std::string>> rows_;
};

TEST_F(SeededFaultsPage, ListsExactlyTheFaultsAndSuspectsWhatTheyDamage) {
  const auto faults = seededFaults();
  ASSERT_EQ(rows_.size(), faults.size()) << "bench/seeded_faults/engine.py writes it again";
  for (size_t i = 0; i < faults.size(); ++i) {
    const SeededFault& fault = faults[i];
    ASSERT_EQ(rows_[i].size(), 3u) << fault.name;
    EXPECT_EQ(rows_[i][0], "`" + fault.name + "`");
    const std::string& suspect = rows_[i][2];
    EXPECT_TRUE(suspect.starts_with("`" + fault.operation + "`") ||
                suspect.starts_with("`" + fault.operation + " "))
        << suspect;
    EXPECT_NE(suspect.find(fault.primitive), std::string::npos) << suspect;
  }
}

TEST_F(SeededFaultsPage, SaysOfEachThatItWasCaughtAndAttributed) {
  for (const auto& row : rows_) {
    ASSERT_EQ(row.size(), 3u);
    EXPECT_EQ((row[1] + row[2]).find("**"), std::string::npos) << row[0];
    EXPECT_FALSE(row[1].starts_with("0, ")) << row[0];
  }
  const size_t count = seededFaults().size();
  EXPECT_NE(head_.find(fmt::format("Of {} faults {} turn the run red, and {} are attributed", count,
                                   count, count)),
            std::string::npos)
      << head_;
  EXPECT_NE(head_.find("20 of 20 nights in a row"), std::string::npos) << head_;
  EXPECT_NE(head_.find("all with the same ids"), std::string::npos) << head_;
}

}  // namespace
}  // namespace vintage::tests
