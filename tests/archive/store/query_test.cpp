// Every filter finds what it should, and finds it through an index.
#include <algorithm>
#include <tuple>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "archive/store/archive_implementation.h"
#include "archive/store/selection.h"
#include "tests/archive/store/sample.h"

namespace vintage::tests {
using namespace archive;

namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// The meaning of a filter, without SQL.
bool matches(const ArtifactRecord& record, const ArtifactFilter& filter) {
  const auto any = [](const std::vector<std::string>& wanted, const std::vector<std::string>& has) {
    return wanted.empty() || std::any_of(has.begin(), has.end(), [&](const std::string& value) {
             return std::find(wanted.begin(), wanted.end(), value) != wanted.end();
           });
  };
  const bool id = filter.ids.empty() ||
                  std::any_of(filter.ids.begin(), filter.ids.end(), [&](const std::string& prefix) {
                    return record.id.starts_with(prefix);
                  });
  return id && any(filter.names, {record.name}) && any(filter.primitives, {record.primitive}) &&
         any(filter.dtypes, record.dtypes) && any(filter.platforms, record.platforms) &&
         any(filter.variants, {record.variant}) && any(filter.producers, {record.producer}) &&
         any(filter.customCallTargets, record.customCallTargets) &&
         (!filter.builtFrom || record.buildDate >= *filter.builtFrom) &&
         (!filter.builtUntil || record.buildDate <= *filter.builtUntil) &&
         (!filter.oldestCallingConvention ||
          record.callingConventionVersion >= *filter.oldestCallingConvention) &&
         (!filter.newestCallingConvention ||
          record.callingConventionVersion <= *filter.newestCallingConvention);
}

class QueryTest : public FolderTest {
 protected:
  void SetUp() override {
    FolderTest::SetUp();
    archive_.emplace(must(Archive::open(path("archive"), Archive::Mode::kCreate)));
  }

  // A few hundred records over small sets of values.
  void fill() {
    std::mt19937 random(4);
    const auto pick = [&](std::vector<std::string> from) { return from[random() % from.size()]; };
    std::vector<Archive::Put> puts;
    for (int number = 0; number < 400; ++number) {
      ArtifactRecord record = sampleRecord("case[" + std::to_string(number) + "]", random() % 20);
      record.primitive = pick({"add", "mul", "cholesky"});
      record.dtypes = {pick({"f32", "f64"}), pick({"i32", "f64", "bf16"})};
      record.platforms = {pick({"cpu", "tpu"}), pick({"cuda", "rocm"})};
      record.variant = pick({"static", "poly", "vjp"});
      record.callingConventionVersion = 4 + random() % 7;
      if (random() % 3 == 0) record.customCallTargets = {pick({"a", "b"}), pick({"b", "c"})};
      puts.push_back({record, content(number % 350, 40), std::nullopt});
    }
    must(archive_->putAll(puts));
    records_ = must(archive_->list({}));
    ASSERT_EQ(records_.size(), 400u);
  }

  ArtifactFilter randomFilter(std::mt19937& random) {
    ArtifactFilter filter;
    const auto some = [&](std::vector<std::string>& list, std::vector<std::string> from) {
      if (random() % 4 != 0) return;
      for (unsigned count = random() % 3; count < 3; ++count)
        list.push_back(from[random() % from.size()]);
    };
    const ArtifactRecord& chosen = records_[random() % records_.size()];
    some(filter.ids, {chosen.id.substr(0, 4), records_[0].id});
    some(filter.names, {chosen.name, "case[7]"});
    some(filter.primitives, {"add", "mul", "cholesky", "none"});
    some(filter.dtypes, {"f32", "f64", "i32", "bf16"});
    some(filter.platforms, {"cpu", "tpu", "cuda", "rocm"});
    some(filter.variants, {"static", "poly", "vjp"});
    some(filter.producers, {chosen.producer, "producer 3"});
    some(filter.customCallTargets, {"a", "b", "c", "d"});
    if (random() % 3 == 0) filter.builtFrom = day(random() % 20);
    if (random() % 3 == 0) filter.builtUntil = day(random() % 20);
    if (random() % 3 == 0) filter.oldestCallingConvention = 4 + random() % 7;
    if (random() % 3 == 0) filter.newestCallingConvention = 4 + random() % 7;
    return filter;
  }

  // The steps of SQLite's plan, one a line.
  template <typename Made>
  std::string plan(const Made& made, const std::string& sql) {
    auto database =
        must(openIndex(realFileSystem(), path("archive"), Archive::Mode::kReadWrite, {}));
    Query query = must(database->query("EXPLAIN QUERY PLAN " + sql));
    bindValue(query, made.bindings);
    std::string steps;
    while (must(query.step())) steps += query.text(3) + "\n";
    return steps;
  }

