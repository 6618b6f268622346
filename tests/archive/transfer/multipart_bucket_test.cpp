// Large contents to an S3-compatible server that others wrote, with processes that
// are killed and connections that are cut.
#include <gmock/gmock.h>

#include "archive/transfer/bucket_request.h"
#include "archive/transfer/http_client.h"
#include "tests/archive/transfer/archives.h"
#include "tests/archive/transfer/bucket_fixture.h"
#include "tests/archive/transfer/cutting_proxy.h"

namespace vintage::tests {
using namespace archive;

namespace {

using namespace tests::transfer;
using tests::command::Sandbox;

constexpr uint64_t kMiB = 1 << 20;

class MultipartBucket : public BucketFixture {
 protected:
  // An archive with one incompressible content of so many bytes.
  void makeArchive(const std::string& name, uint64_t bytes) {
    Archive archive = must(Archive::open(path(name), Archive::Mode::kCreate));
    ArtifactRecord record = sampleRecord("large");
    record.format = ArtifactRecord::Format::kSavedModel;
    must(archive.put(record, content(bytes, bytes, false), nullptr));
  }
  static std::vector<std::string> push(const std::string& from, const std::string& place) {
    return {VINTAGE_BINARY "/bin/vintage", "push", from, place, "--attempts", "30", "--jobs", "2"};
  }
  void expectSuccess(ChildProcess process, const std::string& log) {
    EXPECT_EQ(process.wait(), 0) << Sandbox::read(path(log));
  }
  void expectPulled(const std::string& place, const std::string& name) {
    RadosGateway::setEnvironment(gateway_->url());
    const auto pulled = sandbox_.run({"pull", place, path(name + ".pulled")});
    ASSERT_EQ(pulled.status, 0) << pulled.err;
    expectSameArchives(path(name), path(name + ".pulled"));
  }
  // The server's own list, as it is.
  std::string unfinishedUploads() const {
    HttpOptions options;
    options.accessKey = RadosGateway::kAccessKey;
    options.secretKey = RadosGateway::kSecretKey;
    options.region = "us-east-1";
    HttpClient http(options);
    HttpRequest request;
    request.url = gateway_->url() + "/" + bucket_ + "?uploads=";
    request.headers = {noBodyHeader()};
    std::string answer;
    must(http.perform(
        std::make_unique<SimpleExchange>("list uploads", std::move(request), "",
                                         [&](HttpResponse& response) -> Result<HttpExchange::Next> {
                                           EXPECT_EQ(response.status, 200) << response.body;
                                           answer = response.body;
                                           return HttpExchange::Next::kDone;
                                         })));
    EXPECT_NE(answer.find("ListMultipartUploadsResult"), std::string::npos) << answer;
    return answer;
  }
};

// A PUT to a bucket began again after each interruption.
TEST_F(MultipartBucket, AKilledPushIsContinuedByTheNext) {
  constexpr uint64_t kWhole = 128 * kMiB + 12'345;
  makeArchive("A", kWhole);
  {
    CuttingProxy proxy(gateway_->port(), 0, 1);
    RadosGateway::setEnvironment(proxy.url());
    ChildProcess process(push(path("A"), inBucket("a")), path("killed.log"));
    proxy.waitForBytesToServer(64 * kMiB, process);
    EXPECT_EQ(process.stop(SIGKILL), 128 + SIGKILL) << Sandbox::read(path("killed.log"));
  }
  EXPECT_NE(unfinishedUploads().find("<Upload>"), std::string::npos);
  CuttingProxy proxy(gateway_->port(), 0, 1);
  RadosGateway::setEnvironment(proxy.url());
  expectSuccess(ChildProcess(push(path("A"), inBucket("a")), path("last.log")), "last.log");
  // Two parts of 8 MiB of the 64 MiB were under way, and all before them had been
  // acknowledged.
  EXPECT_LT(proxy.bytesToServer(), kWhole - 5 * 8 * kMiB);
  EXPECT_EQ(unfinishedUploads().find("<Upload>"), std::string::npos);
  expectPulled(inBucket("a"), "A");
}

TEST_F(MultipartBucket, CutConnectionsCostAPartEach) {
  makeArchive("A", 48 * kMiB + 1);
  CuttingProxy proxy(gateway_->port(), 12'000'000, 7);
  RadosGateway::setEnvironment(proxy.url());
  expectSuccess(ChildProcess(push(path("A"), inBucket("a")), path("log")), "log");
  EXPECT_GE(proxy.cuts(), 2);
  EXPECT_EQ(unfinishedUploads().find("<Upload>"), std::string::npos);
  expectPulled(inBucket("a"), "A");
}

TEST_F(MultipartBucket, TwoClientsAtOneContentBothEndWell) {
  makeArchive("A", 40 * kMiB);
  // To start with nothing, and with what a third one left.
  for (const std::string& place : {inBucket("a"), inBucket("b"), inBucket("c")}) {
    if (place.ends_with("c")) {
      CuttingProxy proxy(gateway_->port(), 0, 1);
      RadosGateway::setEnvironment(proxy.url());
      ChildProcess third(push(path("A"), place), path("third.log"));
      proxy.waitForBytesToServer(25 * kMiB, third);
      third.stop(SIGKILL);
    }
    RadosGateway::setEnvironment(gateway_->url());
    ChildProcess first(push(path("A"), place), path("first.log"));
    ChildProcess second(push(path("A"), place), path("second.log"));
    expectSuccess(std::move(first), "first.log");
    expectSuccess(std::move(second), "second.log");
    std::filesystem::remove_all(path("A.pulled"));
    expectPulled(place, "A");
  }
}

// The smallest parts that the server takes, a last one of one byte, and a key that
// has to be escaped in an address and in XML.
TEST_F(MultipartBucket, TheSmallestPartsAndOddKeys) {
  PlaceOptions options = quick();
  options.multipartBytes = 1;
  options.partBytes = static_cast<int64_t>(5 * kMiB);
  BucketAddress address = must(BucketAddress::find(inBucket("a & b&lt;c>/d")));
  BucketClient bucket(address, options);
  const auto bytes = content(3, 10 * kMiB + 1, false);
  const std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const std::string key = "2026 +&=?#%/[a,b]*'()!~ \xc3\xa4";
  for (int time = 0; time < 2; ++time) {
    auto object = objectOf(key, text, contentHash(text));
    must(bucket.put([&] { return std::move(object); }));
  }
  EXPECT_TRUE(must(bucket.readSmall(key)) == text);
  EXPECT_THAT(must(bucket.list("")), testing::ElementsAre(key));
  EXPECT_EQ(unfinishedUploads().find("<Upload>"), std::string::npos);
  // Parts that are too small are refused, and nothing is left of them.
  options.partBytes = static_cast<int64_t>(kMiB);
  BucketClient small(address, options);
  auto object = objectOf("small parts", text, contentHash(text));
  const Status refused = small.put([&] { return std::move(object); });
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, testing::HasSubstr("EntityTooSmall"));
  EXPECT_EQ(unfinishedUploads().find("<Upload>"), std::string::npos);
}

}  // namespace
}  // namespace vintage::tests
