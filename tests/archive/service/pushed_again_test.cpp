// Uploading over HTTP what retention let go of.
#include "archive/store/record_json.h"
#include "tests/archive/retention/removed_content.h"
#include "tests/archive/service/in_process.h"
#include "tests/archive/service/running_service.h"

namespace vintage::tests::service {
using namespace archive;

namespace {

using nlohmann::json;

std::string request(const std::string& method, const std::string& path, const std::string& body,
                    const std::string& header = "") {
  return method + " " + path + " HTTP/1.1\r\nHost: localhost\r\n" + typeLine(method, path) +
         "Content-Length: " + std::to_string(body.size()) + "\r\n" + header + "\r\n" + body;
}

// The announcement of an upload was answered with `"kept": true`, and nothing was there: the
// client sent nothing, and its record was refused for the missing content, for ever.
TEST_F(ServiceTest, AnUploadOfWhatRetentionRemovedIsTaken) {
  const auto bytes = content(3, 200'000, false);
  const ContentId id = [&] {
    Archive archive = open();
    return removeButItsOutcome(archive, bytes);
  }();
  ApplicationOptions options;
  options.folder = archive_;
  options.anonymous = Role::kPush;
  auto service = must(Application::open(options));

  EXPECT_EQ(answerBytes(*service, request("HEAD", "/v1/blobs/" + id, "")).at(0).status, 404);
  const Response begun =
      answerBytes(*service,
                  request("POST", "/v1/uploads", json{{"id", id}, {"bytes", bytes.size()}}.dump()))
          .at(0);
  ASSERT_EQ(begun.status, 201) << begun.text;
  const std::string place = "/v1/" + begun.headers.at(0).second;
  const Response sent =
      answerBytes(*service, request("PATCH", place, text(bytes), "Upload-Offset: 0\r\n")).at(0);
  EXPECT_EQ(sent.status, 201) << sent.text;
  ArtifactRecord record = sampleRecord("old");
  record.id = id;
  EXPECT_EQ(answerBytes(*service, request("POST", "/v1/artifacts", recordJson(record).dump()))
                .at(0)
                .status,
            200);
  EXPECT_TRUE(must(open().read(must(open().find("old")).id)) == bytes);
}

}  // namespace
}  // namespace vintage::tests::service
