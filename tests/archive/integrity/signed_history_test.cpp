// Signed lists and the past: removals, changes, older states, and keys that follow one another.
#include <gmock/gmock.h>
#include <fstream>

#include "archive/integrity/fsck.h"
#include "archive/integrity/signing.h"
#include "archive/retention/retention.h"
#include "archive/store/database.h"
#include "archive/store/retention_table.h"
#include "tests/archive/integrity/fresh_key.h"
#include "tests/archive/retention/age_policy.h"
#include "tests/archive/store/example_key.h"
#include "tests/archive/store/sample.h"

namespace vintage::tests {
using namespace archive;

namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

SigningKey freshKey() { return must(SigningKey::readPrivate(FreshKey().privatePem, "fresh key")); }

class SignedHistory : public FolderTest {
 protected:
  void SetUp() override {
    FolderTest::SetUp();
    archive_.emplace(must(Archive::open(path("a"), Archive::Mode::kCreate)));
    for (int number = 0; number < 4; ++number) put(number);
  }
  void put(int number) {
    ArtifactRecord record = sampleRecord("case " + std::to_string(number), number);
    must(archive_->put(record, content(static_cast<uint64_t>(number), 200), nullptr));
  }
  SigningReport sign(const SigningKey& key, int date) {
    return must(signArchive(*archive_, key, day(date)));
  }
  SignatureSummary check(const SigningKey& key, const std::optional<Pin>& pinned = std::nullopt) {
    problems_.clear();
    return must(checkSignatures(*archive_, key, pinned,
                                [&](const std::string& who, const std::string& what) {
                                  problems_.push_back(who + ": " + what);
                                }));
  }
  void sql(const std::string& text) {
    must(must(Database::open(path("a/index.sqlite"), {}))
             ->execute("PRAGMA foreign_keys = OFF; " + text));
  }
  void removeOlderThan(int days, int today) {
    RetentionOptions options = keepDays(days, today);
    options.dateIsConfirmed = true;
    must(applyRetention(*archive_, options));
  }
  void keep(const std::string& name) {
    archive_.reset();
    std::filesystem::copy(path("a"), path(name), std::filesystem::copy_options::recursive);
    archive_.emplace(must(Archive::open(path("a"), Archive::Mode::kReadWrite)));
  }
  void bringBack(const std::string& name) {
    archive_.reset();
    std::filesystem::remove_all(path("a"));
    std::filesystem::copy(path(name), path("a"), std::filesystem::copy_options::recursive);
    archive_.emplace(must(Archive::open(path("a"), Archive::Mode::kReadWrite)));
  }

