// A scan of the running service with curl: what each kind of bad input gets.
// Every refusal has its status and a JSON error that says what to do, and
// nothing of it is kept.
#include <fstream>
#include <thread>

#include <sys/mount.h>

#include "archive/frame_stream.h"
#include "archive/integrity/fsck.h"
#include "archive/service/header_values.h"
#include "tests/service/running_service.h"

namespace vintage::service {
namespace {

using nlohmann::json;

class Scan : public ServiceTest {
 protected:
  void SetUp() override {
    ServiceTest::SetUp();
    if (std::system("command -v curl >/dev/null 2>&1") != 0)
      GTEST_SKIP() << "curl is not installed";
  }
  void TearDown() override {
    service_.reset();
    if (mounted_) ::umount2(path("disk").c_str(), MNT_DETACH);
    ServiceTest::TearDown();
  }
  void start(const std::vector<std::string>& options = {}) { service_.emplace(archive_, options); }

  std::string file(const std::string& name, const std::string& bytes) const {
    std::ofstream(path(name), std::ios::binary) << bytes;
    return path(name);
  }
  // "201", or "409 conflict"; the body is left in body_, the headers in headers_.
  std::string curl(const std::string& target, const std::string& options = "",
                   std::optional<Role> role = Role::kPush) {
    std::string command = "curl -sS --max-time 60 --path-as-is -o '" + path("body") + "' -D '" +
                          path("headers") + "' -w '%{http_code}' " + options;
    if (role) command += " -H 'Authorization: Bearer " + token(*role) + "'";
    command += " '" + service_->url() + target + "' >'" + path("status") + "' 2>/dev/null";
    for (const char* name : {"body", "headers", "status"}) std::filesystem::remove(path(name));
    [[maybe_unused]] const int ended = std::system(command.c_str());
    const auto read = [&](const char* name) {
      std::ifstream in(path(name), std::ios::binary);
      return std::string(std::istreambuf_iterator<char>(in), {});
    };
    Reply reply;
    reply.body = body_ = read("body");
    headers_ = read("headers");
    const std::string status = read("status");
    reply.status = status.empty() ? 0 : std::stol(status);
    if (reply.status >= 400) {
      EXPECT_NE(headers_.find("application/json"), std::string::npos) << target << headers_;
      EXPECT_FALSE(reply.json().value("error", json::object()).value("next", "").empty())
          << target << body_;
    }
    return reply.problem();
  }
  static std::string digest(const std::string& id) {
    return "-H 'Content-Digest: " + digestField(id) + "' ";
  }
  bool keeps(const std::string& bytes) const {
    return must(open().missing(std::vector{contentHash(bytes)})).empty();
  }
  std::string begin(const std::string& bytes) {
    const std::string announced = json{{"id", contentHash(bytes)}, {"bytes", bytes.size()}}.dump();
    EXPECT_EQ(curl("/v1/uploads", "-H Content-Type: -d @" + file("announced", announced)), "201");
    return json::parse(body_).at("upload").get<std::string>();
  }

