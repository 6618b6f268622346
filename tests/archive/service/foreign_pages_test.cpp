// A page of the web makes the browser of its reader ask a service on that machine. A POST without a
// content type is sent without asking the service first, and wrote to one without tokens; a name of
// the page's own server that leads to 127.0.0.1 (DNS rebinding) let a page read everything.
#include <gmock/gmock.h>

#include "archive/service/foreign_pages.h"
#include "tests/archive/service/in_process.h"
#include "tests/archive/service/running_service.h"

namespace vintage::tests::service {
using namespace archive;

namespace {

using testing::HasSubstr;

class ForeignPages : public ServiceTest {
 protected:
  void SetUp() override {
    ServiceTest::SetUp();
    ApplicationOptions options;
    options.folder = archive_;
    options.anonymous = Role::kRead;
    options.hosts = {"archive.example"};
    service_ = must(Application::open(options));
    token_ = token(Role::kPush);
  }
  Response ask(const std::string& line, const std::string& headers, const std::string& body = "",
               bool withToken = false) {
    std::string length;
    if (!body.empty()) length = "Content-Length: " + std::to_string(body.size()) + "\r\n";
    return std::move(answerBytes(*service_,
                                 line + " HTTP/1.1\r\n" + headers + length + "\r\n" + body,
                                 withToken ? "Bearer " + token_ : "")
                         .at(0));
  }

  std::unique_ptr<Application> service_;
  std::string token_;
};

TEST_F(ForeignPages, AHostThatIsNotThisServiceReadsNothing) {
  for (const char* own : {"127.0.0.1:8700", "127.0.0.1", "[::1]:8700", "[::1]", "localhost:1",
                          "LOCALHOST", "a.localhost", "archive.example", "Archive.Example:8700"})
    EXPECT_EQ(ask("GET /v1/artifacts", "Host: " + std::string(own) + "\r\n").status, 200) << own;
  for (const char* other : {"evil.example:8700", "127.0.0.1.evil.example", "localhost.evil.example",
                            "notlocalhost", "archive.example.evil", "0x7f000001", "[::1].evil"}) {
    const Response refused = ask("GET /v1/artifacts", "Host: " + std::string(other) + "\r\n");
    EXPECT_EQ(refused.status, 403) << other;
    EXPECT_THAT(refused.text, HasSubstr("--host"));
    // No page has a token.
    EXPECT_EQ(ask("GET /v1/artifacts", "Host: " + std::string(other) + "\r\n", "", true).status,
              200);
  }
}

TEST_F(ForeignPages, WhatABrowserSaysComesFromElsewhereIsRefused) {
  const std::string host = "Host: 127.0.0.1:8700\r\n";
  for (const char* from :
       {"Origin: https://evil.example", "Origin: null", "Origin: http://127.0.0.1:8701",
        "Origin: http://127.0.0.1", "Sec-Fetch-Site: cross-site", "Sec-Fetch-Site: same-site"})
    for (const bool token : {false, true}) {
      const Response refused =
          ask("POST /v1/have", host + from + "\r\nContent-Type: application/json\r\n",
              R"({"ids":[]})", token);
      EXPECT_EQ(refused.status, 403) << from;
      EXPECT_THAT(refused.text, HasSubstr("another page"));
      EXPECT_EQ(ask("GET /v1/artifacts", host + from + "\r\n", "", token).status, 403);
    }
  for (const char* from : {"Origin: http://127.0.0.1:8700", "Origin: https://archive.example",
                           "Sec-Fetch-Site: same-origin", "Sec-Fetch-Site: none"})
    EXPECT_EQ(ask("GET /v1/artifacts", host + from + "\r\n").status, 200) << from;
  // A link on another page leads to the dashboard, which holds nothing.
  EXPECT_NE(ask("GET /", host + "Sec-Fetch-Site: cross-site\r\n").status, 403);
}

TEST_F(ForeignPages, ABodyWithoutATypeNeedsAToken) {
  const std::string host = "Host: 127.0.0.1:8700\r\n";
  EXPECT_EQ(ask("POST /v1/have", host, R"({"ids":[]})").status, 415);
  EXPECT_EQ(ask("POST /v1/have", host + "Content-Type: text/plain\r\n", R"({"ids":[]})").status,
            415);
  EXPECT_EQ(ask("POST /v1/have", host, R"({"ids":[]})", true).status, 200);
}

TEST_F(ForeignPages, WritingWithoutATokenSaysWhatIsGiven) {
  const Response refused = ask("POST /v1/builds", "Host: localhost\r\n", "{}");
  EXPECT_EQ(refused.status, 401);
  EXPECT_THAT(refused.text, HasSubstr("without a token everybody may read, and nothing else"));
}

// By the program, with each answer closed to the pages of others.
TEST_F(ForeignPages, TheServiceKnowsItsNames) {
  RunningService service(archive_, {"--anonymous", "read", "--host", "archive.example"});
  Client client(service.url());
  const Reply read = client.get("/v1/artifacts");
  EXPECT_EQ(read.status, 200);
  for (const Reply& reply : {read, client.get("/"), client.get("/nowhere")}) {
    EXPECT_EQ(reply.header("cross-origin-resource-policy"), "same-origin");
    EXPECT_EQ(reply.header("x-content-type-options"), "nosniff");
  }
  EXPECT_EQ(client.get("/v1/artifacts", {"Host: archive.example"}).status, 200);
  EXPECT_EQ(client.get("/v1/artifacts", {"Host: evil.example"}).status, 403);
}

}  // namespace
}  // namespace vintage::tests::service