  const SigningKey key_ = must(SigningKey::readPrivate(kExamplePrivateKey, "key"));
  std::optional<Archive> archive_;
  std::vector<std::string> problems_;
};

// A signature that was set to NULL was taken for one that a put had outdated: the next
// `vintage sign` signed the changed record, and everything was in order.
TEST_F(SignedHistory, AnEmptiedSignatureIsNotSignedAgain) {
  sign(key_, 50);
  sql("INSERT INTO list (texts) VALUES ('[\"evil\"]'); UPDATE family SET targets = "
      "last_insert_rowid() WHERE head = (SELECT id FROM head WHERE text = 'case 1'); "
      "UPDATE signature SET signature = NULL WHERE artifact = 2");
  EXPECT_GT(check(key_).problems, 0);
  EXPECT_EQ(refusal(signArchive(*archive_, key_, day(51))), Error::Kind::kMismatch);
  EXPECT_GT(check(key_).problems, 0);
}

// A put may still fill in facts that were unknown. A person who writes to the index directly can
// claim no more than that.
TEST_F(SignedHistory, WhatClaimsToBeFilledInIsComparedWithWhatWasSigned) {
  archive_.reset();
  std::filesystem::remove_all(path("a"));
  archive_.emplace(must(Archive::open(path("a"), Archive::Mode::kCreate)));
  ArtifactRecord record = sampleRecord("case", 1);
  record.primitive = "";
  must(archive_->put(record, content(1, 200), nullptr));
  sign(key_, 50);
  record.primitive = "add";
  must(archive_->put(record, content(1, 200), nullptr));
  EXPECT_EQ(check(key_).unsignedYet, 1);
  EXPECT_THAT(problems_, IsEmpty());
  keep("filled");
  sql("UPDATE list SET texts = '[\"f64\"]' WHERE texts = '[\"f32\"]'");
  EXPECT_EQ(check(key_).problems, 1);
  EXPECT_THAT(problems_, Contains(HasSubstr("its 'dtypes' differs")));
  EXPECT_EQ(sign(key_, 51).filledIn, 0);
  EXPECT_EQ(check(key_).problems, 1);
  bringBack("filled");
  sql("UPDATE signature SET facts = replace(facts, 'f32', 'f64')");
  EXPECT_EQ(check(key_).problems, 1);
  bringBack("filled");
  EXPECT_EQ(sign(key_, 51).filledIn, 1);
  EXPECT_EQ(check(key_).verified, 1);
}

// Rows of removals were not signed: an artifact could be made to disappear, and its removal
// with a reason be written, changed or deleted, unseen.
TEST_F(SignedHistory, RemovalsAndChangesAreSigned) {
  sign(key_, 50);
  must(placeHold(*archive_, must(archive_->find("case 3")), "a bug", std::nullopt));
  removeOlderThan(1, 3);
  EXPECT_EQ(check(key_).removals, 2);
  EXPECT_EQ(check(key_).changes, 1);
  const SigningReport report = sign(key_, 51);
  EXPECT_EQ(report.removals, 2);
  EXPECT_EQ(report.changes, 1);
  EXPECT_EQ(check(key_).problems, 0);
  EXPECT_EQ(check(key_).removals, 0);
  keep("signed");
  for (const char* change :
       {"UPDATE removal SET reason = 'other' WHERE id = 1", "DELETE FROM removal WHERE id = 2",
        "UPDATE removal SET removed = removed + 1", "DELETE FROM change",
        "UPDATE change SET who = 'somebody'"}) {
    bringBack("signed");
    sql(change);
    EXPECT_GT(check(key_).problems, 0) << change;
    EXPECT_EQ(refusal(signArchive(*archive_, key_, day(52))), Error::Kind::kMismatch) << change;
  }
}

// An older copy of a whole archive, or of its lists, carries good signatures.
TEST_F(SignedHistory, AnOlderStateIsNotTakenForTheNewestOne) {
  sign(key_, 50);
  keep("older");
  put(4);
  EXPECT_EQ(sign(key_, 51).counter, 2);
  const SignatureSummary newest = check(key_);
  ASSERT_TRUE(newest.seen);
  EXPECT_EQ(newest.seen->counter, 2);
  EXPECT_EQ(check(key_, newest.seen).problems, 0);

  bringBack("older");
  EXPECT_EQ(check(key_).problems, 0);  // By itself it is in order.
  const SignatureSummary rolledBack = check(key_, newest.seen);
  EXPECT_EQ(rolledBack.problems, 1);
  EXPECT_THAT(problems_, Contains(HasSubstr("older state")));
  EXPECT_FALSE(rolledBack.seen);
  // Signed further from there, it has the counter, and another history.
  put(5);
  sign(key_, 52);
  EXPECT_EQ(check(key_, newest.seen).problems, 1);
  EXPECT_THAT(problems_, Contains(HasSubstr("written anew")));
}

TEST_F(SignedHistory, AListThatIsTakenOutOfTheMiddleIsMissed) {
  for (int date = 50; date < 53; ++date) {
    put(date);
    sign(key_, date);
  }
  EXPECT_EQ(check(key_).problems, 0);
  sql("DELETE FROM signed_list WHERE counter = 2");
  EXPECT_GT(check(key_).problems, 0);
  EXPECT_THAT(problems_, Contains(HasSubstr("counter is 3")));
}

TEST_F(SignedHistory, AKeyFollowsAnotherByItsWord) {
  const SigningKey next = freshKey(), stranger = freshKey();
  sign(key_, 50);
  must(rotateKey(*archive_, key_, next, day(51)));
  EXPECT_EQ(refusal(signArchive(*archive_, key_, day(51))), Error::Kind::kConflict);
  EXPECT_EQ(refusal(rotateKey(*archive_, key_, stranger, day(51))), Error::Kind::kConflict);
  put(4);
  EXPECT_EQ(sign(next, 51).counter, 2);
  // A user who trusts the old key trusts the new one, and a user who begins with the new one needs
  // no more.
  for (const SigningKey* trusted : {&key_, &next}) {
    const SignatureSummary summary = check(*trusted);
    EXPECT_THAT(problems_, IsEmpty());
    EXPECT_EQ(summary.verified, 5);
    EXPECT_EQ(summary.seen->key, next.fingerprint());
  }
  EXPECT_GT(check(stranger).problems, 0);
  // Nobody else brings a key in.
  keep("rotated");
  sql("UPDATE key_statement SET signature = zeroblob(64)");
  EXPECT_GT(check(key_).problems, 0);
  bringBack("rotated");
  sql("DELETE FROM key_statement");
  const Pin seen{2, "", next.fingerprint(), ""};
  EXPECT_GT(check(key_, seen).problems, 0);
}

// The old key was stolen: what it signs after its turn does not count.
TEST_F(SignedHistory, ARevokedKeySignsNothingMore) {
  const SigningKey next = freshKey(), stranger = freshKey();
  sign(key_, 50);
  keep("before");
  must(rotateKey(*archive_, key_, next, day(51)));
  sign(next, 51);
  EXPECT_EQ(refusal(revokeKey(*archive_, stranger, key_, day(52))), Error::Kind::kConflict);
  must(revokeKey(*archive_, next, key_, day(52)));
  sign(next, 52);
  EXPECT_EQ(check(key_).problems, 0);
  const SignatureSummary newest = check(next);
  EXPECT_EQ(newest.problems, 0);
  EXPECT_EQ(must(keyStatements(*archive_)).size(), 2u);
  // A thief with the old key can write another history; a client that saw the true one notices.
  bringBack("before");
  must(rotateKey(*archive_, key_, stranger, day(51)));
  sign(stranger, 51);
  sign(stranger, 52);
  sign(stranger, 53);
  EXPECT_EQ(check(key_, newest.seen).problems, 1);
  // A key may also revoke itself.
  bringBack("before");
  must(revokeKey(*archive_, key_, key_, day(51)));
  EXPECT_EQ(refusal(signArchive(*archive_, key_, day(52))), Error::Kind::kConflict);
  EXPECT_EQ(check(key_).problems, 0);
}

TEST_F(SignedHistory, PinsAreKeptByPlaceAndKey) {
  const PinFile pins(path("state/pins.json"));
  EXPECT_FALSE(must(pins.find("/a", "k")));
  must(pins.put("/a", "k", {3, "hash", "k2", "2026-11-20"}));
  must(pins.put("/b", "k", {4, "other", "k", "2026-11-21"}));
  must(pins.put("/a", "k", {5, "newer", "k2", "2026-11-22"}));
  EXPECT_EQ(must(pins.find("/a", "k"))->counter, 5);
  EXPECT_EQ(must(pins.find("/a", "k"))->list, "newer");
  EXPECT_EQ(must(pins.find("/b", "k"))->counter, 4);
  EXPECT_FALSE(must(pins.find("/a", "other key")));
  std::ofstream(path("state/pins.json")) << "garbage";
  EXPECT_EQ(refusal(pins.find("/a", "k")), Error::Kind::kBadInput);
  EXPECT_EQ(refusal(pins.put("/a", "k", {})), Error::Kind::kBadInput);
}

}  // namespace
}  // namespace vintage::tests