  std::optional<RunningService> service_;
  std::string body_, headers_;
  bool mounted_ = false;
};

TEST_F(Scan, WrongHashesAndLengths) {
  start({"--grace-seconds", "1", "--largest-push", "100000"});
  const std::string bytes = text(content(1, 5'000)), up = file("up", bytes);
  const std::string id = contentHash(bytes), other = contentHash("other");
  EXPECT_EQ(curl("/v1/blobs/" + other, "-T " + up), "422 checksum_mismatch");
  EXPECT_EQ(curl("/v1/blobs/" + id, digest(other) + "-T " + up), "422 checksum_mismatch");
  EXPECT_EQ(curl("/v1/blobs/" + id, "-T " + file("short", bytes.substr(1))), "422 checksum_mismatch");
  EXPECT_EQ(curl("/v1/blobs/" + id, "-T " + file("long", bytes + "x")), "422 checksum_mismatch");
  // Cut short: it states more than it sends, and waits.
  EXPECT_EQ(curl("/v1/blobs/" + id, "-H Content-Type: -H 'Content-Length: 6000' -X PUT --data-binary @" + up),
            "408 timeout");
  // Chunked, and more than the limit, which shows only on the way.
  EXPECT_EQ(curl("/v1/blobs/" + id, "-X PUT -H 'Transfer-Encoding: chunked' -T " +
                                        file("huge", std::string(200'000, 'x'))),
            "413 too_large");
  EXPECT_FALSE(keeps(bytes));
  EXPECT_FALSE(keeps(bytes.substr(1)));
  EXPECT_FALSE(keeps(bytes + "x"));
  // The right one, for once.
  EXPECT_EQ(curl("/v1/blobs/" + id, digest(id) + "-T " + up), "201");
  EXPECT_TRUE(keeps(bytes));
}

TEST_F(Scan, ChunksOutOfOrder) {
  start({"--grace-seconds", "1"});
  const std::string bytes = text(content(2, 3'000, false));
  const std::string place = "/v1/uploads/" + begin(bytes);
  const auto patch = [&](size_t offset, const std::string& chunk, const std::string& more = "") {
    return curl(place, more + "-X PATCH -H Content-Type: -H 'Upload-Offset: " +
                           std::to_string(offset) + "' --data-binary @" + file("chunk", chunk));
  };
  EXPECT_EQ(patch(1'000, bytes.substr(1'000, 500)), "409 offset_mismatch");
  EXPECT_NE(headers_.find("Upload-Offset: 0"), std::string::npos) << headers_;
  EXPECT_EQ(patch(0, bytes.substr(0, 1'000)), "204");
  EXPECT_EQ(patch(0, bytes.substr(0, 1'000)), "409 offset_mismatch");  // Sent twice.
  EXPECT_NE(headers_.find("Upload-Offset: 1000"), std::string::npos) << headers_;
  EXPECT_EQ(patch(1'000, bytes.substr(1'000) + "x"), "400 length_mismatch");
  EXPECT_EQ(patch(1'000, bytes.substr(1'000), digest(contentHash("x"))), "422 checksum_mismatch");
  EXPECT_EQ(patch(1'000, bytes.substr(1'000, 300), "-H 'Content-Length: 2000' "), "408 timeout");
  EXPECT_FALSE(keeps(bytes));
  // What arrived of the one that was cut short counts.
  EXPECT_EQ(curl(place, "-I"), "200");
  EXPECT_NE(headers_.find("Upload-Offset: 1300"), std::string::npos) << headers_;
  EXPECT_EQ(patch(1'300, bytes.substr(1'300)), "201");
  EXPECT_TRUE(keeps(bytes));
  EXPECT_EQ(curl(place), "404 not_found");
}

TEST_F(Scan, IdsAndPathsThatAreNone) {
  start();
  const ContentId id = must(open().put(sampleRecord("kept", 1), content(1, 500), nullptr));
  EXPECT_EQ(curl("/v1/blobs/" + id), "200");
  const std::string a63(63, 'a'), upper(64, 'A');
  const std::pair<std::string, const char*> cases[] = {
      {"/v1/blobs/" + a63, "400 bad_request"},
      {"/v1/blobs/" + a63 + "aa", "400 bad_request"},
      {"/v1/blobs/" + upper, "400 bad_request"},
      {"/v1/blobs/" + a63 + "%67", "400 bad_request"},
      {"/v1/blobs/" + id + "%00", "400 bad_request"},
      {"/v1/blobs/" + id + "%20", "400 bad_request"},
      {"/v1/blobs/" + id + ".zst", "400 bad_request"},
      {"/v1/blobs/%2e%2e", "400 bad_request"},
      {"/v1/blobs/..%2f..%2f..%2fetc%2fpasswd", "400 bad_request"},
      {"/v1/blobs/..%5c..%5cindex.sqlite", "400 bad_request"},
      {"/v1/blobs/%252e%252e%252findex.sqlite", "400 bad_request"},
      {"/v1/blobs/%c0%ae%c0%ae%c0%afindex.sqlite", "400 bad_request"},
      {"/v1/goldens/..", "400 bad_request"},
      {"/v1/artifacts/../content", "400 bad_request"},
      {"/v1/blobs/../../index.sqlite", "404 not_found"},
      {"/../index.sqlite", "404 not_found"},
      {"/v1/./status", "404 not_found"},
      {"//v1/status", "404 not_found"},
      {"/v1//status", "404 not_found"},
      {"/v1/status/", "404 not_found"},
      {"/V1/status", "404 not_found"},
      {"/v1/uploads/..%2ftokens.json", "404 not_found"},
      {"/v1/runs/..%2f..%2fservice%2ftokens.json", "404 not_found"},
      {"/service/tokens.json", "404 not_found"},
      {"/v1/blobs/%", "400 bad_request"},
      {"/v1/artifacts?name=%zz", "400 bad_request"},
  };
  for (const auto& [target, expected] : cases) {
    EXPECT_EQ(curl(target), expected) << target;
    EXPECT_EQ(body_.find("SQLite format"), std::string::npos) << target;
    EXPECT_EQ(body_.find("hash\""), std::string::npos) << target;
  }
}

TEST_F(Scan, OversizedMetadata) {
  start();
  const ContentId id = must(open().put(sampleRecord("kept", 1), content(1, 500), nullptr));
  json record = recordJson(sampleRecord("new", 1));
  record["id"] = id;
  const auto put = [&](const json& changed) {
    return curl("/v1/artifacts", "-H Content-Type: --data-binary @" + file("record", changed.dump()));
  };
  const auto with = [&](const char* field, json value) {
    json changed = record;
    EXPECT_TRUE(changed.contains(field)) << field;
    changed[field] = std::move(value);
    return changed;
  };
  // All but the first two were kept once, and stood in every list.
  const auto many = [](size_t count) {
    std::vector<std::string> texts;
    for (size_t i = 0; i < count; ++i) texts.push_back("text_" + std::to_string(i));
    return json(texts);
  };
  const std::string text(100'000, 't');
  for (const char* field : {"name", "producer", "primitive", "case", "variant", "stablehlo_version"})
    EXPECT_EQ(put(with(field, text)), "422 invalid") << field;
  for (const char* field : {"custom_call_targets", "dtypes", "platforms"}) {
    EXPECT_EQ(put(with(field, many(100'000))), "422 invalid") << field;
    EXPECT_EQ(put(with(field, json::array({text}))), "422 invalid") << field;
  }
  EXPECT_EQ(curl("/v1/status", "-H 'X-Much: " + std::string(20'000, 'h') + "'"),
            "431 headers_too_large");
  EXPECT_EQ(curl("/v1/artifacts?name=" + std::string(9'000, 'n')), "414 uri_too_long");
  EXPECT_EQ(curl("/v1/have", "-H Content-Type: --data-binary @" +
                                 file("have", std::string(5 << 20, ' '))),
            "413 too_large");
  std::string ids;
  for (int i = 0; i < 10'001; ++i) ids += (i ? ",\"" : "\"") + id + "\"";
  EXPECT_EQ(curl("/v1/have", "-H Content-Type: -d @" + file("ids", "{\"ids\":[" + ids + "]}")),
            "422 invalid");
  EXPECT_EQ(must(open().list({})).size(), 1u);
  EXPECT_EQ(put(record), "200");
}

TEST_F(Scan, TokensThatDoNotReach) {
  // One that ended: made now, and its end moved into the past.
  const std::string ended =
      must(makeToken(archive_, systemClock(), "ended", Role::kPush, 1)).token;
  const std::string list = archive_ + "/service/tokens.json";
  std::ifstream in(list);
  json tokens = json::parse(in);
  for (json& one : tokens["tokens"])
    if (one["name"] == "ended") one["expires"] = "2026-01-02T03:04:05Z";
  std::ofstream(list) << tokens.dump();
  start();
  const auto as = [](const std::string& token) {
    return "-H 'Authorization: Bearer " + token + "' ";
  };
  const std::string blob = "/v1/blobs/" + contentHash("x");
  const std::string put = "-X PUT -H Content-Type: -d x ";
  EXPECT_EQ(curl(blob, put, std::nullopt), "401 unauthorized");
  EXPECT_NE(headers_.find("WWW-Authenticate: Bearer"), std::string::npos) << headers_;
  EXPECT_EQ(curl(blob, put + as(ended), std::nullopt), "401 unauthorized");
  EXPECT_NE(body_.find("ended at 2026-01-02T03:04:05Z"), std::string::npos) << body_;
  EXPECT_EQ(curl(blob, put + as(token(Role::kPush) + "x"), std::nullopt), "401 unauthorized");
  EXPECT_EQ(curl(blob, put + "-u user:password ", std::nullopt), "401 unauthorized");
  EXPECT_EQ(curl(blob, put, Role::kRead), "403 forbidden");
  EXPECT_EQ(curl("/v1/tokens", "", Role::kPush), "403 forbidden");
  EXPECT_FALSE(keeps("x"));
}

// Conditions and ranges, as a client of others asks for them.
TEST_F(Scan, RangesAndConditions) {
  const std::string bytes = text(content(3, 200'000, false));
  const ContentId id = must(open().put(sampleRecord("a", 1), content(3, 200'000, false), nullptr));
  start();
  const std::string blob = "/v1/blobs/" + id;
  EXPECT_EQ(curl(blob, "-r 100-199"), "206");
  EXPECT_TRUE(body_ == bytes.substr(100, 100));
  EXPECT_EQ(curl(blob, "-r -7"), "206");
  EXPECT_TRUE(body_ == bytes.substr(bytes.size() - 7));
  EXPECT_EQ(curl(blob, "-r 199999-"), "206");
  EXPECT_TRUE(body_ == bytes.substr(199'999));
  EXPECT_EQ(curl(blob, "-r 200000-"), "416 range_not_satisfiable");
  EXPECT_NE(headers_.find("Content-Range: bytes */200000"), std::string::npos) << headers_;
  EXPECT_EQ(curl(blob, "-r 0-1,5-6"), "200");  // Several are answered with the whole.
  EXPECT_TRUE(body_ == bytes);
  EXPECT_EQ(curl(blob, "-r 1-x"), "200");
  EXPECT_EQ(curl(blob, "-H 'If-None-Match: \"" + id + "\"'"), "304");
  EXPECT_EQ(curl(blob, "-H 'If-None-Match: W/\"" + id + "\"'"), "304");
  EXPECT_EQ(curl(blob, "-r 0-9 -H 'If-Range: \"" + id + "\"'"), "206");
  EXPECT_EQ(curl(blob, "-r 0-9 -H 'If-Range: W/\"" + id + "\"'"), "200");  // Weak: not the same.
  EXPECT_EQ(curl(blob, "-r 0-9 -H 'If-Range: \"other\"'"), "200");
  EXPECT_EQ(curl(blob, "-X PUT -H Content-Type: -H 'If-None-Match: *' --data-binary @" +
                           file("up", bytes)),
            "412 precondition_failed");
  // Twice at once from the same place: the second goes on where the first was cut.
  std::ofstream(path("part"), std::ios::binary) << bytes.substr(0, 77'777);
  EXPECT_EQ(std::system(("curl -sS -f -C - -o '" + path("part") + "' -H 'Authorization: Bearer " +
                         token(Role::kRead) + "' " + service_->url() + blob).c_str()),
            0);
  std::ifstream part(path("part"), std::ios::binary);
  EXPECT_TRUE(std::string(std::istreambuf_iterator<char>(part), {}) == bytes);
}

// A disk of its own that really is full, below the files and below SQLite.
TEST_F(Scan, AFullDisk) {
  std::filesystem::create_directory(path("disk"));
  if (::mount("tmpfs", path("disk").c_str(), "tmpfs", 0, "size=8m") != 0)
    GTEST_SKIP() << "needs the right to mount a small disk";
  mounted_ = true;
  std::filesystem::rename(archive_, path("moved"));
  std::filesystem::copy(path("moved"), path("disk/archive"),
                        std::filesystem::copy_options::recursive);
  archive_ = path("disk/archive");
  std::ofstream(path("disk/filler"), std::ios::binary) << std::string(2 << 20, 'f');
  start();  // Its access log lies on the same disk.
  std::vector<std::string> kept;
  std::string refused;
  const auto fill = [&](size_t size, const std::string& expected) {
    for (int number = 0; number < 2'000; ++number) {
      const std::string bytes = text(content(static_cast<uint64_t>(size + number), size, false));
      const std::string said =
          curl("/v1/blobs/" + contentHash(bytes), "-T " + file("up", bytes));
      if (said == "201") {
        kept.push_back(bytes);
        continue;
      }
      EXPECT_EQ(said, expected) << body_;
      refused = bytes;
      return;
    }
    ADD_FAILURE() << "it was never full";
  };
  fill(400'000, "507 full");  // As files.
  const std::string large = refused;
  EXPECT_FALSE(keeps(large));
  fill(40'000, "507 full");   // In the index.
  const std::string small = refused;
  EXPECT_FALSE(keeps(small));
  // Everything else that writes is refused too, or goes through as a whole.
  const std::string announced = json{{"id", contentHash(large)}, {"bytes", large.size()}}.dump();
  const std::string begun = curl("/v1/uploads", "-H Content-Type: -d @" + file("a", announced));
  EXPECT_TRUE(begun == "507 full" || begun == "201") << begun;
  if (begun == "201") {
    const std::string place = "/v1/uploads/" + json::parse(body_).at("upload").get<std::string>();
    EXPECT_EQ(curl(place, "-X PATCH -H Content-Type: -H 'Upload-Offset: 0' --data-binary @" +
                              file("up", large)),
              "507 full");
  }
  std::string frames;
  FrameStreamWriter writer(frames);
  ArtifactRecord record = sampleRecord("whole", 1);
  record.format = ArtifactRecord::Format::kSavedModel;  // Which fsck does not parse.
  record.id = contentHash(large);
  writer.content(record.id, std::as_bytes(std::span(large)));
  writer.artifact(record);
  writer.end();
  const std::string push = "-H 'Content-Type: application/vnd.vintage.frames' --data-binary @";
  EXPECT_EQ(curl("/v1/push", push + file("frames", frames)), "507 full");
  EXPECT_TRUE(must(open().list({})).empty());
  // Reading goes on.
  EXPECT_EQ(curl("/healthz"), "200");
  EXPECT_EQ(curl("/v1/blobs/" + contentHash(kept.front())), "200");
  EXPECT_TRUE(body_ == kept.front());

  std::filesystem::remove(path("disk/filler"));
  EXPECT_EQ(curl("/v1/blobs/" + contentHash(small), "-T " + file("up", small)), "201");
  EXPECT_EQ(curl("/v1/push", push + path("frames")), "200");
  EXPECT_EQ(service_->end(SIGTERM), 0);
  for (const std::string& bytes : kept) EXPECT_TRUE(keeps(bytes));
  FsckOptions options;
  options.readData = true;
  const auto summary = must(checkArchive(archive_, options, [](const FsckFinding& finding) {
    EXPECT_FALSE(finding.isDamage()) << finding.place << ": " << finding.problem;
  }));
  EXPECT_GT(summary.blobsRead, 10);
}

}  // namespace
}  // namespace vintage::service
