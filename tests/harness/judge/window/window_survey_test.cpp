// The matrix of a window against one that is counted pair by pair, and what
// shards of it add up to.

#include <filesystem>
#include <fstream>
#include <map>
#include <random>

#include <gmock/gmock.h>

#include "harness/judge/window/run_window.h"
#include "harness/runtimes/builds/builds.h"
#include "reports/window_report.h"
#include "tests/archive/store/sample.h"

namespace vintage::tests {
using namespace golden;
using namespace archive;
using namespace harness;
using namespace reports;

namespace {

using testing::HasSubstr;

// An archive of random producers, consumers and outcomes.
class SurveyTest : public FolderTest {
 protected:
  void fill(unsigned seed) {
    random_.seed(seed);
    archive_.emplace(must(Archive::open(path("a"), Archive::Mode::kCreate)));
    for (int i = 0; i < 12; ++i) {
      BuildRecord build = sampleBuild("build " + std::to_string(i), pick(400));
      build.modes = {"graph"};
      // A third of them are one program, under several dates.
      build.kind = i % 3 == 0 ? "engine" : "command";
      if (i % 3 == 0) build.details.program = "one";
      build.start.emplace().worker = {"/bin/sh"};
      must(registerBuild(*archive_, build));
      builds_.push_back(build);
    }
    for (int i = 0; i < 60; ++i) {
      ArtifactRecord record = sampleRecord("case " + std::to_string(i), pick(400));
      if (i % 5 == 0) record.platforms = {"cuda", "cpu"};
      if (i % 7 == 0) record.platforms = {"tpu"};
      record.producer = "producer " + std::to_string(i % 4);
      const Golden golden = sampleGolden(float(i % 3));
      // The number decides the bytes and these facts.
      const int number = pick(20);
      record.primitive = number % 2 == 0 ? "add" : "cholesky";
      record.customCallTargets.clear();
      if (number % 4 == 1) record.customCallTargets = {"lapack_spotrf_ffi"};
      must(archive_->put(record, content(uint64_t(number), 80), &golden));
      records_.push_back(must(archive_->find(record.name)));
    }
    for (int i = 0; i < 250; ++i) {
      const ArtifactRecord& record = records_[size_t(pick(int(records_.size())))];
      OutcomeRecord outcome;
      outcome.artifact = record.id;
      outcome.golden = record.golden;
      outcome.build = builds_[size_t(pick(int(builds_.size())))].name;
      outcome.platform = i % 9 == 0 ? "cuda" : "cpu";
      outcome.mode = "graph";
      outcome.run = "run " + std::to_string(1000 + i);
      outcome.outcome = pick(4) == 0   ? OutcomeKind::kMismatch
                        : pick(6) == 0 ? OutcomeKind::kRunnerError
                                       : OutcomeKind::kPass;
      must(archive_->putOutcomes({&outcome, 1}));
    }
    recorded_ = must(archive_->outcomes({}));
    choice_.policy = jaxPolicy();
    choice_.policy.defaultBumpDays.reset();
    choice_.today = day(350);
  }

  int pick(int below) { return static_cast<int>(random_() % static_cast<unsigned>(below)); }

  WindowReport judged(const WindowChoice& choice) {
    int left = 0;
    const auto consumers = groupConsumers(must(archive_->builds()), choice.today, {}, false, left);
    return must(judgeWindow(choice, "A", *archive_, consumers, {}));
  }

  static std::string programOf(const BuildRecord& build) {
    return build.kind == "engine" ? "the engine" : build.name;
  }

  // Whether the newest recorded outcome of this program passes; none: unknown.
  std::optional<bool> known(const ArtifactRecord& record, const BuildRecord& build) const {
    std::optional<bool> passes;
    std::string newest;
    for (const OutcomeRecord& outcome : recorded_) {
      if (outcome.artifact != record.id || outcome.golden != record.golden ||
          outcome.platform != "cpu" || outcome.outcome == OutcomeKind::kRunnerError ||
          outcome.run < newest)
        continue;
      for (const BuildRecord& other : builds_)
        if (other.name == outcome.build && other.buildDate <= choice_.today &&
            programOf(other) == programOf(build)) {
          passes = outcome.outcome == OutcomeKind::kPass;
          newest = outcome.run;
        }
    }
    return passes;
  }

