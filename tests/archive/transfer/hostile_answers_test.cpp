// Answers of a service or a bucket are checked before they are used, and requests to them are cut
// into bodies that they accept.
#include <gmock/gmock.h>

#include "archive/transfer/place.h"
#include "archive/transfer/record_objects.h"
#include "tests/archive/store/sample.h"
#include "tests/archive/transfer/scripted_server.h"

namespace vintage::tests {
using namespace archive;

namespace {

using testing::HasSubstr;
using namespace tests::transfer;

PlaceOptions quickPlace() {
  PlaceOptions options;
  options.retry.attempts = 2;
  options.retry.first = std::chrono::milliseconds(2);
  return options;
}

std::string deepJson() { return std::string(300'000, '[') + std::string(300'000, ']'); }

// The client ended with a full stack: the JSON library calls itself for each level
// when it copies a value or writes one into a message.
TEST(HostileAnswers, JsonWithoutEndIsNamed) {
  std::string whole;
  ScriptedServer server([&](const ScriptedRequest& request) -> ScriptedReply {
    if (request.target == "/v1/status") return {200, {}, R"({"api": 1})"};
    if (request.method == "POST")
      return {200, {}, "{\"results\":[{\"status\":\"refused\",\"error\":" + deepJson() + "}]}"};
    if (request.target == "/v1/runs/x") return {200, {}, "{\"id\":" + deepJson() + "}"};
    if (request.target == "/v1/runs") return {404, {}, "{\"error\":" + deepJson() + "}"};
    return {200, {}, "{\"name\":" + deepJson() + "}\n{\"end\":true,\"count\":1}\n"};
  });
  auto place = must(openPlace(server.url(), PlaceUse::kWrite, quickPlace()));
  const auto builds = place->builds();
  ASSERT_FALSE(builds);
  EXPECT_THAT(builds.error().message, HasSubstr("deeper than 100 levels"));
  const auto run = place->run("x");
  ASSERT_FALSE(run);
  EXPECT_THAT(run.error().message, HasSubstr("deeper than 100 levels"));
  EXPECT_FALSE(place->runs());
  EXPECT_FALSE(place->putBuilds(std::vector{sampleBuild("b", 1)}));

  std::vector<BuildRecord> records;
  const std::string object = "[{\"name\":" + deepJson() + "}]";
  const Status parsed =
      parseRecords("builds/x", std::as_bytes(std::span(object)), buildOfJson, records);
  ASSERT_FALSE(parsed);
  EXPECT_THAT(parsed.error().message, HasSubstr("builds/x"));
  EXPECT_THAT(parsed.error().message, HasSubstr("deeper than 100 levels"));
}

// Two thousand outcomes with long errors were one body, which a service may refuse.
TEST(HostileAnswers, ManyLongRecordsGoInSeveralBodies) {
  std::mutex mutex;
  std::vector<std::string> bodies;
  ScriptedServer server([&](const ScriptedRequest& request) -> ScriptedReply {
    const std::lock_guard lock(mutex);
    if (request.target == "/v1/outcomes") bodies.push_back(request.body);
    return {200, {}, R"({"api": 1, "results": []})"};
  });
  auto place = must(openPlace(server.url(), PlaceUse::kWrite, quickPlace()));
  std::vector<OutcomeRecord> outcomes(100);
  for (size_t index = 0; index < outcomes.size(); ++index) {
    outcomes[index].artifact = contentHash(std::to_string(index));
    outcomes[index].run = "r";
    outcomes[index].detail = std::string(50'000, 'x');
  }
  outcomes[50].detail = std::string(3'000'000, 'x');  // Alone.
  must(place->putOutcomes(outcomes));
  std::set<std::string> artifacts;
  size_t largest = 0, lines = 0;
  for (const std::string& body : bodies) {
    size_t begin = 0, inBody = 0;
    for (size_t end; (end = body.find('\n', begin)) != std::string::npos; begin = end + 1) {
      artifacts.insert(
          nlohmann::json::parse(body.substr(begin, end - begin))["artifact"].get<std::string>());
      ++lines;
      ++inBody;
    }
    if (inBody > 1) largest = std::max(largest, body.size());
  }
  EXPECT_EQ(lines, 100u);
  EXPECT_EQ(artifacts.size(), 100u);
  EXPECT_GE(bodies.size(), 6u);
  EXPECT_LE(largest, size_t{1} << 20);
}

}  // namespace
}  // namespace vintage::tests
