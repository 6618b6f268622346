// The search over commits, compared with the truth: histories with branches, merges, octopus
// merges, reverts, commits that do not build and faults that show only now and then. The histories
// are real git's; the answers of builds are simulated.

#include <fstream>
#include <random>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "harness/bisect/commits.h"
#include "tests/harness/bisect/simulated_sequence.h"
#include "tests/harness/command/run_vintage.h"

namespace vintage::tests::bisect {
using namespace harness;

namespace {

using tests::command::Sandbox;

constexpr int kHistories = 360;

struct MadeCommit {
  std::vector<size_t> parents;
  // Its last change of behaviour: in a merge the later one prevails.
  int change = 0;
  bool bad = false;
  bool builds = true;
};

struct History {
  std::vector<MadeCommit> commits;
  std::mt19937 random;

  size_t below(size_t limit) { return std::uniform_int_distribution<size_t>(0, limit - 1)(random); }

  bool introducesFault(size_t i) const {
    return commits[i].bad &&
           std::ranges::none_of(commits[i].parents, [&](size_t one) { return commits[one].bad; });
  }
  bool leadsTo(size_t from, size_t to) const {
    return from == to ||
           std::ranges::any_of(commits[to].parents, [&](size_t one) { return leadsTo(from, one); });
  }

  // The last commit joins all branches, and is bad.
  explicit History(unsigned seed) : random(seed) {
    const size_t count = 8 + below(30);
    int changes = 0;
    std::vector<size_t> tips{0};
    commits.emplace_back();
    while (commits.size() < count || tips.size() > 1) {
      const bool last = commits.size() >= count;
      MadeCommit one;
      const size_t tip = below(tips.size());
      if (tips.size() > 1 && (last || below(4) == 0)) {
        std::ranges::shuffle(tips, random);
        const size_t merged = std::min<size_t>(tips.size(), below(4) == 0 ? 3 : 2);
        one.parents.assign(tips.end() - static_cast<long>(merged), tips.end());
        tips.resize(tips.size() - merged);
        tips.push_back(commits.size());
      } else {
        one.parents = {tips[tip]};
        if (below(4) == 0 && tips.size() < 4)
          tips.push_back(commits.size());
        else
          tips[tip] = commits.size();
      }
      for (size_t parent : one.parents)
        if (commits[parent].change >= one.change) {
          one.change = commits[parent].change;
          one.bad = commits[parent].bad;
        }
      // A fault comes in, or is reverted; of a merge seldom.
      if (below(one.parents.size() > 1 ? 20 : one.bad ? 16 : 6) == 0) {
        one.bad = !one.bad;
        one.change = ++changes;
      }
      one.builds = below(10) > 0;
      commits.push_back(one);
    }
    if (!commits.back().bad) commits.push_back({{commits.size() - 1}, ++changes, true, true});
    commits.back().builds = true;
  }
};

// A branch for each history, in the format of git fast-import.
std::string streamOf(const std::vector<History>& histories) {
  std::string text;
  int mark = 0;
  for (size_t h = 0; h < histories.size(); ++h) {
    const int first = mark + 1;
    for (size_t i = 0; i < histories[h].commits.size(); ++i) {
      const std::string message = std::to_string(i);
      ++mark;
      text +=
          fmt::format("commit refs/heads/h{}\nmark :{}\ncommitter A <a@b> {} +0000\ndata {}\n{}\n",
                      h, mark, 1700000000 + mark, message.size(), message);
      const auto& parents = histories[h].commits[i].parents;
      for (size_t p = 0; p < parents.size(); ++p)
        text += fmt::format("{} :{}\n", p == 0 ? "from" : "merge",
                            first + static_cast<int>(parents[p]));
      text += "\n";
    }
  }
  return text;
}

TEST(Histories, ASingleNameIsTheTruth) {
  Sandbox sandbox;
  std::vector<History> histories;
  for (unsigned seed = 0; seed < kHistories; ++seed) histories.emplace_back(seed);
  sandbox.write("stream", streamOf(histories));
  const std::string repository = sandbox.path("repo");
  ASSERT_EQ(std::system(fmt::format("git init -q '{0}' && git -C '{0}' fast-import --quiet "
                                    "--export-marks='{1}' < '{2}'",
                                    repository, sandbox.path("marks"), sandbox.path("stream"))
                            .c_str()),
            0);
  std::vector<std::string> ids;  // By mark.
  std::ifstream marks(sandbox.path("marks"));
  std::map<int, std::string> idOf;
  for (std::string mark, id; marks >> mark >> id;) idOf[std::stoi(mark.substr(1))] = id;

  int mark = 0, named = 0, onBranches = 0, steady = 0, steadyNamed = 0;
  for (unsigned seed = 0; seed < kHistories; ++seed) {
    SCOPED_TRACE(testing::Message() << "history " << seed);
    History& history = histories[seed];
    const auto id = [&](size_t i) { return idOf.at(mark + 1 + static_cast<int>(i)); };
    CommitRange range{std::nullopt, id(history.commits.size() - 1)};
    std::vector<size_t> good;
    for (size_t i = 0; i + 1 < history.commits.size(); ++i)
      if (!history.commits[i].bad && history.commits[i].builds) good.push_back(i);
    if (!good.empty() && history.below(4) > 0) range.good = id(good[history.below(good.size())]);
    const double passes = 0.2 + 0.1 * static_cast<double>(history.below(6));
    const size_t flakiness = history.below(4);  // 0, 1: none.
    const auto searches =
        searchHistory(repository, range, [&](const HistorySearch& one) -> Result<SearchConclusion> {
          SimulatedSequence sequence(one.commits.size(), seed);
          for (size_t i = 0; i < one.commits.size(); ++i) {
            const MadeCommit& commit = history.commits[std::stoul(one.commits[i].subject)];
            if (commit.bad) sequence.behaviour[i] = kFault;
            if (commit.bad && flakiness == 2) sequence.flickering[i] = passes;
            if (commit.bad && flakiness == 3) sequence.flickeringByProcess[i] = passes;
            if (!commit.builds) sequence.behaviour[i] = SimulatedSequence::kUnstartable;
          }
          SearchProblem problem;
          problem.count = one.commits.size();
          problem.bad = one.commits.size() - 1;
          if (one.hasGoodEnd) problem.good = 0;
          return sequence.search(problem);
        });
    ASSERT_TRUE(searches) << searches.error().message;
    mark += static_cast<int>(history.commits.size());
    steady += flakiness < 2;
    const Commit* culprit = culpritOf(*searches);
    if (!culprit) continue;
    ++named;
    steadyNamed += flakiness < 2;
    onBranches += searches->size() > 1;
    const size_t number = std::stoul(culprit->subject);
    EXPECT_TRUE(history.introducesFault(number)) << "named " << number;
  }
  RecordProperty("named", named);
  fmt::print("{} of {} histories: a single name, {} behind a merge; {} of {} without flakiness\n",
             named, kHistories, onBranches, steadyNamed, steady);
  EXPECT_GT(named, kHistories / 3);
  EXPECT_GT(onBranches, 20);
}

}  // namespace
}  // namespace vintage::tests::bisect
