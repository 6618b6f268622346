// `vintage scrub`, with the real program and real servers. A mirror whose objects were lost or
// damaged looked whole for ever: the artifacts' records were there, so nothing was sent again, and
// nothing read a bucket back.
#include <set>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "archive/store/database.h"
#include "archive/transfer/scrub.h"
#include "tests/archive/transfer/archives.h"
#include "tests/archive/transfer/bucket_fixture.h"
#include "tests/archive/transfer/real_service.h"
#include "tests/archive/transfer/scripted_bucket.h"

namespace vintage::tests {
using namespace archive;

namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using namespace tests::transfer;
using tests::command::Finished;

json run(const tests::command::Sandbox& sandbox, std::vector<std::string> call, int expected) {
  call.insert(call.end(), {"--format", "json", "--attempts", "4"});
  const Finished finished = sandbox.run(call);
  EXPECT_EQ(finished.status, expected) << finished.out.substr(0, 3000) << finished.err;
  return json::parse(finished.out, nullptr, false);
}

std::vector<ContentId> contentsOf(const std::string& folder) {
  std::set<ContentId> ids;
  for (const ArtifactRecord& record :
       must(must(Archive::open(folder, Archive::Mode::kReadOnly)).list({}))) {
    ids.insert(record.id);
    if (!record.golden.empty()) ids.insert(record.golden);
  }
  return {ids.begin(), ids.end()};
}

class ScrubOfABucket : public BucketFixture {
 protected:
  void SetUp() override {
    BucketFixture::SetUp();
    if (IsSkipped()) return;
    fillArchive(path("A"), 5, 60);
    ids_ = contentsOf(path("A"));
    mirrorInto(bucket_);
  }
  void mirrorInto(const std::string& bucket) {
    bucket_ = bucket;
    ASSERT_EQ(sandbox_.run({"mirror", path("A"), inBucket("copy")}).status, 0);
  }
  json scrub(std::vector<std::string> more, int expected) {
    more.insert(more.begin(), {"scrub", inBucket("copy")});
    return run(sandbox_, more, expected);
  }
  std::string keyOf(const ContentId& id) const {
    return bucket_ + "/copy/blobs/" + id.substr(0, 2) + "/" + id;
  }
  std::vector<std::string> recordKeys(const std::string& folder) const {
    BucketClient client(must(BucketAddress::find(inBucket("copy"))), quick());
    return must(client.list(folder));
  }

