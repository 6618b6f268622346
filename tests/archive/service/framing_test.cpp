// Where a request ends, said in ways on which two readers might disagree: what a
// proxy in front takes for a body could be a request of its own here. Each is
// refused, and nothing behind it on the connection is answered.
#include "tests/archive/service/running_service.h"

namespace vintage::tests::service {
using namespace archive;

namespace {

class Framing : public ServiceTest {
 protected:
  void SetUp() override {
    ServiceTest::SetUp();
    service_.emplace(archive_, std::vector<std::string>{"--grace-seconds", "5"});
    const std::string auth = "Host: x\r\nAuthorization: Bearer " + token(Role::kPush) + "\r\n";
    put_ = "PUT /v1/blobs/" + contentHash("abc") + " HTTP/1.1\r\n" + auth;
    get_ = "GET /v1/status HTTP/1.1\r\n" + auth;
  }
  void TearDown() override {
    service_.reset();
    ServiceTest::TearDown();
  }
  // The statuses of all answers: "201 200".
  std::string statuses(const std::string& bytes) {
    RawConnection connection(service_->port());
    connection.write(bytes);
    connection.endWriting();
    const std::string answers = connection.readAll();
    std::string all;
    constexpr std::string_view kLine = "HTTP/1.1 ";
    for (size_t at = 0; (at = answers.find(kLine, at)) != std::string::npos; at += kLine.size()) {
      const std::string status = answers.substr(at + kLine.size(), 3);
      const bool digits = status.find_first_not_of("0123456789") == std::string::npos;
      if (digits) all += (all.empty() ? "" : " ") + status;
    }
    return all;
  }

