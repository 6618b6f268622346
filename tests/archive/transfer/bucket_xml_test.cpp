// Lists of a bucket that were cut off counted as shorter lists: `pull` copied one artifact of
// three, and `scrub` found a place whole.
#include "archive/transfer/bucket_xml.h"

#include <gmock/gmock.h>

#include "archive/transfer/bucket_client.h"
#include "tests/archive/store/sample.h"
#include "tests/archive/transfer/quick_http.h"
#include "tests/archive/transfer/scripted_server.h"

namespace vintage::tests {
using namespace archive;

namespace {

using namespace tests::transfer;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kPage = R"(<?xml version="1.0" encoding="UTF-8"?>
<!-- a server may say so --><ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">
<Name>bucket</Name><KeyCount>3</KeyCount><IsTruncated>false</IsTruncated>
<Contents><Key>p/a&amp;b</Key><Size>1</Size></Contents><Contents><Key>p/&#x43;</Key></Contents>
<Contents><Key><![CDATA[p/<d>]]></Key><Owner/></Contents></ListBucketResult>
)";

TEST(BucketXml, TextsAreInOrderAndWithoutEntities) {
  const XmlElement page = must(parseXml(kPage));
  EXPECT_EQ(page.name, "ListBucketResult");
  std::vector<std::string> keys;
  for (const XmlElement* object : page.named("Contents")) keys.push_back(*object->textOf("Key"));
  EXPECT_THAT(keys, ElementsAre("p/a&b", "p/C", "p/<d>"));
  EXPECT_EQ(page.textOf("Nothing"), std::nullopt);
  EXPECT_EQ(must(parseXml("<a>" + xmlEscaped("\"<&>'") + "&#233;&#x20ac;</a>")).text,
            "\"<&>'\xc3\xa9\xe2\x82\xac");
}

TEST(BucketXml, HalfADocumentIsNone) {
  const std::string page = kPage;
  const size_t whole = page.rfind('>') + 1;
  for (size_t length = 0; length < whole; ++length)
    EXPECT_EQ(refusal(parseXml(page.substr(0, length))), Error::Kind::kBadInput) << length;
  for (const char* bad : {"<a></b>", "<a>&unknown;</a>", "<a>&#xd800;</a>", "<a/><b/>", "<a b=c/>",
                          "<!DOCTYPE a [<!ENTITY b 'c'>]><a/>", "text", "<a>]]></a>behind"})
    EXPECT_FALSE(parseXml(bad)) << bad;
  std::string deep;
  for (int level = 0; level < 100'000; ++level) deep += "<a>";
  EXPECT_FALSE(parseXml(deep));
}

class BucketList : public ::testing::Test {
 protected:
  Result<std::vector<std::string>> list(const ScriptedServer::Handler& handler) {
    server_ = std::make_unique<ScriptedServer>(handler);
    BucketAddress address{.location = "s3://bucket/p",
                          .endpoint = server_->url(),
                          .bucket = "bucket",
                          .prefix = "p",
                          .region = "us-east-1",
                          .accessKey = "key",
                          .secretKey = "secret",
                          .sessionToken = ""};
    PlaceOptions options;
    static_cast<HttpOptions&>(options) = quickOptions();
    return BucketClient(address, options).list("");
  }
  // The first answer is that, all others are the page.
  Result<std::vector<std::string>> listAfter(ScriptedReply first) {
    return list([first, asked = std::make_shared<int>(0)](const ScriptedRequest&) {
      return (*asked)++ == 0 ? first : ScriptedReply{.body = kPage};
    });
  }

  std::unique_ptr<ScriptedServer> server_;
};

TEST_F(BucketList, APageThatIsCutAnywhereIsNeverAShorterList) {
  const std::string page = kPage;
  for (size_t length = 0; length + 2 < page.size(); length += 7) {
    const auto keys =
        list([&](const ScriptedRequest&) { return ScriptedReply{.body = page.substr(0, length)}; });
    EXPECT_FALSE(keys) << length;
    // It is asked for again.
    EXPECT_EQ(must(listAfter({.body = page.substr(0, length)})).size(), 3u) << length;
  }
}

TEST_F(BucketList, APageWithFewerEntriesThanItSaysIsNotWhole) {
  std::string page = kPage;
  page.replace(page.find("<KeyCount>3"), 11, "<KeyCount>4");
  const auto keys = list([&](const ScriptedRequest&) { return ScriptedReply{.body = page}; });
  EXPECT_EQ(refusal(keys), Error::Kind::kBadInput);
  EXPECT_THAT(keys.error().message, HasSubstr("has 3 entries and says that it has 4"));
}

TEST_F(BucketList, WhatPassesByIsAskedForAgain) {
  const std::string slow =
      "<Error><Code>SlowDown</Code><Message>Please reduce your request rate.</Message></Error>";
  EXPECT_EQ(must(listAfter({.status = 503, .body = slow})).size(), 3u);
  EXPECT_EQ(must(listAfter({.body = slow})).size(), 3u);  // With the status 200.
  const auto never = list([&](const ScriptedRequest&) { return ScriptedReply{.body = slow}; });
  EXPECT_THAT(never.error().message, HasSubstr("SlowDown"));
}

TEST_F(BucketList, ASkewedClockIsNamed) {
  const auto keys = list([&](const ScriptedRequest&) {
    return ScriptedReply{.status = 403,
                         .body =
                             "<Error><Code>RequestTimeTooSkewed</Code><Message>The difference "
                             "between the request time and the server's time is too "
                             "large.</Message></Error>"};
  });
  EXPECT_THAT(keys.error().message, HasSubstr("set this machine's clock"));
}

TEST_F(BucketList, WhatIsNoBucketIsSaidAtOnce) {
  const auto keys = list([&](const ScriptedRequest&) {
    return ScriptedReply{.body = "<html><body>It works!</body></html>"};
  });
  EXPECT_EQ(refusal(keys), Error::Kind::kUnsupported);
  EXPECT_EQ(server_->requests().size(), 1u);
}

}  // namespace
}  // namespace vintage::tests
