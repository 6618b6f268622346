// The table of an archive with outcomes of three consumers.

#include <filesystem>

#include <gmock/gmock.h>
#include <unistd.h>

#include "harness/judge/tables/comparison.h"
#include "harness/judge/tables/consumer_table.h"

namespace vintage::tests::tables {
using namespace archive;
using namespace harness;

namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using enum FailureClass;

namespace fs = std::filesystem;

class ConsumerTables : public testing::Test {
 protected:
  ConsumerTables() {
    std::string pattern = (fs::temp_directory_path() / "vintage_XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
    archive_.emplace(*Archive::open((folder_ / "A").string(), Archive::Mode::kCreate));
    for (const auto& [name, day] : {std::pair{"old", "2024-10-25"}, std::pair{"new", "2026-03-06"},
                                    std::pair{"mine", "2026-11-01"}}) {
      BuildRecord build;
      build.name = name;
      build.version = "1";
      build.buildDate = *parseDate(day);
      build.platforms = {"cpu"};
      build.modes = {"eager", "compiled"};
      build.kind = "facts";
      EXPECT_TRUE(archive_->putBuild(build));
    }
    RunRecord run;
    run.kind = "replay";
    run_ = *archive_->putRun(run);
    add("add", "f32");
    add("add", "bf16");
    add("eig", "f32");
    // The old one cannot read any, the new one has no target of eig, mine has no bf16.
    for (const char* mode : {"eager", "compiled"}) {
      for (const char* name : {"add_f32", "add_bf16", "eig_f32"})
        record(name, "old", mode, OutcomeKind::kError, Stage::kLoad, "unsupported version 10");
      record("add_f32", "new", mode);
      record("add_bf16", "new", mode);
      record("eig_f32", "new", mode, OutcomeKind::kError, Stage::kCompile,
             "No registered implementation for untyped custom call to lapack_sgeev for Host");
    }
    record("add_f32", "mine", "compiled");
    record("add_bf16", "mine", "compiled", OutcomeKind::kUnsupported, Stage::kLoad,
           "no bf16\nmore");
  }
  ~ConsumerTables() override {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }

  void add(const std::string& primitive, const std::string& dtype) {
    ArtifactRecord record;
    record.name = primitive + "_" + dtype;
    record.producer = "p";
    record.buildDate = *parseDate("2026-01-01");
    record.primitive = primitive;
    record.dtypes = {dtype};
    record.platforms = {"cpu", "tpu"};
    const std::string bytes = "artifact " + record.name;
    auto id = archive_->put(record, std::as_bytes(std::span(bytes)), nullptr);
    ASSERT_TRUE(id) << id.error().message;
    ids_[record.name] = *id;
  }

  void record(const std::string& name, const std::string& build, const std::string& mode,
              OutcomeKind kind = OutcomeKind::kPass, Stage stage = Stage::kCompare,
              const std::string& detail = "") {
    OutcomeRecord outcome;
    outcome.artifact = ids_[name];
    outcome.build = build;
    outcome.platform = "cpu";
    outcome.mode = mode;
    outcome.run = run_;
    outcome.outcome = kind;
    outcome.stage = stage;
    outcome.detail = detail;
    ASSERT_TRUE(archive_->putOutcomes(std::span(&outcome, 1)));
  }

  fs::path folder_;
  std::optional<Archive> archive_;
  std::string run_;
  std::map<std::string, ContentId> ids_;
};

TEST_F(ConsumerTables, StandSideBySideByDate) {
  auto table = makeConsumerTable(*archive_, {});
  ASSERT_TRUE(table) << table.error().message;
  std::vector<std::string> columns;
  for (const ConsumerColumn& column : table->columns)
    columns.push_back(column.build + " " + column.mode);
  EXPECT_THAT(columns, ElementsAre("old compiled", "old eager", "new compiled", "new eager",
                                   "mine compiled"));
  EXPECT_EQ(table->totals[0].failures.at(kVersionNotReadable), 3);
  EXPECT_EQ(table->totals[2].passed(), 2);
  EXPECT_EQ(table->totals[2].failures.at(kTargetNotRegistered), 1);
  EXPECT_EQ(untestedOf(table->totals[4]), 1);
  ASSERT_THAT(table->rows, SizeIs(3));
  EXPECT_EQ(table->rows[0].primitive, "add");
  EXPECT_EQ(table->rows[0].dtype, "bfloat16");
  EXPECT_EQ(tallyText(table->rows[0].cells[4]), "unimplemented");
  EXPECT_EQ(tallyText(table->rows[1].cells[4]), "pass");
  EXPECT_EQ(tallyText(table->rows[2].cells[4]), "untested");
}

TEST_F(ConsumerTables, CanBeChosen) {
  auto table = makeConsumerTable(*archive_, {{"new"}, {"eager"}, {"p"}});
  ASSERT_TRUE(table);
  EXPECT_THAT(table->columns, SizeIs(1));
  auto unknown = makeConsumerTable(*archive_, {{"nobody"}, {}, {}});
  ASSERT_FALSE(unknown);
  EXPECT_THAT(unknown.error().message, HasSubstr("no build is registered as 'nobody'"));
  EXPECT_FALSE(makeConsumerTable(*archive_, {{}, {"graph"}, {}}));
  EXPECT_FALSE(makeConsumerTable(*archive_, {{}, {}, {"another producer"}}));
}

TEST_F(ConsumerTables, EqualRowsAndModesAreOne) {
  auto table = makeConsumerTable(*archive_, {{"old", "new"}, {}, {}});
  ASSERT_TRUE(table);
  const auto rows = collapseRows(*table);
  ASSERT_THAT(rows, SizeIs(2));
  EXPECT_THAT(rows[0].primitives,
              ElementsAre(testing::Pair("bfloat16, float32", ElementsAre("add"))));
  EXPECT_THAT(rows[0].cells, ElementsAre("version", "version", "pass", "pass"));
  const std::string page = consumerTable(*table, TableForm::kMarkdown);
  EXPECT_THAT(page, HasSubstr("new cpu compiled, eager"));
  EXPECT_THAT(page, HasSubstr("version: version not readable; target: target not registered; ~"));
  EXPECT_THAT(page, HasSubstr("\n| version | pass | bfloat16, float32: add |\n"
                              "| version | target | float32: eig |\n"));
  EXPECT_THAT(page, HasSubstr("| version not readable | target not registered |\n"));
  EXPECT_THAT(page, Not(HasSubstr("wherever it ran")));
}

TEST_F(ConsumerTables, EveryFormHoldsTheNumbers) {
  auto table = makeConsumerTable(*archive_, {});
  ASSERT_TRUE(table);
  const auto json = nlohmann::json::parse(consumerTable(*table, TableForm::kJson));
  EXPECT_EQ(json.at("columns").at(2).at("total").at("failed").at("target not registered"), 1);
  EXPECT_EQ(json.at("rows").at(2).at("cells").at(0).at("failed").at("version not readable"), 1);
  const std::string csv = consumerTable(*table, TableForm::kCsv);
  EXPECT_EQ(std::ranges::count(csv, '\n'), 1 + 3 * 5);
  EXPECT_THAT(csv,
              HasSubstr("eig,float32,new,2026-03-06,cpu,eager,0,0,0,0,0,0,0,1,0,0,0,0,0,0,0\n"));
  EXPECT_THAT(consumerTable(*table, TableForm::kHtml), HasSubstr("<td>target</td>"));
  EXPECT_THAT(consumerTable(*table, TableForm::kText), HasSubstr("target not registered"));
  EXPECT_EQ(tableFormOf("a.csv"), TableForm::kCsv);
  EXPECT_EQ(tableFormOf("a.b"), TableForm::kText);
}

TEST_F(ConsumerTables, WhatMineCannotDoAndAnotherCan) {
  auto table = makeConsumerTable(*archive_, {});
  ASSERT_TRUE(table);
  const auto against = lackingAgainst(*table, "mine", "new");
  ASSERT_TRUE(against) << against.error().message;
  const std::vector<Lacking>& lacking = *against;
  ASSERT_THAT(lacking, SizeIs(1));
  EXPECT_EQ(lacking[0].primitive, "add");
  EXPECT_THAT(lacking[0].dtypes, ElementsAre("bfloat16"));
  EXPECT_EQ(lacking[0].failure, kNotImplemented);
  EXPECT_EQ(lacking[0].example, "add_bf16");
  EXPECT_EQ(lacking[0].detail, "no bf16");
  // Neither a pair that did not run nor a failure of both is a lack.
  const auto nothing = lackingAgainst(*table, "new", "mine");
  ASSERT_TRUE(nothing);
  EXPECT_THAT(*nothing, IsEmpty());
}

// "can do all that B can" was said of a build that had never run, and a table left it out unseen.
TEST_F(ConsumerTables, ABuildThatNeverRanIsNamed) {
  BuildRecord idle;
  idle.name = "idle";
  idle.buildDate = *parseDate("2026-03-07");
  idle.kind = "command";
  ASSERT_TRUE(archive_->putBuild(idle));
  const auto table = makeConsumerTable(*archive_, {});
  ASSERT_TRUE(table);
  EXPECT_THAT(table->neverRan, ElementsAre("idle"));
  EXPECT_THAT(consumerTable(*table, TableForm::kText), HasSubstr("Never ran: idle.\n"));
  const auto chosen = makeConsumerTable(*archive_, {{"mine", "idle"}, {}, {}});
  ASSERT_FALSE(chosen);
  EXPECT_EQ(chosen.error().kind, Error::Kind::kUnsupported);
  EXPECT_THAT(chosen.error().message, HasSubstr("idle never ran such artifacts"));
}

TEST_F(ConsumerTables, PublishedLimitationsHoldOrAreLifted) {
  auto published = parsePublished(
      R"({"limitations": [
        {"primitive": "eig", "dtypes": ["inexact"], "devices": ["cpu", "gpu"], "modes": ["eager"]},
        {"primitive": "add", "dtypes": ["bfloat16"], "devices": ["cpu"]},
        {"primitive": "add", "dtypes": ["bfloat16"], "devices": ["tpu"]},
        {"primitive": "add", "dtypes": ["int8"], "devices": ["cpu"]}]})",
      "page.json");
  ASSERT_TRUE(published) << published.error().message;
  auto table = makeConsumerTable(*archive_, {});
  ASSERT_TRUE(table);
  const auto compared = comparePublished(*table, "new", *published);
  std::vector<Standing> standings;
  for (const auto& one : compared.limitations) standings.push_back(one.standing);
  EXPECT_THAT(standings, ElementsAre(Standing::kHolds, Standing::kLifted, Standing::kNotTried,
                                     Standing::kNotTried));
  EXPECT_THAT(compared.isNew, IsEmpty());
  const auto mine = comparePublished(*table, "mine", {});
  EXPECT_THAT(mine.isNew, SizeIs(1));
  EXPECT_THAT(publishedPage(compared), HasSubstr("- lifted: 1\n- not tried: 2\n"));
  EXPECT_THAT(publishedPage(compared),
              HasSubstr("|  | tpu |  | add (bfloat16) |\n|  | cpu |  | add (int8) |\n"));
  EXPECT_FALSE(parsePublished("[]", "page.json"));
}

}  // namespace
}  // namespace vintage::tests::tables
