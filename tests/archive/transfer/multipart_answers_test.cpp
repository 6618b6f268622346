// Large objects to a bucket in parts: what becomes of a server's odd answers.
#include "archive/transfer/bucket_request.h"

#include <gmock/gmock.h>

#include "tests/archive/transfer/multipart_fixture.h"

namespace vintage::tests {
namespace {

using testing::HasSubstr;
using namespace tests::transfer;

// The answer to the last request was lost; the server has done it.
TEST(Multipart, ALostAnswerIsNoFailure) {
  bool lost = false;
  ScriptedBucket bucket([&](ScriptedBucket& self, const std::string& operation,
                            const ScriptedRequest& request) -> ScriptedAnswer {
    if (operation != "CompleteMultipartUpload" || std::exchange(lost, true)) return {};
    EXPECT_EQ(self.answer(operation, request).status, 200);
    ScriptedReply reply;
    reply.hangUp = true;
    return reply;
  });
  must(putLarge(bucket));
  expectComplete(bucket);
  EXPECT_EQ(bucket.count("CreateMultipartUpload"), 1);
}

// S3 answers 200 before it knows how it ends, and says so in the body.
TEST(Multipart, AnErrorBelowA200IsAnError) {
  int failures = 0;
  ScriptedBucket passing(
      [&](ScriptedBucket&, const std::string& operation, const ScriptedRequest&) -> ScriptedAnswer {
        if (operation != "CompleteMultipartUpload" || ++failures > 2) return {};
        return ScriptedBucket::error(200, "InternalError");
      });
  must(putLarge(passing));
  expectComplete(passing);
  EXPECT_EQ(passing.count("CompleteMultipartUpload"), 3);

  ScriptedBucket refusing(
      [&](ScriptedBucket&, const std::string& operation, const ScriptedRequest&) -> ScriptedAnswer {
        if (operation != "CompleteMultipartUpload") return {};
        return ScriptedBucket::error(200, "EntityTooSmall");
      });
  const Status refused = putLarge(refusing);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("EntityTooSmall: as scripted"));
  EXPECT_EQ(refusing.count("CompleteMultipartUpload"), 1);
  EXPECT_TRUE(refusing.uploads.empty()) << "what is refused is not left behind";
  EXPECT_FALSE(refusing.objects.contains(kLargePath));

  ScriptedBucket always(
      [&](ScriptedBucket&, const std::string& operation, const ScriptedRequest&) -> ScriptedAnswer {
        if (operation != "CompleteMultipartUpload") return {};
        return ScriptedBucket::error(200, "SlowDown");
      });
  const Status slow = putLarge(always);
  ASSERT_FALSE(slow);
  EXPECT_THAT(slow.error().message, HasSubstr("SlowDown: as scripted"));
  EXPECT_THAT(slow.error().message, HasSubstr("gave up after 5 attempts"));
  EXPECT_EQ(always.uploads.size(), 1u) << "a later run takes it up";

