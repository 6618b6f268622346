// Each verb against a bucket that answers wrongly: pages that are cut off, 503 SlowDown, 200 with
// an error inside, a skewed clock. In public: mirrors and backups that took such an answer for
// success, and had fewer objects than they said.
#include <gmock/gmock.h>

#include "archive/backup/backup.h"
#include "archive/transfer/mirror.h"
#include "archive/transfer/scrub.h"
#include "tests/archive/transfer/archives.h"
#include "tests/archive/transfer/quick_http.h"
#include "tests/archive/transfer/rados_gateway.h"
#include "tests/archive/transfer/scripted_bucket.h"

namespace vintage::tests {
using namespace archive;
using namespace tests::transfer;

namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// An answer in place of the bucket's own; none where the operation has no such answer.
struct Fault {
  const char* name;
  std::function<std::optional<ScriptedReply>(ScriptedBucket&, const std::string& operation,
                                             const ScriptedRequest&)>
      reply;
};
const Fault kPassing[] = {
    {"SlowDown", [](auto&, auto&, auto&) { return ScriptedBucket::error(503, "SlowDown"); }},
    {"an error inside",
     [](auto&, const std::string& operation, auto&) -> std::optional<ScriptedReply> {
       if (operation == "HeadObject") return std::nullopt;
       return ScriptedBucket::error(200, "InternalError");
     }},
    {"cut off",
     [](ScriptedBucket& bucket, const std::string& operation,
        const ScriptedRequest& request) -> std::optional<ScriptedReply> {
       if (operation != "ListObjectsV2" && operation != "GetObject") return std::nullopt;
       ScriptedReply reply = bucket.answer(operation, request);
       if (reply.status != 200) return std::nullopt;
       reply.body.resize(reply.body.size() / 2);  // And so its stated length.
       return reply;
     }},
};

class BucketVerbs : public FolderTest {
 protected:
  void SetUp() override {
    FolderTest::SetUp();
    fillArchive(path("A"), 9, 20);
    {
      Archive archive = must(Archive::open(path("A"), Archive::Mode::kReadWrite));
      ArtifactRecord record = sampleRecord("large");
      record.format = ArtifactRecord::Format::kSavedModel;
      must(archive.put(record, content(1, 300'000, false), nullptr));
    }
    RadosGateway::setEnvironment(bucket_.url());
    for (const auto& [name, act] : verbs_) expected_[name] = act();
    for (const auto& [name, said] : expected_) EXPECT_THAT(said, StartsWith("whole: ")) << name;
  }

  static PlaceOptions quick() {
    PlaceOptions options;
    static_cast<HttpOptions&>(options) = quickOptions();
    return options;
  }
  std::unique_ptr<Place> open(const std::string& location, PlaceUse use) {
    auto place = openPlace(location, use, quick());
    if (place) return std::move(*place);
    problem_ = place.error().message;
    return nullptr;
  }
  std::string fresh(const std::string& name) { return path(name + std::to_string(++made_)); }

  std::string mirrored(const std::string& from, const std::string& to) {
    const auto source = open(from, PlaceUse::kRead);
    const auto destination = source ? open(to, PlaceUse::kWrite) : nullptr;
    if (!destination) return problem_;
    const auto summary = mirror(*source, destination.get(), {});
    if (!summary) return summary.error().message;
    if (!summary->lost.empty()) return summary->lost.front().error.message;
    return fmt::format("whole: {} artifacts, {} runs, {} outcomes", summary->artifacts.sent,
                       summary->runs.sent, summary->outcomes.sent);
  }
  std::string scrubbed() {
    const auto place = open("s3://bucket/mirror", PlaceUse::kRead);
    const auto source = open(path("A"), PlaceUse::kRead);
    if (!place) return problem_;
    std::string found;
    ScrubOptions options;
    options.source = source.get();
    const auto summary =
        scrub(*place, options, [&](const FsckFinding& finding) { found = finding.problem; });
    if (!summary) return summary.error().message;
    if (!summary->whole()) return found;
    return fmt::format("whole: {} artifacts, {} contents, {} read", summary->artifacts,
                       summary->contents, summary->read);
  }
  std::string backedUp() {
    const auto store = must(openObjectStore("s3://bucket/backup", quick()));
    Archive archive = must(Archive::open(path("A"), Archive::Mode::kReadWrite));
    const auto report = backUp(archive, *store, {});
    if (!report) return report.error().message;
    ++backups_;
    // A number that is given twice would be a list that was cut off.
    EXPECT_THAT(report->snapshot, StartsWith(fmt::format("{:06}-", backups_)));
    return fmt::format("whole: {} artifacts, {} files", report->artifacts, report->files);
  }
  std::string checked() {
    const auto store = must(openObjectStore("s3://bucket/backup", quick()));
    const auto check = checkBackup(*store, "000001", {});
    if (!check) return check.error().message;
    if (!check->damaged.empty()) return check->damaged.front().message;
    return fmt::format("whole: {} objects", check->objects);
  }
  std::string restored() {
    const auto store = must(openObjectStore("s3://bucket/backup", quick()));
    const auto report = restoreArchive(*store, fresh("restored"), {});
    if (!report) return report.error().message;
    if (!report->missing.empty()) return report->missing.front().message;
    // Always the newest.
    EXPECT_THAT(report->snapshot, StartsWith(fmt::format("{:06}-", backups_)));
    return fmt::format("whole: {} artifacts, {} files", report->artifacts, report->files);
  }

  const std::vector<std::pair<std::string, std::function<std::string()>>> verbs_ = {
      {"push", [&] { return mirrored(path("A"), fmt::format("s3://bucket/push{}", ++made_)); }},
      {"mirror", [&] { return mirrored(path("A"), "s3://bucket/mirror"); }},
      {"pull", [&] { return mirrored("s3://bucket/mirror", fresh("pulled")); }},
      {"scrub", [&] { return scrubbed(); }},
      {"backup", [&] { return backedUp(); }},
      {"backup --check", [&] { return checked(); }},
      {"restore", [&] { return restored(); }},
  };
  ScriptedBucket::Override override_;
  ScriptedBucket bucket_{[this](ScriptedBucket& bucket, const std::string& operation,
                                const ScriptedRequest& request) -> std::optional<ScriptedReply> {
    return override_ ? override_(bucket, operation, request) : std::nullopt;
  }};
  std::map<std::string, std::string> expected_;
  std::string problem_;
  int made_ = 0, backups_ = 0;
};

TEST_F(BucketVerbs, WhatPassesByChangesNothing) {
  expected_["mirror"] = verbs_[1].second();  // Everything is there by now.
  for (const Fault& fault : kPassing) {
    for (const auto& [name, act] : verbs_) {
      std::set<std::string> failed;
      override_ = [&](ScriptedBucket& bucket, const std::string& operation,
                      const ScriptedRequest& request) -> std::optional<ScriptedReply> {
        if (!failed.insert(request.method + request.target).second) return std::nullopt;
        return fault.reply(bucket, operation, request);
      };
      EXPECT_EQ(act(), expected_[name]) << name << ": " << fault.name;
      EXPECT_FALSE(failed.empty()) << name;
      override_ = {};
    }
  }
}

TEST_F(BucketVerbs, WhatDoesNotPassIsAnErrorAndNeverLess) {
  expected_["mirror"] = verbs_[1].second();
  for (const Fault& fault : kPassing) {
    for (const char* failing : {"ListObjectsV2", "GetObject", "PutObject", "HeadObject"}) {
      for (const auto& [name, act] : verbs_) {
        int failures = 0;
        override_ = [&](ScriptedBucket& bucket, const std::string& operation,
                        const ScriptedRequest& request) -> std::optional<ScriptedReply> {
          if (operation != failing) return std::nullopt;
          auto reply = fault.reply(bucket, operation, request);
          failures += reply.has_value();
          return reply;
        };
        const std::string said = act();
        // Requests that a verb gave up are its own failures, not the next one's.
        bucket_.waitForClientsThatLeft();
        override_ = {};
        // A backup adds to snapshots that are damaged, and reads everything.
        const bool isWhole = failures == 0 || (name == "backup" && said == expected_[name]);
        if (!isWhole)
          EXPECT_THAT(said, ::testing::Not(StartsWith("whole: ")))
              << name << ": " << fault.name << " of " << failing;
        else
          EXPECT_EQ(said, expected_[name]) << name << " without " << failing;
      }
    }
  }
}

TEST_F(BucketVerbs, ASkewedClockIsNamed) {
  override_ = [](auto&, auto&, auto&) {
    return ScriptedBucket::error(403, "RequestTimeTooSkewed");
  };
  for (const auto& [name, act] : verbs_)
    EXPECT_THAT(act(), HasSubstr("set this machine's clock")) << name;
}

}  // namespace
}  // namespace vintage::tests
