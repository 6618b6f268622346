// Pushing to and pulling from an S3-compatible server that others wrote.
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "tests/archive/transfer/archives.h"
#include "tests/archive/transfer/bucket_fixture.h"
#include "tests/archive/transfer/cutting_proxy.h"

namespace vintage::tests {
using namespace archive;

namespace {

using testing::HasSubstr;
using namespace tests::transfer;
using tests::command::Finished;
using tests::command::Sandbox;
using Bucket = tests::transfer::BucketFixture;

TEST_F(Bucket, PushedAndPulledIsTheSame) {
  fillArchive(path("A"), 1, 150);
  const Finished empty = sandbox_.run({"pull", inBucket("some/prefix"), path("N")});
  EXPECT_EQ(empty.status, 2);
  EXPECT_THAT(empty.err, HasSubstr("there is no archive"));
  EXPECT_FALSE(std::filesystem::exists(path("N")));
  const Finished nowhere = sandbox_.run({"push", path("A"), "s3://nobodys-bucket/x"});
  EXPECT_EQ(nowhere.status, 2);
  EXPECT_THAT(nowhere.err, HasSubstr("no such bucket"));

  const Finished pushed =
      sandbox_.run({"push", path("A"), inBucket("some/prefix"), "--format", "json"});
  ASSERT_EQ(pushed.status, 0) << pushed.err;
  EXPECT_EQ(nlohmann::json::parse(pushed.out)["artifacts"]["sent"], 150);
  const Finished again =
      sandbox_.run({"push", path("A"), inBucket("some/prefix/"), "--format", "json"});
  const auto nothing = nlohmann::json::parse(again.out);
  for (const char* kind : {"artifacts", "contents", "builds", "runs", "outcomes"})
    EXPECT_EQ(nothing[kind]["sent"], 0) << kind;

  const Finished pulled = sandbox_.run({"pull", inBucket("some/prefix"), path("B")});
  ASSERT_EQ(pulled.status, 0) << pulled.err;
  expectSameArchives(path("A"), path("B"));

  // Bucket to bucket, and a filter that the client has to apply.
  EXPECT_EQ(sandbox_.run({"mirror", inBucket("some/prefix"), inBucket("copy")}).status, 0);
  EXPECT_EQ(sandbox_.run({"pull", inBucket("copy"), path("C"), "--dtype", "bf16"}).status, 0);
  ArtifactFilter filter;
  filter.dtypes = {"bf16"};
  EXPECT_TRUE(
      recordTexts(must(must(Archive::open(path("C"), Archive::Mode::kReadOnly)).list({}))) ==
      recordTexts(must(must(Archive::open(path("A"), Archive::Mode::kReadOnly)).list(filter))));

  // A later push adds, and what contradicts is refused.
  fillArchive(path("A"), 2, 40);
  must(must(Archive::open(path("A"), Archive::Mode::kReadWrite))
           .put(sampleRecord("contested"), content(100, 900), nullptr));
  fillArchive(path("D"), 3, 10);
  must(must(Archive::open(path("D"), Archive::Mode::kReadWrite))
           .put(sampleRecord("contested"), content(101, 900), nullptr));
  EXPECT_EQ(sandbox_.run({"push", path("A"), inBucket("some/prefix")}).status, 0);
  const Finished contested = sandbox_.run({"push", path("D"), inBucket("some/prefix")});
  EXPECT_EQ(contested.status, 1);
  EXPECT_THAT(contested.err, HasSubstr("contested"));
  // Also where only a fact is another: a bucket took it, and a pull reported it.
  ArtifactRecord other = sampleRecord("other fact");
  other.primitive = "add";
  must(must(Archive::open(path("A"), Archive::Mode::kReadWrite))
           .put(other, content(102, 900), nullptr));
  other.primitive = "mul";
  must(must(Archive::open(path("E"), Archive::Mode::kCreate))
           .put(other, content(102, 900), nullptr));
  EXPECT_EQ(sandbox_.run({"push", path("A"), inBucket("some/prefix")}).status, 0);
  const Finished fact = sandbox_.run({"push", path("E"), inBucket("some/prefix")});
  EXPECT_EQ(fact.status, 1);
  EXPECT_THAT(fact.err, HasSubstr("its primitive is 'add' there and 'mul' here"));
  const Finished all = sandbox_.run({"pull", inBucket("some/prefix"), path("B")});
  EXPECT_EQ(all.status, 0) << all.err;
  EXPECT_EQ(must(must(Archive::open(path("B"), Archive::Mode::kReadOnly)).list({})).size(), 202u);
}

TEST_F(Bucket, SignaturesCountAndNothingIsOverwritten) {
  const BucketAddress address = must(BucketAddress::find(inBucket("keys")));
  BucketClient bucket(address, quick());
  const auto put = [&](const std::string& key, const std::string& bytes, const ContentId& hash) {
    auto object = objectOf(key, bytes, hash);
    return bucket.put([&] { return std::move(object); });
  };
  const std::string odd = "2026-11-20T23:44:31.4Z +&=?#%/[a,b]*'()!~ \xc3\xa4";
  must(put(odd, "first", contentHash("first")));
  must(put(odd, "second", contentHash("second")));  // It is there: fine, and it stays.
  EXPECT_EQ(must(bucket.readSmall(odd)), "first");
  EXPECT_THAT(must(bucket.list("2026")), testing::ElementsAre(odd));
  EXPECT_THAT(must(bucket.missing({odd, "other"})), testing::ElementsAre("other"));
  EXPECT_EQ(refusal(bucket.readSmall("other")), Error::Kind::kNotFound);
  // A body that is not what its hash says is refused by the server.
  EXPECT_FALSE(put("lie", "one", contentHash("two")));
  // More keys than one list answers.
  int made = 0;
  must(bucket.put([&]() -> std::unique_ptr<StoredObject> {
    if (made == 1100) return nullptr;
    const std::string text = std::to_string(made++);
    return objectOf("many/" + text, text, contentHash(text));
  }));
  EXPECT_EQ(must(bucket.list("many/")).size(), 1100u);
  EXPECT_THAT(must(bucket.folders("")), testing::Contains("many/"));

  RadosGateway::setEnvironment(gateway_->url(), "not the secret");
  const Finished wrong = sandbox_.run({"pull", inBucket("keys"), path("B")});
  EXPECT_EQ(wrong.status, 2);
  EXPECT_THAT(wrong.err, HasSubstr("SignatureDoesNotMatch"));
  EXPECT_EQ(wrong.err.find("not the secret"), std::string::npos);
  ::unsetenv("AWS_SECRET_ACCESS_KEY");
  const Finished none = sandbox_.run({"pull", inBucket("keys"), path("B")});
  EXPECT_EQ(none.status, 2);
  EXPECT_THAT(none.err, HasSubstr("AWS_SECRET_ACCESS_KEY"));
}

// Nothing in a bucket is replaced: what two writers say otherwise is there twice. A
// build with two dates failed every pull, and an outcome that had been put otherwise
// before was sent again by every mirror.
TEST_F(Bucket, WhatIsThereTwiceCountsOnce) {
  const std::string where = inBucket("twice");
  auto place = must(openPlace(where, PlaceUse::kWrite, quick()));
  fillArchive(path("A"), 9, 3);
  ASSERT_EQ(sandbox_.run({"push", path("A"), where}).status, 0);
  must(place->putBuilds(std::vector{sampleBuild("twice", 7)}));
  must(place->putBuilds(std::vector{sampleBuild("twice", 5)}));
  const RunRecord run = must(must(Archive::open(path("A"), Archive::Mode::kReadOnly)).runs()).at(0);
  auto outcomes = must(place->outcomes(run.id));
  ASSERT_FALSE(outcomes.empty());
  outcomes.resize(1);
  for (const char* detail : {"one", "two", "three", "four"}) {
    outcomes[0].detail = detail;
    must(place->putOutcomes(outcomes));
  }
  for (const char* archive : {"B", "C"}) {
    const Finished pulled = sandbox_.run({"pull", where, path(archive)});
    ASSERT_EQ(pulled.status, 0) << pulled.err;
    Archive copy = must(Archive::open(path(archive), Archive::Mode::kReadOnly));
    const auto builds = must(copy.builds());
    const auto twice = std::find_if(builds.begin(), builds.end(),
                                    [](const BuildRecord& build) { return build.name == "twice"; });
    ASSERT_NE(twice, builds.end());
    EXPECT_EQ(twice->buildDate, sampleBuild("twice", 5).buildDate);
    const Finished back = sandbox_.run({"push", path(archive), where, "--format", "json"});
    EXPECT_EQ(nlohmann::json::parse(back.out)["outcomes"]["sent"], 0);
  }
}

TEST_F(Bucket, BrokenConnectionsAndKilledProcessesOnlyCostTime) {
  fillArchive(path("A"), 4, 120);
  // A content has to pass in one piece where it is put: 2.5 MB at most here.
  CuttingProxy proxy(gateway_->port(), 2'500'000, 5);
  RadosGateway::setEnvironment(proxy.url());
  const std::vector<std::string> push{VINTAGE_BINARY "/bin/vintage",
                                      "push",
                                      path("A"),
                                      inBucket("a"),
                                      "--attempts",
                                      "30",
                                      "--jobs",
                                      "2"};
  const std::vector<std::string> pull{VINTAGE_BINARY "/bin/vintage",
                                      "pull",
                                      inBucket("a"),
                                      path("B"),
                                      "--attempts",
                                      "30",
                                      "--jobs",
                                      "2",
                                      "--partial",
                                      path("partial")};
  for (const auto& command : {push, pull}) {
    // Killed when it has moved so many bytes more.
    for (const uint64_t bytes : {2'000, 200'000, 1'000'000}) {
      ChildProcess process(command, path("killed.log"));
      if (command == push)
        proxy.waitForBytesToServer(proxy.bytesToServer() + bytes, process);
      else
        proxy.waitForBytesToClient(proxy.bytesToClient() + bytes, process);
      process.stop(SIGKILL);
    }
    ChildProcess process(command, path("last.log"));
    EXPECT_EQ(process.wait(), 0) << Sandbox::read(path("last.log"));
  }
  EXPECT_GE(proxy.cuts(), 2);
  expectSameArchives(path("A"), path("B"));
}

}  // namespace
}  // namespace vintage::tests
