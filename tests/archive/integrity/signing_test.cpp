// Signatures: what is changed behind the archive's back shows.
#include <fstream>

#include <gmock/gmock.h>

#include "archive/integrity/signing.h"
#include "archive/retention/retention.h"
#include "archive/store/database.h"
#include "tests/archive/retention/age_policy.h"
#include "tests/archive/store/example_key.h"
#include "tests/archive/store/sample.h"

namespace vintage::tests {
using namespace archive;

namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class SigningTest : public FolderTest {
 protected:
  void SetUp() override {
    FolderTest::SetUp();
    archive_.emplace(must(Archive::open(path("a"), Archive::Mode::kCreate)));
    for (int number = 0; number < 4; ++number) put(number);
  }
  void put(int number) {
    ArtifactRecord record = sampleRecord("case " + std::to_string(number), number);
    record.primitive = number == 3 ? "" : "add";
    must(archive_->put(record, content(static_cast<uint64_t>(number), 200), nullptr));
  }
  SignatureSummary check() {
    problems_.clear();
    return must(checkSignatures(*archive_, public_, pinned_,
                                [&](const std::string& who, const std::string& what) {
                                  problems_.push_back(who + ": " + what);
                                }));
  }
  void sql(const std::string& text) {
    must(must(Database::open(path("a/index.sqlite"), {}))
             ->execute("PRAGMA foreign_keys = OFF; " + text));
  }
  const SigningKey private_ = must(SigningKey::readPrivate(kExamplePrivateKey, "key"));
  const SigningKey public_ = must(SigningKey::readPublic(kExamplePublicKey, "key"));
  std::optional<Archive> archive_;
  std::vector<std::string> problems_;
  std::optional<Pin> pinned_;
};

TEST_F(SigningTest, KeysOfOnePairAndNothingElse) {
  EXPECT_EQ(private_.fingerprint(), public_.fingerprint());
  const auto signature = must(private_.sign("text"));
  EXPECT_TRUE(public_.verifies("text", signature));
  EXPECT_FALSE(public_.verifies("texT", signature));
  EXPECT_FALSE(public_.verifies("text", std::span(signature).first(63)));
  EXPECT_EQ(refusal(public_.sign("text")), Error::Kind::kUsage);
  for (const std::string_view bad :
       {std::string_view(""), std::string_view("garbage"), kExamplePublicKey}) {
    const auto key = SigningKey::readPrivate(bad, "k.pem");
    ASSERT_FALSE(key);
    EXPECT_EQ(key.error().kind, Error::Kind::kBadInput);
    EXPECT_THAT(key.error().message, HasSubstr("k.pem"));
  }
  EXPECT_FALSE(SigningKey::readPublic(kExamplePrivateKey, "k"));
}

TEST_F(SigningTest, TheTextIsCanonical) {
  ArtifactRecord record = sampleRecord("\xc3\xbc");
  record.id = std::string(64, 'a');
  EXPECT_EQ(
      signedText(record),
      "vintage artifact 1\n"
      R"({"build_date":"2024-10-04","bytes":0,"calling_convention":9,"case":"",)"
      R"("custom_call_targets":[],"device_count":1,"dtypes":["f32"],"format":"exported",)"
      R"("golden":"","id":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",)"
      R"("name":"\u00fc","platforms":["cpu"],"primitive":"add","producer":"producer 0",)"
      R"("serialization":3,"stablehlo":"1.9.3","variant":"static"})");
  record.golden = std::string(64, 'b');
  EXPECT_THAT(signedText(record), HasSubstr(R"("golden":"bbbbbbbb)"));
}

TEST_F(SigningTest, SignsVerifiesAndKnowsWhatIsNew) {
  EXPECT_EQ(check().problems, 1);
  EXPECT_THAT(problems_, ElementsAre(HasSubstr("has signed no list")));
  const SigningReport first = must(signArchive(*archive_, private_, day(50)));
  EXPECT_EQ(first.signedNow, 4);
  EXPECT_EQ(first.artifacts, 4);
  SignatureSummary summary = check();
  EXPECT_EQ(summary.verified, 4);
  EXPECT_EQ(summary.problems, 0);
  ASSERT_TRUE(summary.seen);
  EXPECT_EQ(summary.seen->date, formatDate(day(50)));

  put(4);
  ArtifactRecord filled = sampleRecord("case 3", 3);  // Its primitive was unknown.
  must(archive_->put(filled, content(3, 200), nullptr));
  summary = check();
  EXPECT_EQ(summary.unsignedYet, 2);
  EXPECT_EQ(summary.problems, 0);
  const SigningReport second = must(signArchive(*archive_, private_, day(51)));
  EXPECT_EQ(second.signedNow, 2);
  EXPECT_EQ(second.artifacts, 5);
  EXPECT_EQ(check().verified, 5);
}

TEST_F(SigningTest, RetentionIsNoTampering) {
  must(signArchive(*archive_, private_, day(50)));
  RetentionOptions options = keepDays(1, 3);
  EXPECT_EQ(must(applyRetention(*archive_, options)).removed, 2);
  SignatureSummary summary = check();
  EXPECT_EQ(summary.problems, 0);
  EXPECT_EQ(summary.verified, 2);
  put(0);  // A removed artifact that comes back is new.
  EXPECT_EQ(check().problems, 0);
  EXPECT_EQ(must(signArchive(*archive_, private_, day(51))).artifacts, 3);
  EXPECT_EQ(check().problems, 0);
}

TEST_F(SigningTest, ChangesBehindTheArchivesBackShow) {
  must(signArchive(*archive_, private_, day(50)));
  std::filesystem::copy(path("a"), path("copy"), std::filesystem::copy_options::recursive);
  const std::pair<const char*, const char*> changes[] = {
      {"UPDATE origin SET build_day = build_day - 1 WHERE producer = 'producer 1'",
       "case 1 (producer 1)"},
      {"UPDATE artifact SET blob = (SELECT blob FROM artifact_record WHERE name = 'case 2') WHERE "
       "id = (SELECT id FROM artifact_record WHERE name = 'case 1')",
       "case 1 (producer 1)"},
      {"INSERT INTO list (texts) VALUES ('[\"evil\"]'); UPDATE family SET targets = "
       "last_insert_rowid() WHERE head = (SELECT id FROM head WHERE text = 'case 0')",
       "case 0 (producer 0)"},
      {"UPDATE head SET text = 'case 9' WHERE text = 'case 0'", "case 9 (producer 0)"},
      {"DELETE FROM signature WHERE artifact = 2", "the list of"},
      {"DELETE FROM signature WHERE artifact = 2; DELETE FROM artifact WHERE id = 2",
       "the list of"},
      {"UPDATE signed_list SET artifacts = 3", "the list of"},
      {"UPDATE signed_list SET day = day + 1", "date is"},
      {"UPDATE signed_list SET text = replace(text, 'artifacts', 'artefacts')",
       "its signature does not match"},
      {"UPDATE signature SET signature = zeroblob(64) WHERE artifact = 3", "case 2 (producer 2)"},
      {"UPDATE signature SET signature = x'00' WHERE artifact = 3", "case 2 (producer 2)"},
  };
  for (const auto& [change, words] : changes) {
    archive_.reset();
    std::filesystem::remove_all(path("a"));
    std::filesystem::copy(path("copy"), path("a"), std::filesystem::copy_options::recursive);
    sql(change);
    archive_.emplace(must(Archive::open(path("a"), Archive::Mode::kReadWrite)));
    EXPECT_GT(check().problems, 0) << change;
    EXPECT_THAT(problems_, ::testing::Contains(HasSubstr(words))) << change;
    // Signing once more does not cover it up.
    const auto again = signArchive(*archive_, private_, day(51));
    if (!again) EXPECT_EQ(again.error().kind, Error::Kind::kMismatch);
    EXPECT_GT(check().problems, 0) << change;
  }
}

}  // namespace
}  // namespace vintage::tests
