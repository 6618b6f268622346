// JSON nested a million levels deep, which is 2 MB of brackets: the service wrote such a value into
// its error message, by a function that calls itself for each level, and the whole process ended.
// Any token that may read was enough.
#include "archive/store/frame_stream.h"
#include "archive/store/record_json.h"
#include "tests/archive/service/scan.h"

namespace vintage::tests::service {
using namespace archive;

namespace {

std::string nested(size_t levels) { return std::string(levels, '[') + std::string(levels, ']'); }

TEST(OutsideJson, IsHeldToADepth) {
  EXPECT_TRUE(parseOutsideJson(nested(100)));
  EXPECT_FALSE(parseOutsideJson(nested(101)));
  EXPECT_NE(parseOutsideJson(nested(101)).error().message.find("100 levels"), std::string::npos);
  EXPECT_FALSE(parseOutsideJson(nested(1'000'000)));
  EXPECT_FALSE(parseOutsideJson("[{\"a\":" + nested(99) + "}]"));
  EXPECT_TRUE(parseOutsideJson("[{\"a\":" + nested(98) + "}]"));
  // Beside each other is not within each other, and a text is no bracket.
  EXPECT_TRUE(parseOutsideJson("[" + nested(50) + "," + nested(99) + "]"));
  const std::string brackets(200, '[');
  EXPECT_TRUE(parseOutsideJson("[\"" + brackets + "\\\"" + brackets + "\"]"));
  EXPECT_FALSE(parseOutsideJson("[\"\\\\\"," + nested(100) + "]"));
  for (const char* wrong : {"", "{", "]", "[1,]", "\"", "\"\\"})
    EXPECT_FALSE(parseOutsideJson(wrong)) << wrong;
}

TEST(OutsideJson, AnExcerptSaysWhatAListHolds) {
  EXPECT_EQ(jsonExcerpt(nlohmann::json::parse("[1,[2]]")), "a list of 2");
  EXPECT_EQ(jsonExcerpt(nlohmann::json::parse("{\"a\":1}")), "an object of 1 fields");
  EXPECT_EQ(jsonExcerpt(nlohmann::json(std::string(500, 'x'))), "\"" + std::string(79, 'x'));
  EXPECT_EQ(jsonExcerpt(nlohmann::json::parse(nested(1'000'000))), "a list of 1");
}

TEST_F(Scan, DeepJsonEndsTheRequestAndNotTheService) {
  start();
  const std::string deep = nested(1'000'000), frameDeep = nested(200'000);
  const auto post = [&](const std::string& target, const std::string& body, Role role) {
    return curl(target, "-X POST -H Content-Type: -H Expect: --data-binary @" + file("deep", body),
                role);
  };
  EXPECT_EQ(post("/v1/have", "{\"ids\":" + deep + "}", Role::kRead), "400 bad_request");
  EXPECT_NE(body_.find("deeper than 100 levels"), std::string::npos) << body_;
  EXPECT_EQ(post("/v1/proofs", "{\"nonce\":" + deep + "}", Role::kRead), "400 bad_request");
  EXPECT_EQ(post("/v1/leases", "{\"seconds\":" + deep + "}", Role::kPush), "400 bad_request");
  EXPECT_EQ(post("/v1/artifacts", "{\"name\":" + deep + "}", Role::kPush), "400 bad_request");
  EXPECT_EQ(post("/v1/runs", "{\"id\":\"r\",\"limitations\":" + deep + "}", Role::kPush),
            "400 bad_request");
  const std::string artifact = "{\"type\":\"artifact\",\"record\":{\"name\":" + frameDeep + "}}\n";
  EXPECT_EQ(post("/v1/push", artifact, Role::kPush), "400 bad_request");
  const std::string end = "{\"type\":\"end\",\"runs\":" + frameDeep + "}\n";
  EXPECT_EQ(post("/v1/push", end, Role::kPush), "400 bad_request");
  // In a text the brackets are no levels yet, but a reader of the verdict would parse them.
  EXPECT_EQ(post("/v1/runs", "{\"id\":\"r\",\"verdict\":\"" + deep + "\"}", Role::kPush),
            "422 invalid");
  EXPECT_EQ(curl("/healthz"), "200");
  EXPECT_TRUE(must(open().runs()).empty());
}

}  // namespace
}  // namespace vintage::tests::service
