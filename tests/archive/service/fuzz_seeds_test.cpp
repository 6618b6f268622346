// The seeds of the service's fuzzer: each is a connection that the service
// understands, so that the fuzzer starts where the API is.
#include <map>

#include "tests/archive/service/in_process.h"
#include "tests/archive/service/running_service.h"
#include "tests/golden/base/texts.h"

namespace vintage::tests::service {
using namespace archive;

namespace {

class FuzzSeeds : public FolderTest {};

TEST_F(FuzzSeeds, EachIsAnsweredAsItMeans) {
  const std::string abc = "abc";
  // As vintage_fuzz_http begins.
  const std::map<std::string, std::vector<int>> expected = {
      {"chunked", {200}},
      {"drop_upload", {201, 200, 422, 404}},  // The wrong bytes end it.
      {"filters", {200, 206, 200}},
      {"head_of_1.0", {200}},
      {"leases", {201, 404, 404}},
      {"list", {200}},
      {"nobody", {401, 401, 200, 401}},
      {"proofs", {200, 200, 200}},
      {"push", {200}},
      {"put", {201, 200, 304, 404}},
      {"range", {200, 200}},
      {"register", {200, 200, 200}},
      {"results", {200, 200, 200, 200, 200, 200, 200}},
      {"tokens", {201, 200, 204}},
      {"upload", {201}},
      {"whole_push", {200}},
      {"whole_upload", {201, 204, 200, 201, 200}},
      {"wrong_token", {401, 401}},
  };
  size_t seeds = 0;
  for (const auto& entry : std::filesystem::directory_iterator(
           std::filesystem::path(VINTAGE_SOURCE) / "tests" / "fuzz" / "corpus" / "http")) {
    const std::string name = entry.path().filename(), folder = path(name);
    {
      Archive archive = must(Archive::open(folder, Archive::Mode::kCreate));
      ArtifactRecord record;
      record.name = "a";
      record.producer = "p";
      must(archive.put(record, std::as_bytes(std::span(abc)), nullptr));
    }
    std::vector<std::string> authorizations{""};
    for (const Role role : {Role::kRead, Role::kPush, Role::kAdmin})
      authorizations.push_back(
          "Bearer " +
          must(makeToken(folder, systemClock(), "the-" + std::string(roleName(role)), role, 1))
              .token);
    ApplicationOptions options;
    options.folder = folder;
    const auto application = must(Application::open(options));
    std::string bytes = fileText(entry.path());
    size_t who = 2;
    if (bytes[0] >= '0' && bytes[0] <= '3') {
      who = static_cast<size_t>(bytes[0] - '0');
      bytes.erase(0, 1);
    }
    std::vector<int> statuses;
    std::string said;
    for (const Response& response : answerBytes(*application, bytes, authorizations[who])) {
      statuses.push_back(response.status);
      said += response.text + "\n";
    }
    const auto found = expected.find(name);
    ASSERT_NE(found, expected.end()) << name;
    EXPECT_EQ(statuses, found->second) << name << "\n" << said;
    ++seeds;
  }
  EXPECT_EQ(seeds, expected.size());
}

}  // namespace
}  // namespace vintage::tests::service
