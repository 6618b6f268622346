// Large objects to a bucket in parts: what is sent, and what is taken up of other
// clients and earlier runs.
#include "archive/transfer/bucket_request.h"

#include <gmock/gmock.h>

#include "tests/archive/transfer/multipart_fixture.h"

namespace vintage::tests {
using namespace archive;

namespace {

using testing::HasSubstr;
using namespace tests::transfer;

TEST(Multipart, ALargeObjectGoesInPartsAndASmallOneDoesNot) {
  std::vector<std::string> conditions;
  ScriptedBucket bucket([&](ScriptedBucket&, const std::string& operation,
                            const ScriptedRequest& request) -> ScriptedAnswer {
    if (operation == "UploadPart") EXPECT_NE(request.header("content-md5"), "");
    if (operation == "CompleteMultipartUpload" || operation == "PutObject")
      conditions.push_back(request.header("if-none-match"));
    return {};
  });
  must(putLarge(bucket));
  expectComplete(bucket);
  EXPECT_EQ(bucket.count("UploadPart"), 7);
  EXPECT_EQ(bucket.count("CreateMultipartUpload"), 1);
  EXPECT_EQ(bucket.count("AbortMultipartUpload"), 0);
  EXPECT_THAT(conditions, testing::ElementsAre("*", "*"));
}

// Only listed parts with our bytes are taken, and only from an upload whose parts
// have our sizes.
TEST(Multipart, WhatAnEarlierRunSentIsTakenUp) {
  std::vector<std::string> sent;
  ScriptedBucket bucket([&](ScriptedBucket&, const std::string& operation,
                            const ScriptedRequest& request) -> ScriptedAnswer {
    if (operation == "UploadPart") sent.push_back(request.body);
    return {};
  });
  const std::string whole = largeText();
  const auto part = [&](size_t number) {
    return whole.substr((number - 1) * kPartBytes, kPartBytes);
  };
  const std::string other = bucket.beginUpload(std::string(kLargePath) + "r");  // Another key.
  for (int number = 1; number < 7; ++number)
    bucket.uploads[other][number] = {part(number), quotedMd5(part(number))};
  const std::string cut = bucket.beginUpload(kLargePath);  // Cut in larger parts.
  for (int number = 1; number < 3; ++number)
    bucket.uploads[cut][number] = {whole.substr((number - 1) * 600, 600),
                                   "\"" + std::string(32, 'a') + "\""};
  const std::string longer = bucket.beginUpload(kLargePath);  // Of more parts than we have.
  for (int number = 1; number < 9; ++number)
    bucket.uploads[longer][number] = {part(1), quotedMd5(part(1))};
  const std::string ours = bucket.beginUpload(kLargePath);
  for (const int number : {1, 2, 5, 6, 7})
    bucket.uploads[ours][number] = {part(number), quotedMd5(part(number))};
  const std::string damaged(kPartBytes, 'x');
  bucket.uploads[ours][6] = {damaged, quotedMd5(damaged)};
  const std::string younger = bucket.beginUpload(kLargePath);  // It has less.
  bucket.uploads[younger][3] = {part(3), quotedMd5(part(3))};

  must(putLarge(bucket));
  EXPECT_TRUE(bucket.objects[kLargePath] == whole);
  EXPECT_THAT(sent, testing::UnorderedElementsAre(part(3), part(4), part(6)));
  EXPECT_EQ(bucket.count("CreateMultipartUpload"), 0);
  // Those of others are theirs.
  EXPECT_EQ(bucket.count("AbortMultipartUpload"), 0);
  for (const std::string& kept : {other, cut, longer, younger})
    EXPECT_TRUE(bucket.uploads.contains(kept)) << kept;
}

TEST(Multipart, WithoutTheRightToListItBeginsItsOwn) {
  for (const int status : {403, 405, 501}) {
    ScriptedBucket bucket([&](ScriptedBucket&, const std::string& operation,
                              const ScriptedRequest&) -> ScriptedAnswer {
      if (operation != "ListMultipartUploads") return {};
      return ScriptedBucket::error(status, "AccessDenied");
    });
    bucket.beginUpload(kLargePath);
    must(putLarge(bucket));
    EXPECT_TRUE(bucket.objects[kLargePath] == largeText());
    EXPECT_EQ(bucket.count("CreateMultipartUpload"), 1);
  }
}

TEST(Multipart, AnotherClientsObjectStaysAndThePartsAreRemoved) {
  ScriptedBucket bucket([&](ScriptedBucket& self, const std::string& operation,
                            const ScriptedRequest&) -> ScriptedAnswer {
    if (operation == "CompleteMultipartUpload") self.objects[kLargePath] = "the other's";
    return {};
  });
  must(putLarge(bucket));
  EXPECT_EQ(bucket.objects[kLargePath], "the other's");
  EXPECT_TRUE(bucket.uploads.empty());
}

// The other client completes the upload that both are at, or removes it.
TEST(Multipart, AnUploadThatVanishesIsTheEndOrTheBeginning) {
  for (const bool completed : {true, false}) {
    for (const std::string where : {"UploadPart", "CompleteMultipartUpload"}) {
      bool done = false;
      ScriptedBucket bucket([&](ScriptedBucket& self, const std::string& operation,
                                const ScriptedRequest&) -> ScriptedAnswer {
        if (operation != where || std::exchange(done, true)) return {};
        if (completed) self.objects[kLargePath] = largeText();
        self.uploads.clear();
        return {};
      });
      bucket.beginUpload(kLargePath);
      must(putLarge(bucket));
      expectComplete(bucket);
      EXPECT_EQ(bucket.count("CreateMultipartUpload"), completed ? 0 : 1);
    }
  }
}

TEST(Multipart, AnUploadThatAlwaysVanishesIsGivenUp) {
  ScriptedBucket bucket(
      [&](ScriptedBucket&, const std::string& operation, const ScriptedRequest&) -> ScriptedAnswer {
        if (operation != "UploadPart") return {};
        return ScriptedBucket::error(404, "NoSuchUpload");
      });
  const Status status = putLarge(bucket);
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().message, HasSubstr("404: NoSuchUpload"));
  EXPECT_LE(bucket.count("CreateMultipartUpload"), 3);
  EXPECT_TRUE(bucket.uploads.empty());
}

// Two clients that cut differently, or a server that lost a part.
TEST(Multipart, APartThatIsNotThereAfterAllIsSentAgain) {
  bool lost = false;
  ScriptedBucket bucket([&](ScriptedBucket& self, const std::string& operation,
                            const ScriptedRequest&) -> ScriptedAnswer {
    if (operation == "CompleteMultipartUpload" && !std::exchange(lost, true))
      self.uploads.begin()->second.erase(3);
    return {};
  });
  must(putLarge(bucket));
  expectComplete(bucket);
  EXPECT_EQ(bucket.count("UploadPart"), 8);
  EXPECT_EQ(bucket.count("CreateMultipartUpload"), 1);
}

// And where the object has come there meanwhile, our parts are not left behind.
TEST(Multipart, WhatAnotherClientPutMeanwhileLeavesNoParts) {
  ScriptedBucket bucket([&](ScriptedBucket& self, const std::string& operation,
                            const ScriptedRequest&) -> ScriptedAnswer {
    if (operation != "CompleteMultipartUpload") return {};
    self.objects[kLargePath] = largeText();
    return ScriptedBucket::error(400, "InvalidPart");
  });
  must(putLarge(bucket));
  expectComplete(bucket);
}

TEST(Multipart, WhatOnlyItsOwnerMayContinueIsLeftAlone) {
  ScriptedBucket bucket([&](ScriptedBucket& self, const std::string& operation,
                            const ScriptedRequest&) -> ScriptedAnswer {
    if (operation != "UploadPart" || self.count("CreateMultipartUpload") > 0) return {};
    return ScriptedBucket::error(403, "AccessDenied");
  });
  const std::string theirs = bucket.beginUpload(kLargePath);
  must(putLarge(bucket));
  EXPECT_TRUE(bucket.objects[kLargePath] == largeText());
  EXPECT_TRUE(bucket.uploads.contains(theirs));
  EXPECT_EQ(bucket.count("CreateMultipartUpload"), 1);
}

TEST(ObjectParts, TenThousandAtMost) {
  const std::string bytes(25'001, 'x');
  const ObjectParts few(bytes, 10);
  EXPECT_EQ(few.count(), 2501u);
  EXPECT_EQ(few.part(2501).size(), 1u);
  const ObjectParts many(bytes, 1);
  EXPECT_EQ(many.count(), 8334u);
  EXPECT_EQ(many.part(1).size(), 3u);
  EXPECT_EQ(many.part(8334).size(), 2u);
  // Its MD5, from RFC 1321.
  EXPECT_EQ(contentMd5("abc"), "kAFQmDzST7DWlj99KOF/cg==");
  EXPECT_EQ(whatEtagSays("\"900150983CD24fb0d6963f7d28e17f72\"", "abc"), EtagSays::kTheseBytes);
  EXPECT_EQ(whatEtagSays("\"900150983cd24fb0d6963f7d28e17f73\"", "abc"), EtagSays::kOtherBytes);
  EXPECT_EQ(whatEtagSays("\"900150983cd24fb0d6963f7d28e17f72-7\"", "abc"), EtagSays::kNothing);
}

}  // namespace
}  // namespace vintage::tests
