// Putting over HTTP: content under leases, resumable uploads over restarts of
// the service, batches, records.
#include <thread>

#include "archive/service/request_values.h"
#include "archive/store/frame_stream.h"
#include "tests/archive/service/running_service.h"

namespace vintage::tests::service {
using namespace golden;
using namespace archive;

namespace {

using nlohmann::json;

class Pushing : public ServiceTest {
 protected:
  void SetUp() override {
    ServiceTest::SetUp();
    start();
  }
  void start(const std::vector<std::string>& options = {}) {
    service_.emplace(archive_, options);
    client_.emplace(service_->url(), token(Role::kPush));
  }
  Reply patch(const std::string& place, uint64_t offset, const std::string& bytes,
              std::vector<std::string> headers = {}) {
    headers.push_back("Upload-Offset: " + std::to_string(offset));
    return client_->send("PATCH", place, bytes, headers);
  }
  std::optional<RunningService> service_;
  std::optional<Client> client_;
};

TEST_F(Pushing, ContentUnderALeaseThenItsRecord) {
  const auto bytes = content(3, 5000);
  const ContentId id = contentHash(bytes);
  const json lease = client_->post("/v1/leases", {{"seconds", 600}}).json();
  const std::string named = lease["lease"];
  const Reply put = client_->send("PUT", "/v1/blobs/" + id + "?lease=" + named, text(bytes));
  EXPECT_EQ(put.status, 201) << put.body;
  EXPECT_EQ(put.json()["lease"], named);
  ArtifactRecord record = sampleRecord("pushed", 4);
  record.id = id;
  EXPECT_EQ(client_->post("/v1/artifacts", recordJson(record)).status, 200);
  EXPECT_EQ(client_->send("DELETE", "/v1/leases/" + named).status, 204);
  EXPECT_EQ(client_->send("DELETE", "/v1/leases/" + named).problem(), "404 not_found");
  EXPECT_TRUE(must(open().read(must(open().find("pushed")).id)) == bytes);
  // Again is the same; with If-None-Match the answer says so.
  EXPECT_EQ(client_->send("PUT", "/v1/blobs/" + id, text(bytes)).status, 200);
  EXPECT_EQ(client_->send("PUT", "/v1/blobs/" + id, text(bytes), {"If-None-Match: *"}).problem(),
            "412 precondition_failed");
}

TEST_F(Pushing, ARecordWithoutItsContentIsToldWhatIsMissing) {
  ArtifactRecord record = sampleRecord("early", 4);
  record.id = ContentId(64, 'a');
  record.golden = ContentId(64, 'b');
  const Reply reply = client_->post("/v1/artifacts", recordJson(record));
  EXPECT_EQ(reply.problem(), "409 missing_content");
  EXPECT_EQ(reply.json()["error"]["missing"], json({record.id, record.golden}));
}

TEST_F(Pushing, AnUploadGoesOnAfterTheServiceWasKilled) {
  const std::string bytes = text(content(5, 300'000, false));
  const ContentId id = contentHash(bytes);
  const json announcement = {{"id", id}, {"bytes", bytes.size()}};
  Reply begun = client_->post("/v1/uploads", announcement);
  ASSERT_EQ(begun.status, 201) << begun.body;
  const std::string place = begun.header("location");
  EXPECT_EQ(patch(place, 0, bytes.substr(0, 100'000)).header("upload-offset"), "100000");
  service_->end(SIGKILL);

  start();
  // A client that forgot everything finds it by announcing it again.
  begun = client_->post("/v1/uploads", announcement);
  EXPECT_EQ(begun.header("location"), place);
  EXPECT_EQ(begun.json()["offset"], 100'000);
  EXPECT_EQ(client_->send("HEAD", place).header("upload-offset"), "100000");
  EXPECT_EQ(patch(place, 100'000, bytes.substr(100'000, 100'000)).status, 204);
  EXPECT_EQ(service_->end(SIGTERM), 0);

  start();
  const Reply last = patch(place, 200'000, bytes.substr(200'000));
  EXPECT_EQ(last.status, 201) << last.body;
  EXPECT_FALSE(last.json()["lease"].get<std::string>().empty());
  EXPECT_TRUE(client_->get("/v1/blobs/" + id).body == bytes);
  EXPECT_EQ(client_->send("HEAD", place).status, 404);
  const Reply again = client_->post("/v1/uploads", announcement);
  EXPECT_EQ(again.status, 200);
  EXPECT_TRUE(again.json()["kept"].get<bool>());
  EXPECT_TRUE(std::filesystem::is_empty(archive_ + "/service/uploads"));
}

TEST_F(Pushing, AChunkThatWasCutShortLeavesWhatArrived) {
  const std::string bytes = text(content(6, 50'000, false));
  const json announcement = {{"id", contentHash(bytes)}, {"bytes", bytes.size()}};
  const std::string place = client_->post("/v1/uploads", announcement).header("location");
  const auto cutAfter = [&](size_t sent, const std::string& more) {
    RawConnection connection(service_->port());
    connection.write("PATCH " + place +
                     " HTTP/1.1\r\nHost: x\r\nUpload-Offset: 0\r\nAuthorization: "
                     "Bearer " +
                     token(Role::kPush) + "\r\nContent-Length: 50000\r\n" + more + "\r\n" +
                     bytes.substr(0, sent));
    connection.endWriting();
    return connection.readAll();
  };
  // With a digest, the bytes of a body that was cut off do not count.
  cutAfter(30'000, "Content-Digest: " + digestField(contentHash(bytes)) + "\r\n");
  EXPECT_EQ(client_->send("HEAD", place).header("upload-offset"), "0");
  EXPECT_TRUE(cutAfter(20'000, "").starts_with("HTTP/1.1 400"));
  EXPECT_EQ(client_->send("HEAD", place).header("upload-offset"), "20000");
  EXPECT_EQ(patch(place, 20'000, bytes.substr(20'000)).status, 201);
}

TEST_F(Pushing, WrongChunksOfAnUpload) {
  const std::string bytes = text(content(7, 1000, false));
  const json announcement = {{"id", contentHash(bytes)}, {"bytes", 1000}};
  const std::string place = client_->post("/v1/uploads", announcement).header("location");
  const Reply early = patch(place, 10, bytes.substr(10));
  EXPECT_EQ(early.problem(), "409 offset_mismatch");
  EXPECT_EQ(early.header("upload-offset"), "0");
  EXPECT_EQ(patch(place, 0, bytes + "more").problem(), "400 length_mismatch");
  EXPECT_EQ(
      patch(place, 0, bytes, {"Content-Digest: " + digestField(std::string(64, '0'))}).problem(),
      "422 checksum_mismatch");
  EXPECT_EQ(client_->send("PATCH", place, bytes).problem(), "400 bad_request");
  EXPECT_EQ(client_->post("/v1/uploads", {{"id", contentHash(bytes)}, {"bytes", 999}}).problem(),
            "409 conflict");
  // It belongs to this token alone.
  Client other(service_->url(), token(Role::kAdmin));
  EXPECT_EQ(other.get(place).problem(), "404 not_found");
  EXPECT_EQ(client_->send("HEAD", place).header("upload-offset"), "0");
  // The whole has the wrong hash: it is gone.
  std::string wrong = bytes;
  wrong[500] ^= 1;
  EXPECT_EQ(patch(place, 0, wrong).problem(), "422 checksum_mismatch");
  EXPECT_EQ(client_->get(place).problem(), "404 not_found");
  EXPECT_EQ(client_->get("/v1/blobs/" + contentHash(wrong)).status, 404);
  EXPECT_EQ(client_->post("/v1/uploads", announcement).json()["offset"], 0);
  EXPECT_EQ(client_->send("DELETE", place).status, 204);
  EXPECT_EQ(client_->send("DELETE", place).problem(), "404 not_found");
}

TEST_F(Pushing, AnUploadOfNothing) {
  const Reply begun = client_->post("/v1/uploads", {{"id", contentHash("")}, {"bytes", 0}});
  EXPECT_EQ(patch(begun.header("location"), 0, "").status, 201);
  EXPECT_EQ(client_->get("/v1/blobs/" + contentHash("")).status, 200);
}

// A body of frames; `records` name their content.
std::string frames(std::span<const ArtifactRecord> records,
                   std::span<const std::vector<std::byte>> contents) {
  std::string body;
  FrameStreamWriter writer(body);
  for (const auto& bytes : contents) writer.content(contentHash(bytes), bytes);
  for (const ArtifactRecord& record : records) writer.artifact(record);
  writer.end();
  return body;
}

TEST_F(Pushing, AWholeArchiveInOneRequest) {
  const auto bytes = content(8, 100);
  const auto golden = must(writeGolden(sampleGolden(2)));
  ArtifactRecord record = sampleRecord("a", 1);
  record.id = contentHash(bytes);
  record.golden = contentHash(golden);
  OutcomeRecord outcome;
  outcome.artifact = record.id;
  outcome.build = "b";
  outcome.platform = "cpu";
  outcome.mode = "graph";
  outcome.run = "run 1";
  outcome.outcome = OutcomeKind::kMismatch;
  outcome.detail = "ü";
  RunWithLimitations run;
  run.run.id = "run 1";
  run.run.kind = "nightly";
  run.run.started = "2026-11-20T21:50:00Z";
  run.run.verdict = "{\"a\":1}";
  run.limitations.resize(1);
  run.limitations[0].id = "L1";
  run.limitations[0].until = "2027-01-01";
  std::string body;
  FrameStreamWriter writer(body);
  writer.content(record.id, bytes);
  writer.content(record.golden, golden);
  writer.artifact(record);
  writer.build(sampleBuild("b", 3));
  writer.run(run);
  writer.outcome(outcome);
  writer.end();
  const Reply reply = client_->send("POST", "/v1/push", body);
  EXPECT_EQ(reply.status, 200) << reply.body;
  EXPECT_EQ(reply.json()["refused"], json::array());
  EXPECT_FALSE(reply.json().contains("lease"));

  Archive archive = open();
  EXPECT_EQ(must(archive.find("a")).golden, record.golden);
  EXPECT_EQ(must(archive.builds()).at(0).details, sampleBuild("b", 3).details);
  EXPECT_EQ(must(archive.run(must(archive.runs()).at(0).id)).verdict, "{\"a\":1}");
  EXPECT_EQ(must(archive.limitations("run 1")), run.limitations);
  const auto outcomes = must(archive.outcomes({}));
  ASSERT_EQ(outcomes.size(), 1u);
  EXPECT_EQ(outcomes[0].detail, "ü");
  EXPECT_EQ(outcomes[0].golden, record.golden);
  // And back, as it was put.
  EXPECT_EQ(client_->get("/v1/runs/run%201").json(), recordJson(run));
  EXPECT_NE(client_->get("/v1/outcomes?run=run%201&latest=false").body.find("mismatch"),
            std::string::npos);
}

TEST_F(Pushing, RecordsAreRefusedEachOnItsOwn) {
  std::vector<std::vector<std::byte>> contents;
  std::vector<ArtifactRecord> records;
  for (int i = 0; i < 40; ++i) {
    contents.push_back(content(100 + static_cast<uint64_t>(i), 300));
    records.push_back(sampleRecord("case " + std::to_string(i), 1));
    records.back().id = contentHash(contents.back());
  }
  records[7].name = records[6].name;  // Another content under a name that is taken.
  records[21].name = "";
  records[30].id = ContentId(64, 'd');
  const Reply reply = client_->send("POST", "/v1/push", frames(records, contents));
  EXPECT_EQ(reply.status, 207) << reply.body;
  EXPECT_EQ(reply.json()["artifacts"], 37);
  std::map<int, std::string> kinds;
  const json answer = reply.json();
  for (const json& each : answer["refused"])
    kinds[each["frame"].get<int>() - 40] = each["error"]["kind"];
  EXPECT_EQ(kinds, (std::map<int, std::string>{
                       {7, "conflict"}, {21, "invalid"}, {30, "missing_content"}}));
  EXPECT_EQ(must(open().list({})).size(), 37u);
}

TEST_F(Pushing, NothingOfABatchThatIsNotWholeIsKept) {
  const std::vector<std::vector<std::byte>> contents{content(1, 300), content(2, 300)};
  std::vector<ArtifactRecord> records{sampleRecord("a", 1), sampleRecord("b", 1)};
  for (size_t i = 0; i < 2; ++i) records[i].id = contentHash(contents[i]);
  const std::string whole = frames(records, contents);
  std::string flipped = whole;
  flipped[whole.find('\n') + 10] ^= 1;
  const std::pair<std::string, std::string> cases[] = {
      {flipped, "422 checksum_mismatch"},
      {whole.substr(0, whole.size() - 1), "400 bad_request"},
      {whole.substr(0, 200), "400 bad_request"},
      {whole + "x", "400 bad_request"},
      {"", "400 bad_request"},
      {"{\"type\":\"content\",\"id\":\"..\",\"bytes\":1}\nx", "400 bad_request"},
      {"{\"type\":\"content\",\"id\":\"" + std::string(64, 'a') + "\",\"bytes\":-1}\n",
       "400 bad_request"},
      {"{\"type\":\"artifact\",\"record\":{\"id\":1}}\n", "422 invalid"},
      {std::string(2 << 20, ' '), "400 bad_request"},
      {std::string(100'000, '['), "400 bad_request"},
  };
  for (const auto& [body, problem] : cases)
    EXPECT_EQ(client_->send("POST", "/v1/push", body).problem(), problem) << body.substr(0, 80);
  EXPECT_EQ(client_
                ->send("POST", "/v1/push", whole,
                       {"Content-Digest: " + digestField(std::string(64, '0'))})
                .problem(),
            "422 checksum_mismatch");
  EXPECT_TRUE(must(open().list({})).empty());
  EXPECT_EQ(must(open().missing(std::vector{records[0].id})).size(), 1u);
  EXPECT_EQ(
      client_
          ->send("POST", "/v1/push", whole, {"Content-Digest: " + digestField(contentHash(whole))})
          .status,
      200);
}

TEST_F(Pushing, ManyClientsPushTheSameAndDifferentThings) {
  constexpr int kClients = 8, kRounds = 6;
  std::vector<std::thread> threads;
  std::atomic<int> failed{0};
  for (int who = 0; who < kClients; ++who) {
    threads.emplace_back([&, who] {
      Client client(service_->url(), token(Role::kPush));
      for (int round = 0; round < kRounds; ++round) {
        // Half of it is everybody's.
        std::vector<std::vector<std::byte>> contents;
        std::vector<ArtifactRecord> records;
        for (const int of : {0, who + 1}) {
          contents.push_back(content(static_cast<uint64_t>(1000 * of + round), 3000));
          records.push_back(sampleRecord(std::to_string(of) + "/" + std::to_string(round), 1));
          records.back().id = contentHash(contents.back());
        }
        const Reply reply = client.send("POST", "/v1/push", frames(records, contents));
        failed += reply.status != 200;
        for (size_t i = 0; i < contents.size(); ++i)
          failed += client.get("/v1/blobs/" + records[i].id).body != text(contents[i]);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failed, 0);
  EXPECT_EQ(must(open().list({})).size(), static_cast<size_t>((kClients + 1) * kRounds));
}

TEST_F(Pushing, LinesOfRecords) {
  const std::string two = recordJson(sampleBuild("x", 1)).dump() + "\n\n" +
                          recordJson(sampleBuild("y", 2)).dump() + "\n";
  EXPECT_EQ(client_->send("POST", "/v1/builds", two, {"Content-Type: application/x-ndjson"}).status,
            200);
  EXPECT_EQ(client_->post("/v1/builds", recordJson(sampleBuild("x", 9))).problem(), "409 conflict");
  const Reply some = client_->send(
      "POST", "/v1/builds",
      recordJson(sampleBuild("x", 9)).dump() + "\n" + recordJson(sampleBuild("z", 2)).dump());
  EXPECT_EQ(some.status, 207);
  EXPECT_EQ(some.json()["refused"], 1);
  EXPECT_EQ(must(open().builds()).size(), 3u);
  const Reply run = client_->post("/v1/runs", {{"kind", "replay"}});
  EXPECT_EQ(must(open().runs()).at(0).id, run.json()["results"][0]["id"].get<std::string>());
  OutcomeRecord outcome;
  outcome.artifact = ContentId(64, 'a');
  outcome.run = "r";
  outcome.build = "x";
  EXPECT_EQ(client_->post("/v1/outcomes", recordJson(outcome)).problem(), "404 not_found");
}

}  // namespace
}  // namespace vintage::tests::service
