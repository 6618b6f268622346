// Wall and busy time of a run's phases, with a clock that is turned by hand.

#include <thread>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "harness/replay/phase_meter.h"
#include "reports/run_report.h"

namespace vintage::tests {
using namespace harness;
using namespace reports;

namespace {

using std::chrono::seconds;

class PhaseMeterTest : public testing::Test {
 protected:
  PhaseMeter::Time now_;
  PhaseMeter meter_{[this] { return now_; }};
};

TEST_F(PhaseMeterTest, PhasesFollowEachOther) {
  meter_.begin("export");
  now_ += seconds(5);
  meter_.begin("replay");
  now_ += seconds(2);
  meter_.end();
  now_ += seconds(100);  // Nobody's.
  meter_.begin("export");
  now_ += seconds(1);
  const auto phases = meter_.phases();  // While one goes on.
  ASSERT_EQ(phases.size(), 2u);
  EXPECT_EQ(phases[0].name, "export");
  EXPECT_EQ(phases[0].wallSeconds, 6);
  EXPECT_EQ(phases[1].name, "replay");
  EXPECT_EQ(phases[1].wallSeconds, 2);
  EXPECT_EQ(phasesText(phases), "export 6.0 s; replay 2.0 s");
}

TEST_F(PhaseMeterTest, PartsOnSeveralThreadsAreBusyForLongerThanTheWallTime) {
  meter_.begin("export");
  {
    const PhaseMeter::Busy lowering(&meter_, "lower"), goldens(&meter_, "goldens");
    now_ += seconds(3);
  }
  std::thread([&] { meter_.add("goldens", 2); }).join();
  const auto phases = meter_.phases();
  ASSERT_EQ(phases.size(), 1u);
  EXPECT_EQ(phases[0].wallSeconds, 3);
  EXPECT_EQ(phasesText(phases), "export 3.0 s (busy: goldens 5.0 s, lower 3.0 s)");
  EXPECT_EQ(phasesJson(phases).dump(),
            R"([{"phase":"export","wall_seconds":3.0,"parts":[)"
            R"({"part":"goldens","busy_seconds":5.0},{"part":"lower","busy_seconds":3.0}]}])");
}

TEST_F(PhaseMeterTest, WithoutAMeterOrAPhaseNothingIsMeasured) {
  {
    const PhaseMeter::Busy nobody(nullptr, "goldens");
  }
  meter_.add("goldens", 2);
  EXPECT_TRUE(meter_.phases().empty());
  EXPECT_EQ(phasesText({}), "");
}

}  // namespace
}  // namespace vintage::tests
