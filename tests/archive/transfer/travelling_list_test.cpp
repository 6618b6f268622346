// Signed lists travel with push, pull and mirror, with the real program: through folders, the
// service and a bucket. They used to stay where they were signed: a pull had no proof of the
// source's records, an older copy of a whole archive was taken for the newest one, and `fsck` of a
// mirror said that it was unsigned.
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "archive/retention/retention.h"
#include "archive/store/database.h"
#include "tests/archive/integrity/fresh_key.h"
#include "tests/archive/retention/age_policy.h"
#include "tests/archive/transfer/archives.h"
#include "tests/archive/transfer/rados_gateway.h"
#include "tests/archive/transfer/real_service.h"

namespace vintage::tests {
using namespace archive;

namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using namespace tests::transfer;
using tests::command::Finished;
using tests::command::Sandbox;
namespace fs = std::filesystem;

class TravellingLists : public ::testing::Test {
 protected:
  void SetUp() override {
    fillArchive(path("A"), 1, 40);
    writeKey("key");
    sign("A", "key", "2026-11-20");
  }
  std::string path(const std::string& name) const { return sandbox_.path(name); }
  void writeKey(const std::string& name) const {
    const FreshKey key;
    sandbox_.write(name + ".pem", key.privatePem);
    sandbox_.write(name + "-public.pem", key.publicPem);
  }
  void sign(const std::string& archive, const std::string& key, const std::string& today) const {
    const Finished signing = sandbox_.run(
        {"sign", "--archive", path(archive), "--key", path(key + ".pem"), "--today", today});
    ASSERT_EQ(signing.status, 0) << signing.err;
  }
  void put(const std::string& archive, const std::string& name) const {
    ArtifactRecord record = sampleRecord(name, 7);
    record.format = ArtifactRecord::Format::kSavedModel;
    must(must(Archive::open(path(archive), Archive::Mode::kReadWrite))
             .put(record, content(std::hash<std::string>()(name), 300), nullptr));
  }
  void copyArchive(const std::string& from, const std::string& to) const {
    fs::remove_all(path(to));
    fs::copy(path(from), path(to), fs::copy_options::recursive);
  }
  // Places are names in the sandbox, or whole.
  Finished mirror(const std::string& from, const std::string& to, const std::string& key = "",
                  std::vector<std::string> more = {}) const {
    const auto place = [&](const std::string& name) {
      return name.find("://") == std::string::npos ? path(name) : name;
    };
    std::vector<std::string> call{"mirror", place(from), place(to), "--format", "json"};
    if (std::ranges::find(more, "--pins") == more.end())
      call.insert(call.end(), {"--pins", path("pins.json")});
    if (!key.empty()) call.insert(call.end(), {"--public-key", path(key + "-public.pem")});
    call.insert(call.end(), more.begin(), more.end());
    return sandbox_.run(call);
  }
  json fsck(const std::string& archive, const std::string& key, int expected = 0) const {
    const Finished finished =
        sandbox_.run({"fsck", "--archive", path(archive), "--public-key", path(key + "-public.pem"),
                      "--pins", "", "--format", "json"});
    EXPECT_EQ(finished.status, expected) << finished.out << finished.err;
    return json::parse(finished.out, nullptr, false);
  }
  void expectRefused(const Finished& finished, const std::string& why) const {
    EXPECT_EQ(finished.status, 1) << finished.out << finished.err;
    EXPECT_THAT(finished.err, AllOf(HasSubstr(why), HasSubstr("nothing was copied"),
                                    HasSubstr("--without-lists")));
  }
  void sql(const std::string& archive, const std::string& text) const {
    must(must(Database::open(path(archive + "/index.sqlite"), {}))
             ->execute("PRAGMA foreign_keys = OFF; " + text));
  }

