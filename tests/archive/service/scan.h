// A running service that curl talks to, and what it said.
#pragma once

#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "archive/service/request_values.h"
#include "tests/archive/service/running_service.h"
#include "tests/golden/base/texts.h"

namespace vintage::tests::service {

class Scan : public ServiceTest {
 protected:
  void SetUp() override {
    ServiceTest::SetUp();
    if (std::system("command -v curl >/dev/null 2>&1") != 0)
      GTEST_SKIP() << "curl is not installed";
  }
  void TearDown() override {
    service_.reset();
    ServiceTest::TearDown();
  }
  void start(const std::vector<std::string>& options = {}) { service_.emplace(archive_, options); }

  std::string file(const std::string& name, const std::string& bytes) const {
    std::ofstream(path(name), std::ios::binary) << bytes;
    return path(name);
  }
  // "201", or "409 conflict"; the body is left in body_, the headers in headers_.
  std::string curl(const std::string& target, const std::string& options = "",
                   std::optional<archive::Role> role = archive::Role::kPush) {
    std::string command = "curl -sS --max-time 60 --path-as-is -o '" + path("body") + "' -D '" +
                          path("headers") + "' -w '%{http_code}' " + options;
    if (role) command += " -H 'Authorization: Bearer " + token(*role) + "'";
    command += " '" + service_->url() + target + "' >'" + path("status") + "' 2>/dev/null";
    for (const char* name : {"body", "headers", "status"}) std::filesystem::remove(path(name));
    [[maybe_unused]] const int ended = std::system(command.c_str());
    const auto read = [&](const char* name) { return fileText(path(name)); };
    Reply reply;
    reply.body = body_ = read("body");
    headers_ = read("headers");
    const std::string status = read("status");
    reply.status = status.empty() ? 0 : std::stol(status);
    if (reply.status >= 400) {
      EXPECT_NE(headers_.find("application/json"), std::string::npos) << target << headers_;
      EXPECT_FALSE(reply.json().value("error", nlohmann::json::object()).value("next", "").empty())
          << target << body_;
    }
    return reply.problem();
  }
  static std::string digest(const std::string& id) {
    return "-H 'Content-Digest: " + archive::digestField(id) + "' ";
  }
  bool keeps(const std::string& bytes) const {
    return must(open().missing(std::vector{contentHash(bytes)})).empty();
  }
  std::string begin(const std::string& bytes) {
    const nlohmann::json announcement = {{"id", contentHash(bytes)}, {"bytes", bytes.size()}};
    const std::string announced = announcement.dump();
    EXPECT_EQ(curl("/v1/uploads", "-H Content-Type: -d @" + file("announced", announced)), "201");
    return nlohmann::json::parse(body_).at("upload").get<std::string>();
  }

  std::optional<RunningService> service_;
  std::string body_, headers_;
};

}  // namespace vintage::tests::service
