// Bad input to the running service, scanned with curl: every refusal has its status and a JSON
// error that says what to do, and nothing of it is kept.
#include "tests/archive/service/scan.h"
#include "archive/store/record_json.h"
#include "tests/golden/base/texts.h"

namespace vintage::tests::service {
using namespace archive;

namespace {

using nlohmann::json;

TEST_F(Scan, WrongHashesAndLengths) {
  start({"--grace-seconds", "1", "--largest-push", "100000"});
  const std::string bytes = text(content(1, 5'000)), up = file("up", bytes);
  const std::string id = contentHash(bytes), other = contentHash("other");
  EXPECT_EQ(curl("/v1/blobs/" + other, "-T " + up), "422 checksum_mismatch");
  EXPECT_EQ(curl("/v1/blobs/" + id, digest(other) + "-T " + up), "422 checksum_mismatch");
  EXPECT_EQ(curl("/v1/blobs/" + id, "-T " + file("short", bytes.substr(1))),
            "422 checksum_mismatch");
  EXPECT_EQ(curl("/v1/blobs/" + id, "-T " + file("long", bytes + "x")), "422 checksum_mismatch");
  // Cut short: it states more than it sends, and waits.
  EXPECT_EQ(curl("/v1/blobs/" + id,
                 "-H Content-Type: -H 'Content-Length: 6000' -X PUT --data-binary @" + up),
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
  // The received bytes of the interrupted chunk count.
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
    return curl("/v1/artifacts",
                "-H Content-Type: --data-binary @" + file("record", changed.dump()));
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
  for (const char* field :
       {"name", "producer", "primitive", "case", "variant", "stablehlo_version"})
    EXPECT_EQ(put(with(field, text)), "422 invalid") << field;
  for (const char* field : {"custom_call_targets", "dtypes", "platforms"}) {
    EXPECT_EQ(put(with(field, many(100'000))), "422 invalid") << field;
    EXPECT_EQ(put(with(field, json::array({text}))), "422 invalid") << field;
  }
  EXPECT_EQ(curl("/v1/status", "-H 'X-Much: " + std::string(20'000, 'h') + "'"),
            "431 headers_too_large");
  EXPECT_EQ(curl("/v1/artifacts?name=" + std::string(9'000, 'n')), "414 uri_too_long");
  EXPECT_EQ(curl("/v1/have",
                 "-H Content-Type: --data-binary @" + file("have", std::string(5 << 20, ' '))),
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
  const std::string ended = must(makeToken(archive_, systemClock(), "ended", Role::kPush, 1)).token;
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
  EXPECT_EQ(curl(blob, "-r -300000"), "206");  // More than there is: all of it.
  EXPECT_NE(headers_.find("Content-Range: bytes 0-199999/200000"), std::string::npos) << headers_;
  EXPECT_EQ(curl(blob, "-r 199990-999999999999999999"), "206");
  EXPECT_TRUE(body_ == bytes.substr(199'990));
  EXPECT_EQ(curl(blob, "-r -0"), "416 range_not_satisfiable");
  EXPECT_EQ(curl(blob, "-r 7-3"), "200");
  EXPECT_EQ(curl(blob, "-r 18446744073709551616-"), "200");
  EXPECT_EQ(curl(blob, "-I -r 100-199"), "200");  // Ranges are of GET.
  EXPECT_NE(headers_.find("Content-Length: 200000"), std::string::npos) << headers_;
  // A date is never the strong ETag.
  EXPECT_EQ(curl(blob, "-r 0-9 -H 'If-Range: Sun, 22 Nov 2026 00:00:00 GMT'"), "200");
  const std::string empty = "/v1/blobs/" + contentHash("");
  ASSERT_EQ(curl(empty, "-X PUT -H Content-Type: --data-binary ''"), "201");
  EXPECT_EQ(curl(empty), "200");
  for (const char* range : {"0-", "0-0", "-1", "-0"}) {
    EXPECT_EQ(curl(empty, "-r " + std::string(range)), "416 range_not_satisfiable") << range;
    EXPECT_NE(headers_.find("Content-Range: bytes */0"), std::string::npos) << headers_;
  }
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
                         token(Role::kRead) + "' " + service_->url() + blob)
                            .c_str()),
            0);
  EXPECT_TRUE(fileText(path("part")) == bytes);
}

}  // namespace
}  // namespace vintage::tests::service
