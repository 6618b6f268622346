// Tests with an S3-compatible server that others wrote.
#pragma once

#include <memory>
#include <span>
#include <string>

#include <gtest/gtest.h>

#include "archive/transfer/bucket_client.h"
#include "tests/archive/transfer/rados_gateway.h"
#include "tests/rooms.h"

namespace vintage::tests::transfer {

// To start the server costs seconds, so few tests do much each.
class BucketFixture : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!RadosGateway::installed()) GTEST_SKIP() << RadosGateway::kHowToInstall;
    gateway_ = std::make_unique<RadosGateway>();
    ASSERT_EQ(gateway_->problem(), "");
    RadosGateway::setEnvironment(gateway_->url());
  }
  std::string path(const std::string& name) const { return sandbox_.path(name); }

  static PlaceOptions quick() {
    PlaceOptions options;
    options.jobs = 16;
    options.retry.first = std::chrono::milliseconds(5);
    options.retry.longest = std::chrono::milliseconds(100);
    options.retry.attempts = 30;
    return options;
  }

  static std::unique_ptr<BucketObject> objectOf(const std::string& key, const std::string& text,
                                                const ContentId& hash) {
    const auto bytes = std::as_bytes(std::span(text));
    return std::make_unique<BucketObject>(BucketObject{key, hash, {bytes.begin(), bytes.end()}});
  }

  tests::command::Sandbox sandbox_;
  std::unique_ptr<RadosGateway> gateway_;
};

}  // namespace vintage::tests::transfer