  std::vector<ContentId> ids_;
};

TEST_F(ScrubOfABucket, FindsWhatWasLostOrDamagedAndPutsItAgain) {
  const json whole = scrub({}, 0);
  EXPECT_EQ(whole["artifacts"], 60);
  EXPECT_EQ(whole["contents"], ids_.size());
  EXPECT_EQ(whole["read"], ids_.size());
  EXPECT_THAT(whole["protection"].get<std::string>(), HasSubstr("no object lock"));

  ASSERT_TRUE(gateway_->curl("DELETE", keyOf(ids_[0])));
  ASSERT_TRUE(gateway_->curl("PUT", keyOf(ids_[1]), "bits that changed"));
  ASSERT_TRUE(gateway_->curl("PUT", bucket_ + "/copy/notes.txt", "somebody's"));
  const json found = scrub({}, 1);
  EXPECT_EQ(found["damaged"], 2);
  EXPECT_EQ(found["litter"], 1);
  EXPECT_THAT(found["findings"].dump(),
              AllOf(HasSubstr("missing content"), HasSubstr("damaged content"), HasSubstr(ids_[0]),
                    HasSubstr(ids_[1]), HasSubstr("case_5"), HasSubstr("notes.txt")));
  // A mirror finds nothing of it.
  EXPECT_EQ(run(sandbox_, {"mirror", path("A"), inBucket("copy")}, 0)["contents"]["sent"], 0);
  const json healed = scrub({"--from", path("A"), "--repair"}, 0);
  EXPECT_EQ(healed["damaged"], 2);
  EXPECT_EQ(healed["healed"], 2);
  EXPECT_EQ(scrub({}, 0)["read"], ids_.size());
  // The same as fsck.
  EXPECT_EQ(run(sandbox_, {"fsck", "--archive", inBucket("copy"), "--read-data"}, 0)["read"],
            ids_.size());
}

TEST_F(ScrubOfABucket, RecordsThatWereLostOrDamagedArePutAgain) {
  const auto days = recordKeys("artifacts/");
  ASSERT_GE(days.size(), 3u);
  ASSERT_TRUE(gateway_->curl("DELETE", bucket_ + "/copy/" + days[0]));
  ASSERT_TRUE(gateway_->curl("PUT", bucket_ + "/copy/" + days[1], "[]"));
  ASSERT_TRUE(gateway_->curl("PUT", bucket_ + "/copy/" + recordKeys("builds/")[0], "no JSON"));
  EXPECT_EQ(scrub({}, 1)["damaged"], 2);  // Only the source knows which records are gone.
  const json found = scrub({"--from", path("A")}, 1);
  EXPECT_GT(found["damaged"], 3);
  EXPECT_THAT(found["findings"].dump(),
              AllOf(HasSubstr("missing record"), HasSubstr("damaged records"), HasSubstr(days[1])));
  const json healed = scrub({"--from", path("A"), "--repair"}, 0);
  EXPECT_EQ(healed["healed"], healed["damaged"]);
  EXPECT_EQ(scrub({"--from", path("A")}, 0)["artifacts"], 60);
  ASSERT_EQ(sandbox_.run({"pull", inBucket("copy"), path("B")}).status, 0);
  expectSameArchives(path("A"), path("B"));
}

// A bucket with object lock keeps old versions; they heal it without the source.
TEST_F(ScrubOfABucket, VersionsThatTheBucketKeepsHealIt) {
  const std::string bucket = gateway_->makeBucket(true);
  ASSERT_NE(bucket, "") << gateway_->problem();
  ASSERT_TRUE(gateway_->curl(
      "PUT", bucket + "?object-lock=",
      "<ObjectLockConfiguration><ObjectLockEnabled>Enabled</ObjectLockEnabled><Rule>"
      "<DefaultRetention><Mode>COMPLIANCE</Mode><Days>1</Days></DefaultRetention></Rule>"
      "</ObjectLockConfiguration>"))
      << gateway_->problem();
  mirrorInto(bucket);
  EXPECT_EQ(scrub({}, 0)["protection"], "versions are kept, object lock: COMPLIANCE for 1 day");
  ASSERT_TRUE(gateway_->curl("DELETE", keyOf(ids_[0])));
  ASSERT_TRUE(gateway_->curl("PUT", keyOf(ids_[1]), "bits that changed"));
  const auto days = recordKeys("artifacts/");
  ASSERT_TRUE(gateway_->curl("PUT", bucket_ + "/copy/" + days[0], "[]"));
  EXPECT_EQ(scrub({}, 1)["damaged"], 3);
  EXPECT_EQ(scrub({"--repair"}, 0)["healed"], 3);
  EXPECT_EQ(scrub({"--from", path("A")}, 0)["damaged"], 0);
}

// With keys that may not overwrite, or an object that is locked, the message says so.
TEST(ScrubOfALockedBucket, ARefusalNamesTheLock) {
  ScriptedBucket bucket([](ScriptedBucket& self, const std::string& operation,
                           const ScriptedRequest& request) -> std::optional<ScriptedReply> {
    if (operation == "PutObject" && request.header("if-none-match").empty())
      return ScriptedBucket::error(403, "AccessDenied");
    (void)self;
    return std::nullopt;
  });
  RadosGateway::setEnvironment(bucket.url());
  PlaceOptions options;
  BucketClient client(must(BucketAddress::find("s3://b/p")), options);
  client.distrust("key");
  bool given = false;
  const Status put = client.put([&]() -> std::unique_ptr<StoredObject> {
    if (std::exchange(given, true)) return nullptr;
    return std::make_unique<StoredObject>(
        StoredObject{"key", contentHash(std::string_view("x")), {std::byte{'x'}}});
  });
  ASSERT_FALSE(put);
  EXPECT_THAT(put.error().message, HasSubstr("object lock"));
}

// A bucket with object lock takes no object without its MD5.
TEST(ScrubOfALockedBucket, TheMd5IsSentWhereTheBucketAsksForIt) {
  ScriptedBucket bucket([](ScriptedBucket& self, const std::string& operation,
                           const ScriptedRequest& request) -> std::optional<ScriptedReply> {
    (void)self;
    if (operation != "PutObject" || !request.header("content-md5").empty()) return std::nullopt;
    return ScriptedReply{400,
                         {},
                         "<Error><Code>InvalidRequest</Code><Message>Content-MD5 HTTP "
                         "header is required for Put Object requests with Object Lock "
                         "parameters</Message></Error>"};
  });
  RadosGateway::setEnvironment(bucket.url());
  BucketClient client(must(BucketAddress::find("s3://b/p")), PlaceOptions());
  int left = 2;
  must(client.put([&]() -> std::unique_ptr<StoredObject> {
    if (left-- == 0) return nullptr;
    return std::make_unique<StoredObject>(StoredObject{
        "key" + std::to_string(left), contentHash(std::string_view("x")), {std::byte{'x'}}});
  }));
  EXPECT_EQ(bucket.objects.size(), 2u);
}

class ScrubOfOthers : public ::testing::Test {
 protected:
  void SetUp() override {
    fillArchive(path("A"), 6, 80);
    ids_ = contentsOf(path("A"));
    std::filesystem::copy(path("A"), path("B"), std::filesystem::copy_options::recursive);
  }
  std::string path(const std::string& name) const { return sandbox_.path(name); }
  void damageB() const {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(path("B/blobs")))
      if (entry.is_regular_file()) std::filesystem::resize_file(entry.path(), 100);
    must(must(Database::open(path("B/index.sqlite"), {}))
             ->execute("UPDATE blob_content SET content = zeroblob(length(content)) WHERE blob % 9 "
                       "= 1"));
  }

