// The pages for people: their files are for everybody, their data for a token of the role read.
#include <gmock/gmock.h>

#include "archive/service/application.h"
#include "tests/archive/service/in_process.h"
#include "tests/archive/store/sample.h"

namespace vintage::tests::service {
using namespace archive;

namespace {

using nlohmann::json;

Result<std::string> fakeData(Archive&, std::string_view page, const Site::Parameters& parameters) {
  if (page != "column") return failure(Error::Kind::kNotFound, "there is no such page");
  if (!parameters.contains("build")) return failure(Error::Kind::kUsage, "'build' is missing");
  return json(parameters.at("build")).dump();
}

const Site kFakeSite{
    .files = {{"index.html", "text/html; charset=utf-8", "<p>page</p>", "tag-of-page"},
              {"page.js", "text/javascript; charset=utf-8", "go()", "tag-of-script"}},
    .contentSecurityPolicy = "default-src 'none'",
    .data = fakeData};

class SiteTest : public FolderTest {
 protected:
  void SetUp() override {
    FolderTest::SetUp();
    must(Archive::open(path("archive"), Archive::Mode::kCreate));
    token_ = must(makeToken(path("archive"), systemClock(), "reader", Role::kRead, 1)).token;
    start({});
  }
  void start(ApplicationOptions options, bool withSite = true) {
    options.folder = path("archive");
    options.site = withSite ? &kFakeSite : nullptr;
    application_ = must(Application::open(options));
  }
  Response get(const std::string& target, const std::string& header = "", bool token = false) {
    auto responses = answerBytes(
        *application_, "GET " + target + " HTTP/1.1\r\nHost: localhost\r\n" + header + "\r\n",
        token ? "Bearer " + token_ : "");
    EXPECT_EQ(responses.size(), 1u);
    return responses.empty() ? Response() : responses[0];
  }
  static std::string header(const Response& response, std::string_view name) {
    for (const auto& [key, value] : response.headers)
      if (key == name) return value;
    return "";
  }

  std::string token_;
  std::unique_ptr<Application> application_;
};

TEST_F(SiteTest, ThePageNeedsNoTokenAndIsGuarded) {
  for (const auto& [target, text] :
       {std::pair{"/", "<p>page</p>"}, {"/dashboard/page.js", "go()"}, {"/?x", ""}}) {
    const Response response = get(target);
    if (std::string_view(target) == "/?x") {
      EXPECT_EQ(response.status, 400);  // It takes no parameters.
      continue;
    }
    EXPECT_EQ(response.status, 200) << target;
    EXPECT_EQ(response.text, text);
    EXPECT_EQ(header(response, "Content-Security-Policy"), "default-src 'none'");
    EXPECT_EQ(header(response, "Referrer-Policy"), "no-referrer");
  }
}

TEST_F(SiteTest, DataNeedAToken) {
  EXPECT_EQ(get("/v1/dashboard/column?build=b").status, 401);
  const Response response = get("/v1/dashboard/column?build=a%20b", "", true);
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.text, "\"a b\"");
  EXPECT_EQ(response.contentType, "application/json");
  EXPECT_EQ(header(response, "Cache-Control"), "no-store");
  EXPECT_EQ(get("/v1/dashboard/column?build=b", "Authorization: Bearer wrong\r\n").status, 401);
}

TEST_F(SiteTest, AnonymousReadersNeedNone) {
  ApplicationOptions options;
  options.anonymous = Role::kRead;
  start(options);
  EXPECT_EQ(get("/v1/dashboard/column?build=b").status, 200);
}

TEST_F(SiteTest, WrongCallsAreTheCallersFault) {
  EXPECT_EQ(get("/v1/dashboard/column", "", true).status, 400);
  EXPECT_EQ(get("/v1/dashboard/column?build=a&build=b", "", true).status, 400);
  EXPECT_EQ(get("/v1/dashboard/column?color=red", "", true).status, 400);
  EXPECT_EQ(get("/v1/dashboard/unknown", "", true).status, 404);
  EXPECT_EQ(get("/dashboard/unknown.js").status, 404);
  EXPECT_EQ(get("/dashboard/index.html").status, 404);
  EXPECT_EQ(get("/dashboard/..%2Findex.html").status, 404);
  EXPECT_EQ(get("/dashboard").status, 404);
}

TEST_F(SiteTest, WhatABrowserHasIsNotSentAgain) {
  EXPECT_EQ(header(get("/"), "ETag"), "\"tag-of-page\"");
  const Response same = get("/", "If-None-Match: \"tag-of-page\"\r\n");
  EXPECT_EQ(same.status, 304);
  EXPECT_EQ(same.text, "");
  EXPECT_EQ(get("/", "If-None-Match: \"tag-of-script\"\r\n").status, 200);
}

TEST_F(SiteTest, WithoutASiteThereIsNothing) {
  start({}, false);
  EXPECT_EQ(get("/").status, 404);
  EXPECT_EQ(get("/dashboard/page.js").status, 404);
  EXPECT_EQ(get("/v1/dashboard/column?build=b", "", true).status, 404);
}

}  // namespace
}  // namespace vintage::tests::service
