// Tests with an S3-compatible server that others wrote.
#pragma once

#include <memory>
#include <span>
#include <string>

#include <gtest/gtest.h>

#include "archive/transfer/bucket_client.h"
#include "tests/archive/transfer/rados_gateway.h"

namespace vintage::tests::transfer {

// The tests of a process share the server; each has a bucket of its own.
class BucketFixture : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!RadosGateway::installed()) GTEST_SKIP() << RadosGateway::kHowToInstall;
    gateway_ = &RadosGateway::shared();
    bucket_ = gateway_->makeBucket();
    ASSERT_EQ(gateway_->problem(), "");
    RadosGateway::setEnvironment(gateway_->url());
  }
  // "s3://bucket7/some/prefix"
  std::string inBucket(const std::string& prefix) const { return "s3://" + bucket_ + "/" + prefix; }
  std::string path(const std::string& name) const { return sandbox_.path(name); }

  static archive::PlaceOptions quick() {
    archive::PlaceOptions options;
    options.jobs = 16;
    options.retry.first = std::chrono::milliseconds(5);
    options.retry.longest = std::chrono::milliseconds(100);
    options.retry.attempts = 30;
    return options;
  }

  static std::unique_ptr<archive::StoredObject> objectOf(const std::string& key,
                                                         const std::string& text,
                                                         const archive::ContentId& hash) {
    const auto bytes = std::as_bytes(std::span(text));
    return std::make_unique<archive::StoredObject>(
        archive::StoredObject{key, hash, {bytes.begin(), bytes.end()}});
  }

  tests::command::Sandbox sandbox_;
  RadosGateway* gateway_ = nullptr;
  std::string bucket_;
};

}  // namespace vintage::tests::transfer