  const Sandbox sandbox_;
};

TEST_F(TravellingLists, FsckOfACopyChecksTheListThatCameAlong) {
  const Finished copied = mirror("A", "B", "key");
  ASSERT_EQ(copied.status, 0) << copied.err;
  const json report = json::parse(copied.out);
  EXPECT_EQ(report["lists"]["sent"], 1);
  EXPECT_EQ(report["verified_list"]["counter"], 1);
  json checked = fsck("B", "key");
  ASSERT_EQ(checked["copied_lists"].size(), 1u);
  EXPECT_EQ(checked["copied_lists"][0]["verified"], 40);
  EXPECT_EQ(checked["copied_lists"][0]["source"], path("A"));
  // The contents with its lines are not litter, and are not collected.
  EXPECT_EQ(checked["litter"], 0);
  EXPECT_EQ(sandbox_.run({"gc", "--archive", path("B")}).status, 0);
  EXPECT_EQ(fsck("B", "key")["copied_lists"][0]["verified"], 40);

  sql("B",
      "INSERT INTO list (texts) VALUES ('[\"evil\"]'); UPDATE family SET targets = "
      "last_insert_rowid() WHERE id = 2");
  checked = fsck("B", "key", 1);
  EXPECT_THAT(checked.dump(), HasSubstr("its record differs from the signed one"));
  sql("B", "DELETE FROM artifact WHERE id = 3");
  EXPECT_THAT(fsck("B", "key", 1).dump(), HasSubstr("was copied here, and is gone"));
}

TEST_F(TravellingLists, ASubsetIsCheckedAgainstTheWholeList) {
  ASSERT_EQ(mirror("A", "B", "key", {"--dtype", "f32"}).status, 0);
  const json copy = fsck("B", "key")["copied_lists"][0];
  EXPECT_EQ(copy["listed"], 40);
  EXPECT_EQ(copy["whole"], false);
  EXPECT_GT(copy["verified"], 0);
  EXPECT_EQ(copy["verified"].get<int>() + copy["not_copied"].get<int>(), 40);
  // The rest comes later, with the same list.
  ASSERT_EQ(mirror("A", "B", "key").status, 0);
  EXPECT_EQ(fsck("B", "key")["copied_lists"][0]["verified"], 40);
  EXPECT_EQ(fsck("B", "key")["copied_lists"][0]["whole"], true);
}

TEST_F(TravellingLists, AnOlderStateIsNotCopiedFrom) {
  copyArchive("A", "older");
  put("A", "later");
  sign("A", "key", "2026-11-21");
  ASSERT_EQ(mirror("A", "B", "key").status, 0);
  copyArchive("A", "newest");
  copyArchive("older", "A");
  // By what this client has seen, with the key and without.
  expectRefused(mirror("A", "C", "key"), "older state");
  expectRefused(mirror("A", "C"), "older state");
  EXPECT_EQ(json::parse(mirror("A", "C", "", {"--without-lists"}).out)["lists"]["sent"], 0);
  // The destination's own lists refuse it, without pins.
  expectRefused(mirror("A", "B", "", {"--pins", ""}), "older state");
  // The lists are taken away altogether.
  sql("A", "DELETE FROM signed_list; DELETE FROM signature");
  expectRefused(mirror("A", "C", "key"), "has no signed list");
  expectRefused(mirror("A", "C"), "now it has none");
  copyArchive("newest", "A");
  EXPECT_EQ(mirror("A", "B", "key").status, 0);
  EXPECT_EQ(json::parse(mirror("A", "B", "key").out)["lists"]["already_there"], 1);
}

TEST_F(TravellingLists, AnotherHistoryIsNotCopiedFrom) {
  copyArchive("A", "older");
  put("A", "later");
  sign("A", "key", "2026-11-21");
  ASSERT_EQ(mirror("A", "B", "key").status, 0);
  copyArchive("older", "A");
  put("A", "another");
  sign("A", "key", "2026-11-21");
  expectRefused(mirror("A", "C", "key"), "written anew");
  expectRefused(mirror("A", "B", "", {"--pins", ""}), "written anew");
}

TEST_F(TravellingLists, AKeyThatDoesNotCountIsRefused) {
  writeKey("next");
  writeKey("stranger");
  expectRefused(mirror("A", "B", "stranger"), "it neither is key");
  const auto key = [&](std::vector<std::string> more) {
    std::vector<std::string> call{"key"};
    call.insert(call.end(), more.begin(), more.end());
    call.insert(call.end(), {"--archive", path("A"), "--today", "2026-11-21"});
    const Finished finished = sandbox_.run(call);
    EXPECT_EQ(finished.status, 0) << finished.err;
  };
  copyArchive("A", "before");
  key({"rotate", "--key", path("key.pem"), "--next", path("next-public.pem")});
  key({"revoke", "--key", path("next.pem"), "--revoked", path("key-public.pem")});
  sign("A", "next", "2026-11-22");
  // A user who trusts the old key trusts its successor.
  ASSERT_EQ(mirror("A", "B", "key").status, 0);
  EXPECT_EQ(fsck("B", "key")["copied_lists"][0]["verified"], 40);
  EXPECT_EQ(fsck("B", "next")["copied_lists"][0]["verified"], 40);
  // The thief of the old key takes the revocation out, signs, and puts it back.
  sql("A",
      "DELETE FROM signed_list WHERE counter = 2; CREATE TABLE aside AS SELECT * FROM "
      "key_statement; DELETE FROM key_statement");
  put("A", "evil");
  sign("A", "key", "2026-11-22");
  sql("A", "INSERT INTO key_statement SELECT * FROM aside; DROP TABLE aside");
  expectRefused(mirror("A", "C", "key", {"--pins", ""}), "was revoked on 2026-11-21");
}

// A list that was changed, or whose artifacts were, at the source or on the way.
TEST_F(TravellingLists, ASourceThatIsNotWhatWasSignedIsNotCopiedFrom) {
  copyArchive("A", "good");
  for (const char* change : {"DELETE FROM artifact WHERE id = 2",
                             "UPDATE signature SET signature = zeroblob(64) WHERE artifact = 3",
                             // With the name: digests and fingerprints hold a 40 now and then.
                             "UPDATE signed_list SET text = replace(text, '\"artifacts\":40', "
                             "'\"artifacts\":39')"}) {
    copyArchive("good", "A");
    sql("A", change);
    expectRefused(mirror("A", "B"), "does not hold");
    EXPECT_NE(mirror("A", "B", "key").status, 0) << change;
  }
}

TEST_F(TravellingLists, FactsThatCameLaterAreNoForgery) {
  ArtifactRecord record = sampleRecord("bare", 8);
  record.format = ArtifactRecord::Format::kSavedModel;
  record.primitive = "";
  const auto fill = [&](const std::string& archive, const std::string& primitive) {
    record.primitive = primitive;
    must(must(Archive::open(path(archive), Archive::Mode::kReadWrite))
             .put(record, content(9, 300), nullptr));
  };
  fill("A", "");
  sign("A", "key", "2026-11-21");
  ASSERT_EQ(mirror("A", "B", "key").status, 0);
  fill("B", "add");  // At the copy.
  EXPECT_EQ(fsck("B", "key")["copied_lists"][0]["filled_in"], 1);
  fill("A", "add");  // At the source, after it was signed.
  ASSERT_EQ(mirror("A", "C", "key").status, 0);
  EXPECT_EQ(fsck("C", "key")["copied_lists"][0]["filled_in"], 1);
}

TEST_F(TravellingLists, WhatRetentionRemovedIsNoLoss) {
  ASSERT_EQ(mirror("A", "B", "key").status, 0);
  const auto retain = [&](const std::string& archive) {
    Archive opened = must(Archive::open(path(archive), Archive::Mode::kReadWrite));
    RetentionOptions options = keepDays(20, 40);
    options.dateIsConfirmed = true;
    must(applyRetention(opened, options));
  };
  retain("B");
  EXPECT_GT(fsck("B", "key")["copied_lists"][0]["removed_here"], 0);
  retain("A");
  ASSERT_EQ(mirror("A", "C", "key").status, 0);
  EXPECT_GT(fsck("C", "key")["copied_lists"][0]["removed_at_the_source"], 0);
  sign("A", "key", "2026-11-21");
  ASSERT_EQ(mirror("A", "D", "key").status, 0);
  EXPECT_EQ(fsck("D", "key")["copied_lists"][0]["removed_at_the_source"], 0);
}

// From a folder into a service and a bucket, from there into folders; then an older source.
class TravellingFar : public TravellingLists, public testing::WithParamInterface<bool> {};

TEST_P(TravellingFar, ThroughAPlaceAndBack) {
  std::optional<RealService> service;
  std::string far;
  if (GetParam()) {
    service.emplace(sandbox_, path("served"));
    ASSERT_NE(service->url(), "") << service->log();
    far = service->url();
  } else {
    if (!RadosGateway::installed()) GTEST_SKIP() << RadosGateway::kHowToInstall;
    RadosGateway& gateway = RadosGateway::shared();
    ASSERT_EQ(gateway.problem(), "");
    RadosGateway::setEnvironment(gateway.url());
    far = "s3://" + gateway.makeBucket() + "/copy";
  }
  copyArchive("A", "older");
  const Finished pushed = mirror("A", far, "key");
  ASSERT_EQ(pushed.status, 0) << pushed.err;
  EXPECT_EQ(json::parse(pushed.out)["lists"]["sent"], 1);
  put("A", "later");
  sign("A", "key", "2026-11-21");
  ASSERT_EQ(mirror("A", far, "key").status, 0);
  const Finished pulled = mirror(far, "B", "key");
  ASSERT_EQ(pulled.status, 0) << pulled.err;
  EXPECT_EQ(json::parse(pulled.out)["verified_list"]["counter"], 2);
  const json copy = fsck("B", "key")["copied_lists"][0];
  EXPECT_EQ(copy["verified"], 41);
  EXPECT_EQ(copy["source"], path("A"));
  // An older source is not pushed over it, even without pins.
  expectRefused(mirror("older", far, "", {"--pins", ""}), "older state");
  put("older", "another");
  sign("older", "key", "2026-11-21");
  expectRefused(mirror("older", far, "", {"--pins", ""}), "written anew");
  writeKey("stranger");
  expectRefused(mirror(far, "C", "stranger"), "it neither is key");
  // It came home.
  EXPECT_EQ(json::parse(mirror(far, "A", "key").out)["lists"]["already_there"], 1);
  if (GetParam()) EXPECT_EQ(fsck("served", "key")["copied_lists"][0]["verified"], 41);
}
INSTANTIATE_TEST_SUITE_P(Places, TravellingFar, testing::Bool(),
                         [](const auto& info) { return info.param ? "Service" : "Bucket"; });

}  // namespace
}  // namespace vintage::tests