  const tests::command::Sandbox sandbox_;
  std::vector<ContentId> ids_;
};

TEST_F(ScrubOfOthers, AFolderIsReadBackAndHealed) {
  EXPECT_EQ(run(sandbox_, {"scrub", path("B"), "--from", path("A")}, 0)["read"], ids_.size());
  damageB();
  const json found = run(sandbox_, {"scrub", path("B")}, 1);
  EXPECT_GT(found["damaged"], 3);
  const json healed = run(sandbox_, {"scrub", path("B"), "--from", path("A"), "--repair"}, 0);
  EXPECT_EQ(healed["healed"], found["damaged"]);
  expectSameArchives(path("A"), path("B"));
}

// The bytes need not travel: the service proves that it has what the source has.
TEST_F(ScrubOfOthers, AServiceProvesAndIsHealed) {
  RealService service(sandbox_, path("B"));
  ASSERT_NE(service.url(), "") << service.log();
  const json whole = run(sandbox_, {"scrub", service.url(), "--from", path("A")}, 0);
  EXPECT_EQ(whole["proved"], ids_.size());
  EXPECT_EQ(run(sandbox_, {"scrub", service.url()}, 0)["proved"], 0);
  damageB();
  const json found = run(sandbox_, {"scrub", service.url(), "--from", path("A")}, 1);
  EXPECT_GT(found["damaged"], 3);
  const json healed = run(sandbox_, {"scrub", service.url(), "--from", path("A"), "--repair"}, 0);
  EXPECT_EQ(healed["healed"], found["damaged"]);
  EXPECT_EQ(run(sandbox_, {"fsck", "--archive", path("B"), "--read-data"}, 0)["damaged"], 0);
}

// Another part each day: after so many days everything was read once.
TEST_F(ScrubOfOthers, WithinSomeDaysEverythingIsRead) {
  size_t read = 0;
  std::set<size_t> parts;
  for (int date = 10; date < 17; ++date) {
    const json part =
        run(sandbox_,
            {"scrub", path("B"), "--within", "7", "--today", "2026-11-" + std::to_string(date)}, 0);
    read += part["read"].get<size_t>();
    parts.insert(part["part"].get<size_t>());
    EXPECT_LT(part["read"].get<size_t>(), ids_.size() / 2);
  }
  EXPECT_EQ(parts.size(), 7u);
  EXPECT_GE(read, ids_.size());
  EXPECT_EQ(
      run(sandbox_, {"scrub", path("B"), "--within", "7", "--today", "2026-11-10"}, 0)["part"],
      run(sandbox_, {"scrub", path("B"), "--within", "7", "--today", "2026-11-17"}, 0)["part"]);
}

}  // namespace
}  // namespace vintage::tests
