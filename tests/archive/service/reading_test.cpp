// Reading over HTTP: content with its ETag and ranges, lists, streams, proofs.
#include <fstream>
#include <sstream>

#include "archive/service/request_values.h"
#include "archive/store/frame_stream.h"
#include "tests/archive/service/running_service.h"

namespace vintage::tests::service {
using namespace golden;
using namespace archive;

namespace {

using nlohmann::json;

class Reading : public ServiceTest {
 protected:
  void SetUp() override {
    ServiceTest::SetUp();
    Archive archive = open();
    const Golden golden = sampleGolden(1.5f);
    small_ = content(1, 9000);
    large_ = content(2, 700'000, false);
    smallId_ = must(archive.put(sampleRecord("small", 1), small_, &golden));
    largeId_ = must(archive.put(sampleRecord("large", 2), large_, nullptr));
    goldenId_ = must(archive.find("small")).golden;
    service_.emplace(archive_);
    client_.emplace(service_->url(), token(Role::kRead));
  }
  std::vector<std::byte> small_, large_;
  ContentId smallId_, largeId_, goldenId_;
  std::optional<RunningService> service_;
  std::optional<Client> client_;
};

TEST_F(Reading, ContentComesWholeWithAStrongTag) {
  for (const auto& [id, bytes] : {std::pair(smallId_, small_), std::pair(largeId_, large_)}) {
    const Reply reply = client_->get("/v1/blobs/" + id);
    EXPECT_EQ(reply.status, 200);
    EXPECT_TRUE(reply.body == text(bytes));
    EXPECT_EQ(reply.header("etag"), '"' + id + '"');
    EXPECT_EQ(reply.header("repr-digest"), digestField(id));
    const Reply head = client_->send("HEAD", "/v1/blobs/" + id);
    EXPECT_EQ(head.status, 200);
    EXPECT_EQ(head.header("content-length"), std::to_string(bytes.size()));
    EXPECT_EQ(head.body, "");
  }
}

TEST_F(Reading, ArtifactsAndGoldensAreKeptApart) {
  EXPECT_EQ(client_->get("/v1/artifacts/" + smallId_ + "/content").body, text(small_));
  EXPECT_EQ(client_->get("/v1/artifacts/" + goldenId_ + "/content").problem(), "404 not_found");
  EXPECT_EQ(client_->get("/v1/goldens/" + smallId_).problem(), "404 not_found");
  EXPECT_EQ(contentHash(client_->get("/v1/goldens/" + goldenId_).body), goldenId_);
}

TEST_F(Reading, RangesAndConditions) {
  struct Case {
    std::vector<std::string> headers;
    long status;
    size_t first, length;
  };
  const std::string tag = '"' + smallId_ + '"';
  const Case cases[] = {
      {{"Range: bytes=0-0"}, 206, 0, 1},
      {{"Range: bytes=8999-"}, 206, 8999, 1},
      {{"Range: bytes=100-199"}, 206, 100, 100},
      {{"Range: bytes=8990-99999"}, 206, 8990, 10},
      {{"Range: bytes=-5"}, 206, 8995, 5},
      {{"Range: bytes=-99999"}, 206, 0, 9000},
      {{"Range: bytes=5-2"}, 200, 0, 9000},      // No range: the whole.
      {{"Range: bytes=0-1,5-6"}, 200, 0, 9000},  // Several: the whole.
      {{"Range: lines=1-2"}, 200, 0, 9000},
      {{"Range: bytes=1-2", "If-Range: " + tag}, 206, 1, 2},
      {{"Range: bytes=1-2", "If-Range: \"other\""}, 200, 0, 9000},
      {{"Range: bytes=1-2", "If-Range: W/" + tag}, 200, 0, 9000},
      {{"If-None-Match: \"other\""}, 200, 0, 9000},
  };
  for (const Case& each : cases) {
    SCOPED_TRACE(each.headers.front());
    const Reply reply = client_->get("/v1/blobs/" + smallId_, each.headers);
    EXPECT_EQ(reply.status, each.status);
    EXPECT_TRUE(reply.body == text(small_).substr(each.first, each.length));
    if (each.status == 206)
      EXPECT_EQ(reply.header("content-range"), "bytes " + std::to_string(each.first) + "-" +
                                                   std::to_string(each.first + each.length - 1) +
                                                   "/9000");
  }
  for (const std::string& match : {tag, "W/" + tag, "\"a\", " + tag, std::string("*")}) {
    const Reply reply = client_->get("/v1/blobs/" + smallId_, {"If-None-Match: " + match});
    EXPECT_EQ(reply.status, 304) << match;
    EXPECT_EQ(reply.body, "");
    EXPECT_EQ(reply.header("etag"), tag);
  }
  const Reply beyond = client_->get("/v1/blobs/" + smallId_, {"Range: bytes=9000-"});
  EXPECT_EQ(beyond.problem(), "416 range_not_satisfiable");
  EXPECT_EQ(beyond.header("content-range"), "bytes */9000");
}

TEST_F(Reading, ListsAreLinesWithAnEnd) {
  const auto lines = [&](const std::string& path) {
    std::vector<json> found;
    std::istringstream body(client_->get(path).body);
    for (std::string line; std::getline(body, line);) found.push_back(json::parse(line));
    return found;
  };
  const auto all = lines("/v1/artifacts");
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0]["name"], "small");
  EXPECT_EQ(all[0]["golden"], goldenId_);
  EXPECT_EQ(all[1]["bytes"], 700'000);
  EXPECT_EQ(all[2], json({{"end", true}, {"count", 2}}));
  EXPECT_EQ(lines("/v1/artifacts?name=sm*").size(), 2u);
  EXPECT_EQ(lines("/v1/artifacts?id=" + largeId_.substr(0, 8)).size(), 2u);
  EXPECT_EQ(lines("/v1/artifacts?producer=producer%201&producer=producer%202").size(), 3u);
  EXPECT_EQ(lines("/v1/artifacts?built_from=" + formatDate(day(2))).size(), 2u);
  EXPECT_EQ(lines("/v1/artifacts?dtype=f64").size(), 1u);
  EXPECT_EQ(client_->get("/v1/artifacts/" + smallId_).json()["artifacts"][0]["name"], "small");
}

struct Collected : FrameVisitor {
  std::map<ContentId, std::string> contents;
  std::vector<json> artifacts, errors;
  ContentId last;
  Status frame(uint64_t, std::string_view type, const json& header) override {
    if (type == "content") last = header["id"];
    if (type == "artifact") artifacts.push_back(header["record"]);
    if (type == "error") errors.push_back(header);
    return {};
  }
  Status bytes(std::span<const std::byte> piece, bool) override {
    contents[last].append(reinterpret_cast<const char*>(piece.data()), piece.size());
    return {};
  }
};

TEST_F(Reading, AQuerysResultStreamsWithItsBytes) {
  Collected collected;
  FrameStreamReader reader(collected);
  must(reader.feed(client_->get("/v1/pull?primitive=add").body));
  must(reader.finish());
  ASSERT_EQ(collected.artifacts.size(), 2u);
  EXPECT_EQ(collected.contents.size(), 3u);
  EXPECT_TRUE(collected.contents[largeId_] == text(large_));
  for (const auto& [id, bytes] : collected.contents) EXPECT_EQ(contentHash(bytes), id);
}

TEST_F(Reading, ContentsByIdSayWhichCouldNotBeRead) {
  const ContentId unknown(64, 'e');
  Collected collected;
  FrameStreamReader reader(collected);
  must(reader.feed(client_->post("/v1/contents", {{"ids", {smallId_, unknown}}}).body));
  must(reader.finish());
  EXPECT_EQ(collected.contents.size(), 1u);
  ASSERT_EQ(collected.errors.size(), 1u);
  EXPECT_EQ(collected.errors[0]["id"], unknown);
  EXPECT_EQ(collected.errors[0]["error"]["kind"], "not_found");
}

TEST_F(Reading, ProofsAreOfTheBytesAndTheNonce) {
  const std::string nonce = "00112233445566778899aabbccddeeff";
  std::string bytes("\x00\x11\x22\x33\x44\x55\x66\x77\x88\x99\xaa\xbb\xcc\xdd\xee\xff", 16);
  const json answer =
      client_->post("/v1/proofs", {{"nonce", nonce}, {"ids", {smallId_, ContentId(64, '1')}}})
          .json();
  EXPECT_EQ(answer["proofs"][0]["proof"], contentHash(bytes + text(small_)));
  EXPECT_EQ(answer["proofs"][1]["error"]["kind"], "not_found");
}

TEST_F(Reading, HaveSplitsWhatIsAskedFor) {
  const ContentId unknown(64, '7');
  const json answer =
      client_->post("/v1/have", {{"ids", {unknown, smallId_, unknown, largeId_}}}).json();
  EXPECT_EQ(answer["have"], json({smallId_, largeId_}));
  EXPECT_EQ(answer["missing"], json({unknown, unknown}));
}

// Somebody wrote into the index behind SQLite's back.
TEST_F(Reading, DamageIsAnErrorAndPuttingAgainHeals) {
  const std::string file = archive_ + "/blobs/" + largeId_.substr(0, 2) + "/" + largeId_ + ".zst";
  ASSERT_TRUE(std::filesystem::exists(file));
  std::FILE* opened = std::fopen(file.c_str(), "r+b");
  std::fseek(opened, 1000, SEEK_SET);
  std::fputc('x', opened);
  std::fputc('y', opened);
  std::fclose(opened);
  const Reply damaged = client_->get("/v1/blobs/" + largeId_);
  EXPECT_EQ(damaged.problem(), "500 damaged");
  EXPECT_NE(damaged.body.find("large (producer 2)"), std::string::npos) << damaged.body;
  const json proof =
      client_->post("/v1/proofs", {{"nonce", std::string(32, '0')}, {"ids", {largeId_}}}).json();
  EXPECT_EQ(proof["proofs"][0]["error"]["kind"], "damaged");
  Client pusher(service_->url(), token(Role::kPush));
  EXPECT_EQ(pusher.send("PUT", "/v1/blobs/" + largeId_, text(large_)).status, 200);
  EXPECT_TRUE(client_->get("/v1/blobs/" + largeId_).body == text(large_));
}

TEST_F(Reading, TellsOfItself) {
  Client nobody(service_->url());
  EXPECT_EQ(nobody.get("/healthz").json()["status"], "ok");
  EXPECT_EQ(client_->get("/v1/status").json()["api"], 1);
  EXPECT_EQ(nobody.get("/v1/openapi.json").json()["openapi"], "3.1.0");
  client_->get("/v1/blobs/" + smallId_);
  const std::string metrics = client_->get("/metrics").body;
  EXPECT_NE(metrics.find("vintage_http_requests_total{operation=\"readBlob\",status=\"2xx\"} 1\n"),
            std::string::npos)
      << metrics;
  service_->end(SIGTERM);
  std::ifstream log(service_->accessLog());
  std::vector<json> lines;
  for (std::string line; std::getline(log, line);) lines.push_back(json::parse(line));
  ASSERT_EQ(lines.size(), 5u);
  // A line follows its answer, so that those of two connections mix.
  std::map<std::string, json> byRoute;
  for (const json& line : lines) byRoute[line["route"]] = line;
  EXPECT_EQ(byRoute["readBlob"]["token"], "read");
  EXPECT_EQ(byRoute["readBlob"]["sent"], 9000);
  EXPECT_EQ(byRoute["openapi"]["token"], "");
}

}  // namespace
}  // namespace vintage::tests::service