  std::mt19937 random_;
  std::optional<Archive> archive_;
  std::vector<BuildRecord> builds_;
  std::vector<ArtifactRecord> records_;
  std::vector<OutcomeRecord> recorded_;
  WindowChoice choice_;
};

TEST_F(SurveyTest, CountsWhatCountingPairByPairCounts) {
  for (unsigned seed = 1; seed <= 4; ++seed) {
    SCOPED_TRACE(seed);
    TearDown();
    SetUp();
    builds_.clear();
    records_.clear();
    fill(seed);
    const WindowReport report = judged(choice_);
    ASSERT_EQ(report.promises.size(), 2u);
    for (const PromiseReport& promise : report.promises) {
      int64_t pairs = 0, pass = 0, failures = 0, unknown = 0;
      for (const ArtifactRecord& record : records_)
        for (const BuildRecord& build : builds_) {
          const bool runs = std::ranges::find(record.platforms, "cpu") != record.platforms.end();
          if (!runs || record.buildDate > choice_.today || build.buildDate > choice_.today)
            continue;
          const auto days = (build.buildDate - record.buildDate).count();
          const bool covered = promise.rule.direction == Promise::kBackward
                                   ? days >= 0 && days <= 180
                                   : days < 0 && days >= -21;
          if (!covered) continue;
          ++pairs;
          const auto passes = known(record, build);
          ++(!passes ? unknown : *passes ? pass : failures);
        }
      EXPECT_GT(pairs, 0);
      EXPECT_EQ(promise.tally.total(), pairs);
      EXPECT_EQ(promise.tally[Cell::kPass], pass);
      EXPECT_EQ(promise.tally[Cell::kFail], failures);
      EXPECT_EQ(promise.tally[Cell::kUntested], unknown);
    }
  }
}

// The oldest artifact, the oldest consumer and the longest ways, for each
// primitive, target and platform, beside those found pair by pair.
TEST_F(SurveyTest, MeasuresWhatReallyWorks) {
  for (unsigned seed = 11; seed <= 14; ++seed) {
    SCOPED_TRACE(seed);
    TearDown();
    SetUp();
    builds_.clear();
    records_.clear();
    fill(seed);
    choice_.beyond = Beyond::kAll;
    struct Best {
      std::optional<Date> artifact, consumer;
      std::optional<int64_t> backward, forward;
    };
    std::map<std::pair<std::string, std::string>, Best> expected;
    for (const ArtifactRecord& record : records_)
      for (const BuildRecord& build : builds_) {
        const bool runs = std::ranges::find(record.platforms, "cpu") != record.platforms.end();
        if (!runs || record.buildDate > choice_.today || build.buildDate > choice_.today ||
            known(record, build) != true)
          continue;
        std::vector<std::pair<std::string, std::string>> keys{{"platform", "cpu"},
                                                              {"primitive", record.primitive}};
        for (const std::string& target : record.customCallTargets)
          keys.push_back({"target", target});
        const int64_t days = (build.buildDate - record.buildDate).count();
        for (const auto& key : keys) {
          Best& best = expected[key];
          best.artifact = std::min(best.artifact.value_or(record.buildDate), record.buildDate);
          best.consumer = std::min(best.consumer.value_or(build.buildDate), build.buildDate);
          if (days >= 0) best.backward = std::max(best.backward.value_or(days), days);
          if (days < 0) best.forward = std::min(best.forward.value_or(days), days);
        }
      }
    const WindowReport report = judged(choice_);
    size_t working = 0;
    for (const auto& [key, measured] : report.measured) {
      const auto found = expected.find({measured.kind, measured.name});
      SCOPED_TRACE(measured.kind + " " + measured.name);
      EXPECT_EQ(measured.platform, "cpu");
      EXPECT_EQ(measured.tally[Cell::kPass] > 0, found != expected.end());
      if (found == expected.end()) continue;
      ++working;
      const auto age = [](const Measured::Place& place) {
        return (place.consumerDate - place.producerDate).count();
      };
      const Best& best = found->second;
      EXPECT_EQ(measured.oldestArtifact->producerDate, best.artifact);
      EXPECT_EQ(measured.oldestConsumer->consumerDate, best.consumer);
      ASSERT_EQ(measured.longestBackward.has_value(), best.backward.has_value());
      ASSERT_EQ(measured.longestForward.has_value(), best.forward.has_value());
      if (best.backward) EXPECT_EQ(age(*measured.longestBackward), *best.backward);
      if (best.forward) EXPECT_EQ(age(*measured.longestForward), *best.forward);
    }
    EXPECT_EQ(working, expected.size());
    EXPECT_GE(expected.size(), 4u) << "two primitives, a target and the platform";
  }
}

// A promise covered all artifacts of one day or none, whatever their format.
TEST_F(SurveyTest, APromiseOfOneFormatCoversThatFormatOnly) {
  archive_.emplace(must(Archive::open(path("a"), Archive::Mode::kCreate)));
  BuildRecord build = sampleBuild("build", 5);
  build.start.emplace().worker = {"/bin/sh"};
  must(registerBuild(*archive_, build));
  for (const auto format :
       {ArtifactRecord::Format::kExported, ArtifactRecord::Format::kPortableArtifact}) {
    ArtifactRecord record = sampleRecord(std::string(formatName(format)), 2);
    record.format = format;
    const Golden golden = sampleGolden(1);
    must(archive_->put(record, content(uint64_t(format), 80), &golden));
  }
  choice_.policy = stablehloPolicy();
  choice_.today = day(10);
  const WindowReport report = judged(choice_);
  EXPECT_EQ(report.promises[0].tally.total(), 1);
}

TEST(Consumers, AreThoseUpToTodayAndSayWhyTheyCannotStart) {
  BuildRecord today = sampleBuild("today", 5), tomorrow = sampleBuild("tomorrow", 6),
              facts = sampleBuild("facts", 4);
  today.start.emplace().worker = {"/bin/sh"};
  facts.kind = "facts";
  int left = 0;
  const auto consumers = groupConsumers({facts, today, tomorrow}, day(5), {}, true, left);
  ASSERT_EQ(consumers.size(), 2u);
  EXPECT_EQ(consumers[0].problem, "only its facts are known");
  EXPECT_EQ(consumers[1].build().name, "today");
  EXPECT_EQ(consumers[1].problem, "");
}

TEST_F(SurveyTest, ShardsAddUpToTheWhole) {
  fill(9);
  // The sample is each shard's own; the promises are the same.
  choice_.beyond = Beyond::kAll;
  const WindowReport whole = judged(choice_);
  std::optional<WindowReport> sum;
  for (const int part : {2, 0, 1}) {
    WindowChoice choice = choice_;
    choice.shard = part;
    choice.shards = 3;
    const WindowReport report = judged(choice);
    EXPECT_NE(report.verdict(), Verdict::kHolds) << "a part is not the whole";
    // By way of the file that a machine would send.
    const WindowReport read = must(parseWindowReport(toJson(report).dump(), "a part"));
    EXPECT_EQ(toJson(read), toJson(report));
    if (sum)
      must(sum->add(read));
    else
      sum = read;
  }
  nlohmann::json a = toJson(whole), b = toJson(*sum);
  for (nlohmann::json* one : {&a, &b}) {
    one->erase("shards");
    one->erase("parts");
    // In another order, which has no meaning; where several places are equally
    // old, which of them is named has none either.
    for (auto& promise : (*one)["promises"]) promise["broken"] = promise["broken"].size();
    for (auto& measured : (*one)["measured"])
      for (const char* field :
           {"oldest_artifact", "oldest_consumer", "longest_backward", "longest_forward"})
        if (measured.contains(field))
          measured[field] =
              std::string(field) == "oldest_artifact"   ? measured[field]["producer_date"]
              : std::string(field) == "oldest_consumer" ? measured[field]["consumer_date"]
                                                        : nlohmann::json(true);
  }
  EXPECT_EQ(a, b);
  EXPECT_THAT(sum->add(*sum).error().message, HasSubstr("given twice"));
  WindowReport other = *sum;
  other.today += std::chrono::days(1);
  EXPECT_THAT(sum->add(other).error().message, HasSubstr("the date differs"));
}

TEST_F(SurveyTest, BeyondThePromisesASampleIsLookedAt) {
  fill(5);
  int64_t cells[3];
  for (const Beyond beyond : {Beyond::kNothing, Beyond::kSample, Beyond::kAll}) {
    choice_.beyond = beyond;
    int left = 0;
    const auto consumers = groupConsumers(must(archive_->builds()), choice_.today, {}, false, left);
    int64_t& count = cells[static_cast<int>(beyond)] = 0;
    must(survey(*archive_, choice_, consumers, [&](const WindowCell& cell) {
      ++count;
      EXPECT_EQ(cell.platform, "cpu");
      return Status();
    }));
  }
  EXPECT_LT(cells[0], cells[1]);
  EXPECT_LT(cells[1], cells[2]);
}

// Counting takes cells of one kind together; visiting takes each.
TEST_F(SurveyTest, CountingCellsGivesWhatVisitingThemGives) {
  for (unsigned seed = 1; seed <= 3; ++seed) {
    fill(seed);
    for (const Beyond beyond : {Beyond::kNothing, Beyond::kSample, Beyond::kAll}) {
      for (const int shards : {1, 3}) {
        choice_.beyond = beyond;
        choice_.shards = shards;
        choice_.modes = {"graph", "compiled"};
        int left = 0;
        const auto consumers =
            groupConsumers(must(archive_->builds()), choice_.today, {}, false, left);
        std::vector<CellCount> visited(consumers.size()), counted;
        const SurveyCounts walked =
            must(survey(*archive_, choice_, consumers, [&](const WindowCell& cell) {
              ++(cell.outcome ? visited[cell.consumer].known : visited[cell.consumer].unknown);
              return Status();
            }));
        const SurveyCounts counts = must(countCells(*archive_, choice_, consumers, counted));
        EXPECT_EQ(counted, visited);
        EXPECT_EQ(counts.contents, walked.contents);
        EXPECT_EQ(counts.artifacts, walked.artifacts);
        EXPECT_EQ(counts.places, walked.places);
        EXPECT_EQ(counts.notComparable, walked.notComparable);
        EXPECT_EQ(counts.outOfScope, walked.outOfScope);
        EXPECT_TRUE(std::ranges::any_of(
            visited, [](const CellCount& count) { return count.known > 0 && count.unknown > 0; }));
      }
    }
    builds_.clear();
    records_.clear();
    std::filesystem::remove_all(path("a"));
  }
}

TEST_F(SurveyTest, ADamagedReportIsRefusedOrRead) {
  fill(3);
  const std::string text = toJson(judged(choice_)).dump();
  for (int round = 0; round < 300; ++round) {
    std::string damaged = text.substr(0, round % 2 ? text.size() : random_() % text.size());
    if (!damaged.empty()) damaged[random_() % damaged.size()] = static_cast<char>(random_());
    const auto read = parseWindowReport(damaged, "part.json");
    if (!read) {
      EXPECT_THAT(read.error().message, HasSubstr("part.json"));
    }
  }
}

}  // namespace
}  // namespace vintage::tests
