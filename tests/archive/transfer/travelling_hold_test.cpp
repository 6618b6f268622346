// Holds travel with a mirror. They stayed at the source: the mirror's own retention removed what a
// person had asked to keep.
#include <gmock/gmock.h>

#include "archive/store/retention_table.h"
#include "tests/archive/transfer/archives.h"
#include "tests/archive/transfer/rados_gateway.h"
#include "tests/archive/transfer/real_service.h"

namespace vintage::tests {
using namespace archive;

namespace {

using namespace tests::transfer;
using tests::command::Sandbox;

enum class By { kFolder, kService, kBucket };

class TravellingHolds : public testing::TestWithParam<By> {
 protected:
  std::string path(const std::string& name) const { return sandbox_.path(name); }
  void hold(const std::string& archive, const std::string& reason, std::optional<Date> until) {
    Archive opened = must(Archive::open(path(archive), Archive::Mode::kReadWrite));
    must(placeHold(opened, must(opened.list({}))[2], reason, until));
  }
  std::vector<Hold> holds(const std::string& archive) {
    return must(allHolds(must(Archive::open(path(archive), Archive::Mode::kReadOnly))));
  }
  void mirror(const std::string& from, const std::string& to) {
    const auto finished = sandbox_.run({"mirror", from, to, "--pins", ""});
    EXPECT_EQ(finished.status, 0) << finished.err;
  }

  const Sandbox sandbox_;
};

TEST_P(TravellingHolds, AHoldIsPlacedAtTheDestination) {
  fillArchive(path("A"), 3, 12);
  hold("A", "a bug of ours", std::nullopt);
  std::optional<RealService> service;
  std::string between = path("between");
  if (GetParam() == By::kService) {
    service.emplace(sandbox_, path("served"));
    between = service->url();
  } else if (GetParam() == By::kBucket) {
    if (!RadosGateway::installed()) GTEST_SKIP() << RadosGateway::kHowToInstall;
    ASSERT_EQ(RadosGateway::shared().problem(), "");
    RadosGateway::setEnvironment(RadosGateway::shared().url());
    between = "s3://" + RadosGateway::shared().makeBucket() + "/copy";
  }
  mirror(path("A"), between);
  mirror(between, path("B"));
  ASSERT_EQ(holds("B").size(), 1u);
  EXPECT_EQ(holds("B")[0].reason, "a bug of ours");
  EXPECT_FALSE(holds("B")[0].until);
  EXPECT_EQ(holds("B")[0].artifact.name, holds("A")[0].artifact.name);
  // A shorter one shortens nothing.
  hold("A", "until then", day(50));
  mirror(path("A"), path("B"));
  EXPECT_FALSE(holds("B")[0].until);
}
INSTANTIATE_TEST_SUITE_P(Places, TravellingHolds,
                         testing::Values(By::kFolder, By::kService, By::kBucket));

}  // namespace
}  // namespace vintage::tests
