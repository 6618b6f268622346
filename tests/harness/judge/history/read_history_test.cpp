// A measured history that is read again: the committed one, damaged ones, and the ids of breaks.
#include <fstream>

#include <gmock/gmock.h>

#include "harness/judge/history/history.h"
#include "tests/archive/store/sample.h"

namespace vintage::tests::history {
using namespace harness;

namespace {

using nlohmann::json;
using ::testing::HasSubstr;

class ReadHistoryTest : public FolderTest {
 protected:
  void SetUp() override {
    FolderTest::SetUp();
    std::ifstream file(VINTAGE_SOURCE "/docs/measured/history.json");
    history_ = json::parse(file);
  }
  Result<json> read() {
    std::ofstream(path("history.json")) << history_.dump();
    return readHistory(path("history.json"));
  }
  std::string refusalOf() {
    const auto result = read();
    return result ? "accepted" : result.error().message;
  }
  json history_;
};

TEST_F(ReadHistoryTest, EachBreakHasAnIdOfItsOwn) {
  const auto history = must(read());
  std::set<std::string> ids;
  for (const json& found : history["breaks"]) ids.insert(found["id"]);
  EXPECT_EQ(ids.size(), history["breaks"].size());
  EXPECT_GE(ids.size(), 8u);
}

// The next measurement finds the break on more releases, with a smaller artifact and its numbers.
TEST_F(ReadHistoryTest, AnIdStaysWhenTheBreakIsMeasuredAgain) {
  const json before = must(read());
  for (json& found : history_["breaks"]) {
    found["consumers"].push_back("0.12.0.1");
    found["pairs"] = 100'000;
    std::string message = found["message"];
    for (const auto& [from, to] : {std::pair{"spotrf", "dpotrf"}, {"signal 11", "signal 6"}})
      if (const size_t at = message.find(from); at != std::string::npos)
        message.replace(at, std::string_view(from).size(), to);
    found["message"] = message;
  }
  const json after = must(read());
  for (size_t i = 0; i < before["breaks"].size(); ++i)
    EXPECT_EQ(after["breaks"][i]["id"], before["breaks"][i]["id"]);
}

TEST_F(ReadHistoryTest, WhatIsDamagedIsNamed) {
  json good = history_;
  history_["breaks"][1]["consumers"].push_back("0.0.1");
  EXPECT_THAT(refusalOf(), HasSubstr("breaks[1].consumers: \"0.0.1\" is none of the releases"));
  history_ = good;
  history_["releases"][3]["released"] = "soon";
  EXPECT_THAT(refusalOf(), HasSubstr("releases[3].released: a day YYYY-MM-DD is expected"));
  history_ = good;
  history_["pairs"][0].erase("fail");
  EXPECT_THAT(refusalOf(), HasSubstr("pairs[0].fail: counts by name is expected"));
  history_ = good;
  history_["breaks"][0]["outcome"] = "sulks";
  EXPECT_THAT(refusalOf(), HasSubstr("breaks[0]"));
  history_ = good;
  history_.erase("reach");
  EXPECT_THAT(refusalOf(), HasSubstr("reach: a list is expected; 'vintage history' writes"));
  history_["format"] = "vintage window policy";
  EXPECT_THAT(refusalOf(), HasSubstr("vintage measured history"));
}

}  // namespace
}  // namespace vintage::tests::history