  std::optional<RunningService> service_;
  std::string put_, get_;
};

TEST_F(Framing, Table) {
  const std::string chunks = "\r\n3\r\nabc\r\n0\r\n\r\n", next = get_ + "\r\n";
  const auto chunked = [&](const std::string& body) {
    return put_ + "Transfer-Encoding: chunked\r\n\r\n" + body + next;
  };
  std::string old = put_;
  old.replace(old.find("HTTP/1.1"), 8, "HTTP/1.0");
  std::string many;
  for (int i = 0; i < 98; ++i) many += "A" + std::to_string(i) + ": b\r\n";
  const std::pair<std::string, const char*> cases[] = {
      // As it should be, twice on a connection.
      {put_ + "Content-Length: 3\r\n\r\nabc" + next, "201 200"},
      {put_ + "Transfer-Encoding: CHUNKED\r\n" + chunks + next, "200 200"},
      // Lengths.
      {put_ + "Content-Length: 3\r\nContent-Length: 3\r\n\r\nabc" + next, "400"},
      {put_ + "Content-Length: 3\r\nContent-Length: 30\r\n\r\nabc" + next, "400"},
      {put_ + "Content-Length: 3, 3\r\n\r\nabc" + next, "400"},
      {put_ + "Content-Length: +3\r\n\r\nabc" + next, "400"},
      {put_ + "Content-Length: 0x3\r\n\r\nabc" + next, "400"},
      {put_ + "Content-Length:\r\n\r\nabc" + next, "400"},
      {put_ + "Content-Length : 3\r\n\r\nabc" + next, "400"},
      // Transfer codings.
      {put_ + "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n" + chunks + next, "400"},
      {put_ + "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n" + chunks + next, "400"},
      {put_ + "Transfer-Encoding: gzip, chunked\r\n" + chunks + next, "400"},
      {put_ + "Transfer-Encoding: chunked, gzip\r\n" + chunks + next, "400"},
      {put_ + "Transfer-Encoding: chunked, chunked\r\n" + chunks + next, "400"},
      {put_ + "Transfer-Encoding: chunked\r\nTransfer-Encoding: gzip\r\n" + chunks + next, "400"},
      {put_ + "Transfer-Encoding: identity\r\nContent-Length: 3\r\n\r\nabc" + next, "400"},
      {put_ + "Transfer-Encoding: xchunked\r\n" + chunks + next, "400"},
      {put_ + "Transfer-Encoding: \vchunked\r\n" + chunks + next, "400"},
      {old + "Transfer-Encoding: chunked\r\n" + chunks + next, "400"},
      {get_ + "Transfer-Encoding: chunked\r\n" + chunks + next, "400"},
      // Headers in several lines, and lines that do not end as they should.
      {put_ + "Transfer-Encoding:\r\n chunked\r\n" + chunks + next, "400"},
      {put_ + "Content-Length: 3\r\n\t0\r\n\r\nabc" + next, "400"},
      {get_ + "A: b\r\n c\r\n\r\n" + next, "400"},
      {"GET /v1/status HTTP/1.1\r\n Host: x\r\n\r\n" + next, "400"},
      {get_ + "A: b\nContent-Length: 3\r\n\r\nabc" + next, "400"},
      {get_ + "A: b\rC: d\r\n\r\n" + next, "400"},
      {get_ + std::string("A: b\0c\r\n\r\n", 10) + next, "400"},
      // Chunks.
      {chunked("3;a=b;c=\"d\"\r\nabc\r\n0;e\r\n\r\n"), "200 200"},
      {chunked("3;a\nxx\r\nabc\r\n0\r\n\r\n"), "400"},
      {chunked("3\nabc\n0\n\n"), "400"},
      {chunked("3\r\nabcd\r\n0\r\n\r\n"), "400"},
      {chunked("0x3\r\nabc\r\n0\r\n\r\n"), "400"},
      {chunked("-3\r\nabc\r\n0\r\n\r\n"), "400"},
      {chunked(" 3\r\nabc\r\n0\r\n\r\n"), "400"},
      {chunked("10000000000000003\r\nabc\r\n0\r\n\r\n"), "400"},
      {chunked("3\r\nabc\r\n0\r\nContent-Length: 5\r\n\r\n"), "400"},
      // Whom it is for, and how much is said before that.
      {"GET /v1/status HTTP/1.1\r\nHost: a b\r\n\r\n" + next, "400"},
      {"GET /v1/status HTTP/1.1\r\nHost: a/b\r\n\r\n" + next, "400"},
      {"GET /v1/status HTTP/1.1\r\nHost: me@b\r\n\r\n" + next, "400"},
      {get_ + many + "\r\n" + next, "200 200"},
      {get_ + many + "B: c\r\n\r\n" + next, "431"},
      {"HEAD /v1/status HTTP/1.1\r\nHost: x\r\n\r\n" + next, "401 200"},
  };
  for (const auto& [bytes, expected] : cases)
    EXPECT_EQ(statuses(bytes), expected) << bytes.substr(put_.find("Bearer"), 300);
}

// A chunk's extension or a trailer without an end was gathered in memory for as long
// as a body may come slowly: half a minute at the speed of the network.
TEST_F(Framing, WhatComesBesideTheBytesHasALimit) {
  const std::string much(100'000, 'x');
  const std::string begin = put_ + "Transfer-Encoding: chunked\r\n\r\n";
  EXPECT_EQ(statuses(begin + "3;" + much), "431");
  EXPECT_EQ(statuses(begin + "3\r\nabc\r\n0\r\nA: " + much), "431");
  EXPECT_EQ(statuses(begin + "3;" + much.substr(0, 10'000) + "\r\nabc\r\n0\r\n\r\n"), "201");
  // Data is no such thing.
  const std::string upload = "PUT /v1/blobs/" + contentHash(much) +
                             put_.substr(put_.find(" HTTP/1.1")) +
                             "Transfer-Encoding: chunked\r\n\r\n";
  EXPECT_EQ(statuses(upload + "186a0\r\n" + much + "\r\n0\r\n\r\n"), "201");
  EXPECT_EQ(statuses(get_ + "\r\n"), "200");
}

// Two thousand requests at once on a connection are answered, in order.
TEST_F(Framing, ManyRequestsAtOnce) {
  std::string requests, expected;
  for (int i = 0; i < 1000; ++i) {
    requests += get_ + "\r\nGET /healthz/no HTTP/1.1\r\nHost: x\r\n\r\n";
    expected += i ? " 200 404" : "200 404";
  }
  EXPECT_EQ(statuses(requests), expected);
}

}  // namespace
}  // namespace vintage::tests::service