  // Scans are of what the query itself made or was given, and of the small tables of what
  // artifacts have in common, never of one that grows with the artifacts.
  static void expectNoFullScan(const std::string& steps) {
    size_t begin = 0;
    while (begin < steps.size()) {
      const size_t end = steps.find('\n', begin);
      const std::string step = steps.substr(begin, end - begin);
      begin = end + 1;
      if (!step.starts_with("SCAN")) continue;
      EXPECT_TRUE(step.find("VIRTUAL TABLE") != std::string::npos || step == "SCAN chosen" ||
                  step.starts_with("SCAN (subquery") || step.starts_with("SCAN kind") ||
                  step.starts_with("SCAN origin"))
          << step << "\nin\n"
          << steps;
    }
    EXPECT_THAT(steps, HasSubstr("SEARCH"));
  }

  std::optional<Archive> archive_;
  std::vector<ArtifactRecord> records_;
};

TEST_F(QueryTest, RandomFiltersFindExactlyWhatTheyMean) {
  fill();
  std::mt19937 random(8);
  size_t found = 0;
  for (int round = 0; round < 300; ++round) {
    const ArtifactFilter filter = randomFilter(random);
    std::vector<std::string> expected, actual;
    for (const ArtifactRecord& record : records_) {
      if (matches(record, filter)) expected.push_back(record.name + record.producer);
    }
    for (const ArtifactRecord& record : must(archive_->list(filter)))
      actual.push_back(record.name + record.producer);
    ASSERT_EQ(actual, expected) << "round " << round;
    EXPECT_EQ(must(archive_->count(filter)), static_cast<int64_t>(expected.size()));
    found += actual.size();
  }
  EXPECT_GT(found, 1000u);
}

TEST_F(QueryTest, ListsOfOddTextsComeBack) {
  ArtifactRecord record = sampleRecord("odd");
  record.customCallTargets = {"", "a\"b", "back\\slash", "comma,\",\"", "\xc3\xbc", "tab\there"};
  must(archive_->put(record, content(1, 10), nullptr));
  const auto kept = must(archive_->find("odd")).customCallTargets;
  std::sort(record.customCallTargets.begin(), record.customCallTargets.end());
  EXPECT_EQ(kept, record.customCallTargets);
}

TEST_F(QueryTest, NamesArePatternsAndThemselves) {
  fill();
  ArtifactFilter filter;
  filter.names = {"case[7]"};
  EXPECT_EQ(must(archive_->list(filter)).size(), 1u);
  filter.names = {"case[[]39?]"};
  EXPECT_EQ(must(archive_->list(filter)).size(), 10u);
  filter.names = {"*7]", "case*"};
  EXPECT_EQ(must(archive_->list(filter)).size(), 400u);
  filter.names = {"nothing*", "\xc3\xbc*"};
  EXPECT_TRUE(must(archive_->list(filter)).empty());
}

TEST_F(QueryTest, ManyIdsAtOnce) {
  fill();
  ArtifactFilter filter;
  for (int round = 0; round < 10; ++round) {
    for (const ArtifactRecord& record : records_) filter.ids.push_back(record.id);
  }
  EXPECT_EQ(must(archive_->list(filter)).size(), 400u);
  for (const std::string& bad :
       std::vector<std::string>{"", "abc", "ABCD", "xyz1", std::string(65, 'a')}) {
    filter.ids = {bad};
    const auto listed = archive_->list(filter);
    ASSERT_FALSE(listed) << bad;
    EXPECT_EQ(listed.error().kind, Error::Kind::kUsage);
  }
  filter.ids = {"ffff", std::string(64, 'f')};
  EXPECT_TRUE(must(archive_->list(filter)).empty());
}

TEST_F(QueryTest, NoArtifactFilterScansATable) {
  fill();
  std::vector<ArtifactFilter> filters(11);
  filters[0].ids = {"abcd", "ef01"};
  filters[1].names = {"case*", "dot*"};
  filters[2].primitives = {"add", "mul"};
  filters[3].dtypes = {"f32", "f64"};
  filters[4].platforms = {"cpu"};
  filters[5].variants = {"poly"};
  filters[6].customCallTargets = {"a"};
  filters[7].producers = {"producer 3"};
  filters[8].builtFrom = day(1);
  filters[8].builtUntil = day(9);
  filters[9].oldestCallingConvention = 5;
  filters[10].newestCallingConvention = 8;
  for (const bool window : {false, true}) {
    for (ArtifactFilter filter : filters) {
      if (window) {
        filter.builtFrom = day(2);
        filter.builtUntil = day(5);
      }
      const auto made = must(makeArtifactQuery(filter));
      for (const auto& sql : {made.recordsSql, made.rowsSql, made.countSql})
        expectNoFullScan(plan(made, sql));
    }
  }
  std::mt19937 random(15);
  for (int round = 0; round < 100; ++round) {
    ArtifactFilter filter = randomFilter(random);
    filter.builtFrom = day(3);  // At least one condition.
    const auto made = must(makeArtifactQuery(filter));
    expectNoFullScan(plan(made, made.recordsSql));
  }
}

TEST_F(QueryTest, EverythingComesInOrderDayByDay) {
  fill();
  EXPECT_TRUE(must(makeArtifactQuery({})).streams);
  ArtifactFilter ofDay;
  ofDay.builtFrom = ofDay.builtUntil = day(3);
  const auto made = must(makeArtifactQuery(ofDay));
  EXPECT_TRUE(made.streams);
  EXPECT_THAT(plan(made, made.rowsSql), HasSubstr("USING INDEX family_by_origin"));
  EXPECT_THAT(plan(made, made.countSql), HasSubstr("USING COVERING INDEX family_by_origin"));
  EXPECT_TRUE(std::ranges::is_sorted(records_, {}, [](const ArtifactRecord& record) {
    return std::tie(record.buildDate, record.name);
  }));
}

// More of one day than are sorted in memory.
TEST_F(QueryTest, ManyOfOneDayComeInOrder) {
  std::vector<Archive::Put> puts;
  for (int number = 0; number < 9000; ++number)
    puts.push_back({sampleRecord(fmt::format("case {}", number * 7919 % 9000)),
                    content(static_cast<uint64_t>(number), 10), std::nullopt});
  must(archive_->putAll(puts));
  std::vector<std::string> names;
  must(archive_->forEach({}, [&](const ArtifactRecord& record) {
    names.push_back(record.name);
    return names.size() < 8900;
  }));
  EXPECT_EQ(names.size(), 8900u);
  EXPECT_TRUE(std::ranges::is_sorted(names));
}

// A name stands in two parts; patterns may end in either, or hold the slash between them.
TEST_F(QueryTest, NamesWithSuffixes) {
  const std::vector<std::string> names = {"tanh[8]/cpu",
                                          "tanh[8]/tpu",
                                          "tanh[8]",
                                          "tanh[8]/cpu/deep",
                                          "a/b/c",
                                          "/",
                                          "/x",
                                          "x/",
                                          "tanh/an ending of more than sixteen bytes",
                                          "\xc3\xbc/\xc3\xa4\xc3\xb6"};
  std::vector<Archive::Put> puts;
  for (const std::string& name : names) {
    ArtifactRecord record = sampleRecord(name);
    record.caseId = name.substr(0, name.find('/'));
    puts.push_back({record, content(puts.size(), 10), std::nullopt});
  }
  must(archive_->putAll(puts));
  for (const Archive::Put& put : puts) {
    const ArtifactRecord found = must(archive_->find(put.record.name));
    EXPECT_EQ(found.name, put.record.name);
    EXPECT_EQ(found.caseId, put.record.caseId);
  }
  const auto count = [&](std::vector<std::string> patterns) {
    ArtifactFilter filter;
    filter.names = std::move(patterns);
    const auto listed = must(archive_->list(filter));
    EXPECT_EQ(must(archive_->count(filter)), static_cast<int64_t>(listed.size()));
    return listed.size();
  };
  for (const std::string& name : names) EXPECT_EQ(count({name}), 1u) << name;
  EXPECT_EQ(count({"tanh*"}), 5u);
  EXPECT_EQ(count({"tanh[[]8]/*"}), 3u);
  EXPECT_EQ(count({"tanh[[]8]/c*"}), 2u);
  EXPECT_EQ(count({"*/cpu", "tanh[[]8]/?pu"}), 2u);
  EXPECT_EQ(count({"tanh/an ending*"}), 1u);
  EXPECT_EQ(count({"x/*", "/*"}), 3u);
}

TEST_F(QueryTest, NoOutcomeFilterScansATable) {
  std::vector<OutcomeFilter> filters(7);
  filters[0].artifacts = {std::string(64, 'a')};
  filters[1].builds = {"build"};
  filters[2].platforms = {"cpu"};
  filters[3].modes = {"graph"};
  filters[4].runs = {"run"};
  filters[5].outcomes = {OutcomeKind::kCrash};
  filters[6].artifacts = {std::string(64, 'a')};
  filters[6].builds = {"build"};
  filters[6].modes = {"graph"};
  filters[6].runs = {"run"};
  for (const bool latest : {false, true}) {
    for (OutcomeFilter filter : filters) {
      filter.latestOnly = latest;
      const auto made = makeOutcomeQuery(filter);
      for (const std::string& sql : {made.recordsSql, made.rowsSql})
        expectNoFullScan(plan(made, sql));
    }
  }
}

}  // namespace
}  // namespace vintage::tests
