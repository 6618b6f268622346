// One small and one large object, put to a scripted bucket with small parts.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "archive/transfer/bucket_client.h"
#include "golden/base/content_hash.h"
#include "tests/archive/store/sample.h"
#include "tests/archive/transfer/scripted_bucket.h"

namespace vintage::tests::transfer {

using ScriptedAnswer = std::optional<ScriptedReply>;

inline constexpr const char* kLargePath = "/bucket/some/prefix/large";
inline constexpr size_t kPartBytes = 300;

// Seven parts, the last of them short.
inline std::string largeText() {
  const auto bytes = content(1, 6 * kPartBytes + 77, false);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

inline Status putLarge(const ScriptedBucket& bucket, int attempts = 5,
                       std::chrono::milliseconds pause = std::chrono::milliseconds(2)) {
  archive::BucketAddress address;
  address.endpoint = bucket.url();
  address.bucket = "bucket";
  address.prefix = "some/prefix";
  address.region = "us-east-1";
  address.accessKey = "key";
  address.secretKey = "secret";
  archive::PlaceOptions options;
  options.jobs = 4;
  options.retry.attempts = attempts;
  options.retry.first = pause;
  options.retry.longest = pause * 10;
  options.multipartBytes = 1000;
  options.partBytes = kPartBytes;
  archive::BucketClient client(address, options);
  std::vector<std::string> texts{"small", largeText()};
  return client.put([&]() -> std::unique_ptr<archive::StoredObject> {
    if (texts.empty()) return nullptr;
    const std::string text = std::move(texts.back());
    texts.pop_back();
    const auto bytes = std::as_bytes(std::span(text));
    return std::make_unique<archive::StoredObject>(archive::StoredObject{
        texts.empty() ? "small" : "large", contentHash(text), {bytes.begin(), bytes.end()}});
  });
}

// All of it is there, and nothing is left over.
inline void expectComplete(ScriptedBucket& bucket) {
  EXPECT_EQ(bucket.objects["/bucket/some/prefix/small"], "small");
  EXPECT_TRUE(bucket.objects[kLargePath] == largeText());
  EXPECT_TRUE(bucket.uploads.empty());
}

}  // namespace vintage::tests::transfer
