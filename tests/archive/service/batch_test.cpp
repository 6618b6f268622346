// A push is one transaction: what of it stays without a record, and what is said
// of content that does not fit.
#include "archive/store/frame_stream.h"
#include "tests/archive/service/running_service.h"

namespace vintage::tests::service {
using namespace archive;

namespace {

using nlohmann::json;

class Batches : public ServiceTest {
 protected:
  void SetUp() override {
    ServiceTest::SetUp();
    service_.emplace(archive_);
    client_.emplace(service_->url(), token(Role::kPush));
    for (uint64_t seed = 0; seed < 300; ++seed) {
      contents_.push_back(content(seed, 100 + seed));
      ids_.push_back(contentHash(contents_.back()));
    }
  }
  // Every content, and records of the first of them.
  std::string body(size_t records) {
    std::string body;
    FrameStreamWriter writer(body);
    for (size_t index = 0; index < contents_.size(); ++index)
      writer.content(ids_[index], contents_[index]);
    for (size_t index = 0; index < records; ++index) {
      ArtifactRecord record = sampleRecord("case " + std::to_string(index));
      record.id = ids_[index];
      writer.artifact(record);
    }
    writer.end();
    return body;
  }
  size_t kept() { return ids_.size() - must(open().missing(ids_)).size(); }

  std::optional<RunningService> service_;
  std::optional<Client> client_;
  std::vector<std::vector<std::byte>> contents_;
  std::vector<ContentId> ids_;
};

TEST_F(Batches, OnlyWhatNoRecordNamesNeedsALease) {
  const Reply all = client_->send("POST", "/v1/push", body(300));
  EXPECT_EQ(all.status, 200) << all.body;
  EXPECT_FALSE(all.json().contains("lease"));
  EXPECT_EQ(kept(), 300u);
}

TEST_F(Batches, ContentsWithoutARecordAreUnderALeaseThatIsTold) {
  const Reply some = client_->send("POST", "/v1/push", body(298));
  EXPECT_EQ(some.status, 200) << some.body;
  const std::string lease = some.json().value("lease", "");
  EXPECT_FALSE(some.json().value("lease_expires", "").empty());
  EXPECT_EQ(kept(), 300u);
  EXPECT_EQ(client_->send("DELETE", "/v1/leases/" + lease).status, 204);
}

TEST_F(Batches, UnderALeaseThatIsGoneNothingIsKept) {
  const Reply refused = client_->send("POST", "/v1/push?lease=" + std::string(32, 'a'), body(300));
  EXPECT_EQ(refused.problem(), "404 not_found");
  EXPECT_EQ(kept(), 0u);
  EXPECT_TRUE(must(open().list({})).empty());
}

TEST_F(Batches, TheFirstContentThatDoesNotFitIsNamed) {
  contents_[123][7] ^= std::byte{1};
  contents_[250][7] ^= std::byte{1};
  const Reply refused = client_->send("POST", "/v1/push", body(300));
  EXPECT_EQ(refused.problem(), "422 checksum_mismatch");
  EXPECT_NE(refused.json()["error"]["message"].get<std::string>().find("frame 123 "),
            std::string::npos)
      << refused.body;
  EXPECT_EQ(kept(), 0u);
  const std::string metrics = client_->get("/metrics").body;
  EXPECT_NE(metrics.find("vintage_checksum_mismatches_total 1\n"), std::string::npos);
}

}  // namespace
}  // namespace vintage::tests::service
