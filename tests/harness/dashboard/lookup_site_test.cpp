// A report of a measured history: the feed of breaks, and badges.
#include <filesystem>

#include <gmock/gmock.h>

#include "harness/dashboard/lookup_site.h"
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

json smallHistory() {
  return json::parse(R"({"today": "2026-11-23", "artifacts": 2, "executions": 4, "reach": [],
    "releases": [{"version": "0.6.0", "released": "2025-04-17"},
                 {"version": "0.6.1", "released": "2025-05-21"}],
    "pairs": [], "fails_on_its_own_release": [],
    "breaks": [
      {"id": "aaaa", "condition": "warm", "outcome": "error", "stage": "compile",
       "message": "no <b>target</b> & more", "primitives": ["eig"], "producers": ["0.6.0"],
       "consumers": ["0.6.0", "0.6.1"]},
      {"id": "bbbb", "condition": "fresh", "outcome": "crash", "stage": "run", "message": "",
       "primitives": ["eigh"], "producers": ["0.6.0"], "consumers": ["0.6.1"]}]})");
}

class LookupSiteTest : public SmallArchiveTest {
 protected:
  // A model of day 0, which the promise covers up to 2025-04-02.
  ContentId keep(const std::string& name, uint64_t seed) { return put(name, "", seed); }
  std::string badge(const std::string& name, const char* today = "2024-11-01") {
    PageContext on = context();
    on.today = must(parseDate(today));
    const auto files = must(badgeFiles(on, smallHistory()));
    const auto found = files.find("badge/" + name + ".svg");
    return found == files.end() ? "no such badge" : found->second;
  }
};

TEST_F(LookupSiteTest, AModelsBadgeSaysUntilWhenItHolds) {
  const auto model = keep("solver", 7);
  EXPECT_THAT(badge("solver"), HasSubstr("aria-label=\"solver: not tried\""));
  record(model, "late", OutcomeKind::kPass, Stage::kCompare, "");
  EXPECT_THAT(badge("solver"), HasSubstr("<title>solver: holds until 2025-04</title>"));
  EXPECT_THAT(badge("solver", "2026-11-23"), HasSubstr("solver: held until 2025-04"));
  record(model, "early", OutcomeKind::kError, Stage::kCompile, "gone");
  EXPECT_THAT(badge("solver"), HasSubstr("solver: fails on early"));
}

TEST_F(LookupSiteTest, AFailureBeyondThePromiseChangesNoBadge) {
  must(archive_->putBuild(sampleBuild("far", 400)));
  const auto model = keep("solver", 7);
  record(model, "late", OutcomeKind::kPass, Stage::kCompare, "");
  record(model, "far", OutcomeKind::kError, Stage::kCompile, "gone");
  EXPECT_THAT(badge("solver"), HasSubstr("holds until 2025-04"));
}

TEST_F(LookupSiteTest, NamesOfModelsAreTextAndPlainFiles) {
  keep("../a<b>/\u202e", 8);
  const std::string svg = badge("_2e._2fa_3cb_3e_2f_e2_80_ae");
  EXPECT_THAT(svg, HasSubstr("../a&lt;b&gt;/\\u202e: not tried"));
  EXPECT_THAT(svg, Not(HasSubstr("<b>")));
  EXPECT_EQ(badge("svd_f32"), "no such badge");  // A test of a primitive is no model.
}

TEST_F(LookupSiteTest, AReleasesBadgeCountsItsBreaks) {
  EXPECT_THAT(badge("jax-0.6.0"), HasSubstr("jax 0.6.0: 1 known break<"));
  EXPECT_THAT(badge("jax-0.6.1"), HasSubstr("jax 0.6.1: 2 known breaks<"));
}

TEST_F(LookupSiteTest, TheFeedHasTheNewestBreakFirstAndEscapesMessages) {
  const std::string feed = breaksFeed(smallHistory(), "Mine & yours", "https://example.org/jax/");
  EXPECT_LT(feed.find("#/break/bbbb"), feed.find("#/break/aaaa"));
  EXPECT_THAT(feed, HasSubstr("no &lt;b&gt;target&lt;/b&gt; &amp; more"));
  EXPECT_THAT(feed, HasSubstr("<title>Mine &amp; yours</title>"));
  EXPECT_THAT(feed, HasSubstr("href=\"https://example.org/jax/index.html#/break/aaaa\""));
  EXPECT_THAT(feed, HasSubstr("<link rel=\"self\" href=\"https://example.org/jax/feed.xml\"/>"));
  EXPECT_THAT(feed, HasSubstr("<published>2025-04-17T00:00:00Z</published>\n"
                              "    <updated>2025-05-21T00:00:00Z</updated>"));
}

TEST_F(LookupSiteTest, AReportWithoutAHistoryHasNoneOfIt) {
  ReportOptions options{.folder = path("report")};
  options.history = smallHistory();
  options.title = "Mine";
  must(writeReport(context(), options));
  EXPECT_TRUE(fs::exists(path("report/feed.xml")));
  EXPECT_TRUE(fs::exists(path("report/badge/jax-0.6.1.svg")));
  EXPECT_TRUE(fs::exists(path("report/data/history.js")));
  must(writeReport(context(), {.folder = path("report")}));
  for (const char* name : {"feed.xml", "badge", "data/history.js"})
    EXPECT_FALSE(fs::exists(path(std::string("report/") + name))) << name;
  EXPECT_THAT(fileText(path("report/data/overview.js")), Not(HasSubstr("history")));
}

}  // namespace
}  // namespace vintage::tests::dashboard
