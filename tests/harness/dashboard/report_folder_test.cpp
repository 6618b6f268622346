// The dashboard as files: all links lead to files, the size is small, and other folders are not
// touched.
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "harness/dashboard/report_folder.h"
#include "tests/golden/base/texts.h"
#include "tests/harness/dashboard/small_archive.h"

namespace vintage::tests::dashboard {
using namespace archive;
using namespace harness;

namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

class ReportFolderTest : public SmallArchiveTest {
 protected:
  WrittenReport write(size_t mostPairs = 100) {
    return must(writeReport(context(), {.folder = path("report"), .mostPairs = mostPairs}));
  }
  std::string read(const std::string& name) const { return fileText(path("report/" + name)); }
  // The data that the script passes on.
  json data(const std::string& name) const {
    const std::string script = read("data/" + name + ".js");
    const std::string head = fmt::format("vintageDashboard.take(\"{}\", ", name);
    EXPECT_THAT(script, ::testing::StartsWith(head));
    EXPECT_THAT(script, ::testing::EndsWith(");\n"));
    return json::parse(script.substr(head.size(), script.size() - head.size() - 3));
  }
};

TEST_F(ReportFolderTest, HoldsAPageForEachCellAndPair) {
  const auto written = write();
  EXPECT_EQ(written.pairs, 3);
  EXPECT_EQ(written.pairsLeftOut, 0);
  EXPECT_EQ(data("overview")["primitives"], json({"add", "svd"}));
  // Builds stand by date: early is 0, late is 1, and unused has nothing to show.
  EXPECT_EQ(data("column-b0")["build"], "early");
  EXPECT_EQ(data("matrix-b1")["build"], "late");
  EXPECT_FALSE(fs::exists(path("report/data/column-b2.js")));
  const json pair = data("pairs-b0-p1")["pairs"][0];
  EXPECT_EQ(pair["name"], "svd_f32");
  EXPECT_EQ(pair["page"], true);
  EXPECT_EQ(data("pairs-b0-x0")["total"], 2);
  EXPECT_EQ(data(fmt::format("pair-b0-{}--cpu-graph", svd_.substr(0, 16)))["record"]["id"], svd_);
  EXPECT_EQ(data("text-" + add_.substr(0, 16))["text"], "text of add_f32");
  EXPECT_EQ(data("accuracy-r0")["rows"].size(), 1u);
  EXPECT_TRUE(data("health").contains("findings"));
  EXPECT_TRUE(data("targets").contains("releases"));
  EXPECT_EQ(data("speed")["pairs"].size(), 0u);
}

TEST_F(ReportFolderTest, AnEmptyArchiveHasAReportToo) {
  archive_.emplace(must(Archive::open(path("empty"), Archive::Mode::kCreate)));
  const auto written = write();
  EXPECT_EQ(written.pairs, 0);
  EXPECT_EQ(data("overview")["builds"], json::array());
  EXPECT_EQ(data("targets")["releases"], json::array());
}

TEST_F(ReportFolderTest, SaysWhichFailuresHaveNoPage) {
  const auto written = write(0);
  EXPECT_EQ(written.pairs, 0);
  EXPECT_EQ(written.pairsLeftOut, 2);  // Each once, though listed by primitive and by producer.
  EXPECT_EQ(data("pairs-b0-p1")["pairs"][0]["page"], false);
}

TEST_F(ReportFolderTest, ReplacesAnEarlierReportAndNothingElse) {
  write();
  std::ofstream(path("report/data/column-b7.js")) << "of a build that is no more";
  write();
  EXPECT_FALSE(fs::exists(path("report/data/column-b7.js")));
  fs::create_directories(path("mine"));
  std::ofstream(path("mine/thesis.tex")) << "years of work";
  const auto refused = writeReport(context(), {.folder = path("mine")});
  EXPECT_EQ(refusal(refused), Error::Kind::kUsage);
  EXPECT_THAT(refused.error().message, HasSubstr("something else"));
  EXPECT_TRUE(fs::exists(path("mine/thesis.tex")));
  EXPECT_FALSE(fs::exists(path("mine/index.html")));
}

TEST_F(ReportFolderTest, NothingOfAConsumerStandsInThePageItself) {
  write();
  EXPECT_THAT(read("index.html"), HasSubstr("content=\"files\""));
  EXPECT_THAT(read("index.html"), Not(HasSubstr("svd")));
  EXPECT_THAT(read("index.html"), HasSubstr("Content-Security-Policy"));
}

TEST(SiteFiles, AreSmallAndNameNoOtherHost) {
  size_t first = 0;
  for (const SiteFile& file : siteFiles()) {
    const std::string text(file.text);
    EXPECT_GT(text.size(), 50u) << file.name;
    if (file.name != "dashboard/chart.js" && file.name != "dashboard/chart.LICENSE")
      first += text.size();
    // Nobody loads SVG's namespace, or the library's address in its first comment and its licence.
    if (file.name == "dashboard/chart.LICENSE") continue;
    for (size_t at = text.find("://"); at != std::string::npos; at = text.find("://", at + 1))
      EXPECT_TRUE(text.compare(at, 20, "://www.w3.org/2000/svg", 20) == 0 ||
                  text.compare(at, 18, "://www.chartjs.org", 18) == 0 ||
                  text.compare(at, 13, "://github.com", 13) == 0)
          << file.name << ": " << text.substr(at - 10, 60);
  }
  EXPECT_LT(first, 140'000u);  // The bytes of the first view, without its data.
  EXPECT_THAT(std::string(siteFiles()[0].text), Not(HasSubstr("style=")));
}

// A page from a file has the same policy as the service sends, as far as a page can state it.
TEST(SiteFiles, ThePageStatesThePolicyThatTheServiceSends) {
  std::string served(contentSecurityPolicy());
  const std::string frames = "frame-ancestors 'none'; ";  // Only a header may say it.
  served.erase(served.find(frames), frames.size());
  EXPECT_THAT(staticIndex(), HasSubstr("content=\"" + served + "\""));
  EXPECT_THAT(served, Not(HasSubstr("unsafe")));
}

}  // namespace
}  // namespace vintage::tests::dashboard