  ScriptedBucket nonsense(
      [&](ScriptedBucket&, const std::string& operation, const ScriptedRequest&) -> ScriptedAnswer {
        if (operation != "CompleteMultipartUpload") return {};
        return ScriptedReply{200, {}, "<html>welcome</html>"};
      });
  const Status odd = putLarge(nonsense);
  ASSERT_FALSE(odd);
  EXPECT_THAT(odd.error().message, HasSubstr("does not say that the object is complete"));
}

TEST(Multipart, AServerThatDoesNotKnowTheConditionIsAskedWithoutIt) {
  for (const auto& [status, code] : {std::pair{501, "NotImplemented"}, {400, "InvalidArgument"}}) {
    ScriptedBucket bucket(
        [&](ScriptedBucket&, const std::string&, const ScriptedRequest& request) -> ScriptedAnswer {
          if (request.header("if-none-match").empty()) return {};
          return ScriptedBucket::error(status, code);
        });
    must(putLarge(bucket));
    expectComplete(bucket);
    EXPECT_EQ(bucket.count("UploadPart"), 7);
  }
}

TEST(Multipart, APartThatArrivedOtherwiseIsSentAgain) {
  for (const int wrong : {1, 2, 1000}) {
    int count = 0;
    ScriptedBucket bucket([&](ScriptedBucket& self, const std::string& operation,
                              const ScriptedRequest& request) -> ScriptedAnswer {
      if (operation != "UploadPart" || request.target.find("partNumber=4&") == std::string::npos ||
          ++count > wrong)
        return {};
      if (wrong == 2) return ScriptedBucket::error(400, "BadDigest");
      self.answer(operation, request);
      return ScriptedReply{200, {"ETag: " + quotedMd5("others")}, ""};
    });
    const Status status = putLarge(bucket, 20);
    if (wrong < 3) {
      must(status);
      expectComplete(bucket);
      EXPECT_EQ(bucket.count("UploadPart"), 7 + wrong);
      continue;
    }
    ASSERT_FALSE(status);
    EXPECT_THAT(status.error().message, HasSubstr("part 4 of 7"));
    EXPECT_THAT(status.error().message, HasSubstr(quotedMd5("others")));
    EXPECT_EQ(count, 3);
    EXPECT_TRUE(bucket.uploads.empty());
  }
}

// With encryption, or another idea of what an ETag is, it says nothing of the
// bytes; and such parts cannot be taken up.
TEST(Multipart, AnEtagThatIsNoMd5IsTakenAsItIs) {
  const std::pair<std::string, std::string> kinds[] = {
      {quotedMd5("encrypted"), "x-amz-server-side-encryption: aws:kms"},
      {"\"ABwcsNIEIx/3TXD+37wkhu1YIh8AgUg\"", "X-Other: 1"}};
  for (const auto& [etag, header] : kinds) {
    int completed = 0;
    ScriptedBucket bucket([&](ScriptedBucket& self, const std::string& operation,
                              const ScriptedRequest& request) -> ScriptedAnswer {
      if (operation == "UploadPart") {
        EXPECT_EQ(self.answer(operation, request).status, 200);
        return ScriptedReply{200, {"ETag: " + etag, header}, ""};
      }
      if (operation != "CompleteMultipartUpload") return {};
      ++completed;
      EXPECT_THAT(request.body, HasSubstr(etag.substr(1, etag.size() - 2)));
      return ScriptedReply{200, {}, "<CompleteMultipartUploadResult/>"};
    });
    must(putLarge(bucket));
    EXPECT_EQ(completed, 1);
    EXPECT_EQ(bucket.count("UploadPart"), 7);
  }
}

// After a refusal nothing is left; what was given up can be continued.
TEST(Multipart, ARefusalLeavesNothingAndAGivenUpUploadIsTakenUp) {
  ScriptedBucket refusing(
      [&](ScriptedBucket&, const std::string& operation, const ScriptedRequest&) -> ScriptedAnswer {
        if (operation != "UploadPart") return {};
        return ScriptedBucket::error(403, "QuotaExceeded");
      });
  const Status refused = putLarge(refusing);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("QuotaExceeded"));
  EXPECT_EQ(refused.error().kind, Error::Kind::kUsage);
  EXPECT_EQ(refusing.count("AbortMultipartUpload"), 1);

  bool away = true;
  ScriptedBucket bucket([&](ScriptedBucket&, const std::string& operation,
                            const ScriptedRequest& request) -> ScriptedAnswer {
    if (!away || operation != "UploadPart" ||
        request.target.find("partNumber=5&") == std::string::npos)
      return {};
    return ScriptedBucket::error(503, "ServiceUnavailable");
  });
  EXPECT_FALSE(putLarge(bucket));
  EXPECT_EQ(bucket.count("AbortMultipartUpload"), 0);
  ASSERT_EQ(bucket.uploads.size(), 1u);
  away = false;
  const int before = bucket.count("UploadPart");
  must(putLarge(bucket));
  expectComplete(bucket);
  EXPECT_LE(bucket.count("UploadPart") - before, 3);
}

// One part had bad luck three times in a row, and the upload was given up although
// others had arrived meanwhile.
TEST(Multipart, APartThatFailsWhileOthersArriveIsNotGivenUp) {
  int failures = 0, othersSinceTheFirst = 0;
  ScriptedBucket bucket([&](ScriptedBucket&, const std::string& operation,
                            const ScriptedRequest& request) -> ScriptedAnswer {
    if (operation != "UploadPart") return {};
    if (request.target.find("partNumber=1&") == std::string::npos) {
      othersSinceTheFirst += failures > 0;
      return {};
    }
    // On a busy machine the others may be late; three failures without them are a reason.
    if (failures == 3 || (failures == 2 && othersSinceTheFirst == 0)) return {};
    ++failures;
    return ScriptedBucket::error(503, "SlowDown");
  });
  // The others pass by in the pauses.
  must(putLarge(bucket, 3, std::chrono::milliseconds(200)));
  expectComplete(bucket);
}

}  // namespace
}  // namespace vintage::tests
