// A run over the catalogue catches every seeded fault of the engine, and names
// the operation and the primitive that are damaged; without a fault it is green.
// bench/seeded_faults/engine.py does the same with `vintage nightly` over all cases.

#include <filesystem>
#include <map>
#include <set>

#include <gtest/gtest.h>
#include <unistd.h>

#include "archive/store/archive.h"
#include "harness/judge/nightly/generate.h"
#include "harness/replay/recorded_run.h"
#include "harness/replay/suspects.h"
#include "harness/runtimes/builds/builds.h"
#include "primitives/limitations/limitations.h"
#include "reports/run_report.h"
#include "tests/harness/engine/faults/fault.h"

namespace vintage::tests {
using namespace primitives;
using namespace archive;
using namespace harness;
using namespace reports;

namespace {

namespace fs = std::filesystem;

const std::string kWorker = std::string(VINTAGE_BINARY) + "/bin/vintage-worker-faults";
constexpr Date kToday{std::chrono::days{20'000}};

// A choice of cases of each primitive, and more of primitives at which a fault aims.
constexpr size_t kOfEach = 8, kOfDamaged = 48;

std::vector<const Case*> chosenCases() {
  std::set<std::string> damaged;
  for (const SeededFault& fault : seededFaults()) damaged.insert(fault.primitive);
  std::map<std::string, std::vector<const Case*>> byPrimitive;
  for (const Case& one : catalogue())
    if (one.variant == "static") byPrimitive[one.primitive].push_back(&one);
  std::vector<const Case*> chosen;
  for (const auto& [primitive, cases] : byPrimitive) {
    const size_t wanted = damaged.contains(primitive) ? kOfDamaged : kOfEach;
    // By the seed, which is a hash of the id: ids in order repeat a pattern.
    std::vector<const Case*> shuffled = cases;
    std::ranges::sort(shuffled, {}, &Case::seed);
    if (shuffled.size() > wanted) shuffled.resize(wanted);
    chosen.insert(chosen.end(), shuffled.begin(), shuffled.end());
  }
  return chosen;
}

// Functions of CHLO whose kernels only calls reach, which releases before 0.9 made. Exports in the
// newest form take them apart: four faults were caught by nothing.
std::vector<const Case*> casesWithCalls() {
  std::set<std::string> called;
  for (const SeededFault& fault : seededFaults())
    if (fault.operation.find(" @mhlo.") != std::string::npos) called.insert(fault.primitive);
  std::vector<const Case*> chosen = chosenCases();
  std::erase_if(chosen, [&](const Case* one) { return !called.contains(one->primitive); });
  return chosen;
}

class SeededFaults : public testing::TestWithParam<SeededFault> {
 protected:
  // All runs are of the same artifacts.
  static void SetUpTestSuite() {
    std::string pattern = (fs::temp_directory_path() / "vintage-faults-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    auto archive = Archive::open(folder_ / "archive", Archive::Mode::kCreate);
    ASSERT_TRUE(archive) << archive.error().message;
    archive_.emplace(std::move(*archive));
    build_ = engineBuild(kWorker, kToday);
    ASSERT_TRUE(archive_->putBuild(build_));
    generate(chosenCases(), build_, newestProfile());
    BuildRecord older = build_;
    older.name += " in the form of JAX 0.8";
    generate(casesWithCalls(), older, **findProfile("jax-0.8"));
  }
  static void TearDownTestSuite() {
    archive_.reset();
    fs::remove_all(folder_);
  }

  static void generate(const std::vector<const Case*>& cases, const BuildRecord& producer,
                       const Profile& profile) {
    GenerateOptions options;
    options.profile = &profile;
    const auto report = generateArtifacts(cases, producer, options, *archive_, [](size_t) {});
    ASSERT_TRUE(report) << report.error().message;
    ASSERT_TRUE(report->refused.empty()) << report->refused[0].message;
  }

  static RunSummary runWith(const std::string& fault) {
    BuildRecord build = build_;
    std::vector<std::string>& worker = build.start->worker;
    worker.insert(worker.begin(), {"/usr/bin/env", "VINTAGE_SEEDED_FAULT=" + fault});
    ArtifactFilter filter;
    filter.platforms = {"cpu"};
    const auto records = archive_->list(filter);
    EXPECT_TRUE(records);
    ReplayOptions options;
    options.archiveArgument = folder_.string();
    options.workers = 1;
    auto host = makePosixProcessHost();
    auto run = RecordedRun::begin("replay", "", kToday, limitations(), options, *archive_, *host);
    EXPECT_TRUE(run);
    const Status status = run->execute(shareRecords(*records), build, {}, nullptr);
    EXPECT_TRUE(status) << status.error().message;
    auto suspects = findSuspects(*archive_, run->summary.pairs);
    EXPECT_TRUE(suspects) << suspects.error().message;
    run->summary.suspects = std::move(*suspects);
    return std::move(run->summary);
  }

  static inline fs::path folder_;
  static inline std::optional<Archive> archive_;
  static inline BuildRecord build_;
};

using NoSeededFault = SeededFaults;
TEST_F(NoSeededFault, TheRunIsGreen) {
  const RunSummary summary = runWith("");
  EXPECT_EQ(verdictOf(summary), Verdict::kHolds) << runReportText(summary, 3);
  EXPECT_TRUE(summary.suspects.empty());
}

TEST(SeededFaultsList, IsLong) { EXPECT_GE(seededFaults().size(), 60u); }

TEST_P(SeededFaults, IsCaughtAndAttributed) {
  const SeededFault& fault = GetParam();
  const RunSummary summary = runWith(fault.name);
  EXPECT_EQ(verdictOf(summary), Verdict::kBroken) << fault.description;
  ASSERT_FALSE(summary.suspects.empty());
  const Suspect& first = summary.suspects.front();
  EXPECT_TRUE(first.operation == fault.operation ||
              first.operation.starts_with(fault.operation + " "))
      << first.operation;
  EXPECT_TRUE(std::ranges::find(first.primitives, fault.primitive) != first.primitives.end())
      << first.operation << ", smallest " << first.simplest;
}

INSTANTIATE_TEST_SUITE_P(, SeededFaults, testing::ValuesIn(seededFaults()), [](const auto& each) {
  std::string name = each.param.name;
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
});

}  // namespace
}  // namespace vintage::tests
