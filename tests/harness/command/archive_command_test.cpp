// The verbs that look after an archive, as a user calls them.
#include <nlohmann/json.hpp>

#include <csignal>
#include <random>

#include <gmock/gmock.h>

#include "tests/archive/store/example_key.h"
#include "tests/harness/command/artifacts.h"

namespace vintage::tests::command {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

class ArchiveCommandTest : public ::testing::Test {
 protected:
  // One artifact with a golden.
  std::string makeArchive() {
    const std::string test = writeCompatibilityTest(sandbox_, "add", 33);
    EXPECT_EQ(sandbox_.run({"import", test, "--archive", sandbox_.path("a")}).status, 0);
    return sandbox_.path("a");
  }
  json jsonOf(std::vector<std::string> arguments, int status) {
    arguments.insert(arguments.end(), {"--format", "json"});
    const Finished finished = sandbox_.run(arguments);
    EXPECT_EQ(finished.status, status) << finished.err;
    return json::parse(finished.out, nullptr, false);
  }
  void damage(const std::string& archive, const std::string& sql) {
    const std::string line = "sqlite3 '" + archive + "/index.sqlite' \"" + sql + "\"";
    ASSERT_EQ(std::system(line.c_str()), 0) << line;
  }
  Sandbox sandbox_;
};

TEST_F(ArchiveCommandTest, FsckOfAWholeArchive) {
  const std::string archive = makeArchive();
  const Finished text = sandbox_.run({"fsck", "--archive", archive, "--read-data"});
  EXPECT_EQ(text.status, 0) << text.err;
  EXPECT_THAT(text.out, HasSubstr("is whole: 1 artifact, 2 contents (2 of them read and verified"));
  const json report = jsonOf({"fsck", "--archive", archive}, 0);
  EXPECT_EQ(report["whole"], true);
  EXPECT_EQ(report["blobs_read"], 0);
  EXPECT_EQ(sandbox_.run({"fsck", "--archive", archive, "--read-data=2/2"}).status, 0);
}

TEST_F(ArchiveCommandTest, FsckCallsThatAreWrong) {
  const std::string archive = makeArchive();
  for (const char* parts : {"0/3", "4/3", "3", "a/b", "1/2x", "/", "1/99999999999999"}) {
    const Finished finished =
        sandbox_.run({"fsck", "--archive", archive, std::string("--read-data=") + parts});
    EXPECT_EQ(finished.status, 2) << parts;
    EXPECT_THAT(finished.err, HasSubstr("N/T"));
  }
  EXPECT_EQ(sandbox_.run({"fsck", "--archive", sandbox_.path("nowhere")}).status, 2);
  EXPECT_EQ(sandbox_.run({"fsck", "--archive", archive, "--from", archive}).status, 2);
  EXPECT_EQ(
      sandbox_.run({"fsck", "--archive", archive, "--public-key", sandbox_.write("key", "garbage")})
          .status,
      3);
  sandbox_.write("a/index.sqlite", std::string(9000, 'x'));
  EXPECT_EQ(sandbox_.run({"fsck", "--archive", archive}).status, 3);
}

TEST_F(ArchiveCommandTest, FsckHealsFromACopy) {
  const std::string archive = makeArchive(), copy = sandbox_.path("copy");
  std::filesystem::copy(archive, copy, std::filesystem::copy_options::recursive);
  std::filesystem::remove(archive + "/VINTAGE_ARCHIVE");
  EXPECT_EQ(sandbox_.run({"fsck", "--archive", archive}).status, 1);
  EXPECT_EQ(sandbox_.run({"fsck", "--archive", archive, "--repair"}).status, 0);
  if (std::system("sqlite3 -version >/dev/null 2>&1") != 0) GTEST_SKIP() << "needs sqlite3";
  damage(archive, "UPDATE blob_content SET content = zeroblob(length(content))");
  const json found = jsonOf({"fsck", "--archive", archive, "--read-data"}, 1);
  ASSERT_EQ(found["findings"].size(), 2u);
  EXPECT_EQ(found["findings"][0]["kind"], "damaged content");
  EXPECT_FALSE(found["findings"][0]["affected"].empty());
  const Finished healed =
      sandbox_.run({"fsck", "--archive", archive, "--read-data", "--repair", "--from", copy});
  EXPECT_EQ(healed.status, 0) << healed.out;
  EXPECT_THAT(healed.out, HasSubstr("2 damages found, 2 healed"));
  EXPECT_EQ(sandbox_.run({"fsck", "--archive", archive, "--read-data"}).status, 0);
}

TEST_F(ArchiveCommandTest, RetentionHoldAndCollection) {
  const std::string archive = makeArchive();
  const std::string policy = sandbox_.write(
      "policy.json",
      R"({"vintage_retention": 1, "wait_days": 0, "rules": [{"name": "week", "keep": "age", "days": 7}]})");
  const std::vector<std::string> call{"retention", "--archive", archive,     "--policy",
                                      policy,      "--today",   "2027-01-01"};
  std::vector<std::string> dry = call;
  dry.push_back("--dry-run");
  json report = jsonOf(dry, 0);
  EXPECT_EQ(report["removed"], 1);
  EXPECT_EQ(report["collected"], nullptr);
  EXPECT_THAT(report["leaving"][0]["reason"].get<std::string>(),
              HasSubstr("'week' begins on 2026-12-25"));

  EXPECT_EQ(sandbox_.run({"hold", "--archive", archive, "add", "--reason", "a bug"}).status, 0);
  EXPECT_EQ(sandbox_.run({"hold", "--archive", archive, "add"}).status, 2);
  EXPECT_EQ(sandbox_.run({"hold", "--archive", archive}).status, 2);
  EXPECT_EQ(sandbox_.run({"hold", "--archive", archive, "nobody", "--reason", "x"}).status, 2);
  EXPECT_EQ(jsonOf({"hold", "--archive", archive, "--list"}, 0)["holds"][0]["reason"], "a bug");
  EXPECT_EQ(jsonOf(call, 0)["held"], 1);
  EXPECT_EQ(sandbox_.run({"hold", "--archive", archive, "add", "--release"}).status, 0);
  report = jsonOf(call, 0);
  EXPECT_EQ(report["removed"], 1);
  EXPECT_EQ(report["collected"]["contents"], 2);
  EXPECT_EQ(jsonOf({"list", "--archive", archive}, 0), json::array());
  EXPECT_EQ(jsonOf({"list", "--archive", archive, "--count"}, 0)["count"], 0);
  EXPECT_EQ(sandbox_.run(call).status, 4);
  EXPECT_EQ(jsonOf({"gc", "--archive", archive}, 0)["contents"], 0);

  const std::string bad = sandbox_.write("bad.json", R"({"vintage_retention": 1, "rules": []})");
  EXPECT_EQ(sandbox_.run({"retention", "--archive", archive, "--policy", bad}).status, 3);
  EXPECT_EQ(sandbox_.run({"retention"}).status, 2);
  const std::string printed =
      sandbox_.write("p.json", sandbox_.run({"retention", "--print-policy"}).out);
  EXPECT_EQ(sandbox_.run({"retention", "--policy", printed, "--print-policy"}).out,
            Sandbox::read(printed));
}

TEST_F(ArchiveCommandTest, RetentionWaitsAndRefusesADateThatJumped) {
  const std::string archive = makeArchive();
  const std::string policy = sandbox_.write(
      "policy.json",
      R"({"vintage_retention": 1, "rules": [{"name": "week", "keep": "age", "days": 7}]})");
  const auto on = [&](const std::string& today) {
    return std::vector<std::string>{"retention", "--archive", archive, "--policy",
                                    policy,      "--today",   today};
  };
  EXPECT_EQ(jsonOf(on("2027-01-01"), 0)["announced"], 1);
  const json list = jsonOf({"retention", "--archive", archive, "--list"}, 0);
  ASSERT_EQ(list["waiting"].size(), 1u);
  EXPECT_EQ(list["waiting"][0]["goes"], "2027-01-15");
  const Finished jumped = sandbox_.run(on("2028-01-01"));
  EXPECT_EQ(jumped.status, 2);
  EXPECT_THAT(jumped.err, HasSubstr("--confirm-date 2028-01-01"));
  EXPECT_EQ(jsonOf({"list", "--archive", archive, "--count"}, 0)["count"], 1);
  std::vector<std::string> confirmed = on("2028-01-01");
  confirmed.insert(confirmed.end(), {"--confirm-date", "2027-12-31"});
  EXPECT_EQ(sandbox_.run(confirmed).status, 2);
  confirmed.back() = "2028-01-01";
  EXPECT_EQ(jsonOf(confirmed, 0)["removed"], 1);
}

// It ended with an error and status 3, so that a nightly job on a young archive failed.
TEST_F(ArchiveCommandTest, RepackingAnArchiveWithTooFewContents) {
  const std::string archive = makeArchive();
  const Finished text = sandbox_.run({"gc", "--archive", archive, "--repack"});
  EXPECT_EQ(text.status, 0) << text.err;
  EXPECT_THAT(text.out, HasSubstr("a dictionary takes 200 small artifacts; the archive has 1"));
  const json report = jsonOf({"gc", "--archive", archive, "--repack"}, 0);
  EXPECT_EQ(report["repacked"]["too_few"], true);
  EXPECT_EQ(report["repacked"]["packed"], 0);
  EXPECT_EQ(jsonOf({"fsck", "--archive", archive, "--read-data"}, 0)["whole"], true);
}

TEST_F(ArchiveCommandTest, SignAndCheck) {
  const std::string archive = makeArchive();
  const std::string key = sandbox_.write("key.pem", std::string(kExamplePrivateKey));
  const std::string publicKey = sandbox_.write("public.pem", std::string(kExamplePublicKey));
  const std::string pins = sandbox_.path("pins.json");
  EXPECT_EQ(sandbox_.run({"fsck", "--archive", archive, "--public-key", publicKey, "--pins", pins})
                .status,
            1);
  EXPECT_EQ(
      jsonOf({"sign", "--archive", archive, "--key", key, "--today", "2026-11-20"}, 0)["artifacts"],
      1);
  EXPECT_EQ(jsonOf({"fsck", "--archive", archive, "--public-key", publicKey, "--pins", pins},
                   0)["signatures_verified"],
            1);
  EXPECT_EQ(sandbox_.run({"sign", "--archive", archive, "--key", publicKey}).status, 3);
  if (std::system("sqlite3 -version >/dev/null 2>&1") != 0) GTEST_SKIP() << "needs sqlite3";
  damage(archive, "UPDATE label SET text = 'poly' WHERE text = 'static'");
  const Finished found =
      sandbox_.run({"fsck", "--archive", archive, "--public-key", publicKey, "--pins", pins});
  EXPECT_EQ(found.status, 1);
  EXPECT_THAT(found.out, HasSubstr("its record differs from the signed one"));
}

// A copy from before, with good signatures, passed for the archive.
TEST_F(ArchiveCommandTest, FsckRemembersTheNewestListThatItSaw) {
  const std::string archive = makeArchive();
  const std::string key = sandbox_.write("key.pem", std::string(kExamplePrivateKey));
  const std::string publicKey = sandbox_.write("public.pem", std::string(kExamplePublicKey));
  const std::vector<std::string> check{"fsck",
                                       "--archive",
                                       archive,
                                       "--public-key",
                                       publicKey,
                                       "--pins",
                                       sandbox_.path("pins.json")};
  EXPECT_EQ(sandbox_.run({"sign", "--archive", archive, "--key", key}).status, 0);
  std::filesystem::copy(archive, sandbox_.path("older"), std::filesystem::copy_options::recursive);
  EXPECT_EQ(jsonOf({"sign", "--archive", archive, "--key", key}, 0)["counter"], 2);
  EXPECT_EQ(jsonOf(check, 0)["list"]["counter"], 2);
  std::filesystem::remove_all(archive);
  std::filesystem::copy(sandbox_.path("older"), archive, std::filesystem::copy_options::recursive);
  const Finished found = sandbox_.run(check);
  EXPECT_EQ(found.status, 1);
  EXPECT_THAT(found.out, HasSubstr("older state"));

  // Replacements and removals are listed, and a key names its successor.
  EXPECT_EQ(sandbox_.run({"hold", "--archive", archive, "add", "--reason", "a bug"}).status, 0);
  const json audit = jsonOf({"audit", "--archive", archive}, 0);
  ASSERT_EQ(audit["changes"].size(), 1u);
  EXPECT_EQ(audit["changes"][0]["what"], "hold placed");
  EXPECT_EQ(audit["changes"][0]["after"]["reason"], "a bug");
  EXPECT_EQ(sandbox_.run({"key", "rotate", "--archive", archive, "--key", key}).status, 2);
  EXPECT_EQ(jsonOf({"key", "revoke", "--archive", archive, "--key", key}, 0)["action"], "revoke");
  EXPECT_EQ(jsonOf({"key", "list", "--archive", archive}, 0)["statements"].size(), 1u);
  EXPECT_EQ(sandbox_.run({"sign", "--archive", archive, "--key", key}).status, 1);
}

// The importing command killed at random moments: fsck finds no damage, and the
// same command completes the work.
TEST_F(ArchiveCommandTest, AnImportThatIsKilledLeavesNoDamage) {
  std::vector<std::string> folders;
  for (int number = 0; number < 6; ++number)
    folders.push_back(writeCompatibilityTest(sandbox_, "add" + std::to_string(number), 33));
  const std::string archive = sandbox_.path("a");
  std::vector<std::string> call{"import"};
  call.insert(call.end(), folders.begin(), folders.end());
  call.insert(call.end(), {"--archive", archive});
  std::mt19937 random(3);
  for (int round = 0; round < 6; ++round) {
    std::string line = "timeout -s KILL " + std::to_string((random() % 400 + 20) / 1000.0) +
                       " '" VINTAGE_BINARY "/bin/vintage'";
    for (const std::string& argument : call) line += " '" + argument + "'";
    (void)std::system((line + " >/dev/null 2>&1").c_str());
    if (!std::filesystem::exists(archive + "/VINTAGE_ARCHIVE")) continue;
    const Finished checked = sandbox_.run({"fsck", "--archive", archive, "--read-data"});
    EXPECT_EQ(checked.status, 0) << checked.out << checked.err;
  }
  EXPECT_EQ(sandbox_.run(call).status, 0);
  EXPECT_EQ(jsonOf({"list", "--archive", archive, "--count"}, 0)["count"], 6);
  EXPECT_EQ(sandbox_.run({"fsck", "--archive", archive, "--read-data"}).status, 0);
}

}  // namespace
}  // namespace vintage::tests::command
